package sass

import (
	"fmt"
	"math/bits"
	"strings"
)

// either are operands that are a register or, where a bit is set, a number: their places.
var either = map[string][2]place{
	"lane": {{{23, 8}}, {{23, 5}}}, "bound": {{{42, 8}}, {{37, 13}}}, "barrier": {{{10, 8}}, {{10, 8}}}, "count": {{{23, 8}}, {{23, 12}}},
}

// eitherBit is the bit that makes such an operand a number.
var eitherBit = map[string]int{"lane": 31, "bound": 32, "barrier": 47, "count": 46}

// Either returns an operand that is a register or a number.
func (f *Field) Either(word uint64) (value uint64, number bool) {
	bit := word >> eitherBit[f.Name] & 1
	return either[f.Name][bit].get(word), bit != 0
}

func eitherText(int) func(*Field, uint64, uint64) string {
	return func(f *Field, word, _ uint64) string {
		if v, number := f.Either(word); !number {
			return registerName(v)
		}
		v, _ := f.Either(word)
		return fmt.Sprintf("0x%x", v)
	}
}

func scanEither(bit int) func(*Field, string, *uint64, uint64) (string, bool) {
	return func(f *Field, text string, word *uint64, _ uint64) (string, bool) {
		if strings.HasPrefix(text, "R") {
			n, rest, ok := numbered("R", 255, text)
			*word &^= 1 << bit
			either[f.Name][0].put(word, n)
			return rest, ok
		}
		v, rest, ok := scanHex(text)
		*word |= 1 << bit
		either[f.Name][1].put(word, uint64(v))
		return rest, ok && v >= 0 && bits.Len64(uint64(v)) <= either[f.Name][1].width()
	}
}

func countText(f *Field, word, at uint64) string {
	if v, number := f.Either(word); number && v == 0 {
		return ""
	}
	return ", " + eitherText(0)(f, word, at)
}

func scanCount(f *Field, text string, word *uint64, at uint64) (string, bool) {
	rest, found := strings.CutPrefix(text, ", ")
	if !found || strings.HasPrefix(rest, "P") || strings.HasPrefix(rest, "!") {
		*word |= 1 << eitherBit["count"]
		return text, true
	}
	return scanEither(eitherBit["count"])(f, rest, word, at)
}

// barrierModes is where a barrier says what it is, barrierReduction what it says where it reads a predicate.
var barrierModes = place{{35, 5}}

func barrierReduction(word uint64) bool {
	mode := barrierModes.get(word)
	return mode == 2 || mode == 10 || mode == 18
}

func barrierPredicateText(f *Field, word, at uint64) string {
	if !barrierReduction(word) {
		return ""
	}
	not := ""
	if word>>45&1 != 0 {
		not = "!"
	}
	return ", " + not + predicateText(f, word, at)
}

func scanBarrierPredicate(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	if !barrierReduction(*word) {
		f.place.put(word, 7)
		return text, true
	}
	rest, ok := strings.CutPrefix(text, ", ")
	if cut, not := strings.CutPrefix(rest, "!"); not {
		*word |= 1 << 45
		rest = cut
	}
	n, rest, valid := numbered("P", 7, rest)
	f.place.put(word, n)
	return rest, ok && valid
}
