package translate

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/sass"
)

// Atomic operations on shared memory. Kepler has none, so nvcc generates a loop. A load locks the address (LDSLK), code computes the new
// value, a store unlocks the address (STSCUL), and lanes that did not get the lock branch back. Here, as for PTX, the LDSLK performs the
// whole operation for all its lanes. All lanes then have the lock, and the loop runs once.

// lockReach is the most operations between LDSLK and STSCUL, or STSCUL and the branch, in nvcc's code.
const lockReach = 24

// lock describes the atomic operation that a LDSLK's loop performs.
type lock struct {
	operation isa.Sub
	t         isa.Type
	with      int // operand of computes that is not the loaded value
	computes  *word
}

// lockedBy returns the operation that the loop of a LDSLK performs, nil if it is unknown.
func (t *translator) lockedBy(n int) *lock {
	load := &t.code[n]
	p, loaded := load.Field("p").Value(load.Word), load.register()
	base, offset := load.Field("m").Memory(load.Word)
	var between []*word
	for k := n + 1; k < min(len(t.code), n+lockReach); k++ {
		w := &t.code[k]
		if w.err != nil || w.Class == isa.ClassBranch {
			return nil
		}
		if guard, not := w.Guard(); guard != p || not {
			continue
		}
		if w.Name != "STSCUL" {
			between = append(between, w)
			continue
		}
		if b, o := w.Field("m").Memory(w.Word); b != base || o != offset || w.Modifier("stsize") != load.Modifier("ldsize") ||
			!t.jumpsBack(k, n) {
			return nil
		}
		stored := w.register()
		if len(between) == 0 && stored != loaded {
			return &lock{operation: isa.AtomicExch, t: isa.B32, with: 2, computes: w}
		}
		if len(between) == 1 && between[0].register() == stored {
			return between[0].combines(loaded)
		}
		return nil
	}
	return nil
}

// jumpsBack reports whether a branch after a STSCUL jumps to its LDSLK.
func (t *translator) jumpsBack(from, to int) bool {
	for k := from + 1; k < min(len(t.code), from+lockReach) && t.code[k].err == nil; k++ {
		if w := &t.code[k]; w.Name == "BRA" {
			at, ok := t.position(w, w.Field("t").Target(w.Word, w.at))
			return ok && at == to
		}
	}
	return false
}

// register returns the first register that an operation names: the one it loads, stores or computes.
func (w *word) register() uint64 {
	if f := w.Field("r"); f != nil {
		return f.Value(w.Word)
	}
	return uint64(isa.RZ)
}

// combines returns the atomic operation that an operation on the loaded value amounts to, nil for none.
func (w *word) combines(loaded uint64) *lock {
	signed := isa.S32
	if w.Modifier("u") == ".U32" {
		signed = isa.U32
	}
	l := &lock{computes: w, with: 2, t: isa.U32}
	operands := w.Operands()
	switch w.Name + w.Modifier("lop") {
	case "IADD":
		l.operation = isa.AtomicAdd
	case "FADD":
		l.operation, l.t = isa.AtomicAdd, isa.F32
	case "LOP.AND":
		l.operation, l.t = isa.AtomicAnd, isa.B32
	case "LOP.OR":
		l.operation, l.t = isa.AtomicOr, isa.B32
	case "LOP.XOR":
		l.operation, l.t = isa.AtomicXor, isa.B32
	case "IMNMX":
		p := operands[3]
		if p.Value(w.Word) != uint64(isa.PT) {
			return nil
		}
		if l.operation, l.t = isa.AtomicMin, signed; p.Has(w.Word, sass.Complemented) {
			l.operation = isa.AtomicMax
		}
	default:
		return nil
	}
	if isRegister := operands[2].Name == "r"; isRegister && operands[2].Value(w.Word) == loaded {
		l.with = 1
	} else if operands[1].Value(w.Word) != loaded {
		return nil
	}
	for _, n := range []int{1, 2} {
		for sign := range 3 {
			if operands[n].Has(w.Word, sign) {
				return nil
			}
		}
	}
	return l
}

// lockedLoad translates a LDSLK: the atomic operation of its loop.
func lockedLoad(b *builder) (*isa.Instruction, error) {
	l := b.lockedBy(b.index)
	if l == nil || b.Modifier("ldsize") != "" {
		b.fail("no atomic operation is known that its loop is")
		return nil, nil
	}
	b.op.Class = isa.ClassSharedAtomic
	b.first(b.locked())
	i := &isa.Instruction{Op: isa.OpAtom, Type: l.t, Mod: isa.Modifiers{Select: l.operation}, Memory: b.address(isa.SpaceShared)}
	i.Memory.Vector = 1
	of := &builder{translator: b.translator, word: l.computes, op: b.op}
	i.Dst = []isa.Operand{isa.Reg(isa.Register(b.word.register()), l.t)}
	i.Src = []isa.Operand{of.operand(l.with, l.t)}
	if of.err != nil {
		return nil, of.err
	}
	return i, nil
}

// locked comes before a LDSLK or replaces a STSCUL: all lanes have the lock, or have stored.
func (w *word) locked() *isa.Instruction {
	p := w.Field("p").Value(w.Word)
	d := isa.Predicate(isa.Register(p), false)
	if p == uint64(isa.PT) {
		d = isa.Operand{Kind: isa.OperandSink}
	}
	yes := isa.Predicate(isa.PT, false)
	return &isa.Instruction{Op: isa.OpPlop, Type: isa.Pred, Mod: isa.Modifiers{SelectMask: 0xff}, Line: w.line, Dst: []isa.Operand{d},
		Src: []isa.Operand{yes, yes, yes}}
}
