package workload

import (
	"errors"
	"fmt"
	"strings"
)

// layOut places a struct's members one after another, each at a multiple of its alignment: its size for a number, 1 for bytes, the largest
// of its members' for a struct. Padding at the end makes the size a multiple of the largest alignment.
func (a Argument) layOut(addresses Addresses) (out []byte, alignment int, err error) {
	alignment = 1
	for n, m := range a.Members {
		packed, align := m.Bytes, 1
		switch {
		case m.Members != nil:
			packed, align, err = m.layOut(addresses)
		case m.Bytes == nil:
			align = m.Size()
			packed, err = m.pack(ParamInfo{Size: align, Type: string(m.Type)}, addresses)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("member %d: %w", n, err)
		}
		out = append(padded(out, align), packed...)
		alignment = max(alignment, align)
	}
	return padded(out, alignment), alignment, nil
}

// padded appends zeros up to a multiple of an alignment.
func padded(out []byte, alignment int) []byte {
	for len(out)%alignment != 0 {
		out = append(out, 0)
	}
	return out
}

// packStruct encodes a struct for a parameter, whose alignment may be larger than its members'.
func (a Argument) packStruct(p ParamInfo, addresses Addresses) ([]byte, error) {
	out, _, err := a.layOut(addresses)
	if err != nil {
		return nil, err
	}
	taken := len(out)
	if out = padded(out, max(p.Align, 1)); len(out) != p.Size {
		return nil, fmt.Errorf(
			"the parameter has %d bytes, but the members of the struct take %d, each at a multiple of its size", p.Size, taken,
		)
	}
	return out, nil
}

// needed returns the buffers whose addresses the argument contains.
func (a Argument) needed() []string {
	var names []string
	if a.Buffer != "" {
		names = append(names, a.Buffer)
	}
	for _, m := range a.Members {
		names = append(names, m.needed()...)
	}
	return names
}

// parseStruct reads struct(MEMBER,MEMBER,...). A member is written as for ParseArg, but a number needs a type.
func (a *ArgText) parseStruct(inside string) error {
	a.Members = []ArgText{}
	for _, text := range splitOutside(inside) {
		m := ArgText{Text: text, Index: -1}
		if err := m.parseNamed(strings.TrimSpace(text)); err != nil {
			return fmt.Errorf("member %q of the struct: %w", text, err)
		}
		switch {
		case m.Bare:
			return fmt.Errorf("member %q of the struct: a number in a struct says its type, as in s32:%s", text, text)
		case m.Index >= 0 || m.Name != "" && m.Buffer == nil:
			return fmt.Errorf("member %q of the struct: only a buffer has a name here", text)
		}
		a.Members = append(a.Members, m)
	}
	if len(a.Members) == 0 {
		return errors.New("a struct has members, as in struct(f32[256]:random,s32:256)")
	}
	return nil
}

// splitOutside splits a text at the commas outside parentheses.
func splitOutside(text string) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, text[start:i])
				start = i + 1
			}
		}
	}
	if strings.TrimSpace(text[start:]) != "" || len(parts) > 0 {
		parts = append(parts, text[start:])
	}
	return parts
}

// givenStruct converts the user's members to an argument and makes their buffers.
func (w *Workload) givenStruct(index int, given *ArgText) (Argument, error) {
	a := Argument{Members: []Argument{}}
	for n := range given.Members {
		m := &given.Members[n]
		switch {
		case m.Buffer != nil:
			made, err := w.givenBuffer(fmt.Sprintf("arg%d_%d", index, n), m)
			if err != nil {
				return a, err
			}
			a.Members = append(a.Members, made)
		case m.Members != nil:
			inner, err := w.givenStruct(index, m)
			if err != nil {
				return a, err
			}
			a.Members = append(a.Members, inner)
		default:
			a.Members = append(a.Members, *m.Argument)
		}
	}
	return a, nil
}
