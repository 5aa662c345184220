package fp

import "math/bits"

// lane returns the lowest lane of a nonempty mask.
func lane(mask uint32) uint { return uint(bits.TrailingZeros32(mask)) & 31 }

// word is a value's bits.
type word interface{ uint32 | uint64 }

// unary, binary and ternary apply a function of one, two or three values to the active lanes.
func unary[T word](f func(a T, c Control) T, c Control) func(d, a *[32]T, active uint32) {
	return func(d, a *[32]T, active uint32) {
		for m := active; m != 0; m &= m - 1 {
			i := lane(m)
			d[i] = f(a[i], c)
		}
	}
}

func binary[T word](f func(a, b T, c Control) T, c Control) func(d, a, b *[32]T, active uint32) {
	return func(d, a, b *[32]T, active uint32) {
		for m := active; m != 0; m &= m - 1 {
			i := lane(m)
			d[i] = f(a[i], b[i], c)
		}
	}
}

func ternary[T word](f func(a, b, s T, c Control) T, c Control) func(d, a, b, s *[32]T, active uint32) {
	return func(d, a, b, s *[32]T, active uint32) {
		for m := active; m != 0; m &= m - 1 {
			i := lane(m)
			d[i] = f(a[i], b[i], s[i], c)
		}
	}
}

func unary32(f func(a uint32, c Control) uint32) func(Control) Operation {
	return func(c Control) Operation { return Operation{Unary32: unary(f, c)} }
}

func binary32(f func(a, b uint32, c Control) uint32) func(Control) Operation {
	return func(c Control) Operation { return Operation{Binary32: binary(f, c)} }
}

func ternary32(f func(a, b, s uint32, c Control) uint32) func(Control) Operation {
	return func(c Control) Operation { return Operation{Ternary32: ternary(f, c)} }
}

func unary64(f func(a uint64, c Control) uint64) func(Control) Operation {
	return func(c Control) Operation { return Operation{Unary64: unary(f, c)} }
}

func binary64(f func(a, b uint64, c Control) uint64) func(Control) Operation {
	return func(c Control) Operation { return Operation{Binary64: binary(f, c)} }
}

func ternary64(f func(a, b, s uint64, c Control) uint64) func(Control) Operation {
	return func(c Control) Operation { return Operation{Ternary64: ternary(f, c)} }
}

// selection32 returns slct's condition: the lanes with a value of at least zero. -0 counts, a NaN does not.
func selection32(c Control) Operation {
	return Operation{Test32: func(a *Lanes32, active uint32) uint32 {
		var mask uint32
		for i, x := range a {
			if c.Flush {
				x = flush32(x)
			}
			if f32(x) >= 0 {
				mask |= 1 << (i & 31)
			}
		}
		return mask & active
	}}
}

// notNegative returns the condition of slct with an integer.
func notNegative(a *Lanes32, active uint32) uint32 {
	var mask uint32
	for i, x := range a {
		mask |= (^x >> 31) << (i & 31)
	}
	return mask & active
}

// relateLanes32 and relateLanes64 return the lanes whose first operand is below, equal to and above the second.
var (
	relateLanes32 = relateLoop32
	relateLanes64 = relateLoop64
)

func relateLoop32(a, b *Lanes32) (below, same, above uint32) {
	for i := range a {
		x, y := f32(a[i]), f32(b[i])
		bit := uint32(1) << (i & 31)
		if x < y {
			below |= bit
		}
		if x == y {
			same |= bit
		}
		if x > y {
			above |= bit
		}
	}
	return below, same, above
}

func relateLoop64(a, b *Lanes64) (below, same, above uint32) {
	for i := range a {
		x, y := f64(a[i]), f64(b[i])
		bit := uint32(1) << (i & 31)
		if x < y {
			below |= bit
		}
		if x == y {
			same |= bit
		}
		if x > y {
			above |= bit
		}
	}
	return below, same, above
}

// compareLanes32 returns the lanes whose operands are in one of the wanted relations.
func compareLanes32(a, b *Lanes32, wanted relation) uint32 {
	below, same, above := relateLanes32(a, b)
	return pick(wanted, below, same, above)
}

func compareLanes64(a, b *Lanes64, wanted relation) uint32 {
	below, same, above := relateLanes64(a, b)
	return pick(wanted, below, same, above)
}

func pick(wanted relation, below, same, above uint32) uint32 {
	var mask uint32
	if wanted&less != 0 {
		mask |= below
	}
	if wanted&equal != 0 {
		mask |= same
	}
	if wanted&greater != 0 {
		mask |= above
	}
	if wanted&unordered != 0 {
		mask |= ^(below | same | above)
	}
	return mask
}
