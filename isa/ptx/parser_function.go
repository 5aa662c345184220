package ptx

import (
	"fmt"
	"strings"
)

// function parses an .entry or .func from its keyword on.
func (p *parser) function(pos Position, linkage Linkage) (Statement, bool) {
	f := &Function{Node: Node{pos}, Linkage: linkage, Entry: p.dotWord() == "entry"}
	p.advance()
	for p.dotWord() == "attribute" {
		if !p.attribute(&f.Attributes) {
			return nil, false
		}
	}
	var ok bool
	if p.token.is('(') {
		if f.Entry {
			return nil, p.fail("an .entry returns nothing; write its name here, or make it a .func")
		}
		if f.Returns, ok = p.parameters(); !ok {
			return nil, false
		}
	}
	if f.Name, ok = p.name("the name of the function"); !ok {
		return nil, false
	}
	if p.token.is('(') {
		f.HasParameters = true
		if f.Parameters, ok = p.parameters(); !ok {
			return nil, false
		}
	}
	ended := false
	if f.Directives, ended, ok = p.functionDirectives(); !ok {
		return f, false
	}
	switch {
	case p.token.is('{'):
		f.Body, ok = p.block()
		return f, ok
	case ended || p.accept(';') || !f.Entry && p.endsPrototype():
		return f, true
	case p.token.kind == tokenDotWord:
		return f, p.unknownFunctionDirective()
	}
	return f, p.unexpected("the function's body in braces, or `;` for a declaration")
}

// endsPrototype reports a declaration without its `;`, as nvopencc writes them for PTX ISA 2.0 to 2.3: the next line begins another
// statement of module scope, or there is none.
func (p *parser) endsPrototype() bool {
	if p.isaVersion < 20 || p.isaVersion > 23 {
		return false
	}
	_, space := spaces[p.dotWord()]
	return p.token.kind == tokenEnd || p.token.kind == tokenDwarf || p.token.newLine && (space || statementWord(p.dotWord()))
}

// parameters parses a parameter list in parentheses.
func (p *parser) parameters() ([]*Variable, bool) {
	p.advance()
	var out []*Variable
	if p.accept(')') {
		return nil, true
	}
	for {
		v := &Variable{Node: Node{p.token.position()}}
		if !p.specifiers(v) {
			return nil, false
		}
		d, ok := p.declarator()
		if !ok {
			return nil, false
		}
		v.Declarators = []Declarator{d}
		out = append(out, v)
		if !p.accept(',') {
			return out, p.expect(')', "after the parameters")
		}
	}
}

// functionDirectiveNames are the directives in a function's head. Those with numbers have at least one.
var functionDirectiveNames = map[string]struct{ numbers bool }{
	"maxnreg": {true}, "maxntid": {true}, "reqntid": {true}, "minnctapersm": {true}, "maxnctapersm": {true},
	"reqnctapercluster": {true}, "maxclusterrank": {true}, "abi_preserve": {true}, "abi_preserve_control": {true},
	"noreturn": {}, "explicitcluster": {}, "blocksareclusters": {}, "pragma": {},
}

func (p *parser) unknownFunctionDirective() bool {
	word := p.dotWord()
	names := make([]string, 0, len(functionDirectiveNames))
	for name := range functionDirectiveNames {
		names = append(names, name)
	}
	if near := Nearest(word, names); near != "" {
		return p.fail("unknown directive `.%s` in the head of a function; did you mean `.%s`?", word, near)
	}
	return p.unexpected("the function's body in braces, or `;` for a declaration")
}

// functionDirectives parses the directives between a function's parameters and its body. A .pragma may end with its own `;`; ended reports
// that this `;` was the end of the whole declaration.
func (p *parser) functionDirectives() (out []FunctionDirective, ended, ok bool) {
	for {
		word := p.dotWord()
		shape, known := functionDirectiveNames[word]
		if !known || ended && word == "pragma" {
			return out, ended && !p.token.is('{'), true
		}
		ended = false
		d := FunctionDirective{Pos: p.token.position(), Name: word}
		p.advance()
		if word == "pragma" {
			if d.Strings, ok = p.pragmaStrings(); !ok {
				return out, false, false
			}
			ended = p.accept(';')
		}
		if shape.numbers {
			if d.Arguments, ok = p.expressions("a number after ." + word); !ok {
				return out, false, false
			}
		}
		out = append(out, d)
	}
}

// block parses `{ … }`.
func (p *parser) block() (*Block, bool) {
	b := &Block{Node: Node{p.token.position()}}
	if !p.enter() {
		return b, false
	}
	defer func() { p.nesting-- }()
	p.advance()
	for !p.token.is('}') {
		if p.atModuleScope() {
			return b, p.unclosed(b)
		}
		start := p.token.start
		statement, ok := p.blockStatement()
		if statement != nil {
			b.Statements = append(b.Statements, statement)
		}
		if ok {
			continue
		}
		if p.atModuleScope() {
			return b, p.unclosed(b)
		}
		p.synchronizeBlock(start)
		if p.token.start == start && p.token.kind != tokenEnd && !p.token.is('}') {
			p.advance()
		}
	}
	b.End = p.token.position()
	p.advance()
	return b, true
}

// atModuleScope reports whether the current token can only stand at module scope, so that a brace is missing.
func (p *parser) atModuleScope() bool {
	if p.token.kind == tokenEnd {
		return true
	}
	word := p.dotWord()
	if !p.token.newLine || !topLevel[word] {
		return false
	}
	if _, ok := linkages[word]; !ok {
		return true
	}
	rest := strings.TrimLeft(p.file.Source[p.token.end:], " \t\r\n")
	return strings.HasPrefix(rest, ".entry") || strings.HasPrefix(rest, ".func")
}

// unclosed reports a block without its closing brace, once for all blocks around it.
func (p *parser) unclosed(b *Block) bool {
	if p.nesting == 1 {
		p.errorAt(b.Pos, fmt.Sprintf("this brace is never closed; add `}` before %s on line %d", p.describe(), p.token.line))
	}
	return true
}

// blockStatement parses one statement inside braces.
func (p *parser) blockStatement() (Statement, bool) {
	switch p.token.kind {
	case tokenWord:
		pos := p.token.position()
		word := p.text()
		p.advance()
		if p.accept(':') {
			return p.labelled(Name{Pos: pos, Text: word})
		}
		return p.instruction(pos, Guard{}, pos, word)
	case tokenDotWord:
		switch p.dotWord() {
		case "entry", "func", "version", "target", "address_size", "alias":
			return nil, p.fail("`.%s` is inside a function; close the function with `}` first", p.dotWord())
		}
		return p.directive("inside a function")
	case tokenDwarf:
		return p.dwarf(), true
	}
	switch {
	case p.accept(';'):
		return nil, true
	case p.token.is('{'):
		return p.block()
	case p.token.is('@'):
		return p.guarded()
	}
	return nil, p.unexpected("an instruction, a label or a directive")
}

// labelled parses the rest after a label: a target list or prototype; otherwise the label is a plain one.
func (p *parser) labelled(label Name) (Statement, bool) {
	switch word := p.dotWord(); word {
	case "branchtargets", "calltargets":
		p.advance()
		list := &TargetList{Node: Node{label.Pos}, Calls: word == "calltargets", Label: label}
		var ok bool
		if list.Targets, ok = p.names("a label or function"); !ok {
			return list, false
		}
		return list, p.expect(';', "at the end of ."+word)
	case "callprototype":
		return p.callPrototype(label)
	}
	l := take(&p.slab.labels)
	l.Pos, l.Name = label.Pos, label.Text
	return l, true
}

// callPrototype parses `.callprototype (returns) _ (parameters) directives;`.
func (p *parser) callPrototype(label Name) (Statement, bool) {
	p.advance()
	c := &CallPrototype{Node: Node{label.Pos}, Label: label}
	var ok bool
	if p.token.is('(') {
		if c.Returns, ok = p.parameters(); !ok {
			return nil, false
		}
	}
	if c.Name, ok = p.name("`_`, which stands for the function's name"); !ok {
		return nil, false
	}
	if p.token.is('(') {
		c.HasParameters = true
		if c.Parameters, ok = p.parameters(); !ok {
			return nil, false
		}
	}
	ended := false
	if c.Directives, ended, ok = p.functionDirectives(); !ok {
		return nil, false
	}
	return c, ended || p.expect(';', "at the end of .callprototype")
}
