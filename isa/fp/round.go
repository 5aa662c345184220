package fp

// Rounding is a rounding mode. The values are those of isa.Rounding.
type Rounding uint8

// Rounding modes; the Integer ones round to an integral value (.rni .rzi .rmi .rpi).
const (
	RoundNone Rounding = iota
	RoundNearest
	RoundZero
	RoundMinus
	RoundPlus
	RoundNearestInteger
	RoundZeroInteger
	RoundMinusInteger
	RoundPlusInteger
)

var roundingNames = [...]string{"", "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"}

// String returns the mode's PTX name without the dot.
func (r Rounding) String() string { return roundingNames[r] }

// roundsAway reports whether a magnitude rounds away from zero. odd is its lowest kept bit; rest are the dropped bits, left-aligned (a half
// is 1<<63) with a sticky lowest bit.
func (r Rounding) roundsAway(negative bool, odd bool, rest uint64) bool {
	switch r {
	case RoundZero, RoundZeroInteger:
		return false
	case RoundMinus, RoundMinusInteger:
		return negative && rest != 0
	case RoundPlus, RoundPlusInteger:
		return !negative && rest != 0
	default:
		return rest > 1<<63 || rest == 1<<63 && odd
	}
}

// Rounded is a finite number rounded to a format: the magnitude is Significand × 2^(Exp-Precision+1), and Exp is at least the smallest
// normal exponent. Or it is an overflow to infinity.
type Rounded struct {
	Negative    bool
	Exp         int32
	Significand uint64
	Overflow    bool // infinity
}

// Round rounds a finite non-zero number.
func (f *Format) Round(n Number, r Rounding) Rounded {
	hi, lo, exp := n.Hi, n.Lo, n.Exp
	if least := 1 - f.MaxExp; exp < least {
		hi, lo = shiftRightJam(hi, lo, uint32(least-exp))
		exp = least
	}
	keep, rest := hi, lo
	if f.Precision < 64 {
		keep, rest = hi>>(64-f.Precision), hi<<f.Precision
		if lo != 0 {
			rest |= 1
		}
	}
	out := Rounded{Negative: n.Negative, Exp: exp, Significand: keep}
	if r.roundsAway(n.Negative, keep&1 != 0, rest) {
		out.Significand++
		if out.Significand>>(f.Precision-1)>>1 != 0 || out.Significand == 0 {
			out.Significand = 1 << (f.Precision - 1)
			out.Exp++
		}
	}
	if out.Exp > f.MaxExp {
		if r.overflowsToInfinity(n.Negative) {
			out.Overflow = true
		} else {
			out.Exp = f.MaxExp
			out.Significand = ^uint64(0) >> (64 - f.Precision)
		}
	}
	return out
}

func (r Rounding) overflowsToInfinity(negative bool) bool {
	switch r {
	case RoundZero:
		return false
	case RoundMinus:
		return negative
	case RoundPlus:
		return !negative
	}
	return true
}

// pack returns the bit pattern of a rounded number in a format with an implicit leading bit.
func (f *Format) pack(r Rounded) uint64 {
	var sign uint64
	if r.Negative {
		sign = f.signBit()
	}
	if r.Overflow {
		return sign | f.infinity()
	}
	if r.Significand>>f.fraction() == 0 { // subnormal
		return sign | r.Significand
	}
	return sign | uint64(r.Exp+f.MaxExp)<<f.fraction() | r.Significand&(1<<f.fraction()-1)
}

// Pack rounds a number to the format's bit pattern. A NaN becomes the positive quiet NaN without payload.
func (f *Format) Pack(n Number, r Rounding) uint64 {
	var sign uint64
	if n.Negative {
		sign = f.signBit()
	}
	switch n.Class {
	case Zero:
		return sign
	case Infinite:
		return sign | f.infinity()
	case NaN:
		return f.infinity() | f.quietBit()
	}
	return f.pack(f.Round(n, r))
}

// Rounded returns a number rounded to the format's precision and range.
func (f *Format) Rounded(n Number, r Rounding) Number {
	if n.Class != Finite {
		return n
	}
	out := f.Round(n, r)
	switch {
	case out.Overflow:
		return Number{Class: Infinite, Negative: n.Negative}
	case out.Significand == 0:
		return Number{Negative: n.Negative}
	}
	rounded := Number{Class: Finite, Negative: n.Negative, Exp: out.Exp, Hi: out.Significand << (64 - f.Precision)}
	return rounded.normalized()
}
