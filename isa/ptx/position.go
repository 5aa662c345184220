package ptx

import "strconv"

// Position is a place in a source text. The zero Position means "nowhere".
type Position struct {
	Offset int32 // bytes from the start of the text, from 0
	Line   int32 // from 1
	Column int32 // bytes from the start of the line, from 1
}

// IsValid reports whether p is a place in a text.
func (p Position) IsValid() bool { return p.Line > 0 }

// String returns "line:column", or "-" for the zero Position.
func (p Position) String() string {
	if !p.IsValid() {
		return "-"
	}
	return strconv.Itoa(int(p.Line)) + ":" + strconv.Itoa(int(p.Column))
}
