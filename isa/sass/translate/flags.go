package translate

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// The condition code. nvcc branches on it behind a FSET, DSET or ISET that writes nothing else: the result is all ones or zero, so what
// the branch asks is whether the comparison held. Such a comparison sets a predicate that the code has no use for, and the branch has a
// second one with its own guard.

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
			if from.Class == isa.ClassBranch || from.Meets() {
				break
			}
			if from.Modifier("cc") != ".CC" {
				continue
			}
			if d := from.Field("r"); from.Field("bool") != nil && d.Value(from.Word) == uint64(isa.RZ) {
				from.flag, w.flag, w.both = flag, flag, guard
			}
			break
		}
	}
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
	case "NE", "NEU":
		return true, true
	case "EQ", "EQU":
		return false, true
	}
	return false, false
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
