package ptx

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// number sets e's Kind, Bits and Unsigned from a literal. The error says what is wrong with the spelling.
func (e *Expression) number(text string) error {
	e.Text = text
	if len(text) > 1 && text[0] == '0' {
		switch text[1] {
		case 'f', 'F':
			return e.floatBits(ExpressionFloat32, text[2:], 8)
		case 'd', 'D':
			return e.floatBits(ExpressionFloat64, text[2:], 16)
		}
	}
	digits := text
	if last := text[len(text)-1]; last == 'U' || last == 'u' {
		e.Unsigned = true
		digits = text[:len(text)-1]
	}
	base := 10
	if len(digits) > 1 && digits[0] == '0' && !strings.ContainsAny(digits, ".eE") || strings.HasPrefix(digits, "0x") ||
		strings.HasPrefix(digits, "0X") {
		switch digits[1] {
		case 'x', 'X':
			base, digits = 16, digits[2:]
		case 'b', 'B':
			base, digits = 2, digits[2:]
		default:
			base, digits = 8, digits[1:]
		}
	}
	if base == 10 && !e.Unsigned && strings.ContainsAny(digits, ".eE") {
		return e.decimalFloat(digits)
	}
	e.Kind = ExpressionInteger
	value, err := strconv.ParseUint(digits, base, 64)
	e.Bits = value
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		return errors.New("this integer does not fit in 64 bits")
	case base == 8:
		return errors.New("malformed number: a leading 0 means octal, so only the digits 0 to 7 may follow")
	default:
		return errors.New(
			"malformed number: write decimal, 0x hexadecimal, 0b binary or 0 octal digits, 0f and 8 or 0d and 16 hexadecimal " +
				"digits, or a decimal fraction")
	}
}

func (e *Expression) floatBits(kind ExpressionKind, digits string, length int) error {
	e.Kind = kind
	value, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || len(digits) != length {
		return errors.New("malformed number: 0f takes exactly 8 hexadecimal digits and 0d exactly 16")
	}
	e.Bits = value
	return nil
}

func (e *Expression) decimalFloat(digits string) error {
	e.Kind = ExpressionFloat64
	value, err := strconv.ParseFloat(digits, 64)
	e.Bits = math.Float64bits(value)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		return errors.New("this number is too large for a 64-bit float")
	default:
		return errors.New("malformed number: write a decimal fraction such as 1.5 or 2.0e-3")
	}
}

// unquote returns the value of a string token. If paths is set only \\ and \" are escapes, because compilers on Windows write bare
// backslashes in paths.
func unquote(token string, paths bool) string {
	body := strings.TrimPrefix(token, `"`)
	body = strings.TrimSuffix(body, `"`)
	if strings.IndexByte(body, '\\') < 0 {
		return body
	}
	var out strings.Builder
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' || i+1 == len(body) {
			out.WriteByte(body[i])
			continue
		}
		i++
		if body[i] == '\\' || body[i] == '"' {
			out.WriteByte(body[i])
			continue
		}
		if paths {
			out.WriteByte('\\')
			out.WriteByte(body[i])
			continue
		}
		i += escape(body[i:], &out) - 1
	}
	return out.String()
}

var simpleEscapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', '\'': '\'', '?': '?'}

// escape writes the character for the text after a backslash, and returns how many bytes the escape has. An unknown escape is written as it
// is, with its backslash.
func escape(text string, out *strings.Builder) int {
	if value, ok := simpleEscapes[text[0]]; ok {
		out.WriteByte(value)
		return 1
	}
	if text[0] >= '0' && text[0] <= '7' {
		length, value := 0, 0
		for length < 3 && length < len(text) && text[length] >= '0' && text[length] <= '7' {
			value = value*8 + int(text[length]-'0')
			length++
		}
		out.WriteByte(byte(value))
		return length
	}
	if text[0] == 'x' && len(text) > 2 {
		if value, err := strconv.ParseUint(text[1:3], 16, 8); err == nil {
			out.WriteByte(byte(value))
			return 3
		}
	}
	out.WriteByte('\\')
	out.WriteByte(text[0])
	return 1
}
