package sass

import (
	"slices"
	"strings"
)

// Target returns the target address of a branch at an address.
func (f *Field) Target(word, at uint64) uint64 {
	return at + 8 + uint64(signed(f.Value(word), f.place.width()))
}

func targetText(f *Field, word, at uint64) string { return hexNumber(int64(f.Target(word, at))) }

func scanTarget(f *Field, text string, word *uint64, at uint64) (string, bool) {
	v, rest, ok := scanHex(text)
	distance := v - int64(at) - 8
	f.place.put(word, uint64(distance))
	return rest, ok && signed(uint64(distance), f.place.width()) == distance
}

func conditionText(before, behind string) func(*Field, uint64, uint64) string {
	return func(f *Field, word, _ uint64) string {
		if c := f.Value(word); c != conditionTrue {
			return before + conditions[c] + behind
		}
		return ""
	}
}

func scanCondition(before, behind string) func(*Field, string, *uint64, uint64) (string, bool) {
	return func(f *Field, text string, word *uint64, _ uint64) (string, bool) {
		rest, found := strings.CutPrefix(text, before)
		if !found {
			f.place.put(word, conditionTrue)
			return text, true
		}
		end := strings.IndexAny(rest+",", ", ")
		n := slices.Index(conditions, rest[:end])
		if n < 0 {
			return text, false
		}
		f.place.put(word, uint64(n))
		return strings.CutPrefix(rest[end:], behind)
	}
}

func displacementText(f *Field, word, _ uint64) string {
	if v := signed(f.Value(word), f.place.width()); v != 0 {
		return " " + hexNumber(v)
	}
	return ""
}

func scanDisplacement(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	rest, found := strings.CutPrefix(text, " ")
	if !found {
		return text, true
	}
	v, rest, ok := scanHex(rest)
	f.place.put(word, uint64(v))
	return rest, ok && signed(uint64(v), f.place.width()) == v
}
