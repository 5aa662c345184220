package decode

import (
	"strings"

	"github.com/keplersim/keplersim/isa"
)

// role is an operand's role in its instruction.
type role uint8

const (
	roleSource      role = iota
	roleDestination      // a register, or `_`
	roleAddress          // [base+offset]
	roleLoaded           // ld: a register or a vector of them
	roleStored           // st: a register, an immediate or a vector of them
	roleImmediate        // a constant
	rolePacked           // mov: a destination register, or a vector to unpack the source into
	roleUnpacked         // mov: a source, or a vector to pack
	roleTexture          // [texture, {coordinates}] or [texture, sampler, {coordinates}]
	roleLevel            // level of detail of a texture
	roleGradient         // dPdx or dPdy of a texture
	roleLabel            // a label, a target list or the callee: the opcode has its own parser
)

// operandSpec is one operand of a form. Its syntax is NAME[:TYPE][?], or `d|p`, `d|p?` for a destination with a predicate destination.
//
// NAME is m (address), dv and sv (vector loaded, stored), dm and am (register or vector of mov), t (texture and coordinates), lod, dx, imm,
// label, list, call, d or p (destination). Any other name is a source.
//
// TYPE is one of
//   - p: predicate
//   - f: the second type of the mnemonic
//   - w: twice the type's width if .wide
//   - v, h: destination and source of a scalar video instruction, with selectors
//   - 2, 4: operands of SIMD video instructions
//   - dp: of dp4a and dp2a
//   - addr: an address of either size
//   - a PTX type; absent: the instruction's type
type operandSpec struct {
	name      string
	role      role
	kind      string // TYPE as written
	fixed     isa.Type
	optional  bool
	pair      bool // `d|p`
	pairNeeds bool // the predicate is mandatory
}

func parseOperandSpec(word string) operandSpec {
	var s operandSpec
	word, s.optional = strings.CutSuffix(word, "?")
	if first, _, ok := strings.Cut(word, "|"); ok {
		s.pair, s.pairNeeds, s.optional = true, !s.optional, false
		word = first
	}
	s.name, s.kind, _ = strings.Cut(word, ":")
	switch s.name {
	case "m":
		s.role = roleAddress
	case "dv":
		s.role = roleLoaded
	case "sv", "av":
		s.role = roleStored
	case "dm":
		s.role = rolePacked
	case "am":
		s.role = roleUnpacked
	case "t":
		s.role = roleTexture
	case "lod":
		s.role = roleLevel
	case "dx":
		s.role = roleGradient
	case "label", "list", "call":
		s.role = roleLabel
	case "imm":
		s.role = roleImmediate
	case "d", "p":
		s.role = roleDestination
	}
	if s.name == "p" && s.kind == "" {
		s.kind = "p"
	}
	if s.kind == "p" {
		s.fixed = isa.Pred
	} else if len(s.kind) > 1 && s.kind != "dp" && s.kind != "addr" {
		t, ok := isa.ParseType(s.kind)
		if !ok {
			panic("decode: operand type " + s.kind)
		}
		s.fixed = t
	}
	return s
}

// of returns the operand's type in an instruction.
func (s *operandSpec) of(i *isa.Instruction) isa.Type {
	if s.fixed != isa.TypeNone {
		return s.fixed
	}
	switch s.kind {
	case "f":
		return i.From
	case "w":
		if i.Mod.Half == isa.Wide {
			return resize(i.Type, 2*i.Type.Bytes())
		}
	case "v", "h", "2", "4":
		return isa.U32
	case "dp":
		if i.Type.Signed() || i.From.Signed() {
			return isa.S32
		}
		return isa.U32
	case "addr":
		return isa.TypeNone
	}
	return i.Type
}

// typesBySize holds, for each kind, the types of 1, 2, 4 and 8 bytes.
var typesBySize = [...][4]isa.Type{
	isa.KindBits:     {isa.B8, isa.B16, isa.B32, isa.B64},
	isa.KindUnsigned: {isa.U8, isa.U16, isa.U32, isa.U64},
	isa.KindSigned:   {isa.S8, isa.S16, isa.S32, isa.S64},
}

// resize returns the type of t's kind with another size; a float of another size becomes bits.
func resize(t isa.Type, bytes int) isa.Type {
	if t.Bytes() == bytes {
		return t
	}
	kind := t.Kind()
	if kind == isa.KindFloat {
		switch bytes {
		case 4:
			return isa.B32
		case 8:
			return isa.B64
		}
		return isa.B16
	}
	if kind != isa.KindBits && kind != isa.KindSigned {
		kind = isa.KindUnsigned
	}
	switch bytes {
	case 1:
		return typesBySize[kind][0]
	case 2:
		return typesBySize[kind][1]
	case 8:
		return typesBySize[kind][3]
	case 16:
		return isa.B128
	}
	return typesBySize[kind][2]
}
