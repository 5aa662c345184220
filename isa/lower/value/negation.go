package value

import "github.com/keplersim/keplersim/isa"

// FoldNegations lets arithmetic on floats negate its source in place of a separate negation. Both flip the sign alike, a NaN's too. So does
// nvcc's code for sm_35: logarithms and exponentials of f64 read -R where their PTX negates, even if another operation needs the negated
// value itself.
func FoldNegations(f *Function) error {
	v := f.newValues()
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			if !i.Op.Facts().Lowering.TakesSigns || !i.Type.Float() {
				continue
			}
			for n := range i.Src {
				d := v.definition(&i.Src[n])
				if d != nil && d.Op == isa.OpNeg && d.Type == i.Type && d.Src[0].Kind == isa.OperandRegister &&
					(!d.Mod.Flush || i.Mod.Flush) && v.reaches(&d.Src[0], d, i) {
					i.Src[n].Register, i.Src[n].Negate = d.Src[0].Register, !i.Src[n].Negate
				}
			}
		}
	}
	v.release()
	return RemoveDead(f)
}
