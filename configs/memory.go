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
	// Ways is the associativity.
	Ways int `yaml:"ways" unit:"ways" check:"min=1,max=256"`
	// Latency is the dependent latency of a hit; for instructions, what a hit adds to a fetch.
	Latency int `yaml:"latency" unit:"cycles" check:"min=0,max=2000"`
	// Policy chooses the line to evict.
	Policy Policy `yaml:"policy" check:"policy=replacement policy"`
	// MissRegisters is the most lines in flight.
	MissRegisters int `yaml:"miss_registers" unit:"lines" check:"min=1,max=1024"`
}

// Sets returns the number of sets of the cache.
func (c CacheLevel) Sets() int { return c.Bytes / (c.Line * c.Ways) }

// InstructionCache is how an SMX gets its instructions.
type InstructionCache struct {
	// L1 is the first level, private to the SMX. Its latency is part of the pipeline, a hit costs nothing more.
	L1 CacheLevel `yaml:"l1"`
	// L15 is the second level; behind it lies L2.
	L15 CacheLevel `yaml:"l15"`
	// L2Latency is what a miss in both levels adds to a fetch.
	L2Latency int `yaml:"l2_latency" unit:"cycles" check:"min=1,max=2000"`
	// InstructionBytes is the size of a machine operation, and of a control word.
	InstructionBytes int `yaml:"instruction_bytes" unit:"bytes" check:"min=4,max=16,pow2"`
	// ControlGroup is the number of operations behind each control word; 0 where code has none.
	ControlGroup int `yaml:"control_group" unit:"operations per control word" check:"min=0,max=31"`
	// Prefetcher chooses the lines that are fetched early.
	Prefetcher Policy `yaml:"prefetcher" check:"policy=prefetcher"`
}

// ConstantCache is how an SMX gets constants: kernel parameters and .const.
type ConstantCache struct {
	// L1 is the first level: operands c[bank][offset] and ld.const.
	L1 CacheLevel `yaml:"l1"`
	// L15 is the second level; behind it lies L2.
	L15 CacheLevel `yaml:"l15"`
	// L2Latency is the dependent latency when only L2 has the line.
	L2Latency int `yaml:"l2_latency" unit:"cycles" check:"min=1,max=2000"`
	// ReplayCycles is the cost of each further address in a warp.
	ReplayCycles int `yaml:"replay_cycles" unit:"cycles per address" check:"min=1,max=64"`
}

// LoadStore is the SMX's load/store unit, from issue to the caches.
type LoadStore struct {
	// Queue is the most accesses that wait; when full, memory instructions do not issue.
	Queue int `yaml:"queue" unit:"warp accesses per SMX" check:"min=1,max=256"`
	// Latency is the time from issue to the first request: addresses, translation, coalescing.
	Latency int `yaml:"latency" unit:"cycles" check:"min=1,max=200"`
	// PassCycles is the time of a one-pass request to shared memory or constants.
	PassCycles float64 `yaml:"pass_cycles" unit:"cycles per request" check:"min=0.25,max=8"`
	// WidePassCycles is pass_cycles for shared accesses of 8 or 16 bytes a lane.
	WidePassCycles float64 `yaml:"wide_pass_cycles" unit:"cycles per request" check:"min=0.25,max=8"`
	// FurtherPassCycles is the time of each further pass: bank conflicts, constants at several addresses.
	FurtherPassCycles float64 `yaml:"further_pass_cycles" unit:"cycles per pass" check:"min=0.25,max=8"`
	// GenericFurtherPassCycles is further_pass_cycles for loads of shared memory through generic addresses.
	GenericFurtherPassCycles float64 `yaml:"generic_further_pass_cycles" unit:"cycles per pass" check:"min=0.25,max=16"`
	// ApartAfterLoad is the least distance that compiled code keeps between a load and the warp's next memory access.
	ApartAfterLoad int `yaml:"apart_after_load" unit:"cycles" check:"min=1,max=32"`
	// ApartAfterStore is the least distance after a store.
	ApartAfterStore int `yaml:"apart_after_store" unit:"cycles" check:"min=1,max=32"`
	// InTurn makes stores that wait for the full unit enter in order.
	InTurn bool `yaml:"in_turn"`
	// LanesOf8Bytes is how many lanes of 8 bytes are served at once. Only those share a line or word.
	LanesOf8Bytes int `yaml:"lanes_of_8_bytes" unit:"lanes" check:"min=8,max=32,pow2"`
	// LanesOf16Bytes is lanes_of_8_bytes for lanes of 16 bytes.
	LanesOf16Bytes int `yaml:"lanes_of_16_bytes" unit:"lanes" check:"min=8,max=32,pow2"`
	// LineCycles is the time of each line of a global or local access.
	LineCycles float64 `yaml:"line_cycles" unit:"cycles per line" check:"min=0.25,max=32"`
	// StoreLineCycles is the time of each line stored past L1.
	StoreLineCycles float64 `yaml:"store_line_cycles" unit:"cycles per line" check:"min=0.25,max=32"`
	// Outstanding is the most requests to L2 in flight, cached or not.
	Outstanding int `yaml:"outstanding" unit:"requests per SMX" check:"min=1,max=4096"`
}

// L1 is the L1 data cache. Its size and sets are in shared_memory.carve_outs.
type L1 struct {
	// Line is the size of a line, and of a request through L1.
	Line int `yaml:"line" unit:"bytes" check:"min=32,max=256,pow2"`
	// Latency is the dependent latency of a hit.
	Latency int `yaml:"latency" unit:"cycles" check:"min=1,max=1000"`
	// Policy chooses the line to evict; Kepler's is not LRU.
	Policy Policy `yaml:"policy" check:"policy=replacement policy"`
	// Prefetcher chooses the lines that are fetched early.
	Prefetcher Policy `yaml:"prefetcher" check:"policy=prefetcher"`
	// Bypass chooses the global loads that go past L1 although they might use it.
	Bypass Policy `yaml:"bypass" check:"policy=L1 bypass"`
	// MissRegisters is the most lines in flight.
	MissRegisters int `yaml:"miss_registers" unit:"lines" check:"min=1,max=1024"`
	// MissMerges is the most accesses that wait for one line.
	MissMerges int `yaml:"miss_merges" unit:"accesses per line" check:"min=1,max=256"`
	// GlobalLoads says when global loads are cached: opt-in means ld.ca in a program built for it, always all that do not ask for L2 alone.
	GlobalLoads LoadCaching `yaml:"global_loads"`
	// LocalWrites says whether a local store stays in L1 (write-back) or goes to L2.
	LocalWrites WritePolicy `yaml:"local_writes"`
}

// ReadOnly is the read-only data cache, which is also the texture cache.
type ReadOnly struct {
	// Bytes is the size of an SMX's read-only caches together.
	Bytes int `yaml:"bytes" unit:"bytes per SMX" check:"min=1024,max=262144"`
	// Slices is the number of equal parts; warp w uses slice w mod slices.
	Slices int `yaml:"slices" unit:"slices per SMX" check:"min=1,max=16"`
	// Line is the size of a line.
	Line int `yaml:"line" unit:"bytes" check:"min=32,max=256,pow2"`
	// Sector is what a miss fetches.
	Sector int `yaml:"sector" unit:"bytes" check:"min=16,max=256,pow2"`
	// Ways is the associativity.
	Ways int `yaml:"ways" unit:"ways" check:"min=1,max=256"`
	// Latency is the dependent latency of a hit.
	Latency int `yaml:"latency" unit:"cycles" check:"min=1,max=1000"`
	// Policy chooses the line to evict.
	Policy Policy `yaml:"policy" check:"policy=replacement policy"`
	// Prefetcher chooses the lines that a slice fetches early.
	Prefetcher Policy `yaml:"prefetcher" check:"policy=prefetcher"`
	// MissRegisters is the most sectors in flight.
	MissRegisters int `yaml:"miss_registers" unit:"sectors per slice" check:"min=1,max=1024"`
}

// Texture is the texture units, a group for each slice of the texture cache. Results per cycle are those of the
// class texture in pipelines.operations.
type Texture struct {
	// Texels is how many texels a unit filters in a cycle.
	Texels int `yaml:"texels" unit:"texels per cycle" check:"min=1,max=8,pow2"`
	// TexelBytes is the largest texel at that rate; larger ones take as many times longer.
	TexelBytes int `yaml:"texel_bytes" unit:"bytes" check:"min=4,max=16,pow2"`
	// Queue is the work that may wait for a slice's units.
	Queue int `yaml:"queue" unit:"cycles" check:"min=1,max=1000"`
}

// TLB is the address translation: levels from the SMX outwards.
type TLB struct {
	// Levels are the levels, nearest first.
	Levels []TLBLevel `yaml:"levels"`
	// WalkLatency is what a miss in the last level adds.
	WalkLatency int `yaml:"walk_latency" unit:"cycles" check:"min=0,max=10000"`
	// Walks is how many page walks the chip serves at once.
	Walks int `yaml:"walks" unit:"walks" check:"min=1,max=256"`
}

// TLBLevel is one level of translation buffers.
type TLBLevel struct {
	// Page is what one entry maps.
	Page int `yaml:"page" unit:"bytes" check:"min=4096,max=1073741824,pow2"`
	// Entries is the number of entries.
	Entries int `yaml:"entries" unit:"entries" check:"min=1,max=65536"`
	// Ways is the associativity.
	Ways int `yaml:"ways" unit:"ways" check:"min=1,max=65536"`
	// Scope says what shares one buffer.
	Scope Scope `yaml:"scope"`
	// Latency is what a hit in this level adds to an access.
	Latency int `yaml:"latency" unit:"cycles" check:"min=0,max=10000"`
}

// Interconnect is the crossbar between the SMXs and the slices of L2. One port for each SMX, one for each slice.
// An L2 hit takes load_store.latency + request_latency + l2.latency + response_latency.
type Interconnect struct {
	// RequestLatency is the time from an SMX to a slice.
	RequestLatency int `yaml:"request_latency" unit:"cycles" check:"min=1,max=1000"`
	// ResponseLatency is the time from a slice to the issue of a dependent instruction.
	ResponseLatency int `yaml:"response_latency" unit:"cycles" check:"min=1,max=1000"`
	// SMXRequestBytes is what one SMX sends.
	SMXRequestBytes int `yaml:"smx_request_bytes" unit:"bytes per cycle per SMX" check:"min=4,max=256"`
	// SMXResponseBytes is what one SMX receives.
	SMXResponseBytes int `yaml:"smx_response_bytes" unit:"bytes per cycle per SMX" check:"min=4,max=256"`
	// SliceRequestBytes is what one slice receives.
	SliceRequestBytes int `yaml:"slice_request_bytes" unit:"bytes per cycle per slice" check:"min=4,max=256"`
	// SliceResponseBytes is what one slice sends.
	SliceResponseBytes int `yaml:"slice_response_bytes" unit:"bytes per cycle per slice" check:"min=4,max=256"`
	// HeaderBytes is the size of a message without data.
	HeaderBytes int `yaml:"header_bytes" unit:"bytes per message" check:"min=0,max=64"`
	// ResponseHeaderBytes is the size of a response's header.
	ResponseHeaderBytes int `yaml:"response_header_bytes" unit:"bytes per message" check:"min=0,max=64"`
	// Queue is how many messages wait at a slice before SMXs are held back.
	Queue int `yaml:"queue" unit:"messages per slice" check:"min=1,max=1024"`
}

// L2 is the cache that all SMXs share.
type L2 struct {
	// Bytes is the size of all slices together.
	Bytes int `yaml:"bytes" unit:"bytes" check:"min=16384,max=67108864"`
	// Slices is the number of slices; each serves a part of the addresses.
	Slices int `yaml:"slices" unit:"slices" check:"min=1,max=64"`
	// HostCopyLines is how many lines of L2 take part for each line that the host copies; 2 counts the host's own.
	HostCopyLines int `yaml:"host_copy_lines" unit:"lines per line" check:"min=0,max=2"`
	// HostCopyLimit is the largest copy from the host that leaves lines in L2.
	HostCopyLimit int `yaml:"host_copy_limit" unit:"bytes" check:"min=0,max=1073741824"`
	// Interleave is how many consecutive bytes are in one slice.
	Interleave int `yaml:"interleave" unit:"bytes" check:"min=32,max=65536,pow2"`
	// Mapping spreads addresses over the slices.
	Mapping string `yaml:"mapping" check:"policy=address mapping"`
	// Line is what one tag covers.
	Line int `yaml:"line" unit:"bytes" check:"min=32,max=256,pow2"`
	// Sector is the unit of transfer.
	Sector int `yaml:"sector" unit:"bytes" check:"min=16,max=256,pow2"`
	// Ways is the associativity.
	Ways int `yaml:"ways" unit:"ways" check:"min=1,max=64"`
	// Latency is the time from a request's arrival to its response, on a hit.
	Latency int `yaml:"latency" unit:"cycles" check:"min=1,max=1000"`
	// BytesPerCycle is what one slice reads or writes.
	BytesPerCycle int `yaml:"bytes_per_cycle" unit:"bytes per cycle per slice" check:"min=4,max=256,pow2"`
	// Banks is the number of data arrays of a slice; each holds some of its lines.
	Banks int `yaml:"banks" unit:"banks per slice" check:"min=1,max=8,pow2"`
	// BankBytesPerCycle is what one bank sends, headers included.
	BankBytesPerCycle int `yaml:"bank_bytes_per_cycle" unit:"bytes per cycle per bank" check:"min=4,max=256"`
	// Policy chooses the line to evict.
	Policy Policy `yaml:"policy" check:"policy=replacement policy"`
	// Prefetcher chooses the lines that a slice fetches early.
	Prefetcher Policy `yaml:"prefetcher" check:"policy=prefetcher"`
	// WriteDelay is how long a written line waits before an idle channel writes it back. It stays in L2, clean.
	WriteDelay int `yaml:"write_delay" unit:"cycles" check:"min=0,max=1000000000"`
	// WriteBackRows says when evicting a dirty line also writes other dirty lines of its DRAM row.
	WriteBackRows RowWrites `yaml:"write_back_rows"`
	// MissRegisters is the most lines in flight from DRAM.
	MissRegisters int `yaml:"miss_registers" unit:"lines per slice" check:"min=1,max=1024"`
	// MissMerges is the most requests that wait for one line.
	MissMerges int `yaml:"miss_merges" unit:"requests per line" check:"min=1,max=256"`
}

// DRAM is the device memory. Its clock is the command clock, clocks.memory / ClockDivider; timings are in its cycles.
type DRAM struct {
	// Bytes is the size of the memory.
	Bytes int `yaml:"bytes" unit:"bytes" check:"min=1048576,max=1099511627776"`
	// Channels is the number of independent channels.
	Channels int `yaml:"channels" unit:"channels" check:"min=1,max=64"`
	// ChannelBits is the width of a channel's data bus.
	ChannelBits int `yaml:"channel_bits" unit:"bits" check:"min=8,max=256,pow2"`
	// TransfersPerClock is the transfers in a cycle of clocks.memory.
	TransfersPerClock int `yaml:"transfers_per_clock" unit:"transfers per cycle of clocks.memory" check:"min=1,max=8"`
	// ClockDivider is clocks.memory divided by the command clock.
	ClockDivider int `yaml:"clock_divider" unit:"ratio" check:"min=1,max=8"`
	// Burst is the transfers of one access.
	Burst int `yaml:"burst" unit:"transfers" check:"min=1,max=64,pow2"`
	// Banks is the number of banks.
	Banks int `yaml:"banks" unit:"banks per channel" check:"min=1,max=64,pow2"`
	// BankGroups is the groups that banks form; within one, column commands are ccd_long apart.
	BankGroups int `yaml:"bank_groups" unit:"groups per channel" check:"min=1,max=16,pow2"`
	// AlternateGroups puts neighbouring pieces of a channel alternately into two bank groups, not into one row.
	AlternateGroups bool `yaml:"alternate_groups"`
	// RowBytes is the size of a row (page) of a bank.
	RowBytes int `yaml:"row_bytes" unit:"bytes" check:"min=256,max=65536,pow2"`
	// Timing are the standard's parameters.
	Timing DRAMTiming `yaml:"timing"`
	// ControllerLatency is the time from a slice to the channel's queue and back.
	ControllerLatency int `yaml:"controller_latency" unit:"cycles" check:"min=0,max=2000"`
	// SectorCycles is the time of one sector between a channel and its slices, either way.
	SectorCycles float64 `yaml:"sector_cycles" unit:"cycles per sector per channel" check:"min=0.1,max=16"`
	// Queue is how many requests a channel's scheduler sees.
	Queue int `yaml:"queue" unit:"requests per channel" check:"min=1,max=1024"`
	// Scheduling chooses a channel's next request.
	Scheduling string `yaml:"scheduling" check:"policy=DRAM scheduling"`
	// RowPolicy says whether a row stays open after an access.
	RowPolicy string `yaml:"row_policy" check:"policy=row policy"`
	// StarvationLimit is how long a request waits before row hits no longer pass it.
	StarvationLimit int `yaml:"starvation_limit" unit:"command clocks" check:"min=1,max=1000000"`
	// WriteHigh is the number of waiting writes at which a channel starts to write.
	WriteHigh int `yaml:"write_high" unit:"requests per channel" check:"min=1,max=1024"`
	// WriteLow is the number of waiting writes at which the channel reads again.
	WriteLow int `yaml:"write_low" unit:"requests per channel" check:"min=0,max=1024"`
	// ECC switches error correction on.
	ECC bool `yaml:"ecc"`
	// ECCDataSectors is how many neighbouring data sectors share a sector of check bits.
	ECCDataSectors int `yaml:"ecc_data_sectors" unit:"sectors" check:"min=1,max=64,pow2"`
	// ECCKept is how long check bits serve further accesses to their block.
	ECCKept int `yaml:"ecc_kept" unit:"command clocks" check:"min=1,max=10000"`
	// ECCCapacityPercent is the part of the memory that check bits take.
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
	// RCD is activate to column command of its row.
	RCD int `yaml:"rcd" unit:"command clocks" check:"min=1,max=500"`
	// RP is precharge to the bank's next activate.
	RP int `yaml:"rp" unit:"command clocks" check:"min=1,max=500"`
	// RAS is activate to the bank's precharge.
	RAS int `yaml:"ras" unit:"command clocks" check:"min=1,max=500"`
	// RC is activate to the bank's next activate.
	RC int `yaml:"rc" unit:"command clocks" check:"min=1,max=500"`
	// CL is read command to its first data.
	CL int `yaml:"cl" unit:"command clocks" check:"min=1,max=500"`
	// CWL is write command to its first data.
	CWL int `yaml:"cwl" unit:"command clocks" check:"min=1,max=500"`
	// RRD is activate to the channel's next activate.
	RRD int `yaml:"rrd" unit:"command clocks" check:"min=1,max=500"`
	// FAW is the window for four activates.
	FAW int `yaml:"faw" unit:"command clocks" check:"min=1,max=500"`
	// CCDShort is column command to column command of another bank group.
	CCDShort int `yaml:"ccd_short" unit:"command clocks" check:"min=1,max=500"`
	// CCDLong is ccd_short within one bank group.
	CCDLong int `yaml:"ccd_long" unit:"command clocks" check:"min=1,max=500"`
	// WTR is a write's last data to a read command.
	WTR int `yaml:"wtr" unit:"command clocks" check:"min=1,max=500"`
	// RTW is read command to write command.
	RTW int `yaml:"rtw" unit:"command clocks" check:"min=1,max=500"`
	// WR is a write's last data to the bank's precharge.
	WR int `yaml:"wr" unit:"command clocks" check:"min=1,max=500"`
	// RTP is read command to the bank's precharge.
	RTP int `yaml:"rtp" unit:"command clocks" check:"min=1,max=500"`
	// REFI is the time between refreshes.
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
	// FirstPass is the dependent latency when no lane retries.
	FirstPass int `yaml:"first_pass" unit:"cycles" check:"min=1,max=1000"`
	// FurtherPass is what each retry adds.
	FurtherPass int `yaml:"further_pass" unit:"cycles per pass" check:"min=1,max=1000"`
	// LockHeld is how long a lane holds its lock, from its load to its store.
	LockHeld int `yaml:"lock_held" unit:"cycles" check:"min=1,max=1000"`
	// Locks is the number of locks; word w takes lock w mod locks.
	Locks int `yaml:"locks" unit:"locks per SMX" check:"min=1,max=65536,pow2"`
}

// GlobalAtomics are the units at each slice of L2 that carry out atomics on global memory.
type GlobalAtomics struct {
	// Latency is what the unit adds to an L2 access.
	Latency int `yaml:"latency" unit:"cycles" check:"min=0,max=1000"`
	// ContendedLatency is what lanes on one word add once.
	ContendedLatency int `yaml:"contended_latency" unit:"cycles" check:"min=0,max=1000"`
	// SameAddressCycles is the cost of each further lane on the same word.
	SameAddressCycles int `yaml:"same_address_cycles" unit:"cycles per lane" check:"min=1,max=256"`
	// LanesPerCycle is how many lanes on different words of a sector a slice serves.
	LanesPerCycle int `yaml:"lanes_per_cycle" unit:"lanes per cycle per slice" check:"min=1,max=32"`
	// Queue is the most atomics that wait at a slice.
	Queue int `yaml:"queue" unit:"requests per slice" check:"min=1,max=1024"`
}
