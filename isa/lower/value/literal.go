package value

import "github.com/keplersim/keplersim/isa"

// literalPool is a kernel's numbers that lie in constant memory because no operation can hold them: nvcc leaves them in bank 2, each once,
// where an operation that may read one constant reads them without a register (c cuobjdump of nvcc's code for sm_35: DFMA, ISETP, ICMP,
// IMAD).
type literalPool struct {
	offsets map[literal]uint32
	bytes   uint32
}

type literal struct {
	bits  uint64
	bytes int
}

// place gives an immediate operand its place in the bank. The operand stays an immediate, which is what its effect computes with.
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

// number reports a move that puts a number into a register. ptxas makes such a register where it is needed, once a block, and never keeps
// one for a loop or for blocks to come (c cuobjdump of nvcc's code for sm_35, of ptxas 12 and 13 for sm_50 and sm_75).
func number(i *isa.Instruction) bool {
	return i.Op == isa.OpMov && len(i.Src) == 1 && i.Src[0].Kind == isa.OperandImmediate
}
