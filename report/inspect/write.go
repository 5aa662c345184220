package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/jsonschema"
)

func init() {
	jsonschema.Publish[Program]("program", "What is in a file of PTX, as keplersim inspect --format json writes it.", 1)
}

// JSON writes the description as one object.
func (p *Program) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(p)
}

// Text writes the description for people.
func (p *Program) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "target %s, %d-bit addresses\n", cmp.Or(p.Target, "none"), p.AddressBits)
	if len(p.Functions) == 0 && len(p.Variables) == 0 {
		b.WriteString("the module is empty: no .entry, no .func and no variable\n")
	}
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, e := range p.Emulated {
		fmt.Fprintf(&b, "emulated: %s (%s:%d) is not a Kepler instruction: %s\n", e.Form, e.File, e.Line, e.Since)
	}
	for _, m := range p.Unresolved {
		fmt.Fprintf(&b, "unresolved: no module defines the %s %s (%s:%d): link the one that does to run %s\n", m.Kind, m.Name, m.File,
			m.Line,
			m.neededBy())
	}
	variablesText(&b, p.Variables)
	for i := range p.Functions {
		p.Functions[i].text(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// neededBy lists the first five functions that need a name, and counts the others.
func (m *Missing) neededBy() string {
	const shown = 5
	names := m.NeededBy
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

func (f *Function) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s %s\n", f.kind(), f.Demangled)
	for _, q := range f.Parameters {
		fmt.Fprintf(b, "  parameter %-24s %-5s offset %4d, %d bytes, aligned to %d\n", q.Name, q.Type, q.Offset, q.Bytes, q.Align)
	}
	b.WriteString("  registers")
	for _, t := range slices.Sorted(maps.Keys(f.Registers)) {
		fmt.Fprintf(b, " %s:%d", t, f.Registers[t])
	}
	fmt.Fprintf(b, "\n  memory    shared %d bytes a block, local %d bytes a thread\n", f.SharedBytes, f.LocalBytes)
	for _, c := range f.Callees {
		fmt.Fprintf(b, "  calls     %s (%s)\n", c.Demangled, c.How)
	}
	b.WriteString("  instructions\n")
	for _, c := range f.Instructions {
		fmt.Fprintf(b, "    %5d  %s\n", c.Count, c.Form)
	}
	b.WriteString("  blocks\n")
	for _, k := range f.Blocks {
		fmt.Fprintf(b, "    %d %s: %s%s", k.ID, k.Label, instructions(k.Instructions), leadsTo(k.Successors))
		if len(k.Source) > 0 {
			fmt.Fprintf(b, ", from %s:%d", k.Source[0].File, k.Source[0].Line)
		}
		b.WriteString("\n")
	}
	if !f.hasSource() {
		return
	}
	b.WriteString("  source map\n")
	for i := range f.SourceMap {
		m := &f.SourceMap[i]
		fmt.Fprintf(b, "    %s", m.Source)
		if len(m.InlinedAt) > 0 {
			fmt.Fprintf(b, " %s", m.Function)
		}
		for _, at := range m.InlinedAt {
			fmt.Fprintf(b, ", inlined at %s", at)
		}
		fmt.Fprintf(b, ": PTX %s, %s\n", ranges(m.PTX), instructions(m.Instructions))
	}
}

func instructions(n int) string {
	if n == 1 {
		return "1 instruction"
	}
	return fmt.Sprintf("%d instructions", n)
}

func leadsTo(successors []int) string {
	if len(successors) == 0 {
		return ", the end"
	}
	var names []string
	for _, s := range successors {
		names = append(names, fmt.Sprint(s))
	}
	return ", to " + strings.Join(names, " or ")
}

// hasSource reports whether there are source lines other than the PTX lines.
func (f *Function) hasSource() bool {
	return slices.ContainsFunc(f.SourceMap, func(m Mapped) bool {
		return len(m.InlinedAt) > 0 || !slices.Contains(m.PTX, m.Source)
	})
}
