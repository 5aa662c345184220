package fp

import (
	"math"
	"math/bits"
)

// The functions of this file compute on Numbers. Their results have 128 bits with a sticky lowest bit, so rounding them once to a format of
// up to 64 bits rounds the exact result correctly.

func nan() Number { return Number{Class: NaN} }

// Sum returns a+b. r decides the sign of an exact zero from operands of unlike signs.
func Sum(a, b Number, r Rounding) Number {
	switch {
	case a.Class == NaN || b.Class == NaN:
		return nan()
	case a.Class == Infinite:
		if b.Class == Infinite && a.Negative != b.Negative {
			return nan()
		}
		return a
	case b.Class == Infinite:
		return b
	case a.Class == Zero && b.Class == Zero:
		if a.Negative != b.Negative {
			return Number{Negative: r == RoundMinus}
		}
		return a
	case a.Class == Zero:
		return b
	case b.Class == Zero:
		return a
	}
	if a.Exp < b.Exp || a.Exp == b.Exp && (a.Hi < b.Hi || a.Hi == b.Hi && a.Lo < b.Lo) {
		a, b = b, a
	}
	hi, lo := shiftRightJam(b.Hi, b.Lo, uint32(a.Exp-b.Exp))
	out := a
	if a.Negative == b.Negative {
		var carry uint64
		out.Lo, carry = bits.Add64(a.Lo, lo, 0)
		out.Hi, carry = bits.Add64(a.Hi, hi, carry)
		if carry != 0 {
			out.Hi, out.Lo = shiftRightJam(out.Hi, out.Lo, 1)
			out.Hi |= 1 << 63
			out.Exp++
		}
		return out
	}
	// The sticky bit makes b at most one unit too large. The difference stays on the right side of every rounding boundary, since its
	// lowest bit is then one as well.
	var borrow uint64
	out.Lo, borrow = bits.Sub64(a.Lo, lo, 0)
	out.Hi, _ = bits.Sub64(a.Hi, hi, borrow)
	if out.Hi|out.Lo == 0 {
		return Number{Negative: r == RoundMinus}
	}
	return out.normalized()
}

func (n Number) normalized() Number {
	if n.Hi == 0 {
		n.Hi, n.Lo = n.Lo, 0
		n.Exp -= 64
	}
	if shift := uint(bits.LeadingZeros64(n.Hi)); shift != 0 {
		n.Hi = n.Hi<<shift | n.Lo>>(64-shift)
		n.Lo <<= shift
		n.Exp -= int32(shift)
	}
	return n
}

// Negated returns -n.
func Negated(n Number) Number {
	n.Negative = !n.Negative
	return n
}

// Product returns a×b, exact for operands of up to 64 bits.
func Product(a, b Number) Number {
	out := Number{Negative: a.Negative != b.Negative}
	switch {
	case a.Class == NaN || b.Class == NaN:
		return nan()
	case a.Class == Infinite || b.Class == Infinite:
		if a.Class == Zero || b.Class == Zero {
			return nan()
		}
		out.Class = Infinite
		return out
	case a.Class == Zero || b.Class == Zero:
		return out
	}
	out.Class = Finite
	out.Exp = a.Exp + b.Exp + 1
	out.Hi, out.Lo = bits.Mul64(a.Hi, b.Hi)
	return out.normalized()
}

// Quotient returns a/b for operands of up to 64 bits.
func Quotient(a, b Number) Number {
	out := Number{Negative: a.Negative != b.Negative}
	switch {
	case a.Class == NaN || b.Class == NaN || a.Class == b.Class && (a.Class == Zero || a.Class == Infinite):
		return nan()
	case a.Class == Infinite || b.Class == Zero:
		out.Class = Infinite
		return out
	case a.Class == Zero || b.Class == Infinite:
		return out
	}
	out.Class = Finite
	out.Exp = a.Exp - b.Exp
	hi, lo := a.Hi, uint64(0)
	if a.Hi >= b.Hi {
		hi, lo = a.Hi>>1, a.Hi<<63
	} else {
		out.Exp--
	}
	var remainder uint64
	out.Hi, remainder = bits.Div64(hi, lo, b.Hi)
	out.Lo, remainder = bits.Div64(remainder, 0, b.Hi)
	if remainder != 0 {
		out.Lo |= 1
	}
	return out.normalized()
}

// SquareRoot returns √a for an operand of up to 64 bits.
func SquareRoot(a Number) Number {
	switch {
	case a.Class == NaN || a.Class == Zero || a.Class == Infinite && !a.Negative:
		return a
	case a.Negative:
		return nan()
	}
	// The radicand as a 128-bit integer m with value m × 2^(2k): its integer root has 64 bits.
	hi, lo := a.Hi, uint64(0)
	if a.Exp&1 == 0 {
		hi, lo = a.Hi>>1, a.Hi<<63
	}
	root, rest := root128(hi, lo)
	return Number{Class: Finite, Exp: a.Exp >> 1, Hi: root, Lo: rest}
}

// root128 returns the integer square root of hi:lo, whose top two bits must not both be zero. rest has the root's next bit at the top, and
// a sticky lowest bit.
func root128(hi, lo uint64) (root, rest uint64) {
	estimate := math.Sqrt(float64(hi)) * (1 << 32)
	root = ^uint64(0)
	if estimate < math.MaxUint64 {
		root = uint64(estimate)
	}
	for range 2 { // Newton: the estimate has 52 good bits, so one step would suffice
		if hi < root {
			q, _ := bits.Div64(hi, lo, root)
			s, carry := bits.Add64(root, q, 0)
			root = s>>1 | carry<<63
		}
	}
	for {
		h, l := bits.Mul64(root, root)
		if h > hi || h == hi && l > lo {
			root--
			continue
		}
		// (root+1)^2 = root^2 + 2 root + 1
		dl, borrow := bits.Sub64(lo, l, 0)
		dh, _ := bits.Sub64(hi, h, borrow)
		if root != ^uint64(0) && (dh > root>>63 || dh == root>>63 && dl > root<<1) {
			root++
			continue
		}
		switch {
		case dh|dl == 0:
			return root, 0
		case dh != 0 || dl > root: // (root+1/2)^2 = root^2 + root + 1/4
			return root, 1<<63 | 1
		}
		return root, 1
	}
}
