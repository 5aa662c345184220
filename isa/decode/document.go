package decode

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
)

// The page's text before and after its tables.
var (
	//go:embed support_head.md
	supportHead string
	//go:embed support_tail.md
	supportTail string
)

// WriteSupport writes the opcode table as a Markdown page: every PTX instruction, and whether it is native to Kepler, emulated or
// refused.
func WriteSupport(w io.Writer) error {
	var out strings.Builder
	out.WriteString(supportHead)
	out.WriteString("\n| Instruction | Operands | Status | Introduced with |\n| --- | --- | --- | --- |\n")
	for _, f := range Forms() {
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", f.Pattern(), f.operandColumn(), f.Status, f.introduced())
	}
	out.WriteString("\n## Groups of modifiers\n\n| Group | One of |\n| --- | --- |\n")
	var used []string
	for _, f := range Forms() {
		for _, g := range f.groups {
			if !g.any && len(groups[g.name]) > 1 {
				used = append(used, g.name)
			}
		}
	}
	slices.Sort(used)
	for _, name := range slices.Compact(used) {
		fmt.Fprintf(&out, "| %s | `.%s` |\n", name, strings.Join(groupWords(name), "` `."))
	}
	out.WriteString(supportTail)
	_, err := io.WriteString(w, out.String())
	return err
}

// Pattern returns the form's mnemonic as documents print it: add{.<rnd>}{.ftz}{.sat}.f32.
func (f *Form) Pattern() string {
	var out strings.Builder
	out.WriteString(f.Opcode.String())
	for _, g := range f.groups {
		word := "<" + g.name + ">"
		switch {
		case g.any:
			word = "*"
		case len(groups[g.name]) == 1:
			word = groupWords(g.name)[0]
		}
		if g.optional && !g.any {
			out.WriteString("{." + word + "}")
		} else {
			out.WriteString("." + word)
		}
	}
	for _, alternatives := range f.types {
		names := make([]string, len(alternatives))
		for k, t := range alternatives {
			names[k] = t.String()
		}
		out.WriteString("." + strings.Join(names, "/"))
	}
	if f.Trigger != "" {
		return strings.TrimSuffix(out.String(), ".*") + " with ." + strings.Join(strings.Fields(f.Trigger), " or .")
	}
	return out.String()
}

// operandColumn returns the form's operands as documents print them.
func (f *Form) operandColumn() string {
	var parts []string
	for k := range f.operands {
		s := &f.operands[k]
		name := s.name
		switch s.role {
		case roleAddress:
			name = "[m]"
		case roleLoaded:
			name = "d"
		case roleStored, roleUnpacked:
			name = "a"
		case rolePacked:
			name = "d"
		case roleTexture:
			name = "[t, {…}]"
		case roleImmediate:
			name = "constant"
		}
		if s.pair && s.name == "p" {
			name = "p\\|q"
		} else if s.pair {
			name = "d\\|p"
		}
		if s.fixed != isa.TypeNone && s.name != "p" && s.role != roleLevel {
			name += ":" + s.fixed.String()
		}
		if s.optional {
			name = "{" + name + "}"
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ", ")
}

// introduced names what introduced the form, "" for what was there before Kepler.
func (f *Form) introduced() string {
	var parts []string
	if f.Since > 30 {
		parts = append(parts, "sm_"+itoa(f.Since))
	}
	if f.PTX != "" {
		parts = append(parts, "PTX "+f.PTX)
	}
	if f.Reason != "" {
		parts = append(parts, f.Reason)
	}
	return strings.Join(parts, ", ")
}
