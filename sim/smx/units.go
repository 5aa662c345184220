package smx

import (
	"math"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
)

// units books the execution units. Each has a time, in ticks, up to which it is taken; a warp operation begins in a cycle if the
// unit is free at some tick of it, so that throughputs that are no whole number of cycles come out exact on average.
type units struct {
	private [configs.ExecutionUnits][]int64 // by scheduler
	shared  [configs.ExecutionUnits][]int64 // by group of schedulers
	rates   [isa.ClassCount]int64           // what classes share of their rate, in the whole SMX, by the first of them
	pair    int64                           // what the second operation of an issue slot adds to it
	// What a warp takes of a unit's private and shared lanes; 0 where it has none.
	privateTicks, sharedTicks [configs.ExecutionUnits]int64
	sharedBy                  [configs.ExecutionUnits]int
	collectors                []collector // by scheduler
}

// collector is a scheduler's way to the register file: it reads the operands of one issue slot a cycle, and takes longer where they
// lie in one bank. It stands before the units, so that no other lanes make up for it.
type collector struct {
	free int64        // in ticks
	slot engine.Cycle // of the latest issue; the second operation of a pair shares it
}

func newUnits(config *configs.Config) units {
	u := units{collectors: make([]collector, config.SMX.Schedulers), pair: int64(math.Round(config.Pipelines.DualIssue.PairCycles * ticks))}
	for i := range u.collectors {
		u.collectors[i].slot = -1
	}
	for i := range config.Pipelines.Units {
		unit := &config.Pipelines.Units[i]
		u.sharedBy[i] = unit.SharedBy
		if unit.Private > 0 {
			u.private[i] = make([]int64, config.SMX.Schedulers)
			u.privateTicks[i] = int64(max(1, 32/unit.Private)) * ticks
		}
		if unit.Shared > 0 {
			u.shared[i] = make([]int64, (config.SMX.Schedulers+unit.SharedBy-1)/unit.SharedBy)
			u.sharedTicks[i] = int64(max(1, 32/unit.Shared)) * ticks
		}
	}
	return u
}

// place is the time word of the unit's lanes that a scheduler's operation would take, and for how long; nil when all are taken.
func (u *units) place(op *operation, scheduler int, end int64) (free *int64, cost int64) {
	if p := u.private[op.unit]; p != nil && p[scheduler] < end {
		return &p[scheduler], u.privateTicks[op.unit]
	}
	// Lanes that schedulers share have a buffer of one operation before them: two pairs of one cycle go one after the other.
	if p := u.shared[op.unit]; p != nil {
		if group := &p[scheduler/u.sharedBy[op.unit]]; *group < end+ticks {
			return group, u.sharedTicks[op.unit]
		}
	}
	return nil, 0
}

// available reports whether an operation's unit and class can take it in this cycle.
func (u *units) available(op *operation, scheduler int, now engine.Cycle) bool {
	end := (int64(now) + 1) * ticks
	if u.rates[op.rate] >= end {
		return false
	}
	if c := &u.collectors[scheduler]; c.slot != now && c.free >= end {
		return false
	}
	free, _ := u.place(op, scheduler, end)
	return free != nil
}

// take books an operation that was available. extra is what operand collection adds to its issue slot.
func (u *units) take(op *operation, scheduler int, now engine.Cycle, extra int64) {
	start := int64(now) * ticks
	free, cost := u.place(op, scheduler, start+ticks)
	*free = max(*free, start) + cost
	c := &u.collectors[scheduler]
	if c.slot != now {
		c.slot, c.free = now, max(c.free, start)+ticks
	} else {
		c.free += u.pair
	}
	c.free += extra
	// A rate may catch up with two operations that it had no taker for.
	u.rates[op.rate] = max(u.rates[op.rate], start-2*op.classTicks) + op.classTicks
}

// collection is what reading an operation's registers adds to its issue slot, in ticks: sources in one bank of the register file
// are read one after another.
func collection(m *isa.MachineOp, config *configs.Registers) int64 {
	var sources [8]int
	var seen [256]bool
	most := 0
	for _, r := range m.Reads {
		for n := range isa.Register(r.Count) {
			if number := r.First + n; number != isa.RZ && !seen[number] {
				seen[number] = true
				bank := (2*(number>>2&1) + number&1) % isa.Register(config.Banks) // m Zhang
				sources[bank]++
				most = max(most, sources[bank])
			}
		}
	}
	switch {
	case m.Class.Memory() || most < 2:
		return 0
	case most == 2:
		return int64(config.ConflictTwo * ticks)
	default:
		return int64(config.ConflictThree * ticks)
	}
}
