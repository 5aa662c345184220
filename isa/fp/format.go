package fp

import "math/bits"

// Format is a binary floating-point format.
type Format struct {
	Name      string
	Precision uint  // bits of the significand, with the leading one
	MaxExp    int32 // exponent of the largest finite value; the smallest normal value has 1-MaxExp
}

// The formats of Kepler programs, and the x87 register format for comparison with x86.
var (
	Half     = Format{Name: "f16", Precision: 11, MaxExp: 15}
	Single   = Format{Name: "f32", Precision: 24, MaxExp: 127}
	Double   = Format{Name: "f64", Precision: 53, MaxExp: 1023}
	Extended = Format{Name: "x87 extended", Precision: 64, MaxExp: 16383}
)

func (f *Format) fraction() uint      { return f.Precision - 1 }
func (f *Format) exponentMask() int32 { return 2*f.MaxExp + 1 }
func (f *Format) signBit() uint64     { return (uint64(f.exponentMask()) + 1) << f.fraction() }
func (f *Format) infinity() uint64    { return uint64(f.exponentMask()) << f.fraction() }
func (f *Format) quietBit() uint64    { return 1 << (f.fraction() - 1) }

// Class is the class of a floating-point datum.
type Class uint8

// The classes of IEEE 754; Finite means finite and not zero.
const (
	Zero Class = iota
	Finite
	Infinite
	NaN
)

// Number is an unpacked datum. A finite value is (-1)^Negative × 2^Exp × (Hi:Lo / 2^127); the top bit of Hi is set. The lowest bit of Lo is
// sticky: it is set if any lower bit is.
type Number struct {
	Class    Class
	Negative bool
	Exp      int32
	Hi, Lo   uint64
}

// Unpack unpacks a bit pattern of a format with an implicit leading bit. It drops a NaN's payload.
func (f *Format) Unpack(pattern uint64) Number {
	fraction := f.fraction()
	exponent := int32(pattern>>fraction) & f.exponentMask()
	significand := pattern & (1<<fraction - 1)
	n := Number{Class: Finite, Negative: pattern&f.signBit() != 0}
	switch {
	case exponent == f.exponentMask():
		n.Class = Infinite
		if significand != 0 {
			n.Class = NaN
		}
	case exponent != 0:
		n.Exp = exponent - f.MaxExp
		n.Hi = (significand | 1<<fraction) << (63 - fraction)
	case significand == 0:
		n.Class = Zero
	default:
		shift := bits.LeadingZeros64(significand)
		n.Hi = significand << shift
		n.Exp = 1 - f.MaxExp + int32(63-fraction) - int32(shift)
	}
	return n
}

// fromInteger returns an integer, given as sign and magnitude, as a number.
func fromInteger(negative bool, magnitude uint64) Number {
	if magnitude == 0 {
		return Number{}
	}
	shift := bits.LeadingZeros64(magnitude)
	return Number{Class: Finite, Negative: negative, Exp: int32(63 - shift), Hi: magnitude << shift}
}

// shiftRightJam shifts a 128-bit value right; the lowest bit is sticky for the bits shifted out.
func shiftRightJam(hi, lo uint64, n uint32) (uint64, uint64) {
	var lost uint64
	switch {
	case n == 0:
		return hi, lo
	case n < 64:
		lost = lo << (64 - n)
		lo = hi<<(64-n) | lo>>n
		hi >>= n
	case n < 128:
		lost = hi<<(128-n) | lo
		if n == 64 {
			lost = lo
		}
		lo, hi = hi>>(n-64), 0
	default:
		lost, lo, hi = hi|lo, 0, 0
	}
	if lost != 0 {
		lo |= 1
	}
	return hi, lo
}
