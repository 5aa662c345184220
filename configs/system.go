package configs

// Launch is what it costs to start a kernel.
type Launch struct {
	// DeviceCycles is from a grid's reaching the head of its queue to its first block's start.
	DeviceCycles int `yaml:"device_cycles" unit:"cycles" check:"min=0,max=100000"`
	// BlockCycles is between two blocks given to SMXs: the block distributor's rate.
	BlockCycles int `yaml:"block_cycles" unit:"cycles per block" check:"min=1,max=1000"`
	// Placement is how the block scheduler chooses the SMX for a block.
	Placement string `yaml:"placement" check:"policy=block placement policy"`
	// BlockStartCycles is from the end of a block to the start of the one that takes its place.
	BlockStartCycles int `yaml:"block_start_cycles" unit:"cycles" check:"min=0,max=10000"`
	// DrainCycles is from the last block's end to the grid's completion.
	DrainCycles int `yaml:"drain_cycles" unit:"cycles" check:"min=0,max=100000"`
	// CounterCycles is how much longer than the launch the profiler's elapsed counter runs: part of elapsed_cycles_sm,
	// not of the launch's time.
	CounterCycles int `yaml:"counter_cycles" unit:"cycles" check:"min=0,max=100000"`
}
