package sass

import (
	"math/bits"
	"strings"
)

// Field is one field of an operation's text: a modifier, or an operand with its sign bits.
type Field struct {
	encoding *Encoding
	Name     string // its kind, in modifiers or operands
	Wide     bool   // a 64-bit register
	place    place
	signs    [len(signMarks)]int8 // bit numbers: negated, absolute, inverted, complemented; -1 for none
	texts    []string             // by value, for a modifier
}

// signMarks mark an operand's sign bits in the table, in the order of Field.signs.
const signMarks = "-|~!"

// Signs of an operand.
const (
	Negated = iota
	Absolute
	Inverted
	Complemented
)

// Value returns the field's value in a word; a register's number is 255 for RZ.
func (f *Field) Value(word uint64) uint64 {
	if f.Name == "r" {
		return f.encoding.register(f.place, word)
	}
	return f.place.get(word)
}

// Has reports whether the operand has a sign in a word.
func (f *Field) Has(word uint64, sign int) bool {
	return f.signs[sign] >= 0 && word>>f.signs[sign]&1 != 0
}

// known returns the bits that the field's text shows.
func (f *Field) known() uint64 {
	mask := f.place.mask()
	for _, bit := range f.signs {
		if bit >= 0 {
			mask |= 1 << bit
		}
	}
	return mask
}

// Text returns a modifier's text, "" for an operand.
func (f *Field) Text(word uint64) string {
	if f.texts == nil {
		return ""
	}
	return f.texts[f.Value(word)]
}

// text returns the field's text; at is the operation's address.
func (f *Field) text(word, at uint64) string {
	if f.texts != nil {
		return f.texts[f.Value(word)]
	}
	return f.sign(word, operands[f.Name].text(f, word, at))
}

// sign adds an operand's signs to its text; those of an immediate follow it.
func (f *Field) sign(word uint64, text string) string {
	if operands[f.Name].immediate {
		for sign, mark := range []string{".NEG", ".ABS", ".INV"} {
			if f.Has(word, sign) {
				text += mark
			}
		}
		return text
	}
	if f.Has(word, Absolute) {
		text = "|" + text + "|"
	}
	for sign, mark := range map[int]string{Negated: "-", Inverted: "~", Complemented: "!"} {
		if f.Has(word, sign) {
			text = mark + text
		}
	}
	return text
}

// scan parses the field at the start of a text into a word.
func (f *Field) scan(text string, word *uint64, at uint64) (rest string, ok bool) {
	if f.texts != nil {
		best := -1
		have := f.Value(*word) // bits that another field shares
		differs := func(n int) int { return bits.OnesCount64(uint64(n) ^ have) }
		for n, t := range f.texts {
			if t != "?" && strings.HasPrefix(text, t) && ends(t, text[len(t):]) && (best < 0 || len(t) > len(f.texts[best]) ||
				t == f.texts[best] && differs(n) < differs(best)) {
				best = n
			}
		}
		if best < 0 {
			return text, false
		}
		f.place.put(word, uint64(best))
		return text[len(f.texts[best]):], true
	}
	kind := operands[f.Name]
	set := func(sign int) { *word |= 1 << f.signs[sign] }
	if !kind.immediate {
		for sign, mark := range map[int]string{Negated: "-", Inverted: "~", Complemented: "!"} {
			if cut, found := strings.CutPrefix(text, mark); found && f.signs[sign] >= 0 {
				set(sign)
				text = cut
			}
		}
	}
	bars := f.signs[Absolute] >= 0 && strings.HasPrefix(text, "|")
	if bars {
		set(Absolute)
		text = text[1:]
	}
	if rest, ok = kind.scan(f, text, word, at); !ok {
		return rest, false
	}
	if bars {
		if rest, ok = strings.CutPrefix(rest, "|"); !ok {
			return rest, false
		}
	}
	if kind.immediate {
		for sign, mark := range []string{".NEG", ".ABS", ".INV"} {
			if cut, found := strings.CutPrefix(rest, mark); found && f.signs[sign] >= 0 {
				set(sign)
				rest = cut
			}
		}
	}
	return rest, true
}

// ends reports whether a modifier's text can end before rest.
func ends(text, rest string) bool {
	return text == "" || rest == "" || strings.HasSuffix(text, " ") || strings.ContainsRune(".,; [", rune(rest[0]))
}

// Signed returns the field's value, sign-extended.
func (f *Field) Signed(word uint64) int64 { return signed(f.Value(word), f.place.width()) }
