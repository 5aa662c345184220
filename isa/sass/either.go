package sass

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Either returns an operand that is a register or a number, and which it is.
func (f *Field) Either(word uint64) (value uint64, number bool) {
	c := f.encoding.either[f.Name]
	if word>>c.bit&1 != 0 {
		return c.number.get(word), true
	}
	return f.encoding.register(c.register, word), false
}

func eitherText(f *Field, word, _ uint64) string {
	v, number := f.Either(word)
	if number {
		return fmt.Sprintf("0x%x", v)
	}
	return registerName(v)
}

func scanEither(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	c := f.encoding.either[f.Name]
	if strings.HasPrefix(text, "R") {
		n, rest, ok := numbered("R", zeroRegister, text)
		*word &^= 1 << c.bit
		return rest, ok && f.encoding.putRegister(c.register, word, n)
	}
	v, rest, ok := scanHex(text)
	*word |= 1 << c.bit
	c.number.put(word, uint64(v))
	return rest, ok && v >= 0 && bits.Len64(uint64(v)) <= c.number.width()
}

func countText(f *Field, word, at uint64) string {
	if v, number := f.Either(word); number && v == 0 {
		return ""
	}
	return ", " + eitherText(f, word, at)
}

func scanCount(f *Field, text string, word *uint64, at uint64) (string, bool) {
	rest, found := strings.CutPrefix(text, ", ")
	if !found || strings.HasPrefix(rest, "P") || strings.HasPrefix(rest, "!") {
		*word |= 1 << f.encoding.either["count"].bit
		return text, true
	}
	return scanEither(f, rest, word, at)
}

// barrierReads reports whether a barrier reads a predicate.
func (f *Field) barrierReads(word uint64) bool {
	return slices.Contains(f.encoding.barrierReads, f.encoding.barrier.get(word))
}

// Complements reports whether the predicate of a barrier is complemented.
func (f *Field) Complements(word uint64) bool { return word>>f.encoding.barrierComplement&1 != 0 }

func barrierPredicateText(f *Field, word, at uint64) string {
	if !f.barrierReads(word) {
		return ""
	}
	not := ""
	if f.Complements(word) {
		not = "!"
	}
	return ", " + not + predicateText(f, word, at)
}

func scanBarrierPredicate(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	if !f.barrierReads(*word) {
		f.place.put(word, 7)
		return text, true
	}
	rest, ok := strings.CutPrefix(text, ", ")
	if cut, not := strings.CutPrefix(rest, "!"); not {
		*word |= 1 << f.encoding.barrierComplement
		rest = cut
	}
	n, rest, valid := numbered("P", 7, rest)
	f.place.put(word, n)
	return rest, ok && valid
}
