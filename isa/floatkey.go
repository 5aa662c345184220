package isa

import "github.com/keplersim/keplersim/isa/fp"

// FloatKey names an instruction in package fp's terms, by its type and modifiers.
func (i *Instruction) FloatKey() fp.Key {
	return fp.Key{
		Op: i.Op.String(), Type: i.Type.String(), Rounding: fp.Rounding(i.Mod.Rounding), Flush: i.Mod.Flush, Saturate: i.Mod.Saturate,
		Approx: i.Mod.Approx, Full: i.Mod.Full, Comparison: fp.Compare(i.Mod.Compare),
	}
}
