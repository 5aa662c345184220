package value

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// reader is a source of an instruction.
type reader struct {
	instruction *isa.Instruction
	source      int
}

// FoldNegations lets f32 arithmetic read a negated operand instead of a negation's result, if all readers can and the negation is then
// dead. The sign of a NaN does not matter: such f32 arithmetic gives the same NaN for each. f64 arithmetic passes it on, so there only
// negations that came from contraction are folded.
func FoldNegations(f *Function) error {
	v := f.newValues()
	readers := map[*isa.Instruction][]reader{}
	var negations []*isa.Instruction
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			if i.Op == isa.OpNeg {
				negations = append(negations, i)
			}
			if !i.Op.Facts().Lowering.TakesSigns || i.Type != isa.F32 && f.contracted[i] == 0 {
				continue
			}
			for n := range i.Src {
				d := v.definition(&i.Src[n])
				if d != nil && d.Op == isa.OpNeg && d.Type == i.Type && d.Src[0].Kind == isa.OperandRegister &&
					(!d.Mod.Flush || i.Mod.Flush) && v.reaches(&d.Src[0], d, i) {
					readers[d] = append(readers[d], reader{i, n})
				}
			}
		}
	}
	for _, d := range negations {
		if len(readers[d]) == 0 || len(readers[d]) != int(v.of[virtual.Whole(d.Dst[0].Register)].uses) {
			continue
		}
		for _, r := range readers[d] {
			o := &r.instruction.Src[r.source]
			o.Register, o.Negate = d.Src[0].Register, !o.Negate
		}
	}
	v.release()
	return RemoveDead(f)
}
