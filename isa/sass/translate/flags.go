package translate

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// The condition code. nvcc branches on it behind a FSET, DSET or ISET that writes nothing else: the result is all ones or zero, so what
// the branch asks is whether the comparison held. Such a comparison sets a predicate that the code has no use for, and the branch has a
// second one with its own guard. Behind a difference of integers it asks for the order of unsigned numbers, which the carry and the mark
// of zero tell.

// flagReach is how many operations nvcc leaves between the two at most.
const flagReach = 16

// flags finds the comparisons that branches on the condition code ask, and spare predicates for them.
func (t *translator) flags() {
	unused := ^t.predicates() & 0x7f
	if bits.OnesCount(unused) < 2 {
		return
	}
	flag := isa.Register(bits.Len(unused) - 1)
	guard := isa.Register(bits.Len(unused&^(1<<flag)) - 1)
	for n := range t.code {
		w := &t.code[n]
		if _, asks := w.asks(); !asks {
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
				w.flag, w.both = flag, guard
			case from.Field("bool") != nil && d.Value(from.Word) == uint64(isa.RZ) && !ordered(w.order):
				from.flag, w.flag, w.both, w.order = flag, flag, guard, isa.CompareNone
			}
			break
		}
	}
}

// orders are the conditions of two unsigned numbers that a difference was made of.
var orders = map[string]isa.Compare{"HS": isa.GE, "LO": isa.LT, "HI": isa.GT, "LS": isa.LE, "EQ": isa.EQ, "NE": isa.NE}

// ordered reports a condition of greater or smaller, which a comparison's result does not have.
func ordered(order isa.Compare) bool {
	return order != isa.CompareNone && order != isa.EQ && order != isa.NE
}

// pushes reports an operation that puts a place on the stack, and goes on.
func (w *word) pushes() bool {
	return w.Name == "SSY" || w.Name == "PBK" || w.Name == "PCNT" || w.Name == "PRET"
}

// noFlag is of words that have nothing to do with the condition code.
const noFlag = isa.PT

// predicates are those that the code names.
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

// asks reports whether the operation is a branch on the condition code, and whether it wants the comparison to hold.
func (w *word) asks() (holds, asks bool) {
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

// compares gives the flag what the carry and the mark of zero say of two numbers: nothing is compared with nothing, after them.
func (w *word) compares() *isa.Instruction {
	none := isa.Reg(isa.RZ, isa.U32)
	return &isa.Instruction{Op: isa.OpSetc, Type: isa.U32, Mod: isa.Modifiers{Compare: w.order}, Line: w.line,
		Dst: []isa.Operand{isa.Predicate(w.flag, false)}, Src: []isa.Operand{none, none}}
}

// asked joins the guard of a branch and the flag.
func (w *word) asked() *isa.Instruction {
	holds, _ := w.asks()
	p, complement := w.Guard()
	table := uint8(0)
	for k := range 8 {
		if (k&1 != 0) != complement && (k&2 != 0) == holds {
			table |= 1 << k
		}
	}
	return &isa.Instruction{Op: isa.OpPlop, Type: isa.Pred, Mod: isa.Modifiers{SelectMask: table}, Line: w.line,
		Dst: []isa.Operand{isa.Predicate(w.both, false)},
		Src: []isa.Operand{isa.Predicate(isa.Register(p), false), isa.Predicate(w.flag, false), isa.Predicate(isa.PT, false)}}
}

// conditional reports that an operation acts for some lanes alone.
func (w *word) conditional() bool {
	p, _ := w.Guard()
	return p != uint64(isa.PT) || w.flag != noFlag
}
