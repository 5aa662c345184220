package isa

import "github.com/keplersim/keplersim/isa/fp"

// FloatKey names an instruction in package fp's terms, by its type and modifiers.
func (i *Instruction) FloatKey() fp.Key {
	k := fp.Key{
		Op: i.Op.String(), Type: i.Type.String(), Rounding: fp.Rounding(i.Mod.Rounding), Flush: i.Mod.Flush, Saturate: i.Mod.Saturate,
		Approx: i.Mod.Approx, Full: i.Mod.Full, Comparison: fp.Compare(i.Mod.Compare),
	}
	if i.Op == OpCvt {
		k.Type, k.From = i.Type.unsigned().String(), i.From.unsigned().String()
	}
	return k
}

// unsigned returns the unsigned type of an untyped one (clang writes these in conversions), and any other type unchanged.
func (t Type) unsigned() Type {
	switch t {
	case B8:
		return U8
	case B16:
		return U16
	case B32:
		return U32
	case B64:
		return U64
	}
	return t
}
