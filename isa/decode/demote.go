package decode

import "github.com/keplersim/keplersim/isa"

// demote turns a double-precision instruction into a single-precision one, for `.target map_f64_to_f32`. All arithmetic is single
// precision; a double in memory keeps its 64 bits, with the float in its low half (PTX ISA, .target).
func (t *template) demote() {
	t.demoted = t.ins.Type == isa.F64 || t.ins.From == isa.F64
	if t.ins.Type == isa.F64 {
		t.ins.Type = isa.F32
	}
	if t.ins.From == isa.F64 {
		t.ins.From = isa.F32
	}
	if t.ins.Op == isa.OpCvt && t.demoted && t.ins.Type == isa.F32 && t.ins.From == isa.F32 {
		switch t.ins.Mod.Rounding {
		case isa.RoundNearest, isa.RoundZero, isa.RoundMinus, isa.RoundPlus: // from double to single: nothing to round
			t.ins.Mod.Rounding = isa.RoundNone
		}
	}
}

// demotedVector splits an access to a vector of demoted doubles into one access per element, 8 bytes apart.
func (d *functionDecoder) demotedVector(i *isa.Instruction) {
	for k := range i.Memory.Vector {
		one, memory := *i, *i.Memory
		memory.Vector = 1
		memory.Offset += 8 * int64(k)
		one.Memory = &memory
		if len(i.Dst) > 0 {
			one.Dst = i.Dst[k : k+1]
		} else {
			one.Src = i.Src[k : k+1]
		}
		d.emit(&one)
	}
}
