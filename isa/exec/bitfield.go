package exec

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// Scalar functions on bits and fields, after the PTX reference and, where that is silent, a real GPU's recorded results.

func product24U(a, b uint32) uint64 { return uint64(a&0xffffff) * uint64(b&0xffffff) }

func product24S(a, b uint32) int64 { return int64(int32(a<<8)>>8) * int64(int32(b<<8)>>8) }

func mulHigh24U(a, b uint32) uint32      { return uint32(product24U(a, b) >> 16) }
func mulHigh24S(a, b uint32) uint32      { return uint32(product24S(a, b) >> 16) }
func madLow24U(a, b, c uint32) uint32    { return uint32(product24U(a, b)) + c }
func madLow24S(a, b, c uint32) uint32    { return uint32(product24S(a, b)) + c }
func madHigh24U(a, b, c uint32) uint32   { return uint32(product24U(a, b)>>16) + c }
func madHigh24S(a, b, c uint32) uint32   { return uint32(product24S(a, b)>>16) + c }
func madHighSat24(a, b, c uint32) uint32 { return saturate32(product24S(a, b)>>16 + int64(int32(c))) }

func populationCount32(a uint32) uint32 { return uint32(bits.OnesCount32(a)) }
func populationCount64(a uint64) uint32 { return uint32(bits.OnesCount64(a)) }
func leadingZeros32(a uint32) uint32    { return uint32(bits.LeadingZeros32(a)) }
func leadingZeros64(a uint64) uint32    { return uint32(bits.LeadingZeros64(a)) }
func reverse32(a uint32) uint32         { return bits.Reverse32(a) }
func reverse64(a uint64) uint64         { return bits.Reverse64(a) }

// bitFind returns the position of the most significant bit that differs from the sign, or with shift its distance from the top. It returns
// 0xffffffff if there is none.
func bitFind(v uint64, width uint32, signed, shift bool) uint32 {
	if signed && v>>(width-1)&1 != 0 {
		v = ^v << (64 - width) >> (64 - width)
	}
	if v == 0 {
		return ^uint32(0)
	}
	position := uint32(bits.Len64(v)) - 1
	if shift {
		return width - 1 - position
	}
	return position
}

// In bfe.u32, bfe.s32 and bfi only the low 8 bits of position and length count, as in PTX. In the 64-bit bfe, which is a sequence of shifts
// on every GPU, all bits count.

func extractU32(a, position, length uint32) uint32 {
	return uint32(extractU64(uint64(a), position&0xff, length&0xff))
}

func extractU64(a uint64, position, length uint32) uint64 {
	return a >> position & (1<<length - 1)
}

func extractS32(a, position, length uint32) uint32 {
	return uint32(extractS64(uint64(int64(int32(a))), position&0xff, length&0xff))
}

// extractS64 sign-extends the field from its top bit, or from the value's sign if the field extends past the end.
func extractS64(a uint64, position, length uint32) uint64 {
	if length == 0 {
		return 0
	}
	v := int64(a) >> position
	if length >= 64 {
		return uint64(v)
	}
	return uint64(v << (64 - length) >> (64 - length))
}

func extractLanes(f func(a uint64, position, length uint32) uint64) operation {
	return operation{words: [5]uint8{2, 2, 1, 1}, planar: func(d, dHigh, a, aHigh, b, _, c, _ *isa.Lanes32, active uint32) {
		for m := active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			v := f(pack64(a[i], aHigh[i]), b[i], c[i])
			d[i], dHigh[i] = uint32(v), uint32(v>>32)
		}
	}}
}

// insert replaces b's field by a's low bits.
func insert(a, b uint64, position, length uint32) uint64 {
	mask := (uint64(1)<<(length&0xff) - 1) << (position & 0xff)
	return b&^mask | a<<(position&0xff)&mask
}

func insertLanes32(d, a, b, c, e *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = uint32(insert(uint64(a[i]), uint64(b[i]), c[i], e[i]))
	}
}

func insertLanes64(d, dHigh, a, aHigh, b, bHigh, c, e *isa.Lanes32, _ uint32) {
	for i := range d {
		v := insert(pack64(a[i], aHigh[i]), pack64(b[i], bHigh[i]), c[i], e[i])
		d[i], dHigh[i] = uint32(v), uint32(v>>32)
	}
}

// findNthSet computes fns: the position of the n-th set bit of a mask, upward from base (n > 0) or downward (n < 0). n = 0 tests the base
// itself. It returns 0xffffffff if there is none.
func findNthSet(mask, base, offset uint32) uint32 {
	n, step := int32(offset), int64(1)
	if n < 0 {
		n, step = -n, -1
	}
	if n == 0 {
		if base < 32 && mask>>base&1 != 0 {
			return base
		}
		return ^uint32(0)
	}
	for p := int64(base); p >= 0 && p < 32; p += step {
		if mask>>p&1 != 0 {
			if n--; n == 0 {
				return uint32(p)
			}
		}
	}
	return ^uint32(0)
}

// lop3Lanes looks up each bit of a, b, c in the eight-bit table in e.
func lop3Lanes(d, a, b, c, e *isa.Lanes32, _ uint32) {
	table := e[0]
	var minterm [8]uint32
	for n := range minterm {
		minterm[n] = -(table >> n & 1)
	}
	for i := range d {
		x, y, z := a[i], b[i], c[i]
		d[i] = minterm[0]&^x&^y&^z | minterm[1]&^x&^y&z | minterm[2]&^x&y&^z | minterm[3]&^x&y&z |
			minterm[4]&x&^y&^z | minterm[5]&x&^y&z | minterm[6]&x&y&^z | minterm[7]&x&y&z
	}
}

// extend32 computes szext: the low n bits of a, sign- or zero-extended; n wraps or clamps at 32.
func extend32(a, n uint32, signed, wrap bool) uint32 {
	if wrap {
		n &= 31
	}
	switch {
	case n == 0:
		return 0
	case n >= 32:
		return a
	case signed:
		return uint32(int32(a<<(32-n)) >> (32 - n))
	default:
		return a << (32 - n) >> (32 - n)
	}
}

// bitMask computes bmsk: length ones from a position upward; both wrap or clamp at 32.
func bitMask(position, length uint32, wrap bool) uint32 {
	if wrap {
		position, length = position&31, length&31
	}
	position, length = min(position, 32), min(length, 32)
	return uint32((uint64(1)<<length - 1) << position)
}

// funnel computes shf: it shifts the double word high:low and returns the upper half (left) or the lower half (right).
func funnel(low, high, amount uint32, left, wrap bool) uint32 {
	if wrap {
		amount &= 31
	} else {
		amount = min(amount, 32)
	}
	v := pack64(low, high)
	if left {
		return uint32(v << amount >> 32)
	}
	return uint32(v >> amount)
}

// permute computes prmt, with selectors from the low 16 bits or, in a named mode, from the low 2 bits.
func permute(a, b, selector uint32, mode isa.Sub) uint32 {
	v := pack64(a, b)
	if mode != isa.SubNone {
		selector = permuteModes[mode][selector&3]
	}
	var d uint32
	for n := range 4 {
		s := selector >> (4 * n)
		x := uint32(v>>(8*(s&7))) & 0xff
		if mode == isa.SubNone && s&8 != 0 {
			x = uint32(int32(x<<24)>>31) & 0xff
		}
		d |= x << (8 * n)
	}
	return d
}

var permuteModes = map[isa.Sub][4]uint32{
	isa.PrmtF4E:  {0x3210, 0x4321, 0x5432, 0x6543},
	isa.PrmtB4E:  {0x5670, 0x6701, 0x7012, 0x0123},
	isa.PrmtRC8:  {0x0000, 0x1111, 0x2222, 0x3333},
	isa.PrmtECL:  {0x3210, 0x3211, 0x3222, 0x3333},
	isa.PrmtECR:  {0x0000, 0x1110, 0x2210, 0x3210},
	isa.PrmtRC16: {0x1010, 0x3232, 0x1010, 0x3232},
}

// dotProduct computes dp4a and dp2a: it adds to c the products of b's bytes with a's bytes (dp4a) or halves (dp2a).
func dotProduct(a, b, c uint32, aSigned, bSigned bool, terms, first int) uint32 {
	width := 32 / terms
	for n := range terms {
		x := field(a, n*width, width, aSigned)
		y := field(b, 8*(n+first), 8, bSigned)
		c += uint32(x * y)
	}
	return c
}

// field returns a bit field of v, sign- or zero-extended.
func field(v uint32, position, width int, signed bool) int64 {
	v = v << (32 - position - width)
	if signed {
		return int64(int32(v) >> (32 - width))
	}
	return int64(v >> (32 - width))
}
