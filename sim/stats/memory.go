package stats

// RequestKind is what L2 does for a request.
type RequestKind uint8

// Request kinds. Loads, stores, atomics and reductions carry an access, whose effect takes place at L2. Fills and write-backs move lines
// between caches and have no effect on any byte.
const (
	RequestLoad RequestKind = iota
	RequestStore
	RequestAtomic
	RequestReduction
	RequestFill
	RequestWriteBack
)

// String returns the kind's name.
func (k RequestKind) String() string {
	return [...]string{"load", "store", "atomic", "reduction", "fill", "write-back"}[k]
}

// MemorySource is the part of an SMX that a request to L2 comes from.
type MemorySource uint8

// Sources of requests.
const (
	SourceGlobal      MemorySource = iota // global loads, stores and atomics
	SourceLocal                           // local memory: fills and write-backs of L1
	SourceReadOnly                        // the read-only and texture cache
	SourceConstant                        // the constant caches
	SourceInstruction                     // the instruction caches
	SourceCopy                            // copy engines, and memsets
	MemorySources
)

// String is the source's name.
func (s MemorySource) String() string {
	return [...]string{"global", "local", "read-only", "constant", "instruction", "copy"}[s]
}

// TLBLevels is the number of translation levels counted apart; the last one counts walks.
const TLBLevels = 8

// Busy is how long the units of a kind were taken, in core cycles: all of them together, and the one taken the longest.
type Busy struct{ Sum, Most float64 }

// Add adds one unit.
func (b *Busy) Add(cycles float64) {
	b.Sum += cycles
	b.Most = max(b.Most, cycles)
}

// Memory are the counters of the memory system behind the SMXs. Sectors are 32 bytes, which nvprof calls transactions of
// L2 and DRAM. Cycles are of the SM clock, ticks of DRAM's command clock.
type Memory struct {
	// Requests entered at the SMXs' ports, Responses left.
	Requests, Responses uint64

	// L2ReadSectors are the sectors that L2 was asked to read (nvprof's l2_read_transactions; l2_subp*_read_sector_queries),
	// L2ReadSectorHits those that it had. Atomics are not among them.
	L2ReadSectors, L2ReadSectorHits uint64
	// L2ReadSectorsMerged are sectors that were in flight from DRAM already.
	L2ReadSectorsMerged uint64
	// L2PrefetchSectors are sectors that L2's prefetcher asked DRAM for.
	L2PrefetchSectors uint64
	// L2WriteSectors are the sectors stored or written back to L2 (nvprof's l2_write_transactions).
	L2WriteSectors uint64
	// The same by source, with the requests that asked for them.
	L2ReadRequestsBy, L2ReadSectorsBy, L2ReadSectorHitsBy [MemorySources]uint64
	L2WriteRequestsBy, L2WriteSectorsBy                   [MemorySources]uint64
	// L2AtomicRequests, L2AtomicSectors and L2AtomicLanes are atomics and reductions; L2AtomicConflicts the lanes that
	// waited for another lane of their warp on the same word. L2AtomicSectorHits is what L2 had.
	L2AtomicRequests, L2AtomicSectors, L2AtomicSectorHits, L2AtomicLanes, L2AtomicConflicts uint64
	// L2Evictions are lines pushed out, L2WriteBackSectors their dirty sectors.
	L2Evictions, L2WriteBackSectors uint64
	// L2MissStalls are requests that waited at a slice for an MSHR; L2WriteStalls for room in DRAM's queue.
	L2MissStalls, L2WriteStalls uint64
	// L2QueueDepthSum adds up what waits at a slice, over L2QueueSamples arrivals.
	L2QueueDepthSum, L2QueueSamples uint64
	// CrossbarBlocked are requests that a full slice held back in their SMX's port.
	CrossbarBlocked uint64

	// TLBHits are translations found in each level, nearest first; TLBWalks those found in none. TLBWaitCycles is the
	// time that requests waited for their translations.
	TLBHits       [TLBLevels]uint64
	TLBWalks      uint64
	TLBWaitCycles uint64

	// DRAMReadSectors and DRAMWriteSectors are data (nvprof's dram_read_transactions and dram_write_transactions without
	// ECC's share); ECCReadSectors and ECCWriteSectors are check bits moved with them.
	DRAMReadSectors, DRAMWriteSectors, ECCReadSectors, ECCWriteSectors uint64
	// HostReadSectors and HostWriteSectors crossed the link to the host's memory (nvprof's sysmem_read_transactions and
	// sysmem_write_transactions).
	HostReadSectors, HostWriteSectors uint64
	// PeerReadSectors and PeerWriteSectors crossed the link to another device's memory.
	PeerReadSectors, PeerWriteSectors uint64
	// DRAMReadRequests and DRAMWriteRequests are what the channels scheduled: sectors of one line.
	DRAMReadRequests, DRAMWriteRequests uint64
	// RowHits are requests whose rows were open, RowMisses those that opened a row in an idle bank, RowConflicts those
	// that closed another row first.
	RowHits, RowMisses, RowConflicts uint64
	// DRAMActivates are rows opened, DRAMRefreshes refreshes that held a channel, DRAMTurnarounds turns from reads to
	// writes and back.
	DRAMActivates, DRAMRefreshes, DRAMTurnarounds uint64
	// DRAMBusyTicks is the time that data moved on the buses, all channels together.
	DRAMBusyTicks uint64
	// DRAMQueueDepthSum adds up what waits in a channel, over DRAMQueueSamples scheduled requests.
	DRAMQueueDepthSum, DRAMQueueSamples uint64
	// DRAMWaitTicks is the time from a request's arrival at its channel to its last data.
	DRAMWaitTicks uint64

	// L2HitLatency adds up the cycles from issue to readiness of L2HitResponses loads that L2 served; DRAMLatency of the
	// DRAMResponses loads that waited for DRAM. AtomicLatency is that of atomics with a result.
	L2HitLatency, L2HitResponses, DRAMLatency, DRAMResponses, AtomicLatency, AtomicResponses uint64

	// How long units behind the SMXs were taken: the SMXs' links to and from the crossbar, L2's slices and the unit of each
	// that carries out atomics, and the DRAM channels' paths to L2.
	RequestLinks, ResponseLinks, L2Slices, AtomicUnits, DRAMPaths Busy

	// Reuse is the histogram of reuse distances at L2 where it was asked for, else nil.
	Reuse *Reuse
}
