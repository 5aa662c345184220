package sass

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

func scanHexBetween(text, open, shut string) (v uint64, rest string, ok bool) {
	if rest, ok = strings.CutPrefix(text, open); !ok {
		return 0, text, false
	}
	n, rest, ok := scanHex(rest)
	if !ok || n < 0 {
		return 0, text, false
	}
	rest, ok = strings.CutPrefix(rest, shut)
	return uint64(n), rest, ok
}

// scanHex parses a printed number: 0x10, -0x10.
func scanHex(text string) (v int64, rest string, ok bool) {
	rest, negative := strings.CutPrefix(text, "-")
	rest, ok = strings.CutPrefix(rest, "0x")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789abcdef"))
	n, err := strconv.ParseUint(rest[:digits], 16, 63)
	if v = int64(n); negative {
		v = -v
	}
	return v, rest[digits:], ok && err == nil
}

func hexNumber(v int64) string {
	if v < 0 {
		return fmt.Sprintf("-0x%x", -v)
	}
	return fmt.Sprintf("0x%x", v)
}

func signedText(f *Field, word, _ uint64) string {
	return hexNumber(signed(f.Value(word), f.place.width()))
}

func hexText(f *Field, word, _ uint64) string { return fmt.Sprintf("0x%x", f.Value(word)) }

func scanInteger(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	v, rest, ok := scanHex(text)
	w := f.place.width()
	f.place.put(word, uint64(v))
	if f.Name == "s" {
		return rest, ok && signed(uint64(v), w) == v
	}
	return rest, ok && v >= 0 && bits.Len64(uint64(v)) <= w
}
