package ptx

import "strings"

// dwarf parses an @@DWARF line.
func (p *parser) dwarf() Statement {
	d := &Dwarf{Node: Node{p.token.position()}, Text: strings.TrimSpace(strings.TrimPrefix(p.text()[2:], "DWARF"))}
	p.advance()
	return d
}

// sourceFile parses `.file 1 "path", timestamp, size`.
func (p *parser) sourceFile(pos Position) (Statement, bool) {
	p.advance()
	f := &SourceFile{Node: Node{pos}}
	var ok bool
	if f.Index, ok = p.integer("the number of the file"); !ok {
		return nil, false
	}
	if f.Path, ok = p.quoted("the file's path in quotes", true); !ok {
		return nil, false
	}
	if !p.accept(',') {
		return f, true
	}
	if f.Timestamp, ok = p.expression("a time stamp"); !ok || !p.expect(',', "between time stamp and size") {
		return f, false
	}
	f.Size, ok = p.expression("the file's size")
	return f, ok
}

// location parses `.loc file line column`, with the additions of newer versions after commas.
func (p *parser) location(pos Position) (Statement, bool) {
	p.advance()
	l := take(&p.slab.locations)
	l.Pos = pos
	if !p.place(&l.File, &l.Line, &l.Column) {
		return nil, false
	}
	for p.accept(',') {
		word := ""
		if p.token.kind == tokenWord {
			word = p.text()
		}
		switch word {
		case "function_name":
			p.advance()
			p.inSection = true
			name, ok := p.expression("the label of the function's name")
			p.inSection = false
			if !ok {
				return l, false
			}
			l.FunctionName = name
		case "inlined_at":
			p.advance()
			l.InlinedAt = &CallSite{}
			if !p.place(&l.InlinedAt.File, &l.InlinedAt.Line, &l.InlinedAt.Column) {
				return l, false
			}
		default:
			return l, p.unexpected("function_name or inlined_at")
		}
	}
	return l, true
}

// place parses a file number, a line and a column.
func (p *parser) place(file, line, column *int) bool {
	var ok bool
	if *file, ok = p.integer("the number of a file"); !ok {
		return false
	}
	if *line, ok = p.integer("a line"); !ok {
		return false
	}
	*column, ok = p.integer("a column")
	return ok
}

// section parses `.section .name { … }`.
func (p *parser) section(pos Position) (Statement, bool) {
	p.advance()
	s := &Section{Node: Node{pos}}
	for p.token.kind == tokenDotWord && (s.Name == "" || !p.token.spaced) {
		s.Name += p.text()
		p.advance()
	}
	if s.Name == "" {
		return nil, p.unexpected("the name of a section such as .debug_info")
	}
	if !p.expect('{', "before the section's data") {
		return nil, false
	}
	p.inSection = true
	defer func() { p.inSection = false }()
	for !p.token.is('}') {
		if p.accept(';') {
			continue
		}
		line, ok := p.sectionLine()
		if !ok {
			return s, false
		}
		s.Lines = append(s.Lines, line)
	}
	p.advance()
	return s, true
}

// sectionLine parses a label or one line of data.
func (p *parser) sectionLine() (SectionLine, bool) {
	line := SectionLine{Pos: p.token.position()}
	if p.token.kind == tokenWord {
		label, _ := p.name("a label")
		line.Label = label.Text
		return line, p.expect(':', "after a label of the section")
	}
	switch p.dotWord() {
	case "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64":
		line.Type = p.dotWord()
	default:
		return line, p.unexpected("a label, or data such as .b8 1, 2, or `}`")
	}
	p.advance()
	var ok bool
	line.Values, ok = p.expressions("an integer, label or section name")
	return line, ok
}
