package workload

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Type is a PTX fundamental type, without its dot: "f32".
type Type string

// typeNames are all element types, in the order of the documentation.
var typeNames = []string{"b8", "u8", "s8", "b16", "u16", "s16", "f16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"}

// typeSynonyms maps type names of other languages to ours.
var typeSynonyms = map[string]string{
	"char": "s8", "byte": "u8", "short": "s16", "half": "f16", "int": "s32",
	"unsigned": "u32", "uint": "u32", "float": "f32", "long": "s64",
	"double": "f64", "i8": "s8", "i16": "s16", "i32": "s32", "i64": "s64",
}

// ParseType returns the type with this name.
func ParseType(name string) (Type, error) {
	if !slices.Contains(typeNames, name) {
		if other := typeSynonyms[name]; other != "" {
			return "", fmt.Errorf("unknown type %q; did you mean %q?", name, other)
		}
		return "", fmt.Errorf("unknown type %q%s", name, suggest(name, typeNames))
	}
	return Type(name), nil
}

// Size returns the type's size in bytes.
func (t Type) Size() int {
	switch t[1:] {
	case "8":
		return 1
	case "16":
		return 2
	case "32":
		return 4
	}
	return 8
}

// IsFloat tells whether the type is f16, f32 or f64.
func (t Type) IsFloat() bool { return t[0] == 'f' }

// IsSigned tells whether the type is a signed integer.
func (t Type) IsSigned() bool { return t[0] == 's' }

// limits returns the smallest and largest values of an integer type.
func (t Type) limits() (int64, uint64) {
	bits := uint(8 * t.Size())
	if t.IsSigned() {
		return -1 << (bits - 1), 1<<(bits-1) - 1
	}
	return 0, math.MaxUint64 >> (64 - bits)
}

// Greatest returns the largest value of an integer type.
func (t Type) Greatest() uint64 {
	_, greatest := t.limits()
	return greatest
}

// Number is a number as written in a file or by a user: an integer of up to 64 bits with its sign, or a floating-point number.
type Number struct {
	IsFloat   bool
	Float     float64 // if IsFloat
	Magnitude uint64  // otherwise
	Negative  bool
}

func integer(v int64) Number {
	if v < 0 {
		return Number{Magnitude: -uint64(v), Negative: true}
	}
	return Number{Magnitude: uint64(v)}
}

// float returns the number's value in double precision.
func (n Number) float() float64 {
	switch {
	case n.IsFloat:
		return n.Float
	case n.Negative:
		return -float64(n.Magnitude)
	}
	return float64(n.Magnitude)
}

// wrapped returns an integer number modulo 2^64.
func (n Number) wrapped() uint64 {
	if n.Negative {
		return -n.Magnitude
	}
	return n.Magnitude
}

// String formats the number so that it reads back the same.
func (n Number) String() string {
	switch {
	case !n.IsFloat && n.Negative:
		return "-" + strconv.FormatUint(n.Magnitude, 10)
	case !n.IsFloat:
		return strconv.FormatUint(n.Magnitude, 10)
	case math.IsNaN(n.Float):
		return ".nan"
	case math.IsInf(n.Float, 1):
		return ".inf"
	case math.IsInf(n.Float, -1):
		return "-.inf"
	}
	return formatFloat(n.Float, 64)
}

// formatFloat formats a float with a point even before an exponent: older YAML readers take 1e-7 for a word.
func formatFloat(v float64, bits int) string {
	text := strconv.FormatFloat(v, 'g', -1, bits)
	mantissa, exponent := text, ""
	for i := range text {
		if text[i] == 'e' {
			mantissa, exponent = text[:i], text[i:]
			break
		}
	}
	for i := range mantissa {
		if mantissa[i] == '.' || mantissa[i] == 'N' || mantissa[i] == 'I' {
			return text
		}
	}
	return mantissa + ".0" + exponent
}

// bits encodes the number in a type. Integer types take only integers in their range; float types take every number, rounded to nearest
// even.
func (n Number) bits(t Type) (uint64, error) {
	if t.IsFloat() {
		return floatBits(t, n.float()), nil
	}
	if n.IsFloat {
		return 0, fmt.Errorf("%v is not an integer, as type %s needs", n, t)
	}
	least, greatest := t.limits()
	tooSmall := n.Negative && n.Magnitude > -uint64(least)
	if t[0] == 'b' && n.Negative { // untyped bits accept both signs
		_, signed := Type("s" + t[1:]).limits()
		tooSmall = n.Magnitude > signed+1
	}
	if tooSmall || !n.Negative && n.Magnitude > greatest {
		return 0, fmt.Errorf("%v does not fit type %s (%d to %d)", n, t, least, greatest)
	}
	return n.wrapped() & (math.MaxUint64 >> (64 - 8*t.Size())), nil
}

// floatBits rounds v to the float type, to nearest even.
func floatBits(t Type, v float64) uint64 {
	switch t {
	case "f16":
		return uint64(halfBits(v))
	case "f32":
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// halfBits rounds a double to half precision in one step, to nearest even.
func halfBits(v float64) uint16 {
	bits := math.Float64bits(v)
	sign := uint16(bits >> 48 & 0x8000)
	magnitude := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return sign | 0x7e00
	case magnitude >= 65520: // halfway between the largest half and the next power of two
		return sign | 0x7c00
	case magnitude < 0x1p-14: // subnormal: a multiple of 2^-24
		return sign | uint16(math.RoundToEven(magnitude*0x1p24))
	}
	fraction, exponent := math.Frexp(magnitude) // fraction in [1/2, 1)
	// 11 significant bits; the first adds the missing one to the exponent, and so does a carry.
	return sign | uint16((exponent+13)<<10) + uint16(math.RoundToEven(fraction*0x1p11))
}

// halfValue returns the value of a half's bits.
func halfValue(h uint16) float64 {
	exponent, fraction := int(h>>10&31), float64(h&0x3ff)
	var v float64
	switch exponent {
	case 0:
		v = fraction * 0x1p-24
	case 31:
		v = math.Inf(1)
		if fraction != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	if h&0x8000 != 0 {
		v = math.Copysign(v, -1)
	}
	return v
}

// put writes the low bytes of bits to the start of dst, little endian.
func (t Type) put(dst []byte, bits uint64) {
	switch t.Size() {
	case 1:
		dst[0] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(dst, uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(dst, uint32(bits))
	default:
		binary.LittleEndian.PutUint64(dst, bits)
	}
}

// get reads an element, zero-extended.
func (t Type) get(src []byte) uint64 {
	switch t.Size() {
	case 1:
		return uint64(src[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(src))
	case 4:
		return uint64(binary.LittleEndian.Uint32(src))
	}
	return binary.LittleEndian.Uint64(src)
}

// floatValue returns the value of an element of a float type.
func (t Type) floatValue(bits uint64) float64 {
	switch t {
	case "f16":
		return halfValue(uint16(bits))
	case "f32":
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// signed returns an element of an integer type as a sign-extended integer.
func (t Type) signed(bits uint64) int64 {
	shift := 64 - 8*t.Size()
	return int64(bits<<shift) >> shift
}

// format formats an element for people: floats as short as possible, untyped bits in hexadecimal.
func (t Type) format(bits uint64) string {
	switch {
	case t == "f64":
		return formatFloat(t.floatValue(bits), 64)
	case t.IsFloat():
		return formatFloat(t.floatValue(bits), 32)
	case t.IsSigned():
		return strconv.FormatInt(t.signed(bits), 10)
	case t[0] == 'b':
		return fmt.Sprintf("0x%0*x", 2*t.Size(), bits)
	}
	return strconv.FormatUint(bits, 10)
}

// Text formats an element's little-endian bytes as a number for people.
func (t Type) Text(element []byte) string { return t.format(t.get(element)) }
