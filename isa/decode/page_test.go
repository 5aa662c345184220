package decode

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
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
	// A group of two words is shown by its words, a larger one by its name and a row of the last table.
	var inline, large []string
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		switch words := groupWords(name); len(words) {
		case 1:
		case 2:
			inline = append(inline, "<"+name+">", strings.Join(words, "/"))
		default:
			large = append(large, name)
		}
	}
	pattern := func(f *Form) string { return strings.NewReplacer(inline...).Replace(f.Pattern()) }

	for _, part := range []struct {
		title  string
		status Status
		behind string // a comment with the architecture or the version of PTX that introduced it
	}{{"Native", Native, "from "}, {"Emulated", Emulated, ""}} {
		fmt.Fprintf(&out, "\n## %s\n\n```\n", part.title)
		for _, f := range Forms() {
			if f.Status != part.status {
				continue
			}
			line := strings.TrimSpace(pattern(f) + "  " + f.operandColumn())
			if text := f.introduced(); text != "" {
				line += "  // " + part.behind + text
			}
			fmt.Fprintln(&out, strings.ReplaceAll(line, `\|`, "|"))
		}
		out.WriteString("```\n")
	}
	writeRefused(&out)
	out.WriteString("\n## Groups of modifiers\n\n| group | one of |\n|---|---|\n")
	for _, name := range large {
		fmt.Fprintf(&out, "| %s | `.%s` |\n", name, strings.Join(groupWords(name), "` `."))
	}
	out.WriteString(supportTail)
	_, err := io.WriteString(w, out.String())
	return err
}

// writeRefused writes the table of refused instructions. Instructions without any other form share a row for each architecture.
func writeRefused(out *strings.Builder) {
	whole, parts := map[string][]string{}, map[isa.Opcode][]string{}
	for _, f := range Forms() {
		if f.Status != Refused {
			continue
		}
		since, _, _ := strings.Cut(f.introduced(), ", PTX ") // the architecture implies the version
		if f.Trigger == "" {
			whole[since] = append(whole[since], "`"+f.Opcode.String()+"`")
		} else {
			parts[f.Opcode] = append(parts[f.Opcode], "`."+strings.Join(strings.Fields(f.Trigger), "` `.")+"`: "+since)
		}
	}
	out.WriteString("\n## Refused\n\n| instruction | modifiers or types: introduced with |\n|---|---|\n")
	older := func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }
	for _, since := range slices.SortedFunc(maps.Keys(whole), older) {
		fmt.Fprintf(out, "| %s | all: %s |\n", strings.Join(whole[since], " "), since)
	}
	for _, op := range slices.Sorted(maps.Keys(parts)) {
		fmt.Fprintf(out, "| `%s` | %s |\n", op, strings.Join(parts[op], "; "))
	}
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

// Forms returns all rows of the table, in alphabetical order of opcodes.
func Forms() []*Form {
	var out []*Form
	for op := range isa.OpcodeCount {
		out = append(out, formsOf(op)...)
	}
	return out
}

// String returns the status as documents print it.
func (s Status) String() string {
	return [...]string{"native", "emulated", "refused"}[s]
}
