package fp

import (
	"math/bits"
	"sync/atomic"
)

// The SFU (multifunction unit) computes rcp, rsqrt, sqrt, lg2, ex2, sin and cos by quadratic interpolation in fixed point, as NVIDIA
// described it (S. F. Oberman and M. Y. Siu, "A High-Performance Area-Efficient Multifunction Interpolator", ARITH 2005). The high bits of
// the reduced argument select a segment with coefficients C0 (26 bits), C1 (16 or 17 bits) and C2 (10 or 11 bits). With the low bits x the
// result is C0 + C1·x + C2·x², truncated. The squarer omits the partial products below a column. Coefficients, widths and the rounding
// constant were recovered from a complete dump of each mantissa range of an NVIDIA H200; a Kepler may differ in last bits.

// quadratic has one segment's coefficients, as integers; their weights are in the interpolator.
type quadratic struct{ c0, c1, c2 int32 }

// interpolator evaluates one function. Sums are integers in units of 2^-17 ulp of the function's result; C0 counts quarters of an ulp.
type interpolator struct {
	low            uint     // bits of x
	squarer        *squarer // x² in units of 2^-15
	shift1, shift2 uint     // weights of C1·x and of C2·x²
	bias           int64    // added for rounding
	table          []quadratic
}

var (
	reciprocal     = interpolator{low: 16, squarer: &squarer16, shift1: 2, shift2: 2, bias: 4 * 2023, table: coefficients["reciprocal"]}
	reciprocalRoot = interpolator{low: 17, squarer: &squarer17, shift1: 1, shift2: 3, bias: -2, table: coefficients["reciprocalRoot"]}
	root           = interpolator{low: 17, squarer: &squarer17, shift1: 0, shift2: 1, bias: -1, table: coefficients["root"]}
	logarithm      = interpolator{low: 17, squarer: &squarer17, shift1: 3, shift2: 4, bias: 4 * 1674, table: coefficients["logarithm"]}
	exponential    = interpolator{low: 17, squarer: &squarer17, shift1: 2, shift2: 2, bias: 4 * 6114, table: coefficients["exponential"]}
	sine           = interpolator{low: 17, squarer: &squarer17, shift1: 4, shift2: 4, bias: 0, table: coefficients["sine"]}
)

// at evaluates the interpolator at a reduced argument: the segment's number, followed by the low bits.
func (p *interpolator) at(argument uint32) int64 {
	q := &p.table[argument>>p.low]
	x := argument & (1<<p.low - 1)
	return int64(q.c0)<<15 + int64(q.c1)*int64(x)<<p.shift1 + int64(q.c2)*int64(p.squarer.squares()[x])<<p.shift2 + p.bias
}

// The squarers for x of 16 and of 17 bits.
var (
	squarer16 = squarer{width: 16, cut: 17}
	squarer17 = squarer{width: 17, cut: 19}
)

// squarer is the SFU's squarer for x of width bits. It sums the partial products x_i·x_j of weight 2^(i+j+1) and x_i of weight 2^2i from
// column cut on, in units of 2^cut.
type squarer struct {
	width, cut uint
	results    atomic.Pointer[[1 << 17]uint16]
}

// squares returns the squarer's results by x, computed on first use: most programs never need them.
func (s *squarer) squares() *[1 << 17]uint16 {
	if results := s.results.Load(); results != nil {
		return results
	}
	return s.compute()
}

// compute fills in the results. Concurrent calls compute the same.
func (s *squarer) compute() *[1 << 17]uint16 {
	results := new([1 << 17]uint16)
	for top := range s.width { // the numbers with highest bit top: the results of the lower bits plus the products of that bit
		below, above := results[:1<<top], results[1<<top:2<<top]
		var own uint16
		if 2*top >= s.cut {
			own = 1 << (2*top - s.cut)
		}
		for x := range below {
			above[x] = below[x] + own + uint16(x>>(s.cut-top-1))
		}
	}
	s.results.Store(results)
	return results
}

const (
	negativeInfinity32 = sign32 | infinity32
	fraction32         = leastNormal32 - 1
)

// exponent32 returns the unbiased exponent of a normal f32.
func exponent32(x uint32) int32 { return int32(x>>23&0xff) - 127 }

// assemble32 returns an f32 with a sign, an exponent and a 24-bit significand; it flushes results that are too small.
func assemble32(sign uint32, exponent int32, significand uint32) uint32 {
	switch {
	case exponent > 127:
		return sign | infinity32
	case exponent < -126:
		return sign
	}
	return sign | uint32(exponent+127)<<23 | significand&fraction32
}

// unitRcp returns the SFU's reciprocal.
func unitRcp(x uint32) uint32 {
	sign := x & sign32
	x &^= sign32
	switch {
	case x > infinity32:
		return canonicalNaN32
	case x == infinity32:
		return sign
	case x < leastNormal32:
		return sign | infinity32
	}
	y := uint32(reciprocal.at(x&fraction32) >> 17)
	e := -exponent32(x) - 1
	if y >= 1<<24 {
		return assemble32(sign, e+1, 1<<23)
	}
	return assemble32(sign, e, max(y, 1<<23))
}

// evenExponent splits the argument of a root into the table index and half of the even exponent.
func evenExponent(x uint32) (argument uint32, half int32) {
	e := exponent32(x)
	return x&fraction32 | uint32(e&1)<<23, e >> 1
}

// unitRsqrt returns the SFU's reciprocal square root.
func unitRsqrt(x uint32) uint32 {
	switch {
	case isNaN32(x):
		return canonicalNaN32
	case x&infinity32 == 0:
		return x&sign32 | infinity32
	case x&sign32 != 0:
		return canonicalNaN32
	case x == infinity32:
		return 0
	}
	argument, half := evenExponent(x)
	y := uint32(reciprocalRoot.at(argument) >> 17)
	if argument == 0 {
		return assemble32(0, -half, 1<<23)
	}
	return assemble32(0, -half-1, y)
}

// unitSqrt returns the SFU's square root.
func unitSqrt(x uint32) uint32 {
	switch {
	case isNaN32(x):
		return canonicalNaN32
	case x&infinity32 == 0:
		return x & sign32
	case x&sign32 != 0:
		return canonicalNaN32
	case x == infinity32:
		return x
	}
	argument, half := evenExponent(x)
	return assemble32(0, half, uint32(root.at(argument)>>17))
}

// unitLg2 returns the SFU's binary logarithm. The fixed-point result has 36 fraction bits.
func unitLg2(x uint32) uint32 {
	switch {
	case isNaN32(x):
		return canonicalNaN32
	case x&infinity32 == 0:
		return negativeInfinity32
	case x&sign32 != 0:
		return canonicalNaN32
	case x == infinity32:
		return x
	}
	if x == one32 {
		return 0
	}
	y := int64(exponent32(x))<<36 + logarithm.at(x&fraction32)>>5
	var sign uint32
	if y < 0 {
		sign, y = sign32, ^y
	}
	top := int32(bits.Len64(uint64(y))) - 1
	return assemble32(sign, top-36, uint32(uint64(y)<<(63-top)>>40))
}

// fixed returns an f32's magnitude in fixed point with the given number of fraction bits, truncated; high bits may be lost.
func fixed(x uint32, fraction int32) int64 {
	if x&infinity32 == 0 {
		return 0
	}
	v := int64(x&fraction32 | leastNormal32)
	if shift := exponent32(x) - 23 + fraction; shift < 0 {
		return v >> min(-shift, 63)
	} else {
		return v << shift
	}
}

// unitEx2 returns the SFU's power of two.
func unitEx2(x uint32) uint32 {
	switch {
	case isNaN32(x):
		return canonicalNaN32
	case x&^sign32 >= 0x43800000: // 256
		if x&sign32 != 0 {
			return 0
		}
		return infinity32
	}
	v := fixed(x, 23)
	if x&sign32 != 0 {
		if v&fraction32 == 0 {
			v = -v
		} else {
			v = ^v
		}
	}
	return assemble32(0, int32(v>>23), uint32(exponential.at(uint32(v&fraction32))>>17))
}

// unitSin returns the SFU's sine of an argument in turns.
func unitSin(x uint32) uint32 {
	y := sinusoid(x, 0)
	if isNaN32(y) {
		return y
	}
	return y ^ x&sign32
}

// unitCos returns the SFU's cosine of an argument in turns.
func unitCos(x uint32) uint32 { return sinusoid(x, 1) }

func sinusoid(x uint32, quadrants int64) uint32 {
	if x&infinity32 == infinity32 {
		return canonicalNaN32
	}
	v := fixed(x, 25) + quadrants<<23
	argument := uint32(v & fraction32)
	if v>>23&1 != 0 {
		argument ^= fraction32
	}
	var sign uint32
	if v>>24&1 != 0 {
		sign = sign32
	}
	y := uint64(sine.at(argument))
	if y == 0 {
		return sign
	}
	top := int32(bits.Len64(y)) - 1
	return assemble32(sign, top-41, uint32(y<<(63-top)>>40))
}

// Unit is what machine code needs to do as the interpolator of a function does: the sum of at, without the last 17 bits.
type Unit struct {
	Table          *int32  // C0, C1 and C2 of each segment
	Squares        *uint16 // by the low bits of the argument
	Low            uint
	Shift1, Shift2 uint
	Bias           int64
}

// UnitOf returns the interpolator of rcp, rsqrt, sqrt, lg2, ex2 and sin, by these names; cos has that of sin.
func UnitOf(function string) Unit { return interpolators[function].unit() }

var interpolators = map[string]*interpolator{
	"rcp": &reciprocal, "rsqrt": &reciprocalRoot, "sqrt": &root, "lg2": &logarithm, "ex2": &exponential, "sin": &sine,
}

func (p *interpolator) unit() Unit {
	return Unit{Table: &p.table[0].c0, Squares: &p.squarer.squares()[0], Low: p.low, Shift1: p.shift1, Shift2: p.shift2, Bias: p.bias}
}
