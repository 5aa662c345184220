package sass

import (
	"fmt"
	"strings"
)

func specialText(f *Field, word, _ uint64) string {
	if name := specials[f.Value(word)]; name != "" {
		return name
	}
	return fmt.Sprintf("SR%d", f.Value(word))
}

func scanSpecial(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	for n := range uint64(256) {
		f.place.put(word, n)
		if specialText(f, *word, 0) == text { // it is the last operand
			return "", true
		}
	}
	return text, false
}

func lanesText(f *Field, word, _ uint64) string {
	if v := f.Value(word); v != 15 {
		return fmt.Sprintf(", 0x%x", v)
	}
	return ""
}

func scanLanes(f *Field, text string, word *uint64, _ uint64) (string, bool) {
	rest, found := strings.CutPrefix(text, ", ")
	if !found {
		f.place.put(word, 15)
		return text, true
	}
	v, rest, ok := scanHex(rest)
	f.place.put(word, uint64(v))
	return rest, ok && v >= 0 && v < 15
}
