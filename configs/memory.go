package configs

// SectorBytes and LineBytes are the units in which requests name memory between the SMXs, L2 and DRAM, and in which nvprof counts: a
// request asks for sectors of one line. They are the values of l2.sector and l2.line, which a configuration can state and not change.
const SectorBytes, LineBytes = 32, 128

// CacheLevel is one set-associative cache of fixed size.
type CacheLevel struct {
	// Bytes is the size of the cache.
	Bytes int `yaml:"bytes" unit:"bytes" check:"min=256,max=16777216"`
	// Line is the size of a line.
	Line int `yaml:"line" unit:"bytes" check:"min=16,max=512,pow2"`
	// Ways is the associativity; the number of sets is Bytes / Line / Ways.
	Ways int `yaml:"ways" unit:"ways" check:"min=1,max=256"`
	// Latency is from an access's issue to a dependent issue when this level hits. (Of an instruction cache: what a hit
	// in this level adds to a fetch.)
	Latency int `yaml:"latency" unit:"cycles" check:"min=0,max=2000"`
	// Policy is how a victim is chosen.
	Policy string `yaml:"policy" check:"policy=replacement policy"`
	// MissRegisters is the number of lines that may be in flight at once.
	MissRegisters int `yaml:"miss_registers" unit:"lines" check:"min=1,max=1024"`
}

// Sets returns the number of sets of the cache.
func (c CacheLevel) Sets() int { return c.Bytes / (c.Line * c.Ways) }

// InstructionCache is the way instructions come to an SMX.
type InstructionCache struct {
	// L1 is the first level, private to the SMX. Its latency is part of the pipeline, a hit costs nothing more.
	L1 CacheLevel `yaml:"l1"`
	// L15 is the second level; behind it lies L2.
	L15 CacheLevel `yaml:"l15"`
	// L2Latency is what a miss in both levels adds to a fetch when L2 has the line.
	L2Latency int `yaml:"l2_latency" unit:"cycles" check:"min=1,max=2000"`
	// InstructionBytes is the size of one machine operation in memory, and of one control word.
	InstructionBytes int `yaml:"instruction_bytes" unit:"bytes" check:"min=4,max=16,pow2"`
	// ControlGroup is the number of operations behind each control word.
	ControlGroup int `yaml:"control_group" unit:"operations per control word" check:"min=1,max=31"`
	// Prefetcher says which lines are fetched before a warp needs them.
	Prefetcher string `yaml:"prefetcher" check:"policy=prefetcher"`
	// Prefetch is how many lines it fetches for one access, at most.
	Prefetch int `yaml:"prefetch" unit:"lines" check:"min=0,max=8"`
}

// ConstantCache is the way constants (kernel parameters, .const) come to an SMX.
type ConstantCache struct {
	// L1 is the first level: operands c[bank][offset] and ld.const.
	L1 CacheLevel `yaml:"l1"`
	// L15 is the second level; behind it lies L2.
	L15 CacheLevel `yaml:"l15"`
	// L2Latency is from issue to dependent issue when only L2 has the line.
	L2Latency int `yaml:"l2_latency" unit:"cycles" check:"min=1,max=2000"`
	// ReplayCycles is what each further address in a warp costs.
	ReplayCycles int `yaml:"replay_cycles" unit:"cycles per address" check:"min=1,max=64"`
}

// LoadStore is the SMX's load/store unit: the way from issue to the caches.
type LoadStore struct {
	// Queue is the number of warp accesses that wait in the unit; when full, memory instructions do not issue.
	Queue int `yaml:"queue" unit:"warp accesses per SMX" check:"min=1,max=256"`
	// Latency is from issue to the first request at L1 or the interconnect: addresses, translation, coalescing.
	Latency int `yaml:"latency" unit:"cycles" check:"min=1,max=200"`
	// PassCycles is what the unit takes for a request to shared memory or the constants that needs one pass. Parts of an access that
	// do not go at once are requests of their own.
	PassCycles float64 `yaml:"pass_cycles" unit:"cycles per request" check:"min=0.25,max=8"`
	// WidePassCycles is the same for a request of shared memory whose lanes access 8 or 16 bytes each.
	WidePassCycles float64 `yaml:"wide_pass_cycles" unit:"cycles per request" check:"min=0.25,max=8"`
	// FurtherPassCycles is what each further pass of a request takes: bank conflicts, and constants at several addresses.
	FurtherPassCycles float64 `yaml:"further_pass_cycles" unit:"cycles per pass" check:"min=0.25,max=8"`
	// InTurn has warps whose stores find the unit full come to it in the order in which they asked, whatever the scheduler's policy.
	InTurn bool `yaml:"in_turn"`
	// LanesOf8Bytes is the number of lanes of a warp that go at once where each accesses 8 bytes of memory. Lanes that touch one
	// line of global or local memory share a request to it only if they go at once, and so do lanes that read one word of shared memory.
	LanesOf8Bytes int `yaml:"lanes_of_8_bytes" unit:"lanes" check:"min=8,max=32,pow2"`
	// LanesOf16Bytes is the same for 16 bytes a lane.
	LanesOf16Bytes int `yaml:"lanes_of_16_bytes" unit:"lanes" check:"min=8,max=32,pow2"`
	// LineCycles is what the unit takes for each line of a global or local access: its data path is narrower than a line. An
	// access past L1 takes its class's time over the lanes besides.
	LineCycles float64 `yaml:"line_cycles" unit:"cycles per line" check:"min=0.25,max=32"`
	// StoreLineCycles is what the unit takes for each line that an access stores to past L1.
	StoreLineCycles float64 `yaml:"store_line_cycles" unit:"cycles per line" check:"min=0.25,max=32"`
	// Outstanding is the number of requests to L2 that an SMX has in flight, at most, cached or not.
	Outstanding int `yaml:"outstanding" unit:"requests per SMX" check:"min=1,max=4096"`
}

// L1 is the L1 data cache. Its size and sets are in shared_memory.carve_outs.
type L1 struct {
	// Line is the size of a line, and of a request that goes through L1.
	Line int `yaml:"line" unit:"bytes" check:"min=32,max=256,pow2"`
	// Latency is from a load's issue to a dependent issue, on a hit.
	Latency int `yaml:"latency" unit:"cycles" check:"min=1,max=1000"`
	// Policy is how a victim is chosen. Kepler's is not LRU.
	Policy string `yaml:"policy" check:"policy=replacement policy"`
	// MissRegisters is the number of lines in flight at once.
	MissRegisters int `yaml:"miss_registers" unit:"lines" check:"min=1,max=1024"`
	// MissMerges is the number of accesses that wait for one line, at most.
	MissMerges int `yaml:"miss_merges" unit:"accesses per line" check:"min=1,max=256"`
	// GlobalLoads says whether global loads are cached: never, only where the instruction says ld.ca and the program is
	// built to (opt-in), or always.
	GlobalLoads LoadCaching `yaml:"global_loads"`
	// LocalWrites says what a local store does: write-back keeps the line dirty in L1, write-through sends it to L2.
	LocalWrites WritePolicy `yaml:"local_writes"`
}

// ReadOnly is the read-only data cache, which is also the texture cache.
type ReadOnly struct {
	// Bytes is the size of the caches of an SMX together.
	Bytes int `yaml:"bytes" unit:"bytes per SMX" check:"min=1024,max=262144"`
	// Slices is the number of equal parts; warp w uses slice w mod Slices.
	Slices int `yaml:"slices" unit:"slices per SMX" check:"min=1,max=16"`
	// Line is the size of a line.
	Line int `yaml:"line" unit:"bytes" check:"min=32,max=256,pow2"`
	// Sector is what a miss fetches.
	Sector int `yaml:"sector" unit:"bytes" check:"min=16,max=256,pow2"`
	// Ways is the associativity.
	Ways int `yaml:"ways" unit:"ways" check:"min=1,max=256"`
	// Latency is from a load's issue to a dependent issue, on a hit.
	Latency int `yaml:"latency" unit:"cycles" check:"min=1,max=1000"`
	// Policy is how a victim is chosen.
	Policy string `yaml:"policy" check:"policy=replacement policy"`
	// MissRegisters is the number of sectors in flight at once, for one slice.
	MissRegisters int `yaml:"miss_registers" unit:"sectors per slice" check:"min=1,max=1024"`
}

// Texture is the texture units behind the texture cache, a group of them for each of its slices. Results per cycle are those of the
// class texture in pipelines.operations.
type Texture struct {
	// Texels is the number of texels that a unit filters in a cycle.
	Texels int `yaml:"texels" unit:"texels per cycle" check:"min=1,max=8,pow2"`
	// TexelBytes is the size of a texel up to which it does so; larger ones take as many times longer.
	TexelBytes int `yaml:"texel_bytes" unit:"bytes" check:"min=4,max=16,pow2"`
	// Queue is the work that may wait for the units of a slice.
	Queue int `yaml:"queue" unit:"cycles" check:"min=1,max=1000"`
}

// TLB is the address translation: levels from the SMX outwards.
type TLB struct {
	// Levels are the levels, nearest first.
	Levels []TLBLevel `yaml:"levels"`
	// WalkLatency is what a miss in the last level adds.
	WalkLatency int `yaml:"walk_latency" unit:"cycles" check:"min=0,max=10000"`
	// Walks is the number of misses of the last level that are served at once, in the whole chip.
	Walks int `yaml:"walks" unit:"walks" check:"min=1,max=256"`
}

// TLBLevel is one level of translation buffers.
type TLBLevel struct {
	// Page is the size of what one entry maps.
	Page int `yaml:"page" unit:"bytes" check:"min=4096,max=1073741824,pow2"`
	// Entries is the number of entries: the level reaches Page × Entries bytes.
	Entries int `yaml:"entries" unit:"entries" check:"min=1,max=65536"`
	// Ways is the associativity.
	Ways int `yaml:"ways" unit:"ways" check:"min=1,max=65536"`
	// Scope is what shares one such buffer.
	Scope Scope `yaml:"scope"`
	// Latency is what a hit in this level adds to an access.
	Latency int `yaml:"latency" unit:"cycles" check:"min=0,max=10000"`
}

// Interconnect is the crossbar between the SMXs and the slices of L2. One port for each SMX, one for each slice.
// An L2 hit takes load_store.latency + request_latency + l2.latency + response_latency.
type Interconnect struct {
	// RequestLatency is from an SMX's port to a slice.
	RequestLatency int `yaml:"request_latency" unit:"cycles" check:"min=1,max=1000"`
	// ResponseLatency is from a slice back to the issue of a dependent instruction.
	ResponseLatency int `yaml:"response_latency" unit:"cycles" check:"min=1,max=1000"`
	// SMXRequestBytes is what one SMX sends in a cycle.
	SMXRequestBytes int `yaml:"smx_request_bytes" unit:"bytes per cycle per SMX" check:"min=4,max=256"`
	// SMXResponseBytes is what one SMX receives in a cycle.
	SMXResponseBytes int `yaml:"smx_response_bytes" unit:"bytes per cycle per SMX" check:"min=4,max=256"`
	// SliceRequestBytes is what one slice receives in a cycle.
	SliceRequestBytes int `yaml:"slice_request_bytes" unit:"bytes per cycle per slice" check:"min=4,max=256"`
	// SliceResponseBytes is what one slice sends in a cycle.
	SliceResponseBytes int `yaml:"slice_response_bytes" unit:"bytes per cycle per slice" check:"min=4,max=256"`
	// HeaderBytes is the size of a message without data: address, kind, who asks.
	HeaderBytes int `yaml:"header_bytes" unit:"bytes per message" check:"min=0,max=64"`
	// Queue is the number of messages that wait at a slice before the SMXs are held back.
	Queue int `yaml:"queue" unit:"messages per slice" check:"min=1,max=1024"`
}

// L2 is the cache that all SMXs share.
type L2 struct {
	// Bytes is the size of all slices together.
	Bytes int `yaml:"bytes" unit:"bytes" check:"min=16384,max=67108864"`
	// Slices is the number of slices; each serves one share of the addresses.
	Slices int `yaml:"slices" unit:"slices" check:"min=1,max=64"`
	// HostCopyLines is how many lines of L2 a line takes that the host copies: with 2 itself and the line of the host's memory that
	// it is read from, with 1 itself, with 0 copies leave L2 as it was.
	HostCopyLines int `yaml:"host_copy_lines" unit:"lines per line" check:"min=0,max=2"`
	// HostCopyLimit is the largest copy from the host that leaves lines in L2; a larger one leaves none of its own.
	HostCopyLimit int `yaml:"host_copy_limit" unit:"bytes" check:"min=0,max=1073741824"`
	// Interleave is how many consecutive bytes lie in one slice.
	Interleave int `yaml:"interleave" unit:"bytes" check:"min=32,max=65536,pow2"`
	// Mapping is how pieces of Interleave bytes are spread over the slices.
	Mapping string `yaml:"mapping" check:"policy=address mapping"`
	// Line is what one tag covers.
	Line int `yaml:"line" unit:"bytes" check:"min=32,max=256,pow2"`
	// Sector is the unit of transfer.
	Sector int `yaml:"sector" unit:"bytes" check:"min=16,max=256,pow2"`
	// Ways is the associativity.
	Ways int `yaml:"ways" unit:"ways" check:"min=1,max=64"`
	// Latency is from a request's arrival at the slice to its response's start, on a hit.
	Latency int `yaml:"latency" unit:"cycles" check:"min=1,max=1000"`
	// BytesPerCycle is what one slice reads or writes in a cycle.
	BytesPerCycle int `yaml:"bytes_per_cycle" unit:"bytes per cycle per slice" check:"min=4,max=256,pow2"`
	// Policy is how a victim is chosen.
	Policy string `yaml:"policy" check:"policy=replacement policy"`
	// Prefetcher says which lines a slice fetches before anybody asks for them. It sees the slice's own addresses, in which its lines lie
	// side by side.
	Prefetcher string `yaml:"prefetcher" check:"policy=prefetcher"`
	// PrefetchDegree is how many lines it fetches for one access, at most.
	PrefetchDegree int `yaml:"prefetch_degree" unit:"lines" check:"min=0,max=64"`
	// WriteDelay is how long a written line waits for more before it is written back, as soon as its channel has nothing else
	// to do. It stays in L2, clean.
	WriteDelay int `yaml:"write_delay" unit:"cycles" check:"min=0,max=1000000000"`
	// WriteBackRows says when the whole dirty lines of a row of DRAM's go along with a dirty line of it that is evicted.
	WriteBackRows RowWrites `yaml:"write_back_rows"`
	// MissRegisters is the number of lines in flight from DRAM at once, for one slice.
	MissRegisters int `yaml:"miss_registers" unit:"lines per slice" check:"min=1,max=1024"`
	// MissMerges is the number of requests that wait for one line, at most.
	MissMerges int `yaml:"miss_merges" unit:"requests per line" check:"min=1,max=256"`
}

// DRAM is the device memory. Its clock is the command clock, clocks.memory / ClockDivider; timings are in its cycles.
type DRAM struct {
	// Bytes is the size of the memory.
	Bytes int `yaml:"bytes" unit:"bytes" check:"min=1048576,max=1099511627776"`
	// Channels is the number of independent channels.
	Channels int `yaml:"channels" unit:"channels" check:"min=1,max=64"`
	// ChannelBits is the width of one channel's data bus.
	ChannelBits int `yaml:"channel_bits" unit:"bits" check:"min=8,max=256,pow2"`
	// TransfersPerClock is the number of transfers in a cycle of clocks.memory.
	TransfersPerClock int `yaml:"transfers_per_clock" unit:"transfers per cycle of clocks.memory" check:"min=1,max=8"`
	// ClockDivider is clocks.memory divided by the command clock.
	ClockDivider int `yaml:"clock_divider" unit:"ratio" check:"min=1,max=8"`
	// Burst is the number of transfers of one access.
	Burst int `yaml:"burst" unit:"transfers" check:"min=1,max=64,pow2"`
	// Banks is the number of banks of a channel.
	Banks int `yaml:"banks" unit:"banks per channel" check:"min=1,max=64,pow2"`
	// BankGroups is the number of groups that the banks form; within one, column commands are CCDLong apart.
	BankGroups int `yaml:"bank_groups" unit:"groups per channel" check:"min=1,max=16,pow2"`
	// AlternateGroups has neighbouring pieces of l2.interleave bytes of a channel lie by turns in two bank groups, and not in one row.
	AlternateGroups bool `yaml:"alternate_groups"`
	// RowBytes is the size of a row (page) of one bank.
	RowBytes int `yaml:"row_bytes" unit:"bytes" check:"min=256,max=65536,pow2"`
	// Timing are the standard's parameters.
	Timing DRAMTiming `yaml:"timing"`
	// ControllerLatency is from a slice's request to the channel's queue and from the last data back, together.
	ControllerLatency int `yaml:"controller_latency" unit:"cycles" check:"min=0,max=2000"`
	// SectorCycles is what the path between a channel and its slices of L2 takes for one sector, of data or of check bits, in
	// either direction.
	SectorCycles float64 `yaml:"sector_cycles" unit:"cycles per sector per channel" check:"min=0.1,max=16"`
	// Queue is the number of requests that one channel's scheduler sees, and of those whose data its path to L2 may be behind.
	Queue int `yaml:"queue" unit:"requests per channel" check:"min=1,max=1024"`
	// Scheduling is how a channel chooses its next request.
	Scheduling string `yaml:"scheduling" check:"policy=DRAM scheduling"`
	// RowPolicy says whether a row stays open behind an access.
	RowPolicy string `yaml:"row_policy" check:"policy=row policy"`
	// StarvationLimit is how long a request waits at most before row hits no longer pass it.
	StarvationLimit int `yaml:"starvation_limit" unit:"command clocks" check:"min=1,max=1000000"`
	// WriteHigh is the number of waiting writes at which a channel turns to writing.
	WriteHigh int `yaml:"write_high" unit:"requests per channel" check:"min=1,max=1024"`
	// WriteLow is the number of waiting writes at which it turns back to reading.
	WriteLow int `yaml:"write_low" unit:"requests per channel" check:"min=0,max=1024"`
	// ECC says that error correction is on.
	ECC bool `yaml:"ecc"`
	// ECCDataSectors is the number of neighbouring data sectors of a channel whose check bits share one sector.
	ECCDataSectors int `yaml:"ecc_data_sectors" unit:"sectors" check:"min=1,max=64,pow2"`
	// ECCKept is how long check bits that were moved serve further accesses to their block; those that wait beside the first
	// in the scheduler's sight they serve in any case.
	ECCKept int `yaml:"ecc_kept" unit:"command clocks" check:"min=1,max=10000"`
	// ECCCapacityPercent is the share of the memory that check bits take.
	ECCCapacityPercent float64 `yaml:"ecc_capacity_percent" unit:"percent" check:"min=0,max=50"`
}

// BurstBytes returns what one access moves.
func (d DRAM) BurstBytes() int { return d.Burst * d.ChannelBits / 8 }

// DRAMPeak returns the memory's peak rate, in bytes per microsecond.
func (c *Config) DRAMPeak() float64 {
	return float64(c.DRAM.Channels*c.DRAM.ChannelBits/8*c.DRAM.TransfersPerClock) * float64(c.Clocks.Memory)
}

// DRAMTiming are the timing parameters of the memory's standard, in command clocks.
type DRAMTiming struct {
	// RCD is from an activate to a column command of its row.
	RCD int `yaml:"rcd" unit:"command clocks" check:"min=1,max=500"`
	// RP is from a precharge to the bank's next activate.
	RP int `yaml:"rp" unit:"command clocks" check:"min=1,max=500"`
	// RAS is from an activate to the bank's precharge.
	RAS int `yaml:"ras" unit:"command clocks" check:"min=1,max=500"`
	// RC is from an activate to the bank's next activate.
	RC int `yaml:"rc" unit:"command clocks" check:"min=1,max=500"`
	// CL is from a read command to its first data.
	CL int `yaml:"cl" unit:"command clocks" check:"min=1,max=500"`
	// CWL is from a write command to its first data.
	CWL int `yaml:"cwl" unit:"command clocks" check:"min=1,max=500"`
	// RRD is from an activate to the channel's next activate.
	RRD int `yaml:"rrd" unit:"command clocks" check:"min=1,max=500"`
	// FAW is the window in which four activates may fall.
	FAW int `yaml:"faw" unit:"command clocks" check:"min=1,max=500"`
	// CCDShort is between column commands of different bank groups.
	CCDShort int `yaml:"ccd_short" unit:"command clocks" check:"min=1,max=500"`
	// CCDLong is between column commands of one bank group.
	CCDLong int `yaml:"ccd_long" unit:"command clocks" check:"min=1,max=500"`
	// WTR is from a write's last data to a read command.
	WTR int `yaml:"wtr" unit:"command clocks" check:"min=1,max=500"`
	// RTW is from a read command to a write command.
	RTW int `yaml:"rtw" unit:"command clocks" check:"min=1,max=500"`
	// WR is from a write's last data to the bank's precharge.
	WR int `yaml:"wr" unit:"command clocks" check:"min=1,max=500"`
	// RTP is from a read command to the bank's precharge.
	RTP int `yaml:"rtp" unit:"command clocks" check:"min=1,max=500"`
	// REFI is between refreshes.
	REFI int `yaml:"refi" unit:"command clocks" check:"min=1,max=100000"`
	// RFC is how long a refresh holds the channel.
	RFC int `yaml:"rfc" unit:"command clocks" check:"min=1,max=10000"`
}

// Atomics is the cost of read-modify-write operations.
type Atomics struct {
	// Shared is the lock, change, unlock loop of atomics on shared memory.
	Shared SharedAtomics `yaml:"shared"`
	// Global are the units at the slices of L2.
	Global GlobalAtomics `yaml:"global"`
}

// SharedAtomics is the loop that a shared-memory atomic is compiled to: load with lock, change, store with unlock,
// retry by the lanes that found their word locked. Lanes on one word take one pass each.
type SharedAtomics struct {
	// FirstPass is from issue to a dependent issue when no lane has to retry.
	FirstPass int `yaml:"first_pass" unit:"cycles" check:"min=1,max=1000"`
	// FurtherPass is what each retry adds.
	FurtherPass int `yaml:"further_pass" unit:"cycles per pass" check:"min=1,max=1000"`
	// LockHeld is how long a lane holds its lock, and other warps wait for it: from its load to its store.
	LockHeld int `yaml:"lock_held" unit:"cycles" check:"min=1,max=1000"`
	// Locks is the number of locks that the words of an SMX's shared memory share: word w takes lock w mod Locks.
	Locks int `yaml:"locks" unit:"locks per SMX" check:"min=1,max=65536,pow2"`
}

// GlobalAtomics are the units at each slice of L2 that carry out atomics on global memory.
type GlobalAtomics struct {
	// Latency is what the unit adds to an L2 access.
	Latency int `yaml:"latency" unit:"cycles" check:"min=0,max=1000"`
	// ContendedLatency is what the unit adds once when lanes of a warp meet on one word.
	ContendedLatency int `yaml:"contended_latency" unit:"cycles" check:"min=0,max=1000"`
	// SameAddressCycles is what each further lane of a warp on the same word costs.
	SameAddressCycles int `yaml:"same_address_cycles" unit:"cycles per lane" check:"min=1,max=256"`
	// LanesPerCycle is the number of lanes on different words of one sector that a slice serves in a cycle.
	LanesPerCycle int `yaml:"lanes_per_cycle" unit:"lanes per cycle per slice" check:"min=1,max=32"`
	// Queue is the number of atomics that wait at one slice.
	Queue int `yaml:"queue" unit:"requests per slice" check:"min=1,max=1024"`
}
