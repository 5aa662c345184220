package decode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// mismatch says why a form does not fit a mnemonic. depth counts the modifiers that fit, to choose the nearest form's reason.
type mismatch struct {
	depth   int
	message func() string
}

// resolve finds the form of a mnemonic. The message is "" if one fits.
func resolve(m *ptx.Mnemonic) (*template, string) {
	op, ok := isa.ParseOpcode(m.Opcode)
	if !ok {
		return nil, unknownOpcode(m.Opcode)
	}
	nearest := &mismatch{-1, func() string { return fmt.Sprintf("`%s` is not a form of `%s`", m.Text, m.Opcode) }}
	for _, f := range formsOf(op) {
		t, miss := f.match(m)
		if miss == nil {
			if f.Rule != nil {
				if wrong := f.Rule(t); wrong != "" {
					return nil, wrong
				}
			}
			return t, ""
		}
		if miss.depth > nearest.depth && f.Status != Refused {
			nearest = miss
		}
	}
	return nil, nearest.message()
}

// unknownOpcode returns the message for a word that is not a PTX opcode.
func unknownOpcode(word string) string {
	var names []string
	for op := isa.OpNone + 1; op < isa.OpcodeCount; op++ {
		names = append(names, op.String())
	}
	if near := ptx.Nearest(word, names); near != "" {
		return fmt.Sprintf("unknown opcode `%s`: did you mean `%s`?", word, near)
	}
	return fmt.Sprintf("unknown opcode `%s`: PTX ISA 1.0 to 9.0 has no such instruction", word)
}

// match fills a template from a mnemonic's modifiers, or says which does not fit.
func (f *Form) match(m *ptx.Mnemonic) (*template, *mismatch) {
	if f.Trigger != "" && !slices.ContainsFunc(m.Modifiers, f.triggered) {
		return nil, &mismatch{depth: -1}
	}
	t := &template{form: f, text: m.Text, ins: isa.Instruction{Op: f.Opcode}}
	used := make([]bool, len(f.groups))
	for depth, word := range m.Modifiers {
		if ty, ok := isa.ParseType(word); ok && len(t.types) < len(f.types) {
			if slices.Contains(f.types[len(t.types)], ty) {
				t.types = append(t.types, ty)
				continue
			}
			if !f.takeGroup(word, used, t) {
				return nil, &mismatch{depth, func() string {
					return fmt.Sprintf("`%s`: `.%s` is not a type that `%s` takes here; it takes %s", m.Text, word, m.Opcode,
						typeNames(f.types[len(t.types)]))
				}}
			}
			continue
		}
		if !f.takeGroup(word, used, t) {
			return nil, &mismatch{depth, func() string { return f.unknownModifier(m, word) }}
		}
	}
	if len(t.types) < len(f.types) && !f.anything() {
		return nil, &mismatch{len(m.Modifiers), func() string {
			return fmt.Sprintf("`%s` lacks a type: one of %s", m.Text, typeNames(f.types[len(t.types)]))
		}}
	}
	for i, g := range f.groups {
		if !used[i] && !g.optional {
			return nil, &mismatch{len(m.Modifiers), func() string {
				return fmt.Sprintf("`%s` lacks a modifier: one of .%s", m.Text, strings.Join(groupWords(g.name), " ."))
			}}
		}
	}
	t.assignTypes()
	return t, nil
}

// triggered reports a word that identifies a refused form.
func (f *Form) triggered(word string) bool { return slices.Contains(strings.Fields(f.Trigger), word) }

func (f *Form) anything() bool { return len(f.groups) > 0 && f.groups[0].any }

// takeGroup records a modifier in the first unused group that contains it.
func (f *Form) takeGroup(word string, used []bool, t *template) bool {
	for i, g := range f.groups {
		if g.any {
			return true
		}
		if used[i] {
			continue
		}
		if set := groups[g.name][word]; set != nil {
			used[i] = true
			set(t)
			return true
		}
	}
	return false
}

// unknownModifier returns the message for a modifier that the form does not have.
func (f *Form) unknownModifier(m *ptx.Mnemonic, word string) string {
	var candidates []string
	for _, g := range f.groups {
		candidates = append(candidates, groupWords(g.name)...)
	}
	for _, alternatives := range f.types {
		for _, ty := range alternatives {
			candidates = append(candidates, ty.String())
		}
	}
	if slices.Contains(candidates, word) {
		return fmt.Sprintf("`%s`: `.%s` is one modifier too many", m.Text, word)
	}
	if near := ptx.Nearest(word, candidates); near != "" {
		return fmt.Sprintf("`%s`: `.%s` is not a modifier of this form; did you mean `.%s`?", m.Text, word, near)
	}
	slices.Sort(candidates)
	return fmt.Sprintf("`%s`: `.%s` is not a modifier of this form, which takes .%s", m.Text, word,
		strings.Join(slices.Compact(candidates), " ."))
}

func typeNames(types []isa.Type) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = "." + t.String()
	}
	return strings.Join(names, " ")
}

// assignTypes assigns the mnemonic's types to the instruction's fields.
func (t *template) assignTypes() {
	if len(t.types) > 0 {
		t.ins.Type = t.types[0]
	}
	if len(t.types) == 2 {
		t.ins.From = t.types[1]
	}
	if len(t.types) == 3 {
		copy(t.ins.Mod.SIMDTypes[:], t.types)
		t.ins.From = isa.TypeNone
	}
	t.memory.Uniform = t.ins.Op == isa.OpLdu
	if as := t.ins.Op.Facts().DecodedAs; as != isa.OpNone {
		t.ins.Op = as
	}
	if t.ins.Op == isa.OpMad && t.ins.Type.Float() {
		t.ins.Op = isa.OpFma
	}
	switch t.ins.Op {
	case isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpFma:
		if t.ins.Type.Float() && t.ins.Mod.Rounding == isa.RoundNone {
			t.ins.Mod.Rounding = isa.RoundNearest
			t.ins.Mod.Contract = t.ins.Op != isa.OpFma && (t.ins.Type == isa.F32 || t.ins.Type == isa.F64)
		}
	}
	if t.memory.Vector == 0 {
		t.memory.Vector = 1
	}
}
