package fp

import "math"

// kind is a type that cvt converts from or to.
type kind struct {
	name   string
	bits   uint
	signed bool    // integers
	format *Format // floats
}

// kinds are the types of cvt.
var kinds = map[string]kind{
	"u8": {"u8", 8, false, nil}, "u16": {"u16", 16, false, nil}, "u32": {"u32", 32, false, nil}, "u64": {"u64", 64, false, nil},
	"s8": {"s8", 8, true, nil}, "s16": {"s16", 16, true, nil}, "s32": {"s32", 32, true, nil}, "s64": {"s64", 64, true, nil},
	"f16": {"f16", 16, true, &Half}, "f32": {"f32", 32, true, &Single}, "f64": {"f64", 64, true, &Double},
}

// extend returns the low bits of a register, sign- or zero-extended to 64 bits as the type requires.
func (k kind) extend(x uint64) uint64 {
	x <<= 64 - k.bits
	if k.signed && k.format == nil {
		return uint64(int64(x) >> (64 - k.bits))
	}
	return x >> (64 - k.bits)
}

// limits returns the smallest and the largest value of an integer type, the largest as a magnitude.
func (k kind) limits() (least int64, most uint64) {
	if k.signed {
		return math.MinInt64 >> (64 - k.bits), math.MaxInt64 >> (64 - k.bits)
	}
	return 0, math.MaxUint64 >> (64 - k.bits)
}

// clamp clamps an integer, given as sign and magnitude, to the type's range.
func (k kind) clamp(negative bool, magnitude uint64) uint64 {
	least, most := k.limits()
	switch {
	case !negative && magnitude > most:
		return most
	case negative && magnitude > -uint64(least):
		return uint64(least)
	case negative:
		return -magnitude
	}
	return magnitude
}

// converter returns the conversion of a value between two types, nil if there is none. Results narrower than 32 bits are sign- or
// zero-extended by their type, f16 zero-extended.
func converter(to, from kind, c Control) func(uint64) uint64 {
	switch {
	case to.format == nil && from.format == nil:
		return integerToInteger(to, from, c)
	case to.format == nil:
		return floatToInteger(to, from, c)
	case from.format == nil:
		return integerToFloat(to, from, c)
	case to.format == from.format && (c.Rounding >= RoundNearestInteger || c.Rounding == RoundNone):
		return toIntegral(to, c)
	}
	return floatToFloat(to, from, c)
}

func integerToInteger(to, from kind, c Control) func(uint64) uint64 {
	return func(x uint64) uint64 {
		x = from.extend(x)
		if !c.Saturate {
			return to.extend(x)
		}
		if from.signed && int64(x) < 0 {
			return to.clamp(true, -x)
		}
		return to.clamp(false, x)
	}
}

// floatToInteger always clamps to the type's range. A NaN from f16 or f32 to at most 32 bits becomes zero; otherwise it becomes the pattern
// with only the highest bit set.
func floatToInteger(to, from kind, c Control) func(uint64) uint64 {
	return func(x uint64) uint64 {
		n := from.unpack(x, c)
		switch n.Class {
		case NaN:
			return to.extend(nanAsInteger(to, from))
		case Zero:
			return 0
		case Infinite:
			return to.clamp(n.Negative, math.MaxUint64)
		}
		return to.clamp(n.Negative, n.integer(c.Rounding))
	}
}

func nanAsInteger(to, from kind) uint64 {
	if from.bits < 64 && to.bits < 64 {
		return 0
	}
	return 1 << (to.bits - 1)
}

// integer returns the magnitude of a finite number rounded to an integer, or the largest integer if it does not fit.
func (n Number) integer(r Rounding) uint64 {
	if n.Exp > 63 {
		return math.MaxUint64
	}
	hi, lo := shiftRightJam(n.Hi, n.Lo, uint32(63-n.Exp))
	if r.roundsAway(n.Negative, hi&1 != 0, lo) && hi != math.MaxUint64 {
		hi++
	}
	return hi
}

func (k kind) unpack(x uint64, c Control) Number {
	x = k.extend(x)
	if c.Flush && k.format == &Single {
		x = uint64(flush32(uint32(x)))
	}
	return k.format.Unpack(x)
}

func integerToFloat(to, from kind, c Control) func(uint64) uint64 {
	return func(x uint64) uint64 {
		x = from.extend(x)
		n := fromInteger(false, x)
		if from.signed && int64(x) < 0 {
			n = fromInteger(true, -x)
		}
		return to.format.saturated(to.format.Pack(n, c.Rounding), c)
	}
}

func (f *Format) saturated(x uint64, c Control) uint64 {
	one := uint64(f.MaxExp) << f.fraction()
	switch {
	case !c.Saturate:
		return x
	case x&f.signBit() != 0 || x > f.infinity():
		return 0
	}
	return min(x, one)
}

// toIntegral rounds to an integral value of the same format, or only flushes and saturates.
func toIntegral(k kind, c Control) func(uint64) uint64 {
	return func(x uint64) uint64 {
		n := k.unpack(x, c)
		switch {
		case n.Class == NaN:
			return k.format.saturated(convertedNaN(k, k, x), c)
		case c.Rounding == RoundNone || n.Class != Finite:
		case n.Exp < int32(k.format.fraction()):
			n = fromInteger(n.Negative, n.integer(c.Rounding)).withSign(n.Negative)
		}
		return k.format.saturated(k.format.Pack(n, RoundNearest), c)
	}
}

func (n Number) withSign(negative bool) Number {
	n.Negative = negative
	return n
}

// floatToFloat changes the format. The hardware has two oddities: .ftz has no effect on f16 results, and from f32 to f64 it makes NaNs
// canonical first.
func floatToFloat(to, from kind, c Control) func(uint64) uint64 {
	c.Flush = c.Flush && to.format != &Half
	return func(x uint64) uint64 {
		n := from.unpack(x, c)
		if n.Class == NaN {
			if c.Flush && to.format == &Double {
				x = canonicalNaN32
			}
			return to.format.saturated(convertedNaN(to, from, x), c)
		}
		out := to.format.Pack(n, c.Rounding)
		if c.Flush && to.format == &Single {
			out = uint64(flush32(uint32(out)))
		}
		return to.format.saturated(out, c)
	}
}

// convertedNaN returns the result for a NaN. If f64 is involved it is quiet, with the sign and the payload's high bits; else it is the
// canonical NaN of all ones.
func convertedNaN(to, from kind, x uint64) uint64 {
	f, t := from.format, to.format
	if from.bits < 64 && to.bits < 64 {
		return t.signBit() - 1
	}
	x = from.extend(x) | f.quietBit()
	payload := x & (1<<f.fraction() - 1)
	if t.fraction() >= f.fraction() {
		payload <<= t.fraction() - f.fraction()
	} else {
		payload >>= f.fraction() - t.fraction()
	}
	out := t.infinity() | payload
	if x&f.signBit() != 0 {
		out |= t.signBit()
	}
	return out
}
