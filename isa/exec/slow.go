package exec

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// slowProbe is a slow path's rule with the operands that it looks at.
type slowProbe struct {
	rule   slowRule
	source [4]slot
}

// slowRule reports that an active lane takes the slow path, from the low and high words of up to two operands.
type slowRule func(a, aHigh, b, bHigh *isa.Lanes32, active uint32) bool

func (b *binder) probe(s *isa.SlowPath) (*slowProbe, error) {
	rule, ok := slowRules[s.Kind]
	if !ok {
		return nil, fmt.Errorf("rule %d: %w", s.Kind, ErrUnsupported)
	}
	p := &slowProbe{rule: rule, source: [4]slot{slotZero, slotZero, slotZero, slotZero}}
	if s.Probe == nil {
		return p, nil
	}
	var holder Bound
	for n, o := range s.Probe.Src {
		if n == 2 {
			break
		}
		pair, err := b.pair(&holder, o)
		if err != nil {
			return nil, err
		}
		p.source[2*n], p.source[2*n+1] = pair[0], pair[1]
	}
	return p, nil
}

// NeedsSlow reports that an active lane's operands need the slow path that begins at the operation.
func (b *Bound) NeedsSlow(w *Warp, active uint32) bool {
	p := b.slow
	if p == nil {
		return false
	}
	x, xHigh := w.lanes(p.source[0]), w.lanes(p.source[1])
	y, yHigh := w.lanes(p.source[2]), w.lanes(p.source[3])
	return p.rule(x, xHigh, y, yHigh, active)
}

// slowRules say which operands leave the fast path of each expansion. Fast paths are Newton iterations on the SFU's estimate, in the
// format's own arithmetic. They are valid while all intermediate values are normal; the compiled code checks exponents for that.
//
//   - Division checks with FCHK (f32) or on the high words (f64). The divisor and its reciprocal must be normal with room for the
//     corrections, and the quotient must be normal. The remainder a - q·b, 24 or 53 bits below a, must not be subnormal. Zero, infinite,
//     NaN and subnormal operands take the slow path.
//   - Square root and reciprocal do one unsigned comparison of the operand's word with an accepted range. For sqrt.rn.f32 that is
//     0x0d000000 to 0x7f7fffff (2^-101 and up, where the remainder x - s² is still normal), for rcp.rn.f32 the exponents 1 to 252
//     (the reciprocal is normal).
//   - sin and cos reduce arguments below 105615 by a product with 2/π, larger ones by the long product with its stored digits.
//     Infinities and NaN take the short way.
var slowRules = map[isa.SlowKind]slowRule{
	isa.SlowNever: func(_, _, _, _ *isa.Lanes32, _ uint32) bool { return false },
	isa.SlowDivF32: func(a, _, b, _ *isa.Lanes32, active uint32) bool {
		return slowDivision(a, b, active, 23, 0xff, 127, 24)
	},
	isa.SlowDivF64: func(_, a, _, b *isa.Lanes32, active uint32) bool {
		return slowDivision(a, b, active, 20, 0x7ff, 1023, 53)
	},
	isa.SlowSqrtF32: func(a, _, _, _ *isa.Lanes32, active uint32) bool {
		return beyond(a, 0, 0x0d000000, 0x7f7fffff)&active != 0
	},
	isa.SlowSqrtF64: func(_, a, _, _ *isa.Lanes32, active uint32) bool {
		return beyond(a, 0, 0x03500000, 0x7fefffff)&active != 0
	},
	isa.SlowRcpF32: func(a, _, _, _ *isa.Lanes32, active uint32) bool {
		return beyond(a, sign, 1<<23, 253<<23-1)&active != 0
	},
	isa.SlowRcpF64: func(_, a, _, _ *isa.Lanes32, active uint32) bool {
		return beyond(a, sign, 1<<20, 2045<<20-1)&active != 0
	},
	isa.SlowTrig: func(a, _, _, _ *isa.Lanes32, active uint32) bool {
		const reach, infinity = 0x47ce4780, 0x7f800000 // 105615.0
		return active&^beyond(a, sign, reach, infinity-1) != 0
	},
}

// sign is the sign bit of the word with the exponent.
const sign = 1 << 31

// beyond returns the lanes whose words, without some bits, are outside a range.
func beyond(words *isa.Lanes32, without, least, greatest uint32) (lanes uint32) {
	if hasVectors {
		return vectorBeyond(words, without, least, greatest-least)
	}
	for i, word := range words {
		if word&^without-least > greatest-least {
			lanes |= 1 << i
		}
	}
	return lanes
}

// slowDivision decides by the biased exponents of dividend and divisor, which begin at bit shift of their words, for a format's bias and
// precision. Exponents within half of the range around 0 need no further check: their quotient is always in range.
func slowDivision(dividend, divisor *isa.Lanes32, active uint32, shift uint, exponents uint32, bias, precision int) bool {
	least, most := uint32(bias/2+3)<<shift, uint32(bias+bias/2-2)<<shift
	active &= beyond(dividend, sign, least, most) | beyond(divisor, sign, least, most)
	for m := active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		a, b := int(dividend[lane]>>(shift&31)&exponents), int(divisor[lane]>>(shift&31)&exponents)
		quotient := a - b           // unbiased exponent of the quotient, or one more
		if b < 2 || b > 2*bias-2 || // the reciprocal is normal
			a <= precision+1 || a > 2*bias || // the remainder is normal, the dividend finite
			quotient >= bias || quotient <= 1-bias { // the quotient is normal
			return true
		}
	}
	return false
}
