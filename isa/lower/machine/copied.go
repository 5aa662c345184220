package machine

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// Copied returns the slots that a move copies.
func (f *Function) Copied(s *Slots, op *Operation) (to, from int32, ok bool) {
	i := op.Effect
	if i == nil || i.Op != isa.OpMov || len(i.Dst) != 1 || len(i.Src) != 1 || i.Mod.Saturate {
		return 0, 0, false
	}
	d, a := &i.Dst[0], &i.Src[0]
	if !virtual.IsRegister(d) || !virtual.IsRegister(a) || a.Negate || f.OperandWords(d) != 1 || f.OperandWords(a) != 1 ||
		f.IsPredicate(d.Register) != f.IsPredicate(a.Register) {
		return 0, 0, false
	}
	to, _ = s.Span(d.Register, 1)
	from, _ = s.Span(a.Register, 1)
	return to, from, true
}
