package value

import "github.com/keplersim/keplersim/isa"

// FoldNegations lets arithmetic on floats read the negative of what a negation reads. A source's sign is turned as the negation turns it,
// that of a NaN too. nvcc's code for sm_35 has it so: logarithms and exponentials of f64 read -R where their PTX negates, also where
// something else needs the negative itself.
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
