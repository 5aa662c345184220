package debuginfo

import (
	"path"
	"sort"

	"github.com/keplersim/keplersim/isa/ptx"
)

// Place is a position in a module's source.
type Place struct {
	Path     string // of the .file directive, without "./"; "" when the module does not declare the file
	Line     int    // from 1; 0 if unknown
	Column   int    // from 1; 0 if unknown
	Function string // symbol of the inlined function around the place; "" if not inlined
	// InlinedAt is the call that was inlined, possibly inlined itself; nil if not inlined.
	InlinedAt *Place
}

// LineTable maps the instructions of one module to the source.
type LineTable struct {
	files    map[int]string
	starts   []int32 // ascending offsets in the PTX text
	places   []*Place
	sections *Image
}

// Lines reads the .file and .loc directives of a module. A .loc applies to the following statements up to the next .loc or the end of the
// function.
func Lines(file *ptx.File) *LineTable {
	t := &LineTable{files: map[int]string{}, sections: imageWithoutErrors(file)}
	collectFiles(t.files, file.Statements)
	for _, s := range file.Statements {
		f, ok := s.(*ptx.Function)
		if !ok || f.Body == nil {
			continue
		}
		t.mark(f.Body.Pos, nil)
		t.collect(f.Body.Statements, map[ptx.CallSite]*Place{})
		t.mark(f.Body.End, nil)
	}
	return t
}

// imageWithoutErrors assembles the sections, for names of inlined functions; nil if they do not assemble: the line table works without
// those names.
func imageWithoutErrors(file *ptx.File) *Image {
	image, err := Assemble(file)
	if err != nil {
		return nil
	}
	return image
}

// collectFiles reads .file directives anywhere in the text: clang writes them at the end.
func collectFiles(files map[int]string, list []ptx.Statement) {
	for _, s := range list {
		switch s := s.(type) {
		case *ptx.SourceFile:
			files[s.Index] = path.Clean(s.Path)
		case *ptx.Function:
			if s.Body != nil {
				collectFiles(files, s.Body.Statements)
			}
		case *ptx.Block:
			collectFiles(files, s.Statements)
		}
	}
}

func (t *LineTable) mark(pos ptx.Position, place *Place) {
	t.starts = append(t.starts, pos.Offset)
	t.places = append(t.places, place)
}

// collect reads the .loc directives of a body; seen has the latest place by file, line and column.
func (t *LineTable) collect(list []ptx.Statement, seen map[ptx.CallSite]*Place) {
	for _, s := range list {
		switch s := s.(type) {
		case *ptx.Block:
			t.collect(s.Statements, seen)
		case *ptx.Location:
			place := &Place{Path: t.files[s.File], Line: s.Line, Column: s.Column}
			if s.InlinedAt != nil {
				place.InlinedAt = t.callSite(*s.InlinedAt, seen)
			}
			if s.FunctionName != nil && t.sections != nil {
				place.Function, _ = t.sections.stringAt(s.FunctionName)
			}
			seen[ptx.CallSite{File: s.File, Line: s.Line, Column: s.Column}] = place
			t.mark(s.Pos, place)
		}
	}
}

// callSite returns the place that an inlined_at names. Compilers emit a .loc for that place first, which shows whether the call itself was
// inlined.
func (t *LineTable) callSite(site ptx.CallSite, seen map[ptx.CallSite]*Place) *Place {
	if place := seen[site]; place != nil {
		return place
	}
	return &Place{Path: t.files[site.File], Line: site.Line, Column: site.Column}
}

// At returns the source place of an offset in the PTX text, nil if unknown.
func (t *LineTable) At(offset int32) *Place {
	i := sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > offset })
	if i == 0 {
		return nil
	}
	return t.places[i-1]
}

// Of returns the source place of an instruction, nil if unknown.
func (t *LineTable) Of(i *ptx.Instruction) *Place { return t.At(i.Pos.Offset) }
