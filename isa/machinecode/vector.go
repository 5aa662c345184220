package machinecode

// Instruction is an instruction on vector registers: d = a OP b; b is a register or in memory.
type Instruction struct {
	prefix, space, opcode byte // space: 1 is 0f, 2 0f38, 3 0f3a
	wide                  bool
}

// Three-operand instructions, on eight words unless stated otherwise. Names are those of Intel's manual without the V.
var (
	PADDD    = Instruction{1, 1, 0xfe, false}
	PSUBD    = Instruction{1, 1, 0xfa, false}
	PMULLD   = Instruction{1, 2, 0x40, false}
	PMULUDQ  = Instruction{1, 1, 0xf4, false} // even words, 64-bit products
	PMULDQ   = Instruction{1, 2, 0x28, false} // the same, signed
	PADDQ    = Instruction{1, 1, 0xd4, false}
	PAND     = Instruction{1, 1, 0xdb, false}
	PANDN    = Instruction{1, 1, 0xdf, false} // ^a & b
	POR      = Instruction{1, 1, 0xeb, false}
	PXOR     = Instruction{1, 1, 0xef, false}
	PMINUD   = Instruction{1, 2, 0x3b, false}
	PMAXUD   = Instruction{1, 2, 0x3f, false}
	PMINSD   = Instruction{1, 2, 0x39, false}
	PMAXSD   = Instruction{1, 2, 0x3d, false}
	PSLLVD   = Instruction{1, 2, 0x47, false} // a shifted by the words of b
	PSRLVD   = Instruction{1, 2, 0x45, false}
	PSRAVD   = Instruction{1, 2, 0x46, false}
	PCMPEQD  = Instruction{1, 1, 0x76, false}
	PCMPGTD  = Instruction{1, 1, 0x66, false}
	PUNPCKLD = Instruction{1, 1, 0x62, false}
	PUNPCKHD = Instruction{1, 1, 0x6a, false}
	PABSD    = Instruction{1, 2, 0x1e, false} // of b; a is 0
	ADDPS    = Instruction{0, 1, 0x58, false}
	SUBPS    = Instruction{0, 1, 0x5c, false}
	MULPS    = Instruction{0, 1, 0x59, false}
	DIVPS    = Instruction{0, 1, 0x5e, false}
	ADDPD    = Instruction{1, 1, 0x58, false} // four f64
	SUBPD    = Instruction{1, 1, 0x5c, false}
	MULPD    = Instruction{1, 1, 0x59, false}
	DIVPD    = Instruction{1, 1, 0x5e, false}
	PCMPEQQ  = Instruction{1, 2, 0x29, false} // four values of 64 bits
	PCMPGTQ  = Instruction{1, 2, 0x37, false}
	PSHUFB   = Instruction{1, 2, 0x00, false} // a's bytes at the places of b
	PMADDBW  = Instruction{1, 2, 0x04, false} // VPMADDUBSW: sums of two products of bytes
	PMADDWD  = Instruction{1, 1, 0xf5, false} // and of 16 bits
	FMADDPS  = Instruction{1, 2, 0xa8, false} // VFMADD213PS: d = d·a + b
	FMADDPD  = Instruction{1, 2, 0xa8, true}

	// Two-operand instructions: a is 0.
	SQRTPS   = Instruction{0, 1, 0x51, false}
	SQRTPD   = Instruction{1, 1, 0x51, false}
	CVTDQ2PS = Instruction{0, 1, 0x5b, false}
	CVTTPS   = Instruction{2, 1, 0x5b, false} // f32 to s32, towards zero
	CVTPS2PD = Instruction{0, 1, 0x5a, false} // the lower four to four f64, and back
	CVTPD2PS = Instruction{1, 1, 0x5a, false}
	CVTDQ2PD = Instruction{2, 1, 0xe6, false}
	CVTTPD   = Instruction{1, 1, 0xe6, false} // f64 to s32, towards zero
	load     = Instruction{2, 1, 0x6f, false}
	store    = Instruction{2, 1, 0x7f, false}
	spread   = Instruction{1, 2, 0x58, false} // VPBROADCASTD
	toVector = Instruction{1, 1, 0x6e, false} // VMOVD
	ptest    = Instruction{1, 2, 0x17, false}
	moveMask = Instruction{0, 1, 0x50, false} // VMOVMSKPS
	moveWide = Instruction{1, 1, 0x50, false} // VMOVMSKPD
	moveByte = Instruction{1, 1, 0xd7, false} // VPMOVMSKB

	// Instructions with a constant byte.
	compareS = Instruction{0, 1, 0xc2, false} // VCMPPS
	compareD = Instruction{1, 1, 0xc2, false} // VCMPPD
	blendD   = Instruction{1, 3, 0x02, false} // VPBLENDD
	blendV   = Instruction{1, 3, 0x4a, false} // VBLENDVPS
	shuffle  = Instruction{0, 1, 0xc6, false} // VSHUFPS
	round    = Instruction{1, 3, 0x08, false} // VROUNDPS
	roundD   = Instruction{1, 3, 0x09, false} // VROUNDPD
	permuteQ = Instruction{1, 3, 0x00, true}  // VPERMQ
	halves   = Instruction{1, 3, 0x46, false} // VPERM2I128
	shiftD   = Instruction{1, 1, 0x72, false} // words by a constant
	shiftQ   = Instruction{1, 1, 0x73, false} // 64 bits by a constant

	gather    = Instruction{1, 2, 0x90, false} // VPGATHERDD
	maskLoad  = Instruction{1, 2, 0x8c, false} // VPMASKMOVD
	maskStore = Instruction{1, 2, 0x8e, false}
)

// vexBytes are the prefix, of three bytes, of an instruction with three operands; r, x and b are the upper bits of its registers' numbers.
func vexBytes(r, x, b byte, space byte, wide bool, second byte, long bool, prefix byte) uint64 {
	p := ^second&15<<3 | prefix
	if wide {
		p |= 0x80
	}
	if long {
		p |= 4
	}
	return 0xc4 | uint64((r^1)<<7|(x^1)<<6|(b^1)<<5|space)<<8 | uint64(p)<<16
}

// vexRegisters are an instruction's opcode and the byte that names its registers, behind the prefix.
func vexRegisters(opcode, d, b byte) uint64 { return uint64(opcode)<<24 | uint64(0xc0|d&7<<3|b&7)<<32 }

func (a *Assembler) vex(i Instruction, d, second, b Vector) {
	a.bytes(vexBytes(byte(d)>>3, 0, byte(b)>>3, i.space, i.wide, byte(second), true, i.prefix)|
		vexRegisters(i.opcode, byte(d), byte(b)), 5)
}

func (a *Assembler) vexMemory(i Instruction, d, second Vector, m Memory) {
	a.vexMemoryTail(i, d, second, m, 0)
}

// vexMemoryTail is vexMemory for an instruction with tail bytes after its operand: a constant's distance counts from the instruction's end.
func (a *Assembler) vexMemoryTail(i Instruction, d, second Vector, m Memory, tail int) {
	index, base := m.high()
	a.bytes(vexBytes(byte(d)>>3, index, base, i.space, i.wide, byte(second), true, i.prefix)|uint64(i.opcode)<<24, 4)
	a.memory(uint8(d), m)
	if m.constant > 0 {
		a.fixups[len(a.fixups)-1].tail = int8(tail)
	}
}

// V emits d = x OP y.
func (a *Assembler) V(i Instruction, d, x, y Vector) { a.vex(i, d, x, y) }

// U emits d = OP s.
func (a *Assembler) U(i Instruction, d, s Vector) { a.vex(i, d, 0, s) }

// VM emits d = x OP m.
func (a *Assembler) VM(i Instruction, d, x Vector, m Memory) { a.vexMemory(i, d, x, m) }

// Get reads eight words.
func (a *Assembler) Get(d Vector, m Memory) { a.vexMemory(load, d, 0, m) }

// Put writes eight words.
func (a *Assembler) Put(m Memory, s Vector) { a.vexMemory(store, s, 0, m) }

// Copy copies a register.
func (a *Assembler) Copy(d, s Vector) { a.vex(load, d, 0, s) }

// Spread reads one word and copies it to all eight.
func (a *Assembler) Spread(d Vector, m Memory) { a.vexMemory(spread, d, 0, m) }

// SpreadGeneral copies a general register's word to all eight.
func (a *Assembler) SpreadGeneral(d Vector, s General) {
	a.bytes(vexBytes(byte(d)>>3, 0, byte(s)>>3, toVector.space, false, 0, false, toVector.prefix)|
		vexRegisters(toVector.opcode, byte(d), byte(s)), 5)
	a.vex(spread, d, 0, d)
}

// TestVector sets Equal if the vectors share no bit.
func (a *Assembler) TestVector(x, y Vector) { a.vex(ptest, x, 0, y) }

// Mask collects the top bits of eight words.
func (a *Assembler) Mask(d General, s Vector) { a.vex(moveMask, Vector(d), 0, s) }

// MaskBytes sets a bit of d for each byte of s with its highest bit set.
func (a *Assembler) MaskBytes(d General, s Vector) { a.vex(moveByte, Vector(d), 0, s) }

// MaskWide collects the top bits of four 64-bit values.
func (a *Assembler) MaskWide(d General, s Vector) { a.vex(moveWide, Vector(d), 0, s) }

// Compare32 sets each word to all ones if f32 values compare true by a predicate of Intel's manual.
func (a *Assembler) Compare32(d, x, y Vector, predicate byte) {
	a.vex(compareS, d, x, y)
	a.byte(predicate)
}

// Compare64 is Compare32 for four f64 values.
func (a *Assembler) Compare64(d, x, y Vector, predicate byte) {
	a.vex(compareD, d, x, y)
	a.byte(predicate)
}

// RoundWords rounds f32 values to integral values; how is 0 to nearest even, 1 down, 2 up, 3 to zero.
func (a *Assembler) RoundWords(d, s Vector, how byte) {
	a.vex(round, d, 0, s)
	a.byte(how | 8) // without an exception
}

// RoundWide is RoundWords for four f64 values.
func (a *Assembler) RoundWide(d, s Vector, how byte) {
	a.vex(roundD, d, 0, s)
	a.byte(how | 8)
}

// BlendWords takes the words of y whose bits are set, else x's.
func (a *Assembler) BlendWords(d, x, y Vector, which byte) {
	a.vex(blendD, d, x, y)
	a.byte(which)
}

// Blend selects y's words where the mask is negative, else x's.
func (a *Assembler) Blend(d, x, y, mask Vector) {
	a.vex(blendV, d, x, y)
	a.byte(byte(mask) << 4)
}

// BlendMemory is Blend with y in memory.
func (a *Assembler) BlendMemory(d, x Vector, y Memory, mask Vector) {
	a.vexMemoryTail(blendV, d, x, y, 1)
	a.byte(byte(mask) << 4)
}

// Shuffle selects words like VSHUFPS.
func (a *Assembler) Shuffle(d, x, y Vector, which byte) {
	a.vex(shuffle, d, x, y)
	a.byte(which)
}

// PermuteWide selects 64-bit values like VPERMQ.
func (a *Assembler) PermuteWide(d, s Vector, which byte) {
	a.vex(permuteQ, d, 0, s)
	a.byte(which)
}

// Halves selects two of four halves like VPERM2I128.
func (a *Assembler) Halves(d, x, y Vector, which byte) {
	a.vex(halves, d, x, y)
	a.byte(which)
}

// LeftWords shifts words left by a constant.
func (a *Assembler) LeftWords(d, s Vector, by byte) { a.shift(shiftD, 6, d, s, by) }

// RightWords shifts words right, filling with zeros.
func (a *Assembler) RightWords(d, s Vector, by byte) { a.shift(shiftD, 2, d, s, by) }

// SignWords shifts words right, filling with signs.
func (a *Assembler) SignWords(d, s Vector, by byte) { a.shift(shiftD, 4, d, s, by) }

// Left64 shifts 64-bit values left by a constant.
func (a *Assembler) Left64(d, s Vector, by byte) { a.shift(shiftQ, 6, d, s, by) }

// Right64 shifts 64-bit values right, filling with zeros.
func (a *Assembler) Right64(d, s Vector, by byte) { a.shift(shiftQ, 2, d, s, by) }

func (a *Assembler) shift(i Instruction, kind, d, s Vector, by byte) {
	a.vex(i, kind, d, s) // the destination is encoded as the second source
	a.byte(by)
}

// Gather reads the words at base + index + offset where the mask is negative, and clears the mask.
func (a *Assembler) Gather(d Vector, base General, index Vector, offset int, mask Vector) {
	a.vexMemory(gather, d, mask, Memory{Base: base, Index: uint8(index), Scale: 1, Offset: int32(offset)})
}

// GetMasked reads words where the mask is negative.
func (a *Assembler) GetMasked(d, mask Vector, m Memory) { a.vexMemory(maskLoad, d, mask, m) }

// PutMasked writes words where the mask is negative.
func (a *Assembler) PutMasked(m Memory, mask, s Vector) { a.vexMemory(maskStore, s, mask, m) }
