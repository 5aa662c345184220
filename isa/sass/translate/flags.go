package translate

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// The condition code. nvcc branches on it after a FSET, DSET or ISET with no other result. The result would be all ones or zero and sets
// the code, so the branch tests whether the comparison was true. Here such a comparison sets a predicate that the code does not use, and
// the branch has another one that combines it with its guard. After an integer difference the branch tests the order of unsigned numbers,
// from carry and zero flag.

// flagReach is the most operations between the two in nvcc's code.
const flagReach = 16

// flags finds the comparisons that branches on the condition code test, and assigns unused predicates to them.
func (t *translator) flags() {
	unused := ^t.predicates() & 0x7f
	if bits.OnesCount(unused) < 2 {
		return
	}
	flag := isa.Register(bits.Len(unused) - 1)
	guard := isa.Register(bits.Len(unused&^(1<<flag)) - 1)
	for n := range t.code {
		w := &t.code[n]
		if _, asks := w.branchesOnFlag(); !asks {
			continue
		}
		for k := n - 1; k >= max(0, n-flagReach) && t.code[k].err == nil; k-- {
			from := &t.code[k]
			if from.Class == isa.ClassBranch && !from.pushes() || from.Meets() {
				break
			}
			if from.Modifier("cc") != ".CC" {
				continue
			}
			w.order = orders[w.Condition()]
			switch d := from.Field("r"); {
			case from.Name == "ISUB" && w.order != isa.CompareNone:
				w.flag, w.guardAndFlag = flag, guard
			case from.Field("bool") != nil && d.Value(from.Word) == uint64(isa.RZ) && !ordered(w.order):
				from.flag, w.flag, w.guardAndFlag, w.order = flag, flag, guard, isa.CompareNone
			}
			break
		}
	}
}

// orders are the conditions on two unsigned numbers after their difference.
var orders = map[string]isa.Compare{"HS": isa.GE, "LO": isa.LT, "HI": isa.GT, "LS": isa.LE, "EQ": isa.EQ, "NE": isa.NE}

// ordered reports a condition of order: a comparison's result, all ones or zero, does not have one.
func ordered(order isa.Compare) bool {
	return order != isa.CompareNone && order != isa.EQ && order != isa.NE
}

// pushes reports an operation that pushes a place on the stack and continues.
func (w *word) pushes() bool {
	return w.Name == "SSY" || w.Name == "PBK" || w.Name == "PCNT" || w.Name == "PRET"
}

// noFlag is the flag of words that do not involve the condition code.
const noFlag = isa.PT

// predicates returns the predicates that the code uses.
func (t *translator) predicates() (used uint) {
	for n := range t.code {
		w := &t.code[n]
		if w.err != nil {
			continue
		}
		p, _ := w.Guard()
		used |= 1 << p
		if w.Name == "P2R" || w.Name == "R2P" {
			used |= 1<<isa.PT - 1
		}
		for k := range w.Fields {
			if f := &w.Fields[k]; f.Name == "p" || f.Name == "barp" {
				used |= 1 << f.Value(w.Word)
			}
		}
	}
	return used
}

// branchesOnFlag reports whether the operation is a branch on the condition code, and whether it branches if the comparison is true.
func (w *word) branchesOnFlag() (holds, asks bool) {
	if w.err != nil || w.Name != "BRA" {
		return false, false
	}
	switch w.Condition() {
	case "EQ", "EQU":
		return w.order != isa.CompareNone, true
	case "T", "F":
		return false, false
	}
	return true, true
}

// flagComparison returns an instruction that sets the flag from carry and zero flag: a comparison of zero with zero that continues the
// difference.
func (w *word) flagComparison() *isa.Instruction {
	none := isa.Reg(isa.RZ, isa.U32)
	return &isa.Instruction{Op: isa.OpSetc, Type: isa.U32, Mod: isa.Modifiers{Compare: w.order}, Line: w.line,
		Dst: []isa.Operand{isa.Predicate(w.flag, false)}, Src: []isa.Operand{none, none}}
}

// combineGuard returns an instruction that combines a branch's guard with the flag.
func (w *word) combineGuard() *isa.Instruction {
	holds, _ := w.branchesOnFlag()
	p, complement := w.Guard()
	table := uint8(0)
	for k := range 8 {
		if (k&1 != 0) != complement && (k&2 != 0) == holds {
			table |= 1 << k
		}
	}
	return &isa.Instruction{Op: isa.OpPlop, Type: isa.Pred, Mod: isa.Modifiers{SelectMask: table}, Line: w.line,
		Dst: []isa.Operand{isa.Predicate(w.guardAndFlag, false)},
		Src: []isa.Operand{isa.Predicate(isa.Register(p), false), isa.Predicate(w.flag, false), isa.Predicate(isa.PT, false)}}
}

// conditional reports that an operation acts only for some lanes.
func (w *word) conditional() bool {
	p, _ := w.Guard()
	return p != uint64(isa.PT) || w.flag != noFlag
}
