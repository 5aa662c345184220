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

// FoldNegations lets f32 arithmetic read the negative of what a negation reads, where that spares the negation: where all its readers can.
// Any NaN gives such arithmetic the same NaN, so that its sign does not matter; that of f64 hands it on, and does so only where
// the sign came with contraction.
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
