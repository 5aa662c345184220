package decode

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
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

const supportTail = `
## What older and other compilers write

- **Declarations outside functions** (PTX before 3.0): ` + "`.reg`" + ` and ` + "`.local`" + ` at module scope are declared in every function that names them.
  Each function has its own; a note says so where a ` + "`.func`" + ` names one.
- **Prototypes** of PTX 2.0 to 2.3 may lack their ` + "`;`" + `, and ` + "`ret 0;`" + ` returns: nvopencc writes both.
- **Vectors** as ` + "`.reg .v2`" + ` and ` + "`.v4`" + ` parameters, arguments and results are passed by element: ` + "`inspect`" + ` lists ` + "`a.x`" + ` and ` + "`a.y`" + `.
- **Elements of arrays** are operands: ` + "`a[1]`, `a[i]`, `a[i+1]`, `a[i-1]`" + `. In an access to memory ` + "`a[i]`" + ` is the element, elsewhere its address.
  The index counts elements of the array as declared, whatever the access's type; of an array of several dimensions, its rows.
- **` + "`.target map_f64_to_f32`" + `**: doubles are computed as floats. A double in memory keeps its 64 bits, of which the low 32 hold the float;
  a store leaves the others alone, and initial values are rounded to floats. Arguments and buffers of doubles therefore hold floats, 8 bytes
  apart: ` + "`--arg 'struct(f32:1.5,f32:0)'`" + `. Moves of such a double to or from a ` + "`.b64`" + ` register are refused. This is what the PTX ISA says; no
  hardware that has the option was at hand to check it.
- **Names that no module defines** (` + "`.extern`" + ` variables, functions without a body) leave a module whole: ` + "`inspect`" + ` lists them, and only
  the kernels that need them are refused, with the file and line.
`

const supportHead = `# PTX instructions

This page is made from the opcode table (` + "`isa/decode/table_*.go`" + `) by ` + "`go test ./isa/decode -run SupportPage -update`" + `.

- **native**: a Kepler (sm_30 to sm_37) has it. Where a later Kepler introduced it, the last column names that one, and a chip before it
  refuses it.
- **emulated**: no Kepler has it, and it needs no later hardware: it is executed with its documented meaning, the report lists it, and
  ` + "`--strict-target`" + ` refuses it.
- **refused**: it needs later hardware, or the last column says why. Loading fails with the line and the architecture that introduced it.

In an instruction, ` + "`{.x}`" + ` may be left out, ` + "`<group>`" + ` stands for one word of a group listed at the end, and types are separated by ` + "`/`" + `.
Modifiers may be written in any order; types keep theirs. Operands: ` + "`d`" + ` and ` + "`p`" + ` are written, ` + "`d|p`" + ` may write a predicate as well, ` + "`[m]`" + ` is an
address, ` + "`{…}`" + ` a vector where the instruction has one.
`

// Pattern is the form's mnemonic as documents print it: add{.<rnd>}{.ftz}{.sat}.f32.
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

// operandColumn is the form's operands as documents print them.
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
