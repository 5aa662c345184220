package validation

import (
	"errors"
	"fmt"

	"github.com/keplersim/keplersim/isa"
)

// bankedSources are three source registers, by the number of them in one bank. A register's bank is 2·((R>>2)&1) + (R&1) (Zhang et al.,
// PPoPP 2017).
var bankedSources = map[int][3]isa.Register{
	1: {32, 33, 36}, // banks 0, 1, 2
	2: {32, 34, 33}, // banks 0, 0, 1
	3: {32, 34, 40}, // bank 0
}

// Destinations begin at firstDestination. They never conflict (Zhang et al.), and there are enough to make neighbouring operations
// independent.
const (
	firstDestination = isa.Register(44)
	destinations     = 18
	registersUsed    = 62
)

// repeatFMA replaces the one FFMA of a machine program by count independent ones on the given sources. They pair for dual issue by a
// repeated pattern: 1 issues alone, 2 with its neighbour.
func repeatFMA(mp *isa.MachineProgram, count int, sources [3]isa.Register, pattern []int) error {
	at := -1
	for i := range mp.Ops {
		if mp.Ops[i].Class != isa.ClassFP32 {
			continue
		}
		if at >= 0 {
			return errors.New("the program has more than one FFMA to replace")
		}
		at = i
	}
	if at < 0 || mp.Ops[at].Effect == nil || len(mp.Ops[at].Effect.Src) != 3 {
		return errors.New("the program has no FFMA to replace")
	}
	var list []isa.MachineOp
	for slot := 0; len(list) < count; slot++ {
		width := pattern[slot%len(pattern)]
		if width != 1 && width != 2 {
			return fmt.Errorf("pattern %v: a slot issues 1 or 2 instructions", pattern)
		}
		for n := range width {
			op := fma(&mp.Ops[at], firstDestination+isa.Register(len(list)%destinations), sources)
			op.PairWithNext = n+1 < width && len(list)+1 < count
			list = append(list, op)
			if len(list) == count {
				break
			}
		}
	}
	replace(mp, at, list)
	mp.Registers = max(mp.Registers, registersUsed)
	return nil
}

// pairByPattern marks f32 operations for dual issue by a pattern, as in hand-written code: 1 issues alone, 2 with its neighbour. Compiled
// code pairs less often (pipelines.dual_issue.compiled_alone).
func pairByPattern(mp *isa.MachineProgram, pattern []int) error {
	slot, first := 0, false
	for i := range mp.Ops {
		op := &mp.Ops[i]
		op.PairWithNext = false
		if op.Class != isa.ClassFP32 {
			slot, first = 0, false
			continue
		}
		switch {
		case first:
			mp.Ops[i-1].PairWithNext, first = true, false
			slot++
		case pattern[slot%len(pattern)] == 2:
			first = true
		case pattern[slot%len(pattern)] == 1:
			slot++
		default:
			return fmt.Errorf("pattern %v: a slot issues 1 or 2 instructions", pattern)
		}
	}
	return nil
}

// fma copies an FFMA with other registers.
func fma(like *isa.MachineOp, destination isa.Register, sources [3]isa.Register) isa.MachineOp {
	op := *like
	effect := *like.Effect
	effect.Dst = []isa.Operand{isa.Reg(destination, isa.F32)}
	effect.Src = nil
	op.Reads = nil
	for _, r := range sources {
		effect.Src = append(effect.Src, isa.Reg(r, isa.F32))
		op.Reads = append(op.Reads, isa.RegisterRange{First: r, Count: 1})
	}
	op.Writes = []isa.RegisterRange{{First: destination, Count: 1}}
	op.ReadsConstant = false
	op.Effect = &effect
	return op
}

// replace replaces one operation by a list and adjusts later branch targets.
func replace(mp *isa.MachineProgram, at int, list []isa.MachineOp) {
	more := int32(len(list) - 1)
	move := func(target int32) int32 {
		if target > int32(at) {
			return target + more
		}
		return target
	}
	ops := append([]isa.MachineOp(nil), mp.Ops[:at]...)
	ops = append(ops, list...)
	ops = append(ops, mp.Ops[at+1:]...)
	if at > 0 {
		ops[at-1].PairWithNext = false
	}
	for i := range ops {
		op := &ops[i]
		op.Target, op.Reconverge = move(op.Target), move(op.Reconverge)
		for j, t := range op.Targets {
			op.Targets[j] = move(t)
		}
	}
	for f, first := range mp.Entries {
		mp.Entries[f] = move(first)
	}
	for i := range mp.Stack {
		mp.Stack[i].FirstOp = move(mp.Stack[i].FirstOp)
	}
	mp.Ops = ops
}
