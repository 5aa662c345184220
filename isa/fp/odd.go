package fp

import "math"

// Exactly rounded f32 arithmetic through f64. The f64 result is rounded to odd: if it is inexact, its last bit is one. Because f64 has more
// than two extra bits, such a result rounds to f32 like the exact one, in any mode, subnormals included (S. Boldo and G. Melquiond,
// "Emulation of a FMA and correctly rounded sums", 2008).

// roundToOdd rounds a finite f64 to odd: to the neighbour towards the exact value. sign is positive, zero or negative if the exact value is
// above, at or below s.
func roundToOdd(s, sign float64) float64 {
	pattern := math.Float64bits(s)
	if sign != 0 && pattern&1 == 0 {
		if (sign > 0) == (s > 0) {
			pattern++
		} else {
			pattern--
		}
	}
	return math.Float64frombits(pattern)
}

// narrow rounds an exact or odd f64 to an f32 result.
func (c Control) narrow(s float64) uint32 {
	if s != s {
		if c.Saturate {
			return 0
		}
		return canonicalNaN32
	}
	near := float32(s)
	r := math.Float32bits(near)
	if wide := float64(near); wide != s {
		switch {
		case c.Rounding == RoundZero && math.Abs(wide) > math.Abs(s),
			c.Rounding == RoundMinus && wide > s, c.Rounding == RoundPlus && wide < s:
			r = r - 1
			if (wide < s) == (s > 0) {
				r += 2
			}
		}
		if c.Flush && r&^sign32 <= leastNormal32 {
			return c.result32(finite(s))
		}
	}
	if c.Flush {
		r = flush32(r)
	}
	if c.Saturate {
		r = saturate32(r)
	}
	return r
}

// finite returns the Number of an f64.
func finite(s float64) Number { return Double.Unpack(math.Float64bits(s)) }

// operand returns the value of an f32 operand.
func (c Control) operand(x uint32) float64 {
	if c.Flush {
		x = flush32(x)
	}
	return float64(f32(x))
}

// sum rounds p+q, for exact p and q.
func (c Control) sum(p, q float64) uint32 {
	s := p + q
	if s == 0 {
		// Unlike signs cancel to +0, or to -0 when rounding down; like signs stay.
		if c.Rounding == RoundMinus && (p != 0 || math.Signbit(p) != math.Signbit(q)) {
			s = math.Copysign(0, -1)
		}
	} else if math.Abs(s) <= math.MaxFloat64 {
		back := s - p
		s = roundToOdd(s, (p-(s-back))+(q-back))
	}
	return c.narrow(s)
}

// Add32 computes add.f32.
func Add32(a, b uint32, c Control) uint32 { return c.sum(c.operand(a), c.operand(b)) }

// Sub32 computes sub.f32.
func Sub32(a, b uint32, c Control) uint32 { return c.sum(c.operand(a), -c.operand(b)) }

// Mul32 computes mul.f32.
func Mul32(a, b uint32, c Control) uint32 { return c.narrow(c.operand(a) * c.operand(b)) }

// FMA32 computes fma.f32, and mad.f32 from sm_20 on: a×b+d rounded once.
func FMA32(a, b, d uint32, c Control) uint32 {
	return c.sum(float64(c.operand(a)*c.operand(b)), c.operand(d))
}

// Div32 computes div.f32 with a rounding mode.
func Div32(a, b uint32, c Control) uint32 {
	x, y := c.operand(a), c.operand(b)
	q := x / y
	if q != 0 && math.Abs(q) <= math.MaxFloat64 {
		if rest := math.FMA(-q, y, x); rest != 0 {
			q = roundToOdd(q, math.Copysign(1, rest)*math.Copysign(1, y))
		}
	}
	return c.narrow(q)
}

// Rcp32 computes rcp.f32 with a rounding mode.
func Rcp32(a uint32, c Control) uint32 { return Div32(one32, a, c) }

// Sqrt32 computes sqrt.f32 with a rounding mode.
func Sqrt32(a uint32, c Control) uint32 {
	x := c.operand(a)
	s := math.Sqrt(x)
	if s > 0 && s <= math.MaxFloat64 {
		s = roundToOdd(s, math.FMA(-s, s, x))
	}
	return c.narrow(s)
}
