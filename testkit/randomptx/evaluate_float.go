package randomptx

import (
	"fmt"
	"math"
	"math/big"
)

// format is f32 or f64.
type format struct {
	width     int
	precision int     // bits of the significand
	least     int     // value = 0.5..1 × 2^exponent: the exponent of the smallest normal value
	largest   float64 // finite
	nan       uint64  // the NaN that operations produce; NaNs of f64 are not stored
}

var formats = map[string]*format{
	"f32": {32, 24, -125, math.MaxFloat32, 0x7fffffff},
	"f64": {64, 53, -1021, math.MaxFloat64, 0x7ff8000000000000},
}

// value interprets bits as a number.
func (f *format) value(bits uint64) float64 {
	if f.width == 32 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// bits returns the bits of a value that the format can represent.
func (f *format) bits(v float64) uint64 {
	if f.width == 32 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// roundings are the rounding modes by modifier.
var roundings = map[string]big.RoundingMode{"rn": big.ToNearestEven, "rz": big.ToZero, "rm": big.ToNegativeInf, "rp": big.ToPositiveInf}

// exactBits is enough for the exact sum of a product of two f64 and a third.
const exactBits = 6500

func exactly(v float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(v) }

// float executes f32 and f64 arithmetic: exactly, then rounded once.
func (e *evaluator) float(f *format, m, o []string, set func(uint64)) error {
	var operands []uint64
	for _, operand := range o[1:] {
		operands = append(operands, e.bits(operand))
	}
	result, err := f.arithmetic(m, operands)
	if err == nil {
		set(result)
	}
	return err
}

// sign is the sign bit.
func (f *format) sign() uint64 { return 1 << (f.width - 1) }

// flush turns a subnormal value into a zero of its sign.
func (f *format) flush(bits uint64) uint64 {
	if v := f.value(bits); v != 0 && math.Abs(v) < math.Ldexp(0.5, f.least) {
		return bits & f.sign()
	}
	return bits
}

// arithmetic applies an instruction, given as the parts of its mnemonic, to its operands' bits.
func (f *format) arithmetic(m []string, bits []uint64) (uint64, error) {
	mode := "rn"
	flush, saturate := false, false
	for _, word := range m[1 : len(m)-1] {
		switch word {
		case "ftz":
			flush = true
		case "sat":
			saturate = true
		default:
			mode = word
		}
	}
	var v [3]float64
	for k := range bits {
		if flush {
			bits[k] = f.flush(bits[k])
		}
		v[k] = f.value(bits[k])
	}
	result, err := f.rounded(m[0], mode, v, bits)
	if flush {
		result = f.flush(result)
	}
	if saturate {
		switch v := f.value(result); {
		case !(v > 0): // also for a NaN
			result = 0
		case v > 1:
			result = f.bits(1)
		}
	}
	return result, err
}

// rounded executes one operation.
func (f *format) rounded(op, mode string, v [3]float64, bits []uint64) (uint64, error) {
	a, b := v[0], v[1]
	x, y, add := a, b, 0.0
	switch op {
	case "min", "max":
		return f.extreme(op, bits), nil
	case "neg", "abs":
		if f.width == 32 && a != a {
			return f.nan, nil
		}
		if op == "neg" {
			return bits[0] ^ f.sign(), nil
		}
		return bits[0] &^ f.sign(), nil
	case "add":
		y, add = 1, b
	case "sub":
		y, add = 1, -b
	case "mul":
	case "fma":
		add = v[2]
	default:
		return 0, fmt.Errorf("unknown")
	}
	finite := func(v float64) bool { return v-v == 0 }
	if !finite(x) || !finite(y) || !finite(add) { // as IEEE 754 for infinities: finite operands do not matter
		special := infinite(x, y, add)
		if op == "mul" {
			special = x * y
		}
		if special != special {
			return f.nan, nil
		}
		return f.bits(special), nil
	}
	exact := new(big.Float).SetPrec(exactBits).Mul(exactly(x), exactly(y))
	zeroProduct := exact.Sign() == 0
	negative := math.Signbit(x) != math.Signbit(y)
	if op != "mul" {
		exact.Add(exact, exactly(add))
	}
	if exact.Sign() == 0 {
		return f.bits(zero(op, mode, zeroProduct, negative, add)), nil
	}
	return f.bits(f.round(exact, roundings[mode])), nil
}

// extreme returns the smaller or the larger of two values; of a value and a NaN, the value.
func (f *format) extreme(op string, bits []uint64) uint64 {
	a, b := f.value(bits[0]), f.value(bits[1])
	switch {
	case a != a && b != b:
		return f.nan
	case a != a:
		return bits[1]
	case b != b:
		return bits[0]
	case op == "min":
		return f.bits(math.Min(a, b))
	}
	return f.bits(math.Max(a, b))
}

// infinite is x·y + add where one of them is infinite or NaN.
func infinite(x, y, add float64) float64 {
	product := x * y
	if !math.IsInf(x, 0) && !math.IsInf(y, 0) && math.IsInf(product, 0) {
		product = 1 // the product is finite but too large for f64
	}
	return product + add
}

// zero is the signed zero for an exact result of 0: a sum of opposite values is -0 when rounding down.
func zero(op, mode string, zeroProduct, negativeProduct bool, add float64) float64 {
	switch {
	case op == "mul" || zeroProduct && add == 0 && negativeProduct == math.Signbit(add):
		if negativeProduct {
			return math.Copysign(0, -1)
		}
		return 0
	case mode == "rm":
		return math.Copysign(0, -1)
	}
	return 0
}

// round rounds an exact value to the format, with subnormals and overflow.
func (f *format) round(exact *big.Float, mode big.RoundingMode) float64 {
	exponent := exact.MantExp(nil) // value = 0.5..1 × 2^exponent
	precision := f.precision - max(0, f.least-exponent)
	unit := f.least - f.precision // of the smallest subnormal
	negative := exact.Signbit()
	signed := func(v float64) float64 {
		if negative {
			return math.Copysign(v, -1)
		}
		return v
	}
	if precision <= 0 { // below the smallest subnormal: the result is it or zero
		up := mode == big.ToPositiveInf && !negative || mode == big.ToNegativeInf && negative
		if mode == big.ToNearestEven {
			up = new(big.Float).Abs(exact).Cmp(new(big.Float).SetMantExp(big.NewFloat(1), unit-1)) > 0
		}
		if !up {
			return signed(0)
		}
		smallest, _ := new(big.Float).SetMantExp(big.NewFloat(1), unit).Float64()
		return signed(smallest)
	}
	r := new(big.Float).SetPrec(uint(precision)).SetMode(mode).Set(exact)
	if new(big.Float).Abs(r).Cmp(big.NewFloat(f.largest)) > 0 {
		if mode == big.ToNearestEven || mode == big.ToPositiveInf && !negative || mode == big.ToNegativeInf && negative {
			return signed(math.Inf(1))
		}
		return signed(f.largest)
	}
	v, _ := r.Float64()
	return v
}

// convert executes cvt.
func (e *evaluator) convert(m, o []string, set func(uint64)) error {
	to, from := m[len(m)-2], m[len(m)-1]
	target, source := formats[to], formats[from]
	switch {
	case target != nil && source != nil:
		v := source.value(e.bits(o[1]))
		switch {
		case v != v:
			set(target.nan)
		case v == 0 || math.IsInf(v, 0) || target.width > source.width:
			set(target.bits(v))
		default:
			set(target.bits(target.round(exactly(v), roundings[m[1]])))
		}
	case target != nil:
		v := new(big.Float).SetPrec(200).SetInt(e.number(o[1], from))
		if v.Sign() == 0 {
			set(0)
			return nil
		}
		set(target.bits(target.round(v, roundings[m[1]])))
	case source != nil:
		v := source.value(e.bits(o[1]))
		switch m[1] {
		case "rzi":
			v = math.Trunc(v)
		case "rni":
			v = math.RoundToEven(v)
		case "rmi":
			v = math.Floor(v)
		case "rpi":
			v = math.Ceil(v)
		}
		if v != v {
			set(notANumber(from))
			return nil
		}
		v = max(-1e30, min(1e30, v))
		n, _ := new(big.Float).SetFloat64(v).Int(nil)
		set(wrap(clamp(n, to), 32))
	default:
		n := e.number(o[1], from)
		if m[1] == "sat" {
			n = clamp(n, to)
		}
		// A narrow result is extended by its type in its register.
		set(asNumberBits(wrap(n, width(to)), to))
	}
	return nil
}

// notANumber is the 32-bit integer that a NaN converts to, as recorded on a GPU.
func notANumber(from string) uint64 {
	if from == "f64" {
		return 0x80000000
	}
	return 0
}
