package exec

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// slowProbe is a slow path's rule with the sources that decide.
type slowProbe struct {
	rule   func(a, aHigh, b, bHigh uint32) bool
	source [4]slot
}

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

// NeedsSlow reports that an active lane's operands take the slow path that the operation begins.
func (b *Bound) NeedsSlow(w *Warp, active uint32) bool {
	p := b.slow
	if p == nil {
		return false
	}
	x, xHigh := w.lanes(p.source[0]), w.lanes(p.source[1])
	y, yHigh := w.lanes(p.source[2]), w.lanes(p.source[3])
	for m := active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if p.rule(x[i], xHigh[i], y[i], yHigh[i]) {
			return true
		}
	}
	return false
}

// slowRules say which operands leave the fast path of each expansion. The fast paths are Newton iterations on the multifunction
// unit's estimate, in the format's own arithmetic; they hold while no intermediate value leaves the normal range, and the
// compiled code tests that on exponents before it uses their result.
//
//   - Division tests with FCHK (f32) or on the high words (f64): the divisor and its reciprocal must be normal with room for the
//     corrections, the quotient must be normal, and the remainder a - q·b (24 or 53 bits below a) must not be subnormal. Zero,
//     infinite, NaN and subnormal operands go the slow way.
//   - Square root and reciprocal compare one unsigned distance of the operand's word from the least they accept. For sqrt.rn.f32 the
//     accepted words are 0x0d000000 to 0x7f7fffff (2^-101 and up, where the remainder x - s² is still normal); for rcp.rn.f32 the
//     exponents 1 to 252 (the reciprocal is normal).
//   - sin and cos reduce their argument by a product with 2/π while it is below 105615, and by the long product with its stored
//     digits from there on; infinities and NaN take the short way.
var slowRules = map[isa.SlowKind]func(a, aHigh, b, bHigh uint32) bool{
	isa.SlowNever: func(_, _, _, _ uint32) bool { return false },
	isa.SlowDivF32: func(a, _, b, _ uint32) bool {
		return slowDivision(int(a>>23&0xff), int(b>>23&0xff), 127, 24)
	},
	isa.SlowDivF64: func(_, a, _, b uint32) bool {
		return slowDivision(int(a>>20&0x7ff), int(b>>20&0x7ff), 1023, 53)
	},
	isa.SlowSqrtF32: func(a, _, _, _ uint32) bool { return a-0x0d000000 > 0x7f7fffff-0x0d000000 },
	isa.SlowSqrtF64: func(_, a, _, _ uint32) bool { return a-0x03500000 > 0x7fefffff-0x03500000 },
	isa.SlowRcpF32:  func(a, _, _, _ uint32) bool { e := a >> 23 & 0xff; return e-1 > 252-1 },
	isa.SlowRcpF64:  func(_, a, _, _ uint32) bool { e := a >> 20 & 0x7ff; return e-1 > 2044-1 },
	isa.SlowTrig: func(a, _, _, _ uint32) bool {
		const reach = 0x47ce4780 // 105615.0
		magnitude := a &^ (1 << 31)
		return magnitude >= reach && magnitude < 0x7f800000
	},
}

// slowDivision decides by biased exponents of dividend and divisor in a format of the given bias and precision.
func slowDivision(a, b, bias, precision int) bool {
	quotient := a - b               // unbiased exponent of the quotient, or one more than it
	return b < 2 || b > 2*bias-2 || // the reciprocal is normal
		a <= precision+1 || a > 2*bias || // the remainder is normal, the dividend finite
		quotient >= bias || quotient <= 1-bias // the quotient is normal
}
