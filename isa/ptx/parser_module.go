package ptx

import (
	"strconv"
	"strings"
)

// module parses all statements of the text.
func (p *parser) module() {
	for p.token.kind != tokenEnd {
		start := p.token.start
		statement, ok := p.moduleStatement()
		if statement != nil {
			p.file.Statements = append(p.file.Statements, statement)
		}
		if ok {
			continue
		}
		p.synchronizeModule()
		if p.token.start == start && p.token.kind != tokenEnd {
			p.advance()
		}
	}
}

// moduleStatement parses one statement of module scope. The statement is nil for a lone `;` and usually after an error.
func (p *parser) moduleStatement() (Statement, bool) {
	switch {
	case p.accept(';'):
		return nil, true
	case p.token.is('}'):
		return nil, p.fail("this closing brace closes nothing; delete it")
	case p.token.kind == tokenDwarf:
		return p.dwarf(), true
	case p.token.kind == tokenWord:
		return p.moduleWord()
	case p.token.kind != tokenDotWord:
		return nil, p.unexpected("a directive such as .version, .global or .entry")
	}
	pos := p.token.position()
	switch p.dotWord() {
	case "version":
		return p.version(pos)
	case "target":
		return p.target(pos)
	case "address_size":
		p.advance()
		bits, ok := p.integer("32 or 64")
		if ok && bits != 32 && bits != 64 {
			p.errorAt(pos, "the address size is 32 or 64")
		}
		return &AddressSize{Node: Node{pos}, Bits: bits}, ok
	case "alias":
		return p.alias(pos)
	}
	return p.directive("at module scope")
}

// moduleWord parses a statement of module scope that begins with a word: a labelled list or prototype. Anything else is an error.
func (p *parser) moduleWord() (Statement, bool) {
	label, _ := p.name("a directive")
	if p.accept(':') {
		statement, ok := p.labelled(label)
		if _, plain := statement.(*Label); plain {
			p.errorAt(label.Pos, "a label must be inside a function body or a .section")
		}
		return statement, ok
	}
	p.errorAt(label.Pos, "`"+label.Text+"` is outside every function; instructions belong between the braces of an .entry or .func")
	return nil, false
}

// directive parses a dotted statement that is allowed at module scope and inside functions.
func (p *parser) directive(where string) (Statement, bool) {
	pos := p.token.position()
	word := p.dotWord()
	switch word {
	case "pragma":
		return p.pragma(pos)
	case "file":
		return p.sourceFile(pos)
	case "loc":
		return p.location(pos)
	case "section":
		return p.section(pos)
	case "branchtargets", "calltargets", "callprototype":
		return nil, p.fail("`.%s` needs a label before it: name: .%s …;", word, word)
	case "entry", "func":
		return p.function(pos, LinkageNone)
	}
	if _, ok := spaces[word]; ok {
		return p.variableStatement(pos, LinkageNone)
	}
	if linkage, ok := linkages[word]; ok {
		p.advance()
		switch next := p.dotWord(); {
		case next == "entry" || next == "func":
			return p.function(pos, linkage)
		case next == "":
			return nil, p.unexpected("a state space, .entry or .func after ." + word)
		default:
			if _, ok := spaces[next]; !ok {
				return nil, p.unknownDirective("after ." + word)
			}
			return p.variableStatement(pos, linkage)
		}
	}
	if _, ok := types[word]; ok || word == "align" || vectorLength(word) > 0 {
		return nil, p.fail("a declaration begins with its state space: .reg, .param, .const, .global, .local, .shared or .tex before `.%s`",
			word)
	}
	return nil, p.unknownDirective(where)
}

var linkages = map[string]Linkage{
	"extern": LinkageExtern, "visible": LinkageVisible, "weak": LinkageWeak, "common": LinkageCommon,
}

func (p *parser) version(pos Position) (Statement, bool) {
	p.advance()
	if p.token.kind != tokenNumber {
		return nil, p.unexpected("a version such as 4.2")
	}
	major, minor, dotted := strings.Cut(p.text(), ".")
	v := &Version{Node: Node{pos}}
	var majorErr, minorErr error
	v.Major, majorErr = strconv.Atoi(major)
	if dotted {
		v.Minor, minorErr = strconv.Atoi(minor)
	}
	if majorErr != nil || minorErr != nil {
		return nil, p.fail("a version is two numbers and a dot, such as 4.2, not %s", p.describe())
	}
	p.advance()
	p.isaVersion = 10*v.Major + v.Minor
	return v, true
}

func (p *parser) target(pos Position) (Statement, bool) {
	p.advance()
	options, ok := p.names("an architecture such as sm_35")
	return &Target{Node: Node{pos}, Options: options}, ok
}

func (p *parser) alias(pos Position) (Statement, bool) {
	p.advance()
	a := &Alias{Node: Node{pos}}
	var ok bool
	if a.Name, ok = p.name("the name of the alias"); !ok {
		return nil, false
	}
	if !p.expect(',', "between the alias and its target") {
		return nil, false
	}
	if a.Target, ok = p.name("the function that the alias stands for"); !ok {
		return nil, false
	}
	return a, p.expect(';', "at the end of .alias")
}

func (p *parser) pragma(pos Position) (Statement, bool) {
	p.advance()
	strings, ok := p.pragmaStrings()
	if !ok {
		return nil, false
	}
	return &Pragma{Node: Node{pos}, Strings: strings}, p.expect(';', "at the end of .pragma")
}

func (p *parser) pragmaStrings() ([]string, bool) {
	var out []string
	for {
		text, ok := p.quoted("a string such as \"nounroll\"", false)
		if !ok {
			return nil, false
		}
		out = append(out, text)
		if !p.accept(',') {
			return out, true
		}
	}
}
