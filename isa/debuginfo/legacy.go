package debuginfo

import (
	"strings"

	"github.com/keplersim/keplersim/isa/ptx"
)

// legacyTypes maps the data directives of @@DWARF lines, those of an assembler, to PTX types.
var legacyTypes = strings.NewReplacer(".byte", ".b8 ", ".2byte", ".b16 ", ".4byte", ".b32 ", ".8byte", ".b64 ", ".quad", ".b64 ")

// legacySections reads the @@DWARF lines of PTX 1.x, which contain sections in assembler syntax. It skips lines that are neither a section,
// a label nor data (.align, .string and such).
func legacySections(file *ptx.File) []*ptx.Section {
	var out []*ptx.Section
	for _, s := range file.Statements {
		d, ok := s.(*ptx.Dwarf)
		if !ok {
			continue
		}
		if name, ok := strings.CutPrefix(d.Text, ".section"); ok {
			name, _, _ = strings.Cut(strings.TrimSpace(name), ",")
			out = append(out, &ptx.Section{Node: ptx.Node{Pos: d.Pos}, Name: strings.TrimSpace(name)})
			continue
		}
		if len(out) > 0 {
			section := out[len(out)-1]
			section.Lines = append(section.Lines, legacyLines(d)...)
		}
	}
	return out
}

// legacyLines parses one @@DWARF line of data, or a label, as lines of a PTX section.
func legacyLines(d *ptx.Dwarf) []ptx.SectionLine {
	parsed, err := ptx.Parse("", ".section .line { "+legacyTypes.Replace(d.Text)+" }")
	if err != nil || len(parsed.Statements) != 1 {
		return nil
	}
	section, ok := parsed.Statements[0].(*ptx.Section)
	if !ok {
		return nil
	}
	for i := range section.Lines {
		section.Lines[i].Pos = d.Pos
		for _, e := range section.Lines[i].Values {
			e.Pos = d.Pos
		}
	}
	return section.Lines
}
