package configs

// Ideal lifts limits that every chip has, to show what each costs a kernel. All are off on every chip; 'keplersim advise' turns them
// on one by one. What a kernel computes stays the same.
type Ideal struct {
	// Coalescing makes each global load and store move only the lines that its bytes fill. Atomics and surfaces stay.
	Coalescing bool `yaml:"coalescing"`
	// LoadStore makes a global access as cheap in the load/store unit as a conflict-free shared access. Its requests to L2 stay.
	LoadStore bool `yaml:"load_store"`
	// NoBankConflicts removes conflicts of shared memory's banks and of the register file's.
	NoBankConflicts bool `yaml:"no_bank_conflicts"`
	// NoAtomicConflicts makes atomics on one word as cheap as on different words.
	NoAtomicConflicts bool `yaml:"no_atomic_conflicts"`
	// InfiniteRegisters keeps registers from limiting the blocks of an SMX. The code and its spills stay.
	InfiniteRegisters bool `yaml:"infinite_registers"`
	// NoSpills compiles a spilling kernel with as many registers as it needs, up to 255. Occupancy stays.
	NoSpills bool `yaml:"no_spills"`
	// NoDivergence makes idle lanes cost nothing, as if warps were packed. A warp still takes as long as its slowest lane.
	NoDivergence bool `yaml:"no_divergence"`
	// L2Hits makes every access hit in L2, so that nothing goes to DRAM.
	L2Hits bool `yaml:"l2_hits"`
	// Bandwidth is how many times faster DRAM moves data, at the same latencies.
	Bandwidth int `yaml:"bandwidth" unit:"times" check:"min=1,max=16"`
	// FreeBarriers releases warps in the cycle after the last one reaches the barrier. They still wait for it.
	FreeBarriers bool `yaml:"free_barriers"`
	// DualIssue pairs any two successive operations whose operands are ready and unit free.
	DualIssue bool `yaml:"dual_issue"`
}

// RegisterFile returns the registers of an SMX that limit its resident blocks.
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

// Memory returns the configuration as the memory system sees it. With ideal.bandwidth the memory clock is as many times faster, and
// latencies take as many times more cycles, so that they stay the same in time.
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
	// The rate of opening rows bounds scattered accesses, so it grows with the bandwidth. The latency of opening one does not change.
	t.RRD, t.FAW = c.DRAM.Timing.RRD, c.DRAM.Timing.FAW
	d.SectorCycles /= float64(k)
	return &faster
}
