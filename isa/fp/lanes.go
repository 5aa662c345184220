package fp

import "math/bits"

// lane is the number of the lowest lane of a mask that is not empty.
func lane(mask uint32) uint { return uint(bits.TrailingZeros32(mask)) & 31 }

func unary32(f func(a uint32, c Control) uint32) func(Control) Operation {
	return func(c Control) Operation {
		return Operation{Unary32: func(d, a *Lanes32, active uint32) {
			for m := active; m != 0; m &= m - 1 {
				i := lane(m)
				d[i] = f(a[i], c)
			}
		}}
	}
}

func binary32(f func(a, b uint32, c Control) uint32) func(Control) Operation {
	return func(c Control) Operation {
		return Operation{Binary32: func(d, a, b *Lanes32, active uint32) {
			for m := active; m != 0; m &= m - 1 {
				i := lane(m)
				d[i] = f(a[i], b[i], c)
			}
		}}
	}
}

func ternary32(f func(a, b, s uint32, c Control) uint32) func(Control) Operation {
	return func(c Control) Operation {
		return Operation{Ternary32: func(d, a, b, s *Lanes32, active uint32) {
			for m := active; m != 0; m &= m - 1 {
				i := lane(m)
				d[i] = f(a[i], b[i], s[i], c)
			}
		}}
	}
}

func unary64(f func(a uint64, c Control) uint64) func(Control) Operation {
	return func(c Control) Operation {
		return Operation{Unary64: func(d, a *Lanes64, active uint32) {
			for m := active; m != 0; m &= m - 1 {
				i := lane(m)
				d[i] = f(a[i], c)
			}
		}}
	}
}

func binary64(f func(a, b uint64, c Control) uint64) func(Control) Operation {
	return func(c Control) Operation {
		return Operation{Binary64: func(d, a, b *Lanes64, active uint32) {
			for m := active; m != 0; m &= m - 1 {
				i := lane(m)
				d[i] = f(a[i], b[i], c)
			}
		}}
	}
}

func ternary64(f func(a, b, s uint64, c Control) uint64) func(Control) Operation {
	return func(c Control) Operation {
		return Operation{Ternary64: func(d, a, b, s *Lanes64, active uint32) {
			for m := active; m != 0; m &= m - 1 {
				i := lane(m)
				d[i] = f(a[i], b[i], s[i], c)
			}
		}}
	}
}

// selection32 is slct's condition: the lanes whose value is at least zero; a NaN is not, -0 is.
func selection32(c Control) Operation {
	return Operation{Test32: func(a *Lanes32, active uint32) uint32 {
		var zero Lanes32
		return compareLanes32(a, &zero, relations[GE], c.Flush) & active
	}}
}

// notNegative is the condition of slct with an integer.
func notNegative(a *Lanes32, active uint32) uint32 {
	var mask uint32
	for i, x := range a {
		mask |= (^x >> 31) << (i & 31)
	}
	return mask & active
}

func compareLanes32(a, b *Lanes32, wanted relation, flush bool) uint32 {
	var mask uint32
	for i := range a {
		x, y := a[i], b[i]
		if flush {
			x, y = flush32(x), flush32(y)
		}
		if relate32(x, y)&wanted != 0 {
			mask |= 1 << (i & 31)
		}
	}
	return mask
}

func compareLanes64(a, b *Lanes64, wanted relation) uint32 {
	var mask uint32
	for i := range a {
		if relate64(a[i], b[i])&wanted != 0 {
			mask |= 1 << (i & 31)
		}
	}
	return mask
}
