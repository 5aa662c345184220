package sass

import (
	"strconv"
	"strings"
)

func registerName(n uint64) string {
	if n == zeroRegister {
		return "RZ"
	}
	return "R" + strconv.FormatUint(n, 10)
}

func predicateText(f *Field, word, _ uint64) string {
	if n := f.Value(word); n != 7 {
		return "P" + strconv.FormatUint(n, 10)
	}
	return "PT"
}

func scanPredicate(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	n, rest, ok := numbered("P", 7, text)
	f.place.put(word, n)
	return rest, ok
}

func scanRegister(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	n, rest, ok := numbered("R", zeroRegister, text)
	return rest, ok && f.encoding.putRegister(f.place, word, n)
}

// numbered parses the name of a register or predicate; the last one (RZ, PT) has a letter for its number.
func numbered(letter string, last uint64, text string) (n uint64, rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, letter)
	if !ok {
		return 0, text, false
	}
	for _, name := range []string{"Z", "T"} {
		if cut, found := strings.CutPrefix(rest, name); found {
			return last, cut, (name == "Z") == (letter == "R")
		}
	}
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	n, err := strconv.ParseUint(rest[:digits], 10, 16)
	return n, rest[digits:], err == nil && n < last
}

func nextText(f *Field, word, _ uint64) string {
	n := f.Value(word)
	if step := uint64(1) << (len(f.Name) / len("nextpair")); n != zeroRegister {
		return registerName(n + step)
	}
	return registerName(n)
}

func scanNext(f *Field, text string, word *uint64, at uint64) (string, bool) {
	want := nextText(f, *word, at)
	return strings.CutPrefix(text, want)
}
