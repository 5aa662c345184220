package ptx

import (
	"fmt"
	"strings"
)

// MaximumErrors is how many diagnostics Parse reports before it gives up on a text.
const MaximumErrors = 20

// Diagnostic is one error at one place of a text.
type Diagnostic struct {
	File    string
	Pos     Position
	Message string // what is wrong and what to do
	Line    string // the source line, without its newline
}

// Error returns file:line:column and the message, then the source line and a caret under the place.
func (d *Diagnostic) Error() string {
	head := fmt.Sprintf("%s:%s: %s", d.File, d.Pos, d.Message)
	if !d.Pos.IsValid() || d.Line == "" {
		return head
	}
	line, caret := d.excerpt()
	return head + "\n    " + line + "\n    " + caret + "^"
}

// excerptWidth is how many bytes of a long source line a diagnostic shows.
const excerptWidth = 160

// excerpt returns the part of the line with the place, and the blanks that align a caret below it. Tabs stay tabs in both, so they align at
// any tab width.
func (d *Diagnostic) excerpt() (line, blanks string) {
	line = strings.TrimRight(d.Line, "\r")
	at := min(int(d.Pos.Column)-1, len(line))
	prefix := ""
	if at > excerptWidth*3/4 {
		cut := at - excerptWidth/2
		line, at, prefix = line[cut:], at-cut, "…"
	}
	if len(line) > excerptWidth {
		line = line[:excerptWidth] + "…"
	}
	var out strings.Builder
	out.WriteString(strings.Repeat(" ", len([]rune(prefix))))
	for _, r := range line[:at] {
		if r == '\t' {
			out.WriteByte('\t')
		} else {
			out.WriteByte(' ')
		}
	}
	return prefix + line, out.String()
}

// ErrorList is the diagnostics of one text, by place.
type ErrorList []*Diagnostic

// Error returns every diagnostic in full, one after another.
func (l ErrorList) Error() string {
	var out strings.Builder
	for i, d := range l {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(d.Error())
	}
	if len(l) >= MaximumErrors {
		fmt.Fprintf(&out, "\nstopped after %d errors", len(l))
	}
	return out.String()
}

// Unwrap makes errors.As find each Diagnostic.
func (l ErrorList) Unwrap() []error {
	out := make([]error, len(l))
	for i, d := range l {
		out[i] = d
	}
	return out
}

// Err returns l as an error, or nil when l is empty.
func (l ErrorList) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Diagnostic returns a diagnostic about a place in f, for callers that check the tree further.
func (f *File) Diagnostic(pos Position, format string, arguments ...any) *Diagnostic {
	return &Diagnostic{File: f.Name, Pos: pos, Message: fmt.Sprintf(format, arguments...), Line: f.LineAt(pos)}
}

// LineAt returns the text of the source line at pos, without its newline.
func (f *File) LineAt(pos Position) string {
	start := int(pos.Offset) - int(pos.Column) + 1
	if !pos.IsValid() || start < 0 || start > len(f.Source) {
		return ""
	}
	line, _, _ := strings.Cut(f.Source[start:], "\n")
	return line
}
