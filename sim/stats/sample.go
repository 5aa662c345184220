package stats

// Sample has counters of a launch at a cycle from its start. All are sums, so the difference of two samples is what happened between them.
type Sample struct {
	Cycle uint64 `json:"cycle"`
	// Instructions are warp operations issued, without replays. ActiveCycles are summed over SMXs, WarpCycles are the resident warps summed
	// over them.
	Instructions uint64 `json:"instructions"`
	ActiveCycles uint64 `json:"active_cycles"`
	WarpCycles   uint64 `json:"warp_cycles"`
	// Blocks is the number of blocks that have ended.
	Blocks uint64 `json:"blocks"`
	// Sectors requested from L2 and hits there, and sectors moved to and from DRAM, for the launch.
	L2Sectors        uint64 `json:"l2_sectors"`
	L2Hits           uint64 `json:"l2_hits"`
	DRAMReadSectors  uint64 `json:"dram_read_sectors"`
	DRAMWriteSectors uint64 `json:"dram_write_sectors"`
}

// A launch has at most MostSamples, so a long launch has them further apart.
const (
	MostSamples         = 512
	FirstSampleInterval = 512 // core cycles
)

// Samples are the samples of a running launch.
type Samples struct {
	List     []Sample
	interval uint64
	next     uint64
}

// Due reports whether a sample is due at a cycle from the launch's start.
func (s *Samples) Due(cycle uint64) bool { return cycle >= s.next }

// Add adds a sample. If there are too many, every second one is dropped, and the interval doubles.
func (s *Samples) Add(sample Sample) {
	s.interval = max(s.interval, FirstSampleInterval)
	if len(s.List) == MostSamples {
		kept := s.List[:0]
		for i := 1; i < len(s.List); i += 2 {
			kept = append(kept, s.List[i])
		}
		s.List = kept
		s.interval *= 2
	}
	s.List = append(s.List, sample)
	s.next = sample.Cycle - sample.Cycle%s.interval + s.interval
}
