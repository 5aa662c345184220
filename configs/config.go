package configs

import "github.com/keplersim/keplersim/arch"

// Config is a whole chip or board, resolved and checked. It is not changed after Load.
type Config struct {
	// Name is the name that --config takes; by default the file's name without .yaml.
	Name string `yaml:"name"`
	// Description is one line for people.
	Description string `yaml:"description"`
	// Chip is the name of the die.
	Chip string `yaml:"chip"`
	// ComputeCapability decides which PTX targets run.
	ComputeCapability arch.Capability `yaml:"compute_capability"`

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

	origins map[string]position // where each leaf's value was written
	files   []string            // the files that it was loaded from, the extending one first
	base    string              // the embedded file's name, "" for a file on disk
	set     []string            // the overrides that apply, each KEY=VALUE
}

// SMX is the multiprocessor: how many there are, what may be resident, and how warps issue.
type SMX struct {
	// Count is the number of SMXs.
	Count int `yaml:"count" unit:"SMXs" check:"min=1,max=64"`
	// Warps is the most warps resident in one SMX; a scheduler has at most 64.
	Warps int `yaml:"warps" unit:"warps per SMX" check:"min=1,max=512"`
	// Blocks is the most blocks resident in one SMX.
	Blocks int `yaml:"blocks" unit:"blocks per SMX" check:"min=1,max=512"`
	// Threads is the most threads resident in one SMX.
	Threads int `yaml:"threads" unit:"threads per SMX" check:"min=32,max=16384,multiple=32"`
	// ThreadsPerBlock is the most threads of a block.
	ThreadsPerBlock int `yaml:"threads_per_block" unit:"threads per block" check:"min=32,max=1024,multiple=32"`
	// MaxBlockDim is the largest block in x, y and z.
	MaxBlockDim []int `yaml:"max_block_dim" unit:"threads" check:"min=1,max=1024,len=3"`
	// MaxGridDim is the largest grid in x, y and z.
	MaxGridDim []int `yaml:"max_grid_dim" unit:"blocks" check:"min=1,max=2147483647,len=3"`
	// NamedBarriers is how many barriers a block has (bar.sync 0, 1, …).
	NamedBarriers int `yaml:"named_barriers" unit:"barriers per block" check:"min=1,max=16"`
	// Schedulers is the number of warp schedulers; warp w belongs to w mod schedulers.
	Schedulers int `yaml:"schedulers" unit:"schedulers per SMX" check:"min=1,max=8,pow2"`
	// Dispatch is the most instructions of one warp that issue at once.
	Dispatch int `yaml:"dispatch" unit:"instructions per scheduler per issue" check:"min=1,max=2"`
	// IssueCycles is the time between two issues of a scheduler: 2 where lanes run at twice its clock.
	IssueCycles int `yaml:"issue_cycles" unit:"cycles" check:"min=1,max=4"`
	// Scheduler chooses the ready warp that issues.
	Scheduler Policy `yaml:"scheduler" check:"policy=scheduler policy"`
}

// Registers is the register file and how it is given to warps.
type Registers struct {
	// PerSMX is the size of an SMX's register file.
	PerSMX int `yaml:"per_smx" unit:"32-bit registers per SMX" check:"min=1024,max=262144,pow2"`
	// PerBlock is the most registers of one block.
	PerBlock int `yaml:"per_block" unit:"32-bit registers per block" check:"min=1024,max=262144,pow2"`
	// PerThread is the most registers that an instruction can name.
	PerThread int `yaml:"per_thread" unit:"32-bit registers per thread" check:"min=16,max=255"`
	// AllocationUnit is what a warp's registers are rounded up to.
	AllocationUnit int `yaml:"allocation_unit" unit:"32-bit registers per warp" check:"min=32,max=4096,pow2"`
	// WarpAllocation is what a block's warps are rounded up to, and the number of parts of the file.
	WarpAllocation int `yaml:"warp_allocation" unit:"warps" check:"min=1,max=8,pow2"`
	// ThreadGranularity is what a cap on a thread's registers is rounded up to.
	ThreadGranularity int `yaml:"thread_granularity" unit:"registers per thread" check:"min=1,max=16,pow2"`
	// Banks is the number of banks of a part. R is in bank (2·((R>>2)&1) + (R&1)) mod banks.
	Banks int `yaml:"banks" unit:"banks" check:"min=1,max=4,pow2"`
	// ConflictTwo is the extra time of two source registers in one bank.
	ConflictTwo float64 `yaml:"conflict_two" unit:"cycles" check:"min=0,max=8"`
	// ConflictThree is the extra time of three.
	ConflictThree float64 `yaml:"conflict_three" unit:"cycles" check:"min=0,max=8"`
}

// SharedMemory is the memory that shared memory and L1 split, with its banks.
type SharedMemory struct {
	// CarveOuts are the possible splits.
	CarveOuts []CarveOut `yaml:"carve_outs"`
	// CacheConfig is the split unless the launch or the user asks for another.
	CacheConfig CachePreference `yaml:"cache_config"`
	// PerBlock is the most shared memory of one block.
	PerBlock int `yaml:"per_block" unit:"bytes per block" check:"min=1024,max=262144,multiple=1024"`
	// AllocationUnit is what a block's shared memory is rounded up to.
	AllocationUnit int `yaml:"allocation_unit" unit:"bytes" check:"min=1,max=4096,pow2"`
	// Banks is the number of banks; a pass reads one word from each.
	Banks int `yaml:"banks" unit:"banks" check:"min=1,max=32,pow2"`
	// BankBytes is what one bank gives in a cycle.
	BankBytes int `yaml:"bank_bytes" unit:"bytes per bank per cycle" check:"min=4,max=16,pow2"`
	// BankMode is the default width of a bank's word (cudaSharedMemBankSizeFourByte or EightByte).
	BankMode int `yaml:"bank_mode" unit:"bytes" check:"min=4,max=8,pow2"`
	// Latency is the dependent latency of a load without conflicts.
	Latency int `yaml:"latency" unit:"cycles" check:"min=1,max=1000"`
	// ReplayCycles is what each further pass of a conflicting access adds to its latency.
	ReplayCycles int `yaml:"replay_cycles" unit:"cycles per pass" check:"min=1,max=64"`
	// ReplaysHold keeps a warp's next operation back until the last pass of its access has been issued.
	ReplaysHold bool `yaml:"replays_hold"`
	// BarriersWait makes barriers wait for stores to shared memory.
	BarriersWait bool `yaml:"barriers_wait"`
}

// CarveOut is one split of the on-chip memory.
type CarveOut struct {
	// Prefer is the cache preference that chooses this split.
	Prefer CachePreference `yaml:"prefer"`
	// Shared is the shared memory of an SMX.
	Shared int `yaml:"shared" unit:"bytes per SMX" check:"min=1024,max=262144,multiple=1024"`
	// L1 is the L1 data cache of an SMX.
	L1 int `yaml:"l1" unit:"bytes per SMX" check:"min=1024,max=262144,multiple=1024"`
	// L1Sets is the number of sets of L1; its ways follow from l1.line.
	L1Sets int `yaml:"l1_sets" unit:"sets" check:"min=1,max=1024,pow2"`
}

// Nested is the cost and the limits of launches from kernels (CUDA's dynamic parallelism).
type Nested struct {
	// Depth is how many kernels may be above one; 0 for no launches.
	Depth int `yaml:"depth" unit:"levels" check:"min=0,max=24"`
	// SyncDepth is how many levels from the top may call cudaDeviceSynchronize (cudaLimitDevRuntimeSyncDepth).
	SyncDepth int `yaml:"sync_depth" unit:"levels" check:"min=0,max=24"`
	// Pending is how many launches may wait in the fixed pool (cudaLimitDevRuntimePendingLaunchCount).
	Pending int `yaml:"pending" unit:"launches" check:"min=1,max=1048576"`
	// Overflow is how many launches may wait in the virtualized pool.
	Overflow int `yaml:"overflow" unit:"launches" check:"min=0,max=1048576"`
	// OverflowCycles is the extra cost of a launch into the virtualized pool.
	OverflowCycles int `yaml:"overflow_cycles" unit:"cycles" check:"min=0,max=10000000"`
	// Buffer is the cost of a parameter buffer, for each warp.
	Buffer int `yaml:"buffer" unit:"cycles" check:"min=0,max=1000000"`
	// BufferLane is the further cost for each lane.
	BufferLane int `yaml:"buffer_lane" unit:"cycles" check:"min=0,max=1000000"`
	// Launch is the cost of a launch, for each warp.
	Launch int `yaml:"launch" unit:"cycles" check:"min=0,max=1000000"`
	// LaunchLane is the further cost for each lane; lanes launch one by one.
	LaunchLane int `yaml:"launch_lane" unit:"cycles" check:"min=0,max=1000000"`
	// Stream is the cost of a new stream.
	Stream int `yaml:"stream" unit:"cycles" check:"min=0,max=1000000"`
	// Call is the cost of any other call.
	Call int `yaml:"call" unit:"cycles" check:"min=0,max=1000000"`
	// Dispatch is the time from the grid management unit to the first block.
	Dispatch int `yaml:"dispatch" unit:"cycles" check:"min=0,max=1000000"`
	// Interval is the least time between two launches on the device.
	Interval float64 `yaml:"interval" unit:"us" check:"min=0,max=1000"`
	// Wait is the least time between the ends of two waits on the device.
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
