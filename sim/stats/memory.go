package stats

// RequestKind says what L2 does with a request.
type RequestKind uint8

// Request kinds. Loads, stores, atomics and reductions have an access, which takes effect at L2. Fills and write-backs only move lines
// between caches.
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

// String returns the source's name.
func (s MemorySource) String() string {
	return [...]string{"global", "local", "read-only", "constant", "instruction", "copy"}[s]
}

// TLBLevels is the most translation levels that are counted separately.
const TLBLevels = 8

// Busy is how long the units of a kind were busy, in core cycles: the sum, and the busiest one.
type Busy struct{ Sum, Most float64 }

// Add adds one unit.
func (b *Busy) Add(cycles float64) {
	b.Sum += cycles
	b.Most = max(b.Most, cycles)
}

// Memory has the counters of the memory system behind the SMXs. Sectors are 32 bytes, which nvprof calls transactions of L2 and DRAM.
// Cycles are of the SM clock, ticks of DRAM's command clock.
type Memory struct {
	// Requests entered at the SMXs' ports, Responses left.
	Requests, Responses uint64

	// L2ReadSectors are the sectors that L2 was asked to read (nvprof's l2_read_transactions; l2_subp*_read_sector_queries),
	// L2ReadSectorHits those that hit. Both exclude atomics.
	L2ReadSectors, L2ReadSectorHits uint64
	// L2ReadSectorsMerged are sectors that were already in flight from DRAM.
	L2ReadSectorsMerged uint64
	// L2PrefetchSectors are sectors that L2's prefetcher requested from DRAM.
	L2PrefetchSectors uint64
	// L2WriteSectors are the sectors stored or written back to L2 (nvprof's l2_write_transactions).
	L2WriteSectors uint64
	// The same by source, with the number of requests.
	L2ReadRequestsBy, L2ReadSectorsBy, L2ReadSectorHitsBy [MemorySources]uint64
	L2WriteRequestsBy, L2WriteSectorsBy                   [MemorySources]uint64
	// L2AtomicRequests, L2AtomicSectors and L2AtomicLanes count atomics and reductions; L2AtomicConflicts the lanes that waited for another
	// lane of their warp on the same word. L2AtomicSectorHits are sectors that hit.
	L2AtomicRequests, L2AtomicSectors, L2AtomicSectorHits, L2AtomicLanes, L2AtomicConflicts uint64
	// L2Evictions are evicted lines, L2WriteBackSectors the dirty sectors written back.
	L2Evictions, L2WriteBackSectors uint64
	// L2MissStalls are requests that waited at a slice for an MSHR; L2WriteStalls for room in DRAM's queue.
	L2MissStalls, L2WriteStalls uint64
	// L2QueueDepthSum is the sum of a slice's queue lengths over L2QueueSamples arrivals.
	L2QueueDepthSum, L2QueueSamples uint64
	// CrossbarBlocked are requests that waited in their SMX's port because their slice was full.
	CrossbarBlocked uint64

	// TLBHits are translations found in each level, nearest first; TLBWalks those found in none. TLBWaitCycles is how long requests waited
	// for their translations.
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
	// DRAMReadRequests and DRAMWriteRequests are the scheduled requests: sectors of one line.
	DRAMReadRequests, DRAMWriteRequests uint64
	// RowHits are requests to open rows, RowMisses those that opened a row in an idle bank, RowConflicts those that closed another row
	// first.
	RowHits, RowMisses, RowConflicts uint64
	// DRAMActivates are opened rows, DRAMRefreshes refreshes of a channel, DRAMTurnarounds turns from reads to writes and back.
	DRAMActivates, DRAMRefreshes, DRAMTurnarounds uint64
	// DRAMBusyTicks is how long data moved on the buses, summed over channels.
	DRAMBusyTicks uint64
	// DRAMQueueDepthSum is the sum of a channel's waiting requests over DRAMQueueSamples scheduled requests.
	DRAMQueueDepthSum, DRAMQueueSamples uint64
	// DRAMWaitTicks is the time from a request's arrival at its channel to its last data.
	DRAMWaitTicks uint64

	// L2HitLatency is the sum of cycles from issue to readiness of L2HitResponses loads that hit L2; DRAMLatency of DRAMResponses loads
	// that waited for DRAM. AtomicLatency is that of atomics with a result.
	L2HitLatency, L2HitResponses, DRAMLatency, DRAMResponses, AtomicLatency, AtomicResponses uint64

	// How long units behind the SMXs were busy: the SMXs' links to and from the crossbar, L2's slices and their atomics units, and the DRAM
	// channels' paths to L2.
	RequestLinks, ResponseLinks, L2Slices, AtomicUnits, DRAMPaths Busy

	// Reuse is the histogram of reuse distances at L2 if recorded, else nil.
	Reuse *Reuse
}
