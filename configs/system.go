package configs

// Launch is what it costs to start a kernel.
type Launch struct {
	// Async is the host's time for one launch in a stream of launches.
	Async float64 `yaml:"async" unit:"microseconds" check:"min=0,max=1000"`
	// Sync is the time of a launch and the wait for its end, for an empty kernel.
	Sync float64 `yaml:"sync" unit:"microseconds" check:"min=0,max=1000"`
	// DeviceCycles is from a grid's reaching the head of its queue to its first block's start.
	DeviceCycles int `yaml:"device_cycles" unit:"cycles" check:"min=0,max=100000"`
	// BlockCycles is between two blocks given to SMXs: the block distributor's rate.
	BlockCycles int `yaml:"block_cycles" unit:"cycles per block" check:"min=1,max=1000"`
	// BlockStartCycles is from the end of a block to the start of the one that takes its place.
	BlockStartCycles int `yaml:"block_start_cycles" unit:"cycles" check:"min=0,max=10000"`
	// DrainCycles is from the last block's end to the grid's completion.
	DrainCycles int `yaml:"drain_cycles" unit:"cycles" check:"min=0,max=100000"`
	// CounterCycles is how much longer than the launch the profiler's elapsed counter runs: part of elapsed_cycles_sm,
	// not of the launch's time.
	CounterCycles int `yaml:"counter_cycles" unit:"cycles" check:"min=0,max=100000"`
}

// HyperQ is the grid management: hardware queues and grids at once.
type HyperQ struct {
	// Queues is the number of hardware work queues.
	Queues int `yaml:"queues" unit:"queues" check:"min=1,max=128"`
	// ConcurrentGrids is the number of grids that run at once, at most.
	ConcurrentGrids int `yaml:"concurrent_grids" unit:"grids" check:"min=1,max=128"`
	// Connections is CUDA_DEVICE_MAX_CONNECTIONS by default: the streams' queues, at most Queues.
	Connections int `yaml:"connections" unit:"connections" check:"min=1,max=32"`
	// CopyEngines is the number of engines that copy while kernels run.
	CopyEngines int `yaml:"copy_engines" unit:"engines" check:"min=1,max=4"`
	// PriorityLevels is the number of stream priorities.
	PriorityLevels int `yaml:"priority_levels" unit:"levels" check:"min=1,max=8"`
}

// DynamicParallelism is launching from the device.
type DynamicParallelism struct {
	// Supported says whether a kernel can launch kernels.
	Supported bool `yaml:"supported"`
	// Launch is the time of one device-side launch when many follow each other.
	Launch float64 `yaml:"launch" unit:"microseconds" check:"min=0,max=10000"`
	// Synchronize is the time of a launch with a device-side wait for its end.
	Synchronize float64 `yaml:"synchronize" unit:"microseconds" check:"min=0,max=10000"`
	// Depth is the nesting depth, at most.
	Depth int `yaml:"depth" unit:"levels" check:"min=0,max=64"`
	// SynchronizeDepth is the depth down to which a parent may wait (cudaLimitDevRuntimeSyncDepth).
	SynchronizeDepth int `yaml:"synchronize_depth" unit:"levels" check:"min=0,max=64"`
	// PendingLaunches is the number of launches that may wait (cudaLimitDevRuntimePendingLaunchCount).
	PendingLaunches int `yaml:"pending_launches" unit:"launches" check:"min=0,max=1048576"`
}

// PCIe is the bus to the host.
type PCIe struct {
	// Generation is the bus's generation, for people.
	Generation int `yaml:"generation" unit:"generation" check:"min=1,max=4"`
	// PinnedToDevice is the rate of a copy from pinned host memory.
	PinnedToDevice int `yaml:"pinned_to_device" unit:"MB/s" check:"min=1,max=100000"`
	// PinnedToHost is the rate of a copy to pinned host memory.
	PinnedToHost int `yaml:"pinned_to_host" unit:"MB/s" check:"min=1,max=100000"`
	// PageableToDevice is the rate of a copy from pageable host memory.
	PageableToDevice int `yaml:"pageable_to_device" unit:"MB/s" check:"min=1,max=100000"`
	// PageableToHost is the rate of a copy to pageable host memory.
	PageableToHost int `yaml:"pageable_to_host" unit:"MB/s" check:"min=1,max=100000"`
	// Latency is the time of a copy of no bytes.
	Latency float64 `yaml:"latency" unit:"microseconds" check:"min=0,max=1000"`
}

// Power is the board's power and the energy of what it does.
type Power struct {
	// Idle is the power of the board with nothing running.
	Idle float64 `yaml:"idle" unit:"W" check:"min=0,max=1000"`
	// Static is the power of a running board that does not depend on what runs, at the base clock.
	Static float64 `yaml:"static" unit:"W" check:"min=0,max=1000"`
	// TDP is the power that the board holds to by lowering its clock.
	TDP float64 `yaml:"tdp" unit:"W" check:"min=1,max=1000"`
	// IntegerAdd is the energy of one lane's integer add.
	IntegerAdd float64 `yaml:"integer_add" unit:"pJ per lane" check:"min=0,max=100000"`
	// FP32FMA is the energy of one lane's f32 multiply-add.
	FP32FMA float64 `yaml:"fp32_fma" unit:"pJ per lane" check:"min=0,max=100000"`
	// FP64FMA is the energy of one lane's f64 multiply-add.
	FP64FMA float64 `yaml:"fp64_fma" unit:"pJ per lane" check:"min=0,max=100000"`
	// SpecialFunction is the energy of one lane's special function.
	SpecialFunction float64 `yaml:"special_function" unit:"pJ per lane" check:"min=0,max=100000"`
	// RegisterAccess is the energy of one lane's read or write of a 32-bit register.
	RegisterAccess float64 `yaml:"register_access" unit:"pJ per lane" check:"min=0,max=100000"`
	// Issue is the energy of fetching, decoding and issuing one warp instruction.
	Issue float64 `yaml:"issue" unit:"pJ per warp instruction" check:"min=0,max=100000"`
	// SharedAccess is the energy of 32 bytes of shared memory or L1.
	SharedAccess float64 `yaml:"shared_access" unit:"pJ per 32 bytes" check:"min=0,max=100000"`
	// L2Access is the energy of 32 bytes of L2, the way over the crossbar included.
	L2Access float64 `yaml:"l2_access" unit:"pJ per 32 bytes" check:"min=0,max=1000000"`
	// DRAMAccess is the energy of 32 bytes of DRAM.
	DRAMAccess float64 `yaml:"dram_access" unit:"pJ per 32 bytes" check:"min=0,max=1000000"`
	// VoltageSlope is how much the supply voltage rises with the clock. Dynamic power goes with its square.
	VoltageSlope float64 `yaml:"voltage_slope" unit:"volts per 100 MHz" check:"min=0,max=1"`
	// Voltage is the supply voltage at the base clock.
	Voltage float64 `yaml:"voltage" unit:"volts" check:"min=0.5,max=1.5"`
	// BoostPeriod is the time between two decisions of autoboost.
	BoostPeriod float64 `yaml:"boost_period" unit:"microseconds" check:"min=1,max=1000000"`
}
