package configs

// Launch is what it costs to start a kernel.
type Launch struct {
	// DeviceCycles is the time from the head of a grid's queue to its first block's start.
	DeviceCycles int `yaml:"device_cycles" unit:"cycles" check:"min=0,max=100000"`
	// BlockCycles is the time between two blocks given to SMXs.
	BlockCycles int `yaml:"block_cycles" unit:"cycles per block" check:"min=1,max=1000"`
	// Placement chooses the SMX for a block.
	Placement string `yaml:"placement" check:"policy=block placement policy"`
	// BlockStartCycles is the time from a block's end to the start of its successor.
	BlockStartCycles int `yaml:"block_start_cycles" unit:"cycles" check:"min=0,max=10000"`
	// DrainCycles is the time from the last block's end to the grid's completion.
	DrainCycles int `yaml:"drain_cycles" unit:"cycles" check:"min=0,max=100000"`
	// CounterCycles is how much longer the profiler's elapsed_cycles_sm counts.
	CounterCycles int `yaml:"counter_cycles" unit:"cycles" check:"min=0,max=100000"`
}
