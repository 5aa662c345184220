package fp

// Control holds an instruction's modifiers for one operation.
type Control struct {
	Rounding Rounding // RoundNone is round to nearest even
	Flush    bool     // .ftz: subnormal operands and results become zeros of the same sign
	Saturate bool     // .sat: the result is clamped to [+0, 1], NaN becomes +0
}

// Bit patterns of f32.
const (
	canonicalNaN32 = 0x7fffffff // the NaN of all f32 arithmetic
	infinity32     = 0x7f800000
	one32          = 0x3f800000
	sign32         = 0x80000000
	leastNormal32  = 0x00800000
)

func isNaN32(x uint32) bool { return x&^sign32 > infinity32 }

// flush32 replaces a subnormal by a zero of the same sign.
func flush32(x uint32) uint32 {
	if x&infinity32 == 0 {
		return x & sign32
	}
	return x
}

func saturate32(x uint32) uint32 {
	switch {
	case isNaN32(x) || x&sign32 != 0:
		return 0
	case x > one32:
		return one32
	}
	return x
}

// result32 rounds an exact result to f32. It flushes results that are subnormal when rounded to 24 bits with an unbounded exponent. So a
// result that only rounding to the subnormal grid makes the smallest normal value becomes zero.
func (c Control) result32(n Number) uint32 {
	if n.Class == NaN {
		if c.Saturate {
			return 0
		}
		return canonicalNaN32
	}
	if c.Flush && n.Class == Finite && n.Exp < 1-Single.MaxExp && c.tiny(n) {
		n.Class = Zero
	}
	out := uint32(Single.Pack(n, c.Rounding))
	if c.Saturate {
		out = saturate32(out)
	}
	return out
}

func (c Control) tiny(n Number) bool {
	n.Exp++ // no longer subnormal: 24 bits are kept
	return n.Exp < 1-Single.MaxExp || Single.Round(n, c.Rounding).Exp == 1-Single.MaxExp
}

// Abs32 computes abs.f32. A NaN becomes canonical.
func Abs32(a uint32, c Control) uint32 {
	if isNaN32(a) {
		return canonicalNaN32
	}
	if c.Flush {
		a = flush32(a)
	}
	return a &^ sign32
}

// Neg32 computes neg.f32. A NaN becomes canonical.
func Neg32(a uint32, c Control) uint32 {
	if isNaN32(a) {
		return canonicalNaN32
	}
	if c.Flush {
		a = flush32(a)
	}
	return a ^ sign32
}

// Copysign32 computes copysign.f32: b with the sign of a.
func Copysign32(a, b uint32, _ Control) uint32 { return a&sign32 | b&^sign32 }

// order32 maps f32 patterns, except NaNs, to integers in the same order, with -0 below +0.
func order32(x uint32) int32 { return int32(x ^ uint32(int32(x)>>31)>>1) }

// Min32 computes min.f32: a number wins against a NaN, -0 is below +0.
func Min32(a, b uint32, c Control) uint32 {
	return extreme32(a, b, c, func(a, b int32) bool { return a < b })
}

// Max32 computes max.f32: a number wins against a NaN, -0 is below +0.
func Max32(a, b uint32, c Control) uint32 {
	return extreme32(a, b, c, func(a, b int32) bool { return a > b })
}

func extreme32(a, b uint32, c Control, better func(a, b int32) bool) uint32 {
	if c.Flush {
		a, b = flush32(a), flush32(b)
	}
	switch {
	case isNaN32(a) && isNaN32(b):
		return canonicalNaN32
	case isNaN32(a):
		return b
	case isNaN32(b) || better(order32(a), order32(b)):
		return a
	}
	return b
}
