package fp

import (
	"math"
	"math/bits"
)

// wholes are the host's functions that round to an integral value.
var wholes = map[Rounding]func(float64) float64{
	RoundNearestInteger: math.RoundToEven, RoundZeroInteger: math.Trunc, RoundMinusInteger: math.Floor, RoundPlusInteger: math.Ceil,
}

// onHost returns a conversion by the host's own arithmetic, or exact if the host has none. The conversion calls exact for NaNs and numbers
// out of range.
func onHost(to, from kind, c Control, exact func(uint64) uint64) func(uint64) uint64 {
	whole := wholes[c.Rounding]
	if c.Flush || c.Saturate || from.bits < 32 || to.bits < 32 {
		return exact
	}
	value := func(x uint64) float64 { return math.Float64frombits(x) }
	if from.format == &Single {
		value = func(x uint64) float64 { return float64(f32(uint32(x))) }
	}
	switch {
	case from.format != nil && to.format == nil && whole != nil:
		least, most := limitsOnHost(to)
		return func(x uint64) uint64 {
			if v := whole(value(x)); v >= least && v < most {
				return to.extend(uint64(int64(v)))
			}
			return exact(x)
		}
	case to.format == &Double && from.format == &Double && whole != nil:
		return func(x uint64) uint64 {
			if v := whole(f64(x)); v == v {
				return math.Float64bits(v)
			}
			return exact(x)
		}
	case to.format == &Single && from.format == &Single && whole != nil:
		return func(x uint64) uint64 {
			if v := whole(value(x)); v == v {
				return uint64(math.Float32bits(float32(v)))
			}
			return exact(x)
		}
	case from.format == nil && to.format != nil && c.Rounding == RoundNearest:
		return integerOnHost(to, from)
	}
	return exact
}

// limitsOnHost returns the part of an integer type's range that int64 has too: from least, to below most.
func limitsOnHost(k kind) (least, most float64) {
	l, m := k.limits()
	return float64(l), math.Ldexp(1, bits.Len64(min(m, math.MaxInt64)))
}

// integerOnHost returns a conversion of integers to floats that rounds once, to the nearest.
func integerOnHost(to, from kind) func(uint64) uint64 {
	switch {
	case to.format == &Double && from.signed:
		return func(x uint64) uint64 { return math.Float64bits(float64(int64(from.extend(x)))) }
	case to.format == &Double:
		return func(x uint64) uint64 { return math.Float64bits(float64(from.extend(x))) }
	case from.signed:
		return func(x uint64) uint64 { return uint64(math.Float32bits(float32(int64(from.extend(x))))) }
	}
	return func(x uint64) uint64 { return uint64(math.Float32bits(float32(from.extend(x)))) }
}
