package configs

// Ideal lifts limits that no chip is without, to see what each costs a kernel. All are off on every chip; 'keplersim advise' turns them
// on one by one. What a kernel computes stays the same.
type Ideal struct {
	// Coalescing has each load and store of global memory move no more lines than its bytes fill, as if the lanes' words lay side
	// by side. Lines are chosen among those that it touches; atomics and surfaces stay as they are.
	Coalescing bool `yaml:"coalescing"`
	// LoadStore has a load or store of global memory pass the load/store unit as one of shared memory without conflicts does: its
	// lines take no further slots of the unit or of the scheduler. What it asks of L2 stays.
	LoadStore bool `yaml:"load_store"`
	// NoBankConflicts has shared memory serve each access in the passes that its width takes, and the register file read an operation's
	// registers at once, whatever banks they lie in.
	NoBankConflicts bool `yaml:"no_bank_conflicts"`
	// NoAtomicConflicts has atomics cost the same however many lanes, warps and blocks change one word.
	NoAtomicConflicts bool `yaml:"no_atomic_conflicts"`
	// InfiniteRegisters has registers never keep a block out of an SMX. The kernel is compiled as without, so its spills stay.
	InfiniteRegisters bool `yaml:"infinite_registers"`
	// NoSpills has a kernel that spills registers compiled with as many as it needs, up to 255, and as many blocks resident as with its
	// spills: the loads and stores of spilling are not there, occupancy stays.
	NoSpills bool `yaml:"no_spills"`
	// NoDivergence has an operation take the part of an issue slot and of its lanes that its working lanes are: idle lanes cost
	// nothing, as if warps were packed. How long a chain of operations takes stays, so that a warp still takes as long as its slowest
	// lane.
	NoDivergence bool `yaml:"no_divergence"`
	// L2Hits has L2 hold whatever is asked for, so that nothing goes to DRAM.
	L2Hits bool `yaml:"l2_hits"`
	// Bandwidth is how many times as fast DRAM moves data, with the same latencies. 1 is the chip's own.
	Bandwidth int `yaml:"bandwidth" unit:"times" check:"min=1,max=16"`
	// FreeBarriers has a barrier let its warps go on in the cycle after the last of them has come. Waiting for that one stays.
	FreeBarriers bool `yaml:"free_barriers"`
	// DualIssue has any two operations that follow one another issue together once both have their operands and a unit, whatever
	// the compiler marked.
	DualIssue bool `yaml:"dual_issue"`
}

// RegisterFile returns the registers of an SMX that blocks take their own from.
func (c *Config) RegisterFile() int {
	if c.Ideal.InfiniteRegisters {
		return 1 << 30
	}
	return c.Registers.PerSMX
}

// AfterBarrier returns the cycles from the last arrival at a barrier to the issue of the released warps.
func (c *Config) AfterBarrier() int {
	if c.Ideal.FreeBarriers {
		return 1
	}
	return c.Pipelines.BarrierCycles
}

// Memory returns the DRAM, its clock, and the rest as the memory system sees them: where its bandwidth is lifted, the clock is
// as many times faster, and what stays as long takes as many more cycles of it.
func (c *Config) Memory() *Config {
	k := c.Ideal.Bandwidth
	if k <= 1 {
		return c
	}
	faster := *c
	faster.Clocks.Memory *= k
	d := &faster.DRAM
	t := &d.Timing
	for _, span := range []*int{
		&t.RCD, &t.RP, &t.RAS, &t.RC, &t.CL, &t.CWL, &t.RRD, &t.FAW, &t.WTR, &t.RTW, &t.WR, &t.RTP, &t.REFI, &t.RFC,
		&d.StarvationLimit, &d.ECCKept,
	} {
		*span *= k
	}
	// Opening rows is what bounds scattered accesses: its rate grows with the bus, its latency does not.
	t.RRD, t.FAW = c.DRAM.Timing.RRD, c.DRAM.Timing.FAW
	d.SectorCycles /= float64(k)
	return &faster
}
