package exec

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

func pack64(low, high uint32) uint64 { return uint64(high)<<32 | uint64(low) }

// Planar loops: the low words of 64-bit values are in one array, the high words in another.

func add64(d, dHigh, a, aHigh, b, bHigh, _, _ *isa.Lanes32, _ uint32) {
	for i := range d {
		s := pack64(a[i], aHigh[i]) + pack64(b[i], bHigh[i])
		d[i], dHigh[i] = uint32(s), uint32(s>>32)
	}
}

func sub64(d, dHigh, a, aHigh, b, bHigh, _, _ *isa.Lanes32, _ uint32) {
	for i := range d {
		s := pack64(a[i], aHigh[i]) - pack64(b[i], bHigh[i])
		d[i], dHigh[i] = uint32(s), uint32(s>>32)
	}
}

func mulWideU32(d, dHigh, a, _, b, _, _, _ *isa.Lanes32, _ uint32) {
	for i := range d {
		p := uint64(a[i]) * uint64(b[i])
		d[i], dHigh[i] = uint32(p), uint32(p>>32)
	}
}

func mulWideS32(d, dHigh, a, _, b, _, _, _ *isa.Lanes32, _ uint32) {
	for i := range d {
		p := uint64(int64(int32(a[i])) * int64(int32(b[i])))
		d[i], dHigh[i] = uint32(p), uint32(p>>32)
	}
}

func madWideU32(d, dHigh, a, _, b, _, c, cHigh *isa.Lanes32, _ uint32) {
	for i := range d {
		p := uint64(a[i])*uint64(b[i]) + pack64(c[i], cHigh[i])
		d[i], dHigh[i] = uint32(p), uint32(p>>32)
	}
}

func madWideS32(d, dHigh, a, _, b, _, c, cHigh *isa.Lanes32, _ uint32) {
	for i := range d {
		p := uint64(int64(int32(a[i]))*int64(int32(b[i]))) + pack64(c[i], cHigh[i])
		d[i], dHigh[i] = uint32(p), uint32(p>>32)
	}
}

func mulLow64(d, dHigh, a, aHigh, b, bHigh, _, _ *isa.Lanes32, _ uint32) {
	for i := range d {
		p := pack64(a[i], aHigh[i]) * pack64(b[i], bHigh[i])
		d[i], dHigh[i] = uint32(p), uint32(p>>32)
	}
}

func madLow64(d, dHigh, a, aHigh, b, bHigh, c, cHigh *isa.Lanes32, _ uint32) {
	for i := range d {
		p := pack64(a[i], aHigh[i])*pack64(b[i], bHigh[i]) + pack64(c[i], cHigh[i])
		d[i], dHigh[i] = uint32(p), uint32(p>>32)
	}
}

func and64(d, dHigh, a, aHigh, b, bHigh, _, _ *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i], dHigh[i] = a[i]&b[i], aHigh[i]&bHigh[i]
	}
}

func or64(d, dHigh, a, aHigh, b, bHigh, _, _ *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i], dHigh[i] = a[i]|b[i], aHigh[i]|bHigh[i]
	}
}

func xor64(d, dHigh, a, aHigh, b, bHigh, _, _ *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i], dHigh[i] = a[i]^b[i], aHigh[i]^bHigh[i]
	}
}

func not64(d, dHigh, a, aHigh, _, _, _, _ *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i], dHigh[i] = ^a[i], ^aHigh[i]
	}
}

func copy64(d, dHigh, a, aHigh, _, _, _, _ *isa.Lanes32, _ uint32) {
	*d = *a
	*dHigh = *aHigh
}

func shiftLeft64(d, dHigh, a, aHigh, b, _, _, _ *isa.Lanes32, _ uint32) {
	for i := range d {
		s := pack64(a[i], aHigh[i]) << b[i]
		d[i], dHigh[i] = uint32(s), uint32(s>>32)
	}
}

func shiftRightU64(d, dHigh, a, aHigh, b, _, _, _ *isa.Lanes32, _ uint32) {
	for i := range d {
		s := pack64(a[i], aHigh[i]) >> b[i]
		d[i], dHigh[i] = uint32(s), uint32(s>>32)
	}
}

func shiftRightS64(d, dHigh, a, aHigh, b, _, _, _ *isa.Lanes32, _ uint32) {
	for i := range d {
		s := uint64(int64(pack64(a[i], aHigh[i])) >> b[i])
		d[i], dHigh[i] = uint32(s), uint32(s>>32)
	}
}

// planarUnary, planarBinary, planarTernary and planarMixed turn scalar 64-bit functions into functions on lanes.

func planarUnary(f func(a uint64) uint64) operation {
	return operation{words: [5]uint8{2, 2}, planar: func(d, dHigh, a, aHigh, _, _, _, _ *isa.Lanes32, active uint32) {
		for m := active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			s := f(pack64(a[i], aHigh[i]))
			d[i], dHigh[i] = uint32(s), uint32(s>>32)
		}
	}}
}

func planarBinary(f func(a, b uint64) uint64) operation {
	return operation{words: [5]uint8{2, 2, 2}, planar: func(d, dHigh, a, aHigh, b, bHigh, _, _ *isa.Lanes32, active uint32) {
		for m := active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			s := f(pack64(a[i], aHigh[i]), pack64(b[i], bHigh[i]))
			d[i], dHigh[i] = uint32(s), uint32(s>>32)
		}
	}}
}

func planarTernary(f func(a, b, c uint64) uint64) operation {
	return operation{words: [5]uint8{2, 2, 2, 2}, planar: func(d, dHigh, a, aHigh, b, bHigh, c, cHigh *isa.Lanes32, active uint32) {
		for m := active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			s := f(pack64(a[i], aHigh[i]), pack64(b[i], bHigh[i]), pack64(c[i], cHigh[i]))
			d[i], dHigh[i] = uint32(s), uint32(s>>32)
		}
	}}
}

// planarCount turns a scalar function from 64 bits to 32 into one on lanes.
func planarCount(f func(a uint64) uint32) operation {
	return operation{words: [5]uint8{1, 2}, planar: func(d, _, a, aHigh, _, _, _, _ *isa.Lanes32, active uint32) {
		for m := active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = f(pack64(a[i], aHigh[i]))
		}
	}}
}

func scalarUnary(f func(a uint32) uint32) operation {
	return operation{unary32: func(d, a *isa.Lanes32, active uint32) {
		for m := active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = f(a[i])
		}
	}}
}

func scalarBinary(f func(a, b uint32) uint32) operation {
	return operation{binary32: func(d, a, b *isa.Lanes32, active uint32) {
		for m := active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = f(a[i], b[i])
		}
	}}
}

func scalarTernary(f func(a, b, c uint32) uint32) operation {
	return operation{ternary32: func(d, a, b, c *isa.Lanes32, active uint32) {
		for m := active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = f(a[i], b[i], c[i])
		}
	}}
}

func divU64(a, b uint64) uint64 {
	if b == 0 {
		return ^uint64(0)
	}
	return a / b
}

func remU64(a, b uint64) uint64 {
	if b == 0 {
		return ^uint64(0)
	}
	return a % b
}

func divS64(a, b uint64) uint64 {
	if b == 0 {
		return ^uint64(0)
	}
	return uint64(int64(a) / int64(b))
}

func remS64(a, b uint64) uint64 {
	if b == 0 {
		return ^uint64(0)
	}
	return uint64(int64(a) % int64(b))
}

func mulHighU64(a, b uint64) uint64 {
	high, _ := bits.Mul64(a, b)
	return high
}

func mulHighS64(a, b uint64) uint64 {
	high, _ := bits.Mul64(a, b)
	return high - uint64(int64(a)>>63)&b - uint64(int64(b)>>63)&a
}

func absolute64(a uint64) uint64 {
	s := uint64(int64(a) >> 63)
	return (a ^ s) - s
}

func cnot64(a uint64) uint64 { return ^(a | -a) >> 63 }

func sadU64(a, b, c uint64) uint64 { return c + max(a, b) - min(a, b) }

func sadS64(a, b, c uint64) uint64 {
	x, y := int64(a), int64(b)
	return c + uint64(max(x, y)-min(x, y))
}
