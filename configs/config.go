package configs

// Config is a whole chip or board, resolved and checked. It is not changed after Load.
type Config struct {
	// Name is the configuration's name, as --config takes it; by default the file's name without .yaml.
	Name string `yaml:"name"`
	// Description is one line for people.
	Description string `yaml:"description"`
	// Chip is the name of the die, as in GK110.
	Chip string `yaml:"chip"`
	// ComputeCapability decides which PTX targets run.
	ComputeCapability ComputeCapability `yaml:"compute_capability"`

	Clocks           Clocks           `yaml:"clocks"`
	SMX              SMX              `yaml:"smx"`
	Registers        Registers        `yaml:"registers"`
	SharedMemory     SharedMemory     `yaml:"shared_memory"`
	Pipelines        Pipelines        `yaml:"pipelines"`
	InstructionCache InstructionCache `yaml:"instruction_cache"`
	ConstantCache    ConstantCache    `yaml:"constant_cache"`
	LoadStore        LoadStore        `yaml:"load_store"`
	L1               L1               `yaml:"l1"`
	ReadOnly         ReadOnly         `yaml:"read_only"`
	Texture          Texture          `yaml:"texture"`
	TLB              TLB              `yaml:"tlb"`
	Interconnect     Interconnect     `yaml:"interconnect"`
	L2               L2               `yaml:"l2"`
	DRAM             DRAM             `yaml:"dram"`
	Atomics          Atomics          `yaml:"atomics"`
	Launch           Launch           `yaml:"launch"`
	HyperQ           HyperQ           `yaml:"hyperq"`
	Copies           Copies           `yaml:"copies"`
	Host             Host             `yaml:"host"`
	Nested           Nested           `yaml:"nested"`
	Features         Features         `yaml:"features"`
	Heap             Heap             `yaml:"heap"`
	Boost            Boost            `yaml:"boost"`
	Power            Power            `yaml:"power"`
	Ideal            Ideal            `yaml:"ideal"`

	origins map[string]position // where each leaf was written
	files   []string            // the files that made it, the extending one first
	base    string              // the embedded file's name, "" for one on disk
	set     []string            // the overrides that hold, each KEY=VALUE
}

// SMX is the multiprocessor: how many there are, what may be resident, and how warps issue.
type SMX struct {
	// Count is the number of SMXs switched on.
	Count int `yaml:"count" unit:"SMXs" check:"min=1,max=64"`
	// Warps is the number of warps resident in one SMX, at most; a scheduler has at most 64 of them.
	Warps int `yaml:"warps" unit:"warps per SMX" check:"min=1,max=512"`
	// Blocks is the number of blocks resident in one SMX, at most.
	Blocks int `yaml:"blocks" unit:"blocks per SMX" check:"min=1,max=512"`
	// Threads is the number of threads resident in one SMX, at most.
	Threads int `yaml:"threads" unit:"threads per SMX" check:"min=32,max=16384,multiple=32"`
	// ThreadsPerBlock is the size of a block, at most.
	ThreadsPerBlock int `yaml:"threads_per_block" unit:"threads per block" check:"min=32,max=1024,multiple=32"`
	// MaxBlockDim is the block's extent in x, y and z, at most.
	MaxBlockDim []int `yaml:"max_block_dim" unit:"threads" check:"min=1,max=1024,len=3"`
	// MaxGridDim is the grid's extent in x, y and z, at most.
	MaxGridDim []int `yaml:"max_grid_dim" unit:"blocks" check:"min=1,max=2147483647,len=3"`
	// NamedBarriers is the number of barriers that a block can name (bar.sync 0 to NamedBarriers-1).
	NamedBarriers int `yaml:"named_barriers" unit:"barriers per block" check:"min=1,max=16"`
	// Schedulers is the number of warp schedulers; warp w belongs to scheduler w mod Schedulers.
	Schedulers int `yaml:"schedulers" unit:"schedulers per SMX" check:"min=1,max=8,pow2"`
	// Dispatch is the number of dispatch units of a scheduler: instructions of one warp issued in one cycle, at most.
	Dispatch int `yaml:"dispatch" unit:"instructions per scheduler per cycle" check:"min=1,max=2"`
	// SchedulerPolicy says which ready warp issues.
	SchedulerPolicy string `yaml:"scheduler_policy" check:"policy=scheduler policy"`
	// FetchGroup is the number of warps in the active set of the two-level policy, for one scheduler.
	FetchGroup int `yaml:"fetch_group" unit:"warps per scheduler" check:"min=1,max=64"`
}

// Registers is the register file and how it is given to warps.
type Registers struct {
	// PerSMX is the size of an SMX's register file.
	PerSMX int `yaml:"per_smx" unit:"32-bit registers per SMX" check:"min=1024,max=262144,pow2"`
	// PerBlock is the number of registers that one block can have, at most.
	PerBlock int `yaml:"per_block" unit:"32-bit registers per block" check:"min=1024,max=262144,pow2"`
	// PerThread is the number of registers that an instruction can name, at most.
	PerThread int `yaml:"per_thread" unit:"32-bit registers per thread" check:"min=16,max=255"`
	// AllocationUnit is what a warp's registers are rounded up to.
	AllocationUnit int `yaml:"allocation_unit" unit:"32-bit registers per warp" check:"min=32,max=4096,pow2"`
	// WarpAllocation is what a block's warps are rounded up to; it is also the number of partitions of the file, one
	// for each scheduler.
	WarpAllocation int `yaml:"warp_allocation" unit:"warps" check:"min=1,max=8,pow2"`
	// ThreadGranularity is what the register count of a thread is rounded up to by the compiler for a register cap.
	ThreadGranularity int `yaml:"thread_granularity" unit:"registers per thread" check:"min=1,max=16,pow2"`
	// Banks is the number of banks of a scheduler's part of the file. Register R lies in bank (2·((R>>2)&1) + (R&1)) mod Banks.
	Banks int `yaml:"banks" unit:"banks" check:"min=1,max=4,pow2"`
	// ConflictTwo is what an operation takes longer in its unit when two of its source registers lie in one bank.
	ConflictTwo float64 `yaml:"conflict_two" unit:"cycles" check:"min=0,max=8"`
	// ConflictThree is the same for three source registers.
	ConflictThree float64 `yaml:"conflict_three" unit:"cycles" check:"min=0,max=8"`
}

// SharedMemory is the memory that shared memory and L1 split, and shared memory's banks.
type SharedMemory struct {
	// CarveOuts are the ways to split it.
	CarveOuts []CarveOut `yaml:"carve_outs"`
	// CacheConfig is the split used where neither the launch nor the user asks for one.
	CacheConfig CachePreference `yaml:"cache_config"`
	// PerBlock is the shared memory of one block, at most.
	PerBlock int `yaml:"per_block" unit:"bytes per block" check:"min=1024,max=262144,multiple=1024"`
	// AllocationUnit is what a block's shared memory is rounded up to.
	AllocationUnit int `yaml:"allocation_unit" unit:"bytes" check:"min=1,max=4096,pow2"`
	// Banks is the number of banks; a warp of 32 lanes reads one word from each of 32 banks at most.
	Banks int `yaml:"banks" unit:"banks" check:"min=1,max=32,pow2"`
	// BankBytes is what one bank gives in a cycle.
	BankBytes int `yaml:"bank_bytes" unit:"bytes per bank per cycle" check:"min=4,max=16,pow2"`
	// BankMode is the default width of a bank's word (cudaSharedMemBankSizeFourByte or EightByte).
	BankMode int `yaml:"bank_mode" unit:"bytes" check:"min=4,max=8,pow2"`
	// Latency is from a load's issue to a dependent instruction's issue, without conflicts.
	Latency int `yaml:"latency" unit:"cycles" check:"min=1,max=1000"`
	// ReplayCycles is what each further pass of a conflicting access costs.
	ReplayCycles int `yaml:"replay_cycles" unit:"cycles per pass" check:"min=1,max=64"`
}

// CarveOut is one split of the on-chip memory.
type CarveOut struct {
	// Prefer is the cache preference that chooses the split.
	Prefer CachePreference `yaml:"prefer"`
	// Shared is the shared memory of an SMX.
	Shared int `yaml:"shared" unit:"bytes per SMX" check:"min=1024,max=262144,multiple=1024"`
	// L1 is the L1 data cache of an SMX.
	L1 int `yaml:"l1" unit:"bytes per SMX" check:"min=1024,max=262144,multiple=1024"`
	// L1Sets is the number of sets of that L1; its ways follow from l1.line.
	L1Sets int `yaml:"l1_sets" unit:"sets" check:"min=1,max=1024,pow2"`
}

// Nested is what launches from kernels take and how many there can be (CUDA's dynamic parallelism).
type Nested struct {
	// Depth is how many kernels may stand above one; 0 where kernels launch none.
	Depth int `yaml:"depth" unit:"levels" check:"min=0,max=24"`
	// SyncDepth is for how many levels from the top cudaDeviceSynchronize may be called (cudaLimitDevRuntimeSyncDepth).
	SyncDepth int `yaml:"sync_depth" unit:"levels" check:"min=0,max=24"`
	// Pending is how many launches may wait in the fixed pool (cudaLimitDevRuntimePendingLaunchCount).
	Pending int `yaml:"pending" unit:"launches" check:"min=1,max=1048576"`
	// Overflow is how many more may wait in the virtualized pool.
	Overflow int `yaml:"overflow" unit:"launches" check:"min=0,max=1048576"`
	// OverflowCycles is what each launch into that pool takes besides.
	OverflowCycles int `yaml:"overflow_cycles" unit:"cycles" check:"min=0,max=10000000"`
	// Buffer is what getting a parameter buffer takes a warp.
	Buffer int `yaml:"buffer" unit:"cycles" check:"min=0,max=1000000"`
	// BufferLane is what it takes each lane that asks.
	BufferLane int `yaml:"buffer_lane" unit:"cycles" check:"min=0,max=1000000"`
	// Launch is what a launch takes a warp.
	Launch int `yaml:"launch" unit:"cycles" check:"min=0,max=1000000"`
	// LaunchLane is what it takes each lane that launches: they do one after another.
	LaunchLane int `yaml:"launch_lane" unit:"cycles" check:"min=0,max=1000000"`
	// Stream is what making a stream takes.
	Stream int `yaml:"stream" unit:"cycles" check:"min=0,max=1000000"`
	// Call is what any other call takes.
	Call int `yaml:"call" unit:"cycles" check:"min=0,max=1000000"`
	// Dispatch is from the grid management unit to the first block.
	Dispatch int `yaml:"dispatch" unit:"cycles" check:"min=0,max=1000000"`
	// Interval is between two launches of the whole device, whichever blocks they are of.
	Interval float64 `yaml:"interval" unit:"us" check:"min=0,max=1000"`
	// Wait is between the ends of two waits of the whole device.
	Wait float64 `yaml:"wait" unit:"us" check:"min=0,max=1000"`
}

// Features are the abilities that PTX targets ask for.
type Features struct {
	// ReadOnlyLoads is ld.global.nc through the read-only cache.
	ReadOnlyLoads bool `yaml:"read_only_loads"`
}

// Heap is the device memory that the runtime sets aside.
type Heap struct {
	// Stack is the call stack of one thread (cudaLimitStackSize).
	Stack int `yaml:"stack" unit:"bytes per thread" check:"min=0,max=524288"`
	// Malloc is the heap of device-side malloc (cudaLimitMallocHeapSize).
	Malloc int `yaml:"malloc" unit:"bytes" check:"min=0,max=1073741824"`
}
