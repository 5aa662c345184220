package value

import "github.com/keplersim/keplersim/isa"

// literalPool is a kernel's literals that no operation can hold. In nvcc's code each is once in constant bank 2. Operations that may read
// one constant read it from there without a register (c cuobjdump of nvcc's code for sm_35: DFMA, ISETP, ICMP, IMAD).
type literalPool struct {
	offsets map[literal]uint32
	bytes   uint32
}

type literal struct {
	bits  uint64
	bytes int
}

// place gives an immediate operand a place in the bank. The operand stays an immediate, since its effect computes with it.
func (p *literalPool) place(o *isa.Operand) {
	key := literal{o.Immediate, max(o.Type.Bytes(), 4)}
	offset, known := p.offsets[key]
	if !known {
		size := uint32(key.bytes)
		offset = (p.bytes + size - 1) / size * size
		p.bytes = offset + size
		if p.offsets == nil {
			p.offsets = map[literal]uint32{}
		}
		p.offsets[key] = offset
	}
	o.Bank, o.Offset = isa.ConstantBankLiterals, offset
}

// number reports whether an instruction moves a constant to a register. In ptxas's code such a register is made where it is needed, once
// per block, and is never kept through a loop or for later blocks. (Source: c cuobjdump of nvcc's code for sm_35, of ptxas 12 and 13 for
// sm_50 and sm_75.)
func number(i *isa.Instruction) bool {
	return i.Op == isa.OpMov && len(i.Src) == 1 && i.Src[0].Kind == isa.OperandImmediate
}
