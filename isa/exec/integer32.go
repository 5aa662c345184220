package exec

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// Straight loops over 32 lanes without bounds checks: most of a kernel's time goes here.

func add32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func sub32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func mulLow32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

func madLow32(d, a, b, c *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = a[i]*b[i] + c[i]
	}
}

func mulHighU32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = uint32(uint64(a[i]) * uint64(b[i]) >> 32)
	}
}

func mulHighS32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = uint32(uint64(int64(int32(a[i]))*int64(int32(b[i]))) >> 32)
	}
}

func madHighU32(d, a, b, c *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = uint32(uint64(a[i])*uint64(b[i])>>32) + c[i]
	}
}

func madHighS32(d, a, b, c *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = uint32(uint64(int64(int32(a[i]))*int64(int32(b[i])))>>32) + c[i]
	}
}

// madHighSat32 saturates the sum to the range of s32.
func madHighSat32(a, b, c uint32) uint32 {
	return saturate32(int64(int32(a))*int64(int32(b))>>32 + int64(int32(c)))
}

func saturate32(v int64) uint32 { return uint32(max(-1<<31, min(1<<31-1, v))) }

func addSat32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = saturate32(int64(int32(a[i])) + int64(int32(b[i])))
	}
}

func subSat32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = saturate32(int64(int32(a[i])) - int64(int32(b[i])))
	}
}

// mulHigh16 returns the upper half of a product of 16-bit values, which are extended in their lanes.
func mulHighU16(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = a[i] * b[i] >> 16
	}
}

func mulHighS16(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = uint32(int32(a[i]*b[i]) >> 16)
	}
}

func madHighU16(d, a, b, c *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = a[i]*b[i]>>16 + c[i]
	}
}

func madHighS16(d, a, b, c *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = uint32(int32(a[i]*b[i])>>16) + c[i]
	}
}

func minU32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = min(a[i], b[i])
	}
}

func maxU32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = max(a[i], b[i])
	}
}

func minS32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = uint32(min(int32(a[i]), int32(b[i])))
	}
}

func maxS32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = uint32(max(int32(a[i]), int32(b[i])))
	}
}

func and32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func or32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func xor32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

func not32(d, a *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = ^a[i]
	}
}

func cnot32(d, a *isa.Lanes32, _ uint32) {
	for i := range d {
		x := a[i]
		d[i] = ^(x | -x) >> 31
	}
}

func negate32(d, a *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = -a[i]
	}
}

func absolute32(d, a *isa.Lanes32, _ uint32) {
	for i := range d {
		s := uint32(int32(a[i]) >> 31)
		d[i] = (a[i] ^ s) - s
	}
}

func sadU32(d, a, b, c *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = c[i] + max(a[i], b[i]) - min(a[i], b[i])
	}
}

func sadS32(d, a, b, c *isa.Lanes32, _ uint32) {
	for i := range d {
		x, y := int32(a[i]), int32(b[i])
		d[i] = c[i] + uint32(max(x, y)-min(x, y))
	}
}

// Go's shifts, like PTX's, give zero (or the sign) for amounts beyond the width.

func shiftLeft32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = a[i] << b[i]
	}
}

func shiftRightU32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = a[i] >> b[i]
	}
}

func shiftRightS32(d, a, b *isa.Lanes32, _ uint32) {
	for i := range d {
		d[i] = uint32(int32(a[i]) >> b[i])
	}
}

func copy32(d, a *isa.Lanes32, _ uint32) { *d = *a }

// Division by zero gives all ones for quotient and remainder, as on the recorded GPU.

func divU32(d, a, b *isa.Lanes32, active uint32) {
	for m := active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if y := b[i]; y != 0 {
			d[i] = a[i] / y
		} else {
			d[i] = ^uint32(0)
		}
	}
}

func remU32(d, a, b *isa.Lanes32, active uint32) {
	for m := active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if y := b[i]; y != 0 {
			d[i] = a[i] % y
		} else {
			d[i] = ^uint32(0)
		}
	}
}

func divS32(d, a, b *isa.Lanes32, active uint32) {
	for m := active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if y := int32(b[i]); y != 0 {
			d[i] = uint32(int32(a[i]) / y)
		} else {
			d[i] = ^uint32(0)
		}
	}
}

func remS32(d, a, b *isa.Lanes32, active uint32) {
	for m := active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if y := int32(b[i]); y != 0 {
			d[i] = uint32(int32(a[i]) % y)
		} else {
			d[i] = ^uint32(0)
		}
	}
}
