// Package sass is Kepler's machine code, as ptxas writes it and cuobjdump prints it. Decoder, encoder and printer come from one table of
// operations for each encoding.
//
// A word is eight bytes. Every eighth word is a control word for the next seven; the others are operations. The package deals with bits and
// texts; isa/sass/translate knows the operations' effects.
package sass

import (
	"errors"
	"fmt"
	"strings"
)

// WordBytes is the size of an operation or a control word.
const WordBytes = 8

// ErrUnknown is wrapped by the errors about words that match no operation of the table.
var ErrUnknown = errors.New("no known operation")

// Instruction is a decoded operation.
type Instruction struct {
	*Operation
	Word uint64
}

// Decode returns the operation of a word.
func (e *Encoding) Decode(word uint64) (Instruction, error) {
	for _, o := range e.operations().byKind[word&e.kind] {
		if word&o.mask == o.match && o.exists(word) {
			return Instruction{o, word}, nil
		}
	}
	return Instruction{}, fmt.Errorf("0x%016x: %w of %s", word, ErrUnknown, e)
}

// exists reports that all modifiers have values that exist.
func (o *Operation) exists(word uint64) bool {
	for n := range o.Fields {
		f := &o.Fields[n]
		if f.texts != nil && f.texts[f.Value(word)] == "?" {
			return false
		}
	}
	return true
}

// UnshownBits returns the bits of the instruction that its text does not show.
func (i Instruction) UnshownBits() uint64 { return i.Word &^ i.known() }

// Guard returns the instruction's guard, PT if it always executes.
func (i Instruction) Guard() (predicate uint64, complement bool) {
	if !i.Guarded {
		return 7, false
	}
	return i.encoding.guard.get(i.Word), i.Word>>i.encoding.complement&1 != 0
}

// Condition returns the instruction's test of the condition code, T if there is none.
func (i Instruction) Condition() string {
	for _, name := range []string{"ccc", "ccs"} {
		if f := i.Field(name); f != nil {
			return conditions[f.Value(i.Word)]
		}
	}
	return conditions[conditionTrue]
}

// Meets reports the mark .S: lanes continue at the place that the last SSY names.
func (i Instruction) Meets() bool { return i.meets() && i.Word>>i.encoding.meet&1 != 0 }

// Field returns the field with a name, nil if there is none.
func (o *Operation) Field(name string) *Field {
	for n := range o.Fields {
		if o.Fields[n].Name == name {
			return &o.Fields[n]
		}
	}
	return nil
}

// Modifier returns the text of a modifier, "" if the instruction does not have it.
func (i Instruction) Modifier(name string) string {
	if f := i.Field(name); f != nil {
		return f.Text(i.Word)
	}
	return ""
}

// Operands returns the fields that are not modifiers, in text order.
func (o *Operation) Operands() (list []*Field) {
	for n := range o.Fields {
		if o.Fields[n].texts == nil {
			list = append(list, &o.Fields[n])
		}
	}
	return list
}

// Text returns the instruction at an address as cuobjdump prints it, without the semicolon.
func (i Instruction) Text(at uint64) string {
	var b strings.Builder
	if p, complement := i.Guard(); p != 7 || complement {
		name := fmt.Sprintf("P%d", p)
		if p == 7 {
			name = "PT"
		}
		b.WriteString("@" + strings.Repeat("!", map[bool]int{true: 1}[complement]) + name + " ")
	}
	begin := b.Len()
	for n, part := range i.parts {
		b.WriteString(part)
		if n < len(i.Fields) {
			b.WriteString(i.Fields[n].text(i.Word, at))
		}
	}
	text := b.String()
	if !i.Meets() {
		return text
	}
	end := begin + strings.IndexAny(text[begin:]+" ", " [")
	return text[:end] + ".S" + text[end:]
}

// Encode returns the word for an instruction's text, in the form of Text, at an address.
func (e *Encoding) Encode(text string, at uint64) (uint64, error) {
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	word := uint64(7) << e.guard[0].first
	body, guarded := text, strings.HasPrefix(text, "@")
	if guarded {
		mark, rest, _ := strings.Cut(text[1:], " ")
		mark, complement := strings.CutPrefix(mark, "!")
		p, left, ok := numbered("P", 7, mark)
		if !ok || left != "" {
			return 0, fmt.Errorf("%s: no guard", text)
		}
		e.guard.put(&word, p)
		if body = rest; complement {
			word |= 1 << e.complement
		}
	}
	for _, meets := range []bool{false, true} {
		body := body
		if meets {
			end := strings.IndexAny(body+" ", " [")
			name, ok := strings.CutSuffix(body[:end], ".S")
			if !ok {
				break
			}
			body = name + body[end:]
		}
		for _, o := range e.operations().byName[firstWord(body)] {
			if guarded && !o.Guarded || meets && !o.meets() {
				continue
			}
			if w, ok := o.encode(body, word, at); ok {
				if meets {
					w |= 1 << e.meet
				}
				return w, nil
			}
		}
	}
	return 0, fmt.Errorf("%s: %w", text, ErrUnknown)
}

// encode encodes an operation's text into a word that already has the guard.
func (o *Operation) encode(text string, word, at uint64) (uint64, bool) {
	if !o.Guarded {
		word = o.encoding.unguarded
	}
	word |= o.match
	for n, part := range o.parts {
		rest, ok := strings.CutPrefix(text, part)
		if !ok {
			return 0, false
		}
		if text = rest; n < len(o.Fields) {
			if text, ok = o.Fields[n].scan(text, &word, at); !ok {
				return 0, false
			}
		}
	}
	if i, err := o.encoding.Decode(word); text != "" || err != nil || i.Operation != o {
		return 0, false
	}
	return word, true
}
