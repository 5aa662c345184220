package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// Mapped is a source line with its instructions in one function of the program.
type Mapped struct {
	Source
	InlinedAt    []Source `json:"inlined_at,omitempty"` // the calls that inlining replaced, innermost first
	Function     string   `json:"function"`             // the function that the line belongs to
	PTX          []Source `json:"ptx"`                  // the PTX lines, in the order of the text
	Instructions int      `json:"instructions"`
}

// source returns an instruction's source line, or its PTX line if there is no .loc.
func source(p *isa.Program, line isa.LineIndex) (Source, bool) {
	file, number := p.Place(line)
	return Source{file, number}, number > 0
}

// sourceMap lists the lines that a function's instructions come from.
func sourceMap(p *isa.Program, f *isa.Function) []Mapped {
	var all []Mapped
	index := map[string]int{}
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			at, ok := source(p, i.Line)
			if !ok {
				continue
			}
			row := &p.Lines[i.Line]
			m := Mapped{Source: at, Function: p.Title(p.Owner(i.Line, f.Name))}
			for call := range p.Calls(i.Line) {
				if s, ok := source(p, call); ok {
					m.InlinedAt = append(m.InlinedAt, s)
				}
			}
			key := fmt.Sprint(m.Source, m.InlinedAt, m.Function)
			n, ok := index[key]
			if !ok {
				n = len(all)
				index[key] = n
				all = append(all, m)
			}
			all[n].Instructions++
			if s := (Source{p.Files[row.PTXFile], int(row.PTXLine)}); !slices.Contains(all[n].PTX, s) {
				all[n].PTX = append(all[n].PTX, s)
			}
		}
	}
	for i := range all {
		slices.SortFunc(all[i].PTX, compareSources)
	}
	slices.SortStableFunc(all, func(a, b Mapped) int {
		return cmp.Or(compareSources(a.Source, b.Source), slices.CompareFunc(a.InlinedAt, b.InlinedAt, compareSources))
	})
	return all
}

func compareSources(a, b Source) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

// String returns the line as file:line.
func (s Source) String() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }

// ranges formats sorted lines of one file, as in 3-5, 9.
func ranges(lines []Source) string {
	var parts []string
	for i := 0; i < len(lines); {
		k := i
		for k+1 < len(lines) && lines[k+1].File == lines[i].File && lines[k+1].Line == lines[k].Line+1 {
			k++
		}
		if k == i {
			parts = append(parts, fmt.Sprint(lines[i].Line))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", lines[i].Line, lines[k].Line))
		}
		i = k + 1
	}
	return strings.Join(parts, ", ")
}

// code returns the texts of a block's PTX lines. Successive instructions of one line give it once.
func code(p *isa.Program, b *isa.Block, texts map[string][]string) []string {
	var lines []string
	last := isa.SourceLine{}
	for _, i := range b.Instructions {
		if i.Line <= 0 || int(i.Line) >= len(p.Lines) {
			continue
		}
		row := p.Lines[i.Line]
		if row.PTXFile == last.PTXFile && row.PTXLine == last.PTXLine {
			continue
		}
		last = row
		text := texts[p.Files[row.PTXFile]]
		if n := int(row.PTXLine) - 1; n >= 0 && n < len(text) {
			line, _, _ := strings.Cut(text[n], "//")
			lines = append(lines, fmt.Sprintf("%4d  %s", row.PTXLine, strings.Join(strings.Fields(line), " ")))
		}
	}
	return lines
}

// textsOf returns the lines of each file, by the file's name.
func textsOf(files []*ptx.File) map[string][]string {
	texts := map[string][]string{}
	for _, f := range files {
		texts[f.Name] = strings.Split(f.Source, "\n")
	}
	return texts
}
