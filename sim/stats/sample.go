package stats

// Sample are counters of a launch at a cycle of its run, from its start. All add up, so that the difference of two samples is what happened
// between them.
type Sample struct {
	Cycle uint64 `json:"cycle"`
	// Instructions are warp operations issued, replays left out; ActiveCycles those of all SMXs, WarpCycles the resident warps summed over
	// them.
	Instructions uint64 `json:"instructions"`
	ActiveCycles uint64 `json:"active_cycles"`
	WarpCycles   uint64 `json:"warp_cycles"`
	// Blocks have ended.
	Blocks uint64 `json:"blocks"`
	// The memory's for the launch: sectors that L2 was asked for and had, and those moved to and from DRAM.
	L2Sectors        uint64 `json:"l2_sectors"`
	L2Hits           uint64 `json:"l2_hits"`
	DRAMReadSectors  uint64 `json:"dram_read_sectors"`
	DRAMWriteSectors uint64 `json:"dram_write_sectors"`
}

// Sampling is how samples are taken: at most MostSamples of a launch, so that a long one has them further apart.
const (
	MostSamples         = 512
	FirstSampleInterval = 512 // core cycles
)

// Samples are those of a launch under way.
type Samples struct {
	List     []Sample
	interval uint64
	next     uint64
}

// Due reports that a sample is to be taken at a cycle from the launch's start.
func (s *Samples) Due(cycle uint64) bool { return cycle >= s.next }

// Add takes a sample. Where there are too many, every second one goes, and the distance doubles.
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
