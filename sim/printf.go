package sim

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/sim/smx"
)

// maximumString is the longest string that a kernel can print, in bytes.
const maximumString = 64 << 10

// printf formats and writes each lane's output, in the order of lanes. Like CUDA's it returns the number of arguments, or -1 without a
// format.
func (s *system) printf(c *smx.SystemCall) *smx.Fault {
	return eachLane(c, func(lane int) *smx.Fault {
		select {
		case <-s.over: // the device checks only rarely, and printing takes long
			return nil
		default:
		}
		format := truncated(c, c.Argument(lane, 0))
		if format == 0 {
			c.SetResult(lane, math.MaxUint32)
			return nil
		}
		text, ok := readString(c, lane, format, maximumString)
		if !ok {
			return systemFault(lane, "vprintf: the format at %#x is no readable string", format)
		}
		a := &printfArguments{call: c, lane: lane, next: truncated(c, c.Argument(lane, 1))}
		_, err := s.out.WriteString(formatC(text, a))
		if a.fault != nil {
			return a.fault
		}
		if err != nil { // a full disk, or a closed pipe: stop
			return systemFault(lane, "vprintf: %v", err)
		}
		c.SetResult(lane, uint64(a.count))
		return nil
	})
}

// readString reads up to a zero byte.
func readString(c *smx.SystemCall, lane int, address uint64, limit int) (string, bool) {
	var text []byte
	var b [1]byte
	for len(text) < limit {
		if !c.Read(lane, address, b[:]) {
			return "", false
		}
		if b[0] == 0 {
			break
		}
		text = append(text, b[0])
		address++
	}
	return string(text), true
}

// arguments are the arguments of a format.
type arguments interface {
	// integer returns the next argument of 4 or 8 bytes, zero-extended.
	integer(bytes int) uint64
	// text returns the string at an address.
	text(address uint64, limit int) string
	addressBytes() int
}

// printfArguments is a valist: arguments one after another, each at a multiple of its size.
type printfArguments struct {
	call  *smx.SystemCall
	lane  int
	next  uint64
	count int
	fault *smx.Fault
}

func (a *printfArguments) addressBytes() int { return a.call.AddressBytes() }

func (a *printfArguments) integer(bytes int) uint64 {
	a.next = (a.next + uint64(bytes) - 1) / uint64(bytes) * uint64(bytes)
	var b [8]byte
	if !a.call.Read(a.lane, a.next, b[:bytes]) {
		clear(b[:]) // there are too few arguments; a GPU goes on with the bytes that happen to be there
	}
	a.next += uint64(bytes)
	a.count++
	return binary.LittleEndian.Uint64(b[:])
}

func (a *printfArguments) text(address uint64, limit int) string {
	s, ok := readString(a.call, a.lane, address, limit)
	if !ok && a.fault == nil {
		a.fault = systemFault(a.lane, "vprintf: %%s of %#x, which is no readable string", address)
	}
	return s
}

// specification is one conversion of a format.
type specification struct {
	minus, plus, space, zero, alternate bool
	width, precision                    int // precision -1: none
	length                              string
	verb                                byte
}

// mostPrinted is the most bytes that one call prints: the size of CUDA's buffer, which drops the rest (d cudaLimitPrintfFifoSize).
// Otherwise widths could make gigabytes from a short format.
const mostPrinted = 1 << 20

// formatC is C's printf.
func formatC(format string, a arguments) string {
	var out strings.Builder
	for i := 0; i < len(format) && out.Len() < mostPrinted; {
		if format[i] != '%' {
			out.WriteByte(format[i])
			i++
			continue
		}
		s, next := parseSpecification(format, i+1, a)
		if text, ok := s.convert(a); ok {
			out.WriteString(text)
		} else {
			out.WriteString(format[i:next])
		}
		i = next
	}
	return out.String()
}

// parseSpecification parses flags, width, precision, length and conversion; `*` consumes an argument.
func parseSpecification(format string, i int, a arguments) (s specification, next int) {
	s.precision = -1
	for ; i < len(format); i++ {
		switch format[i] {
		case '-':
			s.minus = true
		case '+':
			s.plus = true
		case ' ':
			s.space = true
		case '0':
			s.zero = true
		case '#':
			s.alternate = true
		default:
			goto width
		}
	}
width:
	s.width, i = number(format, i, a)
	if s.width < 0 {
		s.minus, s.width = true, -s.width
	}
	if i < len(format) && format[i] == '.' {
		s.precision, i = number(format, i+1, a)
		s.precision = max(s.precision, -1)
	}
	start := i
	for i < len(format) && strings.IndexByte("hljztLq", format[i]) >= 0 {
		i++
	}
	s.length = format[start:i]
	if i < len(format) {
		s.verb = format[i]
		i++
	}
	return s, i
}

// maximumWidth is the largest width and precision.
const maximumWidth = 1 << 16

func number(format string, i int, a arguments) (n, next int) {
	if i < len(format) && format[i] == '*' {
		n = int(int32(a.integer(4)))
		return max(min(n, maximumWidth), -maximumWidth), i + 1
	}
	for ; i < len(format) && format[i] >= '0' && format[i] <= '9'; i++ {
		n = min(10*n+int(format[i]-'0'), maximumWidth)
	}
	return n, i
}

// bytes returns the size of an integer argument.
func (s *specification) bytes(a arguments) int {
	switch s.length {
	case "l", "z", "t":
		return a.addressBytes()
	case "ll", "j", "q", "L":
		return 8
	}
	return 4
}

// convert returns the text of one conversion; ok is false if it is not valid.
func (s *specification) convert(a arguments) (text string, ok bool) {
	switch s.verb {
	case '%':
		return "%", true
	case 'c':
		return s.pad("", string([]byte{byte(a.integer(4))}), false), true
	case 's':
		limit := maximumString
		if s.precision >= 0 {
			limit = min(s.precision, limit)
		}
		address := a.integer(a.addressBytes())
		if address == 0 {
			return s.pad("", "(null)", false), true
		}
		return s.pad("", a.text(address, limit), false), true
	case 'p':
		address := a.integer(a.addressBytes())
		if address == 0 {
			return s.pad("", "(nil)", false), true
		}
		return s.pad("0x", strconv.FormatUint(address, 16), false), true
	case 'n':
		a.integer(a.addressBytes()) // CUDA's printf writes nothing
		return "", true
	case 'd', 'i':
		return s.signed(a.integer(s.bytes(a)), s.bytes(a)), true
	case 'u', 'o', 'x', 'X':
		return s.unsigned(a.integer(s.bytes(a)), s.bytes(a)), true
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		return s.float(math.Float64frombits(a.integer(8))), true
	}
	return "", false
}

// sign returns the text before a number.
func (s *specification) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.plus:
		return "+"
	case s.space:
		return " "
	}
	return ""
}

// narrow truncates an integer to the size of hh and h.
func (s *specification) narrow(v uint64, bytes int) (uint64, uint) {
	width := uint(8 * bytes)
	switch s.length {
	case "hh":
		width = 8
	case "h":
		width = 16
	}
	return v << (64 - width) >> (64 - width), width
}

func (s *specification) signed(v uint64, bytes int) string {
	v, width := s.narrow(v, bytes)
	n := int64(v<<(64-width)) >> (64 - width)
	magnitude := uint64(n)
	if n < 0 {
		magnitude = -magnitude
	}
	return s.digits(s.sign(n < 0), strconv.FormatUint(magnitude, 10), magnitude == 0)
}

func (s *specification) unsigned(v uint64, bytes int) string {
	v, _ = s.narrow(v, bytes)
	prefix, digits := "", ""
	switch s.verb {
	case 'u':
		digits = strconv.FormatUint(v, 10)
	case 'o':
		digits = strconv.FormatUint(v, 8)
		if s.alternate && v != 0 {
			digits = "0" + digits
		} else if s.alternate && s.precision == 0 {
			return s.pad("", "0", false)
		}
	default:
		digits = strconv.FormatUint(v, 16)
		if s.alternate && v != 0 {
			prefix = "0x"
		}
		if s.verb == 'X' {
			prefix, digits = strings.ToUpper(prefix), strings.ToUpper(digits)
		}
	}
	return s.digits(prefix, digits, v == 0)
}

// digits applies a precision to an integer: the least number of digits, none for zero with precision 0.
func (s *specification) digits(prefix, digits string, zero bool) string {
	if s.precision >= 0 {
		if zero && s.precision == 0 {
			digits = ""
		}
		if n := s.precision - len(digits); n > 0 {
			digits = strings.Repeat("0", n) + digits
		}
	}
	return s.pad(prefix, digits, s.zero && s.precision < 0)
}

// pad extends a text to the width: blanks before or after it, or zeros behind the prefix.
func (s *specification) pad(prefix, text string, zeros bool) string {
	n := s.width - len(prefix) - len(text)
	switch {
	case n <= 0:
		return prefix + text
	case s.minus:
		return prefix + text + strings.Repeat(" ", n)
	case zeros:
		return prefix + strings.Repeat("0", n) + text
	}
	return strings.Repeat(" ", n) + prefix + text
}

func (s *specification) float(v float64) string {
	upper := s.verb < 'a'
	lower := s.verb | 0x20
	prefix := s.sign(math.Signbit(v))
	v = math.Abs(v)
	var text string
	switch {
	case math.IsNaN(v):
		text = "nan"
	case math.IsInf(v, 0):
		text = "inf"
	case lower == 'a':
		prefix += "0x"
		text = s.hexadecimal(v)
	default:
		text = s.decimal(v, lower)
	}
	if upper {
		prefix, text = strings.ToUpper(prefix), strings.ToUpper(text)
	}
	return s.pad(prefix, text, s.zero && !math.IsNaN(v) && !math.IsInf(v, 0))
}

func (s *specification) decimal(v float64, verb byte) string {
	precision := s.precision
	if precision < 0 {
		precision = 6
	}
	if verb == 'g' {
		precision = max(precision, 1)
	}
	text := strconv.FormatFloat(v, verb, precision, 64)
	if s.alternate && verb == 'g' {
		// Restore the zeros that %g drops. The rounded exponent decides between the two forms.
		scientific := strconv.FormatFloat(v, 'e', precision-1, 64)
		exponent, _ := strconv.Atoi(scientific[strings.IndexByte(scientific, 'e')+1:])
		text = scientific
		if exponent >= -4 && exponent < precision {
			text = strconv.FormatFloat(v, 'f', precision-1-exponent, 64)
		}
	}
	if s.alternate && !strings.Contains(text, ".") {
		mantissa, exponent, found := strings.Cut(text, "e")
		text = mantissa + "."
		if found {
			text += "e" + exponent
		}
	}
	return text
}

// hexadecimal is %a without its sign and 0x, as glibc writes it: a leading 1, or 0 for subnormal numbers. Rounding to fewer digits may make
// it 2.
func (s *specification) hexadecimal(v float64) string {
	const fractionBits, fractionDigits, bias = 52, 13, 1023
	b := math.Float64bits(v)
	exponent := int(b>>fractionBits) - bias
	mantissa := b & (1<<fractionBits - 1)
	switch {
	case v == 0:
		exponent = 0
	case exponent == -bias:
		exponent++
	default:
		mantissa |= 1 << fractionBits
	}
	digits := fractionDigits
	if s.precision >= 0 && s.precision < fractionDigits {
		digits = s.precision
		drop := 4 * (fractionDigits - digits)
		half, rest := uint64(1)<<(drop-1), mantissa&(1<<drop-1)
		mantissa >>= drop
		if rest > half || rest == half && mantissa&1 != 0 {
			mantissa++
		}
	}
	lead := mantissa >> (4 * digits)
	fraction := ""
	if digits > 0 {
		fraction = strconv.FormatUint(mantissa&(1<<(4*digits)-1), 16)
		fraction = strings.Repeat("0", digits-len(fraction)) + fraction
	}
	if s.precision < 0 {
		fraction = strings.TrimRight(fraction, "0")
	} else {
		fraction += strings.Repeat("0", s.precision-digits)
	}
	text := strconv.FormatUint(lead, 10)
	if fraction != "" || s.alternate {
		text += "." + fraction
	}
	sign := "+"
	if exponent < 0 {
		sign, exponent = "-", -exponent
	}
	return text + "p" + sign + strconv.Itoa(exponent)
}
