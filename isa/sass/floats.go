package sass

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Float returns the bits of a floating-point immediate: of an f32, or of an f64 for the kind double.
func (f *Field) Float(word uint64) uint64 {
	v := f.Value(word)
	switch f.Name {
	case "float":
		return v << 12
	case "double":
		return v << 44
	}
	return v
}

func floatText(f *Field, word, _ uint64) string {
	v := f.Float(word)
	x := math.Float64frombits(v)
	if f.Name != "double" {
		x = float64(math.Float32frombits(uint32(v)))
	}
	sign := ""
	if math.Signbit(x) {
		sign = "-"
	}
	switch {
	case math.IsInf(x, 0):
		return strings.TrimPrefix("+"+sign, strings.Repeat("+", len(sign))) + "INF "
	case math.IsNaN(x):
		return nanText(f.Name, v, sign)
	case math.Abs(x) >= 1e16:
		return strconv.FormatFloat(x, 'e', 20, 64)
	}
	return printG(x)
}

// nanText returns the text of a NaN. The text that cuobjdump prints for unusual payloads is unknown: here the bits follow in hexadecimal,
// so that the text is complete.
func nanText(kind string, v uint64, sign string) string {
	usual := uint64(0x7fc00000)
	if kind == "double" {
		usual = 0x7ff8000000000000
	}
	text := "+QNAN "
	if sign != "" {
		text = "-QNAN "
	}
	if v&usual != usual || v<<1&^(usual<<1) != 0 {
		text += fmt.Sprintf("0x%x ", v)
	}
	return text
}

// printG formats like C's %.20g.
func printG(x float64) string {
	s := strconv.FormatFloat(x, 'e', 19, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exponent)
	if e < -4 || e >= 20 {
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		return fmt.Sprintf("%se%+03d", mantissa, e)
	}
	s = strconv.FormatFloat(x, 'f', 19-e, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func scanFloat(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	negative := strings.HasPrefix(text, "-")
	double := f.Name == "double"
	var v uint64
	rest := strings.TrimLeft(text, "+-")
	switch {
	case strings.HasPrefix(rest, "INF"):
		rest = strings.TrimPrefix(rest[3:], " ")
		v = 0x7f800000
		if double {
			v = 0x7ff0000000000000
		}
	case strings.HasPrefix(rest, "QNAN"):
		rest = strings.TrimPrefix(rest[4:], " ")
		v = 0x7fc00000
		if double {
			v = 0x7ff8000000000000
		}
		if strings.HasPrefix(rest, "0x") {
			digits := 2 + len(rest[2:]) - len(strings.TrimLeft(rest[2:], "0123456789abcdef"))
			v, _ = strconv.ParseUint(rest[2:digits], 16, 64)
			rest = strings.TrimPrefix(rest[digits:], " ")
		}
	default:
		end := 0
		for end < len(rest) && (strings.ContainsRune("0123456789.", rune(rest[end])) || rest[end] == 'e' ||
			strings.ContainsRune("+-", rune(rest[end])) && end > 0 && rest[end-1] == 'e') {
			end++
		}
		number := rest[:end]
		number = strings.TrimSuffix(number, ".") // .NEG may follow
		rest = rest[len(number):]
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return text, false
		}
		if v = math.Float64bits(x); !double {
			if v = uint64(math.Float32bits(float32(x))); float64(float32(x)) != x {
				// Twenty digits identify every f32.
				y, _ := strconv.ParseFloat(number, 32)
				v = uint64(math.Float32bits(float32(y)))
			}
		}
	}
	if negative && double {
		v |= 1 << 63
	} else if negative {
		v |= 1 << 31
	}
	lost := map[string]int{"float": 12, "double": 44}[f.Name]
	f.place.put(word, v>>lost)
	return rest, bits.TrailingZeros64(v) >= lost || v == 0
}
