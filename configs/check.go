package configs

import (
	"fmt"
	"slices"
)

// warpSize is the number of lanes of a warp. No configuration can change it.
const warpSize = 32

// warpsPerScheduler is the most warps of one scheduler: the simulator keeps a scheduler's warps as bits of one 64-bit word.
const warpsPerScheduler = 64

// crossCheck finds values that are possible alone but impossible together.
func (d *decoder) crossCheck(c *Config) {
	d.checkClocks(c)
	d.checkSMX(c)
	d.checkSharedMemory(c)
	d.checkPipelines(c)
	d.checkCaches(c)
	d.checkDRAM(c)
	d.checkPower(c)
}

// require reports an error at a key unless the condition holds.
func (d *decoder) require(holds bool, key, format string, args ...any) {
	if !holds {
		d.fail(d.origins[key], key, format, args...)
	}
}

// atMost reports an error at a key whose value is larger than that of another key.
func (d *decoder) atMost(key string, value int, limitKey string, limit int) {
	d.require(value <= limit, key, "%d is more than %s, %d", value, limitKey, limit)
}

func (d *decoder) checkClocks(c *Config) {
	seen := map[int]bool{}
	for i, p := range c.Clocks.Supported {
		key := fmt.Sprintf("clocks.supported[%d]", i)
		d.require(!seen[p.Memory], key+".memory", "%d appears twice", p.Memory)
		seen[p.Memory] = true
		for k := 1; k < len(p.Core); k++ {
			d.require(p.Core[k] < p.Core[k-1], fmt.Sprintf("%s.core[%d]", key, k), "%d is not below %d: list the highest clock first",
				p.Core[k], p.Core[k-1])
		}
	}
}

func (d *decoder) checkSMX(c *Config) {
	d.atMost("smx.threads", c.SMX.Threads, "smx.warps × 32", c.SMX.Warps*warpSize)
	d.atMost("smx.threads_per_block", c.SMX.ThreadsPerBlock, "smx.threads", c.SMX.Threads)
	d.require(c.SMX.Warps%c.SMX.Schedulers == 0, "smx.warps", "%d do not divide among %d schedulers", c.SMX.Warps, c.SMX.Schedulers)
	most := warpsPerScheduler * c.SMX.Schedulers
	d.require(c.SMX.Warps <= most, "smx.warps", "%d are more than %d for each of smx.schedulers, %d: the most for so many is %d",
		c.SMX.Warps, warpsPerScheduler, c.SMX.Schedulers, most)
	d.atMost("registers.per_block", c.Registers.PerBlock, "registers.per_smx", c.Registers.PerSMX)
	d.atMost("registers.allocation_unit", c.Registers.AllocationUnit, "registers.per_smx", c.Registers.PerSMX)
}

func (d *decoder) checkSharedMemory(c *Config) {
	s := c.SharedMemory
	seen, largest := map[CachePreference]bool{}, 0
	for i, cut := range s.CarveOuts {
		key := fmt.Sprintf("shared_memory.carve_outs[%d]", i)
		d.require(!seen[cut.Prefer], key+".prefer", "%s appears twice", cut.Prefer)
		seen[cut.Prefer], largest = true, max(largest, cut.Shared)
		bytes := s.CarveOuts[0].Shared + s.CarveOuts[0].L1
		d.require(cut.Shared+cut.L1 == bytes, key+".shared", "%d and l1, %d, are not %d together, as in the first split", cut.Shared,
			cut.L1, bytes)
		d.require(cut.L1%(c.L1.Line*cut.L1Sets) == 0, key+".l1_sets", "%d sets of lines of %d bytes do not divide %d bytes into ways",
			cut.L1Sets, c.L1.Line, cut.L1)
	}
	d.require(seen[s.CacheConfig], "shared_memory.cache_config", "%s is not among shared_memory.carve_outs", s.CacheConfig)
	d.atMost("shared_memory.per_block", s.PerBlock, "the largest of shared_memory.carve_outs", largest)
	d.atMost("shared_memory.bank_mode", s.BankMode, "shared_memory.bank_bytes", s.BankBytes)
}

func (d *decoder) checkPipelines(c *Config) {
	for u, unit := range c.Pipelines.Units {
		key := "pipelines.units." + ExecutionUnit(u).String()
		d.require(unit.Lanes(c.SMX.Schedulers) > 0, key+".private", "the unit has no lanes")
		d.atMost(key+".shared_by", unit.SharedBy, "smx.schedulers", c.SMX.Schedulers)
	}
	for o, operation := range c.Pipelines.Operations {
		if operationClassNames[o] == "" {
			continue
		}
		lanes := c.Pipelines.Units[operation.Unit].Lanes(c.SMX.Schedulers)
		d.atMost("pipelines.operations."+operationClassNames[o]+".results_per_clock", operation.ResultsPerClock,
			"the lanes of unit "+operation.Unit.String(), lanes)
	}
	for _, w := range withoutResult {
		latency := c.Pipelines.Operations[slices.Index(operationClassNames[:], w.class)].Latency
		d.fixed("pipelines.operations."+w.class+".latency", latency, w.latency,
			"nothing waits for a result of this class; "+w.says+" says how long its operations take")
	}
}

func (d *decoder) checkCaches(c *Config) {
	for _, cache := range []struct {
		key   string
		level CacheLevel
	}{
		{"instruction_cache.l1", c.InstructionCache.L1}, {"instruction_cache.l15", c.InstructionCache.L15},
		{"constant_cache.l1", c.ConstantCache.L1}, {"constant_cache.l15", c.ConstantCache.L15},
	} {
		d.wholeSets(cache.key+".bytes", cache.level.Bytes, cache.level.Line, cache.level.Ways, 1)
	}
	r := c.ReadOnly
	d.wholeSets("read_only.bytes", r.Bytes, r.Line, r.Ways, r.Slices)
	d.atMost("read_only.sector", r.Sector, "read_only.line", r.Line)
	d.fixed("l2.line", c.L2.Line, LineBytes, "a request to L2 names one line, and counters and reports count lines of this size")
	d.fixed("l2.sector", c.L2.Sector, SectorBytes, "requests, check bits, counters and reports count sectors of this size")
	d.wholeSets("l2.bytes", c.L2.Bytes, c.L2.Line, c.L2.Ways, c.L2.Slices)
	d.atMost("l2.sector", c.L2.Sector, "l2.line", c.L2.Line)
	d.atMost("l2.line", c.L2.Line, "l2.interleave", c.L2.Interleave)
	d.atMost("l2.sector", c.L2.Sector, "l1.line", c.L1.Line)
	d.require(c.L2.Mapping != "digits" || c.L2.Slices >= 4 && c.L2.Slices&(c.L2.Slices-1) == 0, "l2.mapping",
		"digits needs a power of two of l2.slices from 4 on, not %d; turning takes any number", c.L2.Slices)
	reach := 0
	for i, level := range c.TLB.Levels {
		key := fmt.Sprintf("tlb.levels[%d]", i)
		d.require(level.Entries%level.Ways == 0, key+".entries", "%d are not whole sets of %d ways", level.Entries, level.Ways)
		d.require(level.Page*level.Entries >= reach, key+".entries", "the level reaches less than the one before it")
		reach = level.Page * level.Entries
	}
}

// fixed reports an error at a key whose value the model cannot change.
func (d *decoder) fixed(key string, value, only int, why string) {
	d.require(value == only, key, "%d cannot be modelled: only %d can, as %s", value, only, why)
}

// wholeSets reports an error unless a cache's size is a whole multiple of parts × ways × line, so that it has whole sets.
func (d *decoder) wholeSets(key string, bytes, line, ways, parts int) {
	set := line * ways * parts
	text := fmt.Sprintf("%d ways of %d bytes", ways, line)
	if parts > 1 {
		text = fmt.Sprintf("%d slices of %s", parts, text)
	}
	d.require(bytes >= set && bytes%set == 0, key, "%d are not whole sets: not a multiple of %s, %d", bytes, text, set)
}

func (d *decoder) checkDRAM(c *Config) {
	m, t := c.DRAM, c.DRAM.Timing
	d.require(c.L2.Sector%m.BurstBytes() == 0, "dram.burst", "an access of %d bytes does not divide l2.sector, %d", m.BurstBytes(),
		c.L2.Sector)
	d.require(m.RowBytes%m.BurstBytes() == 0, "dram.row_bytes", "%d are not whole accesses of %d bytes", m.RowBytes, m.BurstBytes())
	d.atMost("dram.bank_groups", m.BankGroups, "dram.banks", m.Banks)
	d.atMost("dram.write_high", m.WriteHigh, "dram.queue", m.Queue)
	d.require(m.WriteLow < m.WriteHigh, "dram.write_low", "%d is not less than dram.write_high, %d", m.WriteLow, m.WriteHigh)
	d.require(t.RC == t.RAS+t.RP, "dram.timing.rc", "%d is not ras + rp, %d: change them together", t.RC, t.RAS+t.RP)
	d.require(t.RAS >= t.RCD, "dram.timing.ras", "%d is less than rcd, %d", t.RAS, t.RCD)
	d.require(t.FAW >= t.RRD, "dram.timing.faw", "%d is less than rrd, %d", t.FAW, t.RRD)
	d.require(t.CCDLong >= t.CCDShort, "dram.timing.ccd_long", "%d is less than ccd_short, %d", t.CCDLong, t.CCDShort)
	d.require(t.REFI > t.RFC, "dram.timing.refi", "%d is not more than rfc, %d", t.REFI, t.RFC)
}
