package fp

import "math"

// The SFU's f64 forms read and write only the high word: 20 bits of the significand, from the same tables, with an f64 exponent. The low
// word of the result is zero.

const (
	highFraction  = 1<<20 - 1
	highInfinity  = 0x7ff00000
	highNaN       = 0x7fffffff
	highBias      = 1023
	highPrecision = 24 - 21 // bits of the tables' results to drop
)

func highExponent(x uint32) int32 { return int32(x>>20&0x7ff) - highBias }

// assembleHigh returns the high word of an f64 with a sign, an exponent and a 24-bit significand; it flushes results that are too small.
func assembleHigh(sign uint32, exponent int32, significand uint32) uint64 {
	switch {
	case exponent > highBias:
		return uint64(sign|highInfinity) << 32
	case exponent < 1-highBias:
		return uint64(sign) << 32
	}
	return uint64(sign|uint32(exponent+highBias)<<20|significand>>highPrecision&highFraction) << 32
}

// RcpApprox64 computes rcp.approx.ftz.f64.
func RcpApprox64(a uint64, _ Control) uint64 {
	sign, x := uint32(a>>32)&sign32, uint32(a>>32)&^sign32
	switch {
	case x > highInfinity:
		return highNaN << 32
	case x == highInfinity:
		return uint64(sign) << 32
	case x <= highFraction:
		return uint64(sign|highInfinity) << 32
	}
	y := uint32(reciprocal.at(x&highFraction<<highPrecision) >> 17)
	e := -highExponent(x) - 1
	if y >= 1<<24 {
		return assembleHigh(sign, e+1, 1<<23)
	}
	return assembleHigh(sign, e, y)
}

// unitRsqrt64 returns the SFU's reciprocal square root of an f64.
func unitRsqrt64(a uint64) uint64 {
	sign, x := uint32(a>>32)&sign32, uint32(a>>32)&^sign32
	switch {
	case x > highInfinity:
		return highNaN << 32
	case x <= highFraction:
		return uint64(sign|highInfinity) << 32
	case sign != 0:
		return highNaN << 32
	case x == highInfinity:
		return 0
	}
	e := highExponent(x)
	argument := x&highFraction<<highPrecision | uint32(e&1)<<23
	if argument == 0 {
		return assembleHigh(0, -(e >> 1), 1<<23)
	}
	return assembleHigh(0, -(e>>1)-1, uint32(reciprocalRoot.at(argument)>>17))
}

// RsqrtApprox64 computes rsqrt.approx.f64: the SFU's result with one step of Halley's iteration, or with .ftz without it.
func RsqrtApprox64(a uint64, c Control) uint64 {
	switch magnitude := a &^ sign64; {
	case c.Flush:
		return unitRsqrt64(a)
	case magnitude == 0:
		return a | infinity64
	case isNaN64(a):
		return a | quiet64
	case a&sign64 != 0:
		return invalidNaN64
	case magnitude == infinity64:
		return 0
	case magnitude>>52 == 0:
		y := refinedRsqrt64(math.Float64frombits(a) * (1 << 54))
		return math.Float64bits(y * (1 << 27))
	}
	return math.Float64bits(refinedRsqrt64(math.Float64frombits(a)))
}

func refinedRsqrt64(x float64) float64 {
	y := math.Float64frombits(unitRsqrt64(math.Float64bits(x)))
	e := math.FMA(x, -float64(y*y), 1)
	return math.FMA(math.FMA(e, 0.375, 0.5), float64(y*e), y)
}
