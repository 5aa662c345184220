package numerics

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/isa/fp"
)

// precision is the number of bits that hold any exact sum, product or multiply-add of f64 values.
const precision = 4400

func newFloat() *big.Float { return new(big.Float).SetPrec(precision) }

// Formats are the floating-point types by their PTX names.
var Formats = map[string]*fp.Format{"f16": &fp.Half, "f32": &fp.Single, "f64": &fp.Double}

// Exact returns the value of a finite number.
func Exact(n fp.Number) *big.Float {
	m := newFloat().SetInt(new(big.Int).Or(new(big.Int).Lsh(new(big.Int).SetUint64(n.Hi), 64), new(big.Int).SetUint64(n.Lo)))
	if n.Class != fp.Finite {
		m = newFloat()
	}
	if n.Negative {
		m.Neg(m)
	}
	return m.SetMantExp(m, int(n.Exp)-127)
}

// Decimal returns the shortest decimal that reads back as the pattern, or inf, -inf, nan.
func Decimal(f *fp.Format, pattern uint64) string {
	n := f.Unpack(pattern)
	switch n.Class {
	case fp.NaN:
		return "nan"
	case fp.Infinite:
		if n.Negative {
			return "-inf"
		}
		return "inf"
	}
	if f == &fp.Double {
		return strconv.FormatFloat(math.Float64frombits(pattern), 'g', -1, 64)
	}
	v, _ := Exact(n).Float64() // exact: f16 and f32 values are f64 values
	if n.Class == fp.Zero && n.Negative {
		v = math.Copysign(0, -1)
	}
	return strconv.FormatFloat(v, 'g', -1, 32)
}

// Hex formats a pattern with all hexadecimal digits of the format.
func Hex(f *fp.Format, pattern uint64) string {
	return fmt.Sprintf("0x%0*X", hexDigits(f), pattern)
}

func hexDigits(f *fp.Format) int {
	return map[*fp.Format]int{&fp.Half: 4, &fp.Single: 8, &fp.Double: 16}[f]
}

// Fields formats sign, exponent and fraction of a pattern in binary, with the exponent's meaning.
func Fields(f *fp.Format, pattern uint64) string {
	fraction := int(f.Precision) - 1
	width := 4*hexDigits(f) - 1 - fraction
	exponent := int(pattern>>fraction) & (1<<width - 1)
	meaning := fmt.Sprintf("2^%d", exponent-int(f.MaxExp))
	switch {
	case exponent == 0:
		meaning = fmt.Sprintf("subnormal, 2^%d", 1-int(f.MaxExp))
	case exponent == 1<<width-1:
		meaning = "infinity or NaN"
	}
	if pattern&(1<<(4*hexDigits(f)-1)-1) == 0 {
		meaning = "zero"
	}
	return fmt.Sprintf("%d|%0*b|%0*b  %s", pattern>>(4*hexDigits(f)-1), width, exponent, fraction, pattern&(1<<fraction-1), meaning)
}

// ULP returns the distance between neighbouring values of the format around a value.
func ULP(f *fp.Format, exact *big.Float) *big.Float {
	e := int(1 - f.MaxExp)
	if exact.Sign() != 0 {
		e = max(e, exact.MantExp(nil)-1)
	}
	return newFloat().SetMantExp(big.NewFloat(1), e-int(f.Precision)+1)
}

// ErrorULP returns the distance of a stored value from the exact one, in units in the last place of the exact one.
func ErrorULP(f *fp.Format, pattern uint64, exact *big.Float) float64 {
	d := newFloat().Sub(Exact(f.Unpack(pattern)), exact)
	u, _ := d.Quo(d, ULP(f, exact)).Float64()
	return u
}

// ParseValue reads a value of a format: a decimal number (rounded to nearest), inf, -inf, nan, or a bit pattern as 0x…, 0f… or 0d….
func ParseValue(f *fp.Format, text string) (uint64, error) {
	lower := strings.ToLower(text)
	digits, isPattern := strings.CutPrefix(lower, "0x")
	for _, prefix := range []string{"0f", "0d"} {
		if d, ok := strings.CutPrefix(lower, prefix); ok {
			digits, isPattern = d, true
		}
	}
	if isPattern && !strings.ContainsAny(digits, ".p") {
		pattern, err := strconv.ParseUint(digits, 16, 4*hexDigits(f))
		if err != nil {
			return 0, fmt.Errorf("%q is not a bit pattern of %s: give at most %d hexadecimal digits", text, f.Name, hexDigits(f))
		}
		return pattern, nil
	}
	switch lower {
	case "nan":
		return f.Pack(fp.Number{Class: fp.NaN}, fp.RoundNearest), nil
	case "inf", "+inf":
		return f.Pack(fp.Number{Class: fp.Infinite}, fp.RoundNearest), nil
	case "-inf":
		return f.Pack(fp.Number{Class: fp.Infinite, Negative: true}, fp.RoundNearest), nil
	}
	if exponent := decimalExponent(lower); exponent < -decimalLimit || exponent > decimalLimit {
		return 0, fmt.Errorf("%q: the exponent is out of reason; give inf, 0, or one within ±%d", text, decimalLimit)
	}
	value, _, err := big.ParseFloat(lower, 0, precision, big.ToNearestEven)
	if err != nil || value.IsInf() {
		return 0, fmt.Errorf("%q is not a number: give a decimal, inf, nan, or a bit pattern as 0x3F800000", text)
	}
	return f.Pack(numberOf(value), fp.RoundNearest), nil
}

// decimalLimit bounds decimal exponents: far beyond every format, but quick to convert.
const decimalLimit = 5000

// decimalExponent returns the exponent after the e of a decimal number, saturated, or 0.
func decimalExponent(text string) int {
	_, digits, ok := strings.Cut(text, "e")
	if !ok || strings.HasPrefix(strings.TrimLeft(text, "+-"), "0x") {
		return 0
	}
	exponent, _ := strconv.Atoi(digits) // out of range saturates; big.ParseFloat rejects what is no number
	return exponent
}

// numberOf converts a big.Float to a number with a sticky lowest bit.
func numberOf(x *big.Float) fp.Number {
	if x.Sign() == 0 {
		return fp.Number{Negative: x.Signbit()}
	}
	mantissa := newFloat()
	e := x.MantExp(mantissa)
	mantissa.Abs(mantissa)
	whole, accuracy := mantissa.SetMantExp(mantissa, 128).Int(nil)
	hi := new(big.Int).Rsh(whole, 64).Uint64()
	lo := new(big.Int).And(whole, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	if accuracy != big.Exact {
		lo |= 1
	}
	return fp.Number{Class: fp.Finite, Negative: x.Signbit(), Exp: int32(e - 1), Hi: hi, Lo: lo}
}

// Shown formats an exact value in decimal: all its digits if they are few, else the first 25 and an ellipsis.
func Shown(x *big.Float) string {
	text := x.Text('g', 25)
	back, _, err := big.ParseFloat(text, 10, precision, big.ToNearestEven)
	if err == nil && back.Cmp(x) == 0 {
		return x.Text('g', -1)
	}
	mantissa, exponent, hasExponent := strings.Cut(text, "e")
	if hasExponent {
		return mantissa + "…e" + exponent
	}
	return mantissa + "…"
}
