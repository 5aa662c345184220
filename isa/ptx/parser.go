package ptx

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// maximumNesting is the deepest nesting of blocks and of expressions, so that no text exhausts the stack.
const maximumNesting = 200

// parser holds the state of one Parse.
type parser struct {
	file        *File
	lexer       lexer
	token       token // not yet consumed
	previousEnd Position
	errors      ErrorList
	nesting     int
	inSection   bool // expressions may name sections (.debug_info)
	isaVersion  int  // 10·major + minor of .version, 0 before it is read
	mnemonics   map[string]*Mnemonic
	scratch     []Operand // operands of unfinished lists, innermost last
	slab        slabs
}

// slabs allocate tree nodes in batches.
type slabs struct {
	instructions []Instruction
	operands     []Operand
	expressions  []Expression
	labels       []Label
	locations    []Location
}

const slabLength = 512

// take returns the next zero element of a slab.
func take[T any](slab *[]T) *T {
	if len(*slab) == 0 {
		*slab = make([]T, slabLength)
	}
	element := &(*slab)[0]
	*slab = (*slab)[1:]
	return element
}

// Parse parses PTX text; name is the file's name in diagnostics. The tree is never nil; err is nil or an ErrorList. Zero bytes at the end,
// as in a text passed to the driver, are ignored.
func Parse(name, source string) (*File, error) {
	source = strings.TrimRight(source, "\x00")
	p := &parser{file: &File{Name: name, Source: source}, mnemonics: make(map[string]*Mnemonic, 64)}
	if len(source) >= math.MaxInt32 {
		p.file.Source = ""
		return p.file, ErrorList{{File: name, Message: "the text is larger than 2 GiB; split the module"}}
	}
	if what := binary(source); what != "" {
		p.file.Source = ""
		return p.file, ErrorList{{File: name, Pos: Position{Line: 1, Column: 1}, Message: what}}
	}
	p.lexer = newLexer(source, p.errorAt)
	p.lexer.next(&p.token)
	p.module()
	sort.SliceStable(p.errors, func(i, j int) bool { return p.errors[i].Pos.Offset < p.errors[j].Pos.Offset })
	return p.file, p.errors.Err()
}

// notPTX ends a message about a binary file.
const notPTX = ", not PTX text; `cuobjdump -ptx` takes PTX out of a binary that has it, `nvcc -ptx` and `clang -S` write it"

// binary says what kind of binary a file is and what to do about it, "" for text.
func binary(source string) string {
	switch {
	case strings.HasPrefix(source, "\x7fELF"):
		return "this is a binary (ELF: a cubin, an object file or a program)" + notPTX
	case strings.HasPrefix(source, "\x50\xed\x55\xba"):
		return "this is a fat binary" + notPTX
	case strings.HasPrefix(source, "BC\xc0\xde"):
		return "this is LLVM bitcode" + notPTX
	case strings.HasPrefix(source, "\xff\xfe"), strings.HasPrefix(source, "\xfe\xff"):
		return "this is text in UTF-16; save it as UTF-8"
	case strings.Contains(source[:min(len(source), 4096)], "\x00"):
		return "this is a binary" + notPTX
	}
	return ""
}

// errorAt records a diagnostic. After the last one allowed it skips the rest of the text.
func (p *parser) errorAt(pos Position, message string) {
	if len(p.errors) >= MaximumErrors {
		return
	}
	p.errors = append(p.errors, p.file.Diagnostic(pos, "%s", message))
	if len(p.errors) == MaximumErrors {
		p.lexer.offset = int32(len(p.file.Source))
	}
}

// fail records a diagnostic at the current token and returns false.
func (p *parser) fail(format string, arguments ...any) bool {
	p.errorAt(p.token.position(), fmt.Sprintf(format, arguments...))
	return false
}

// unexpected reports what is wanted and what is there instead. If a line ended too early it points to the end of that line, not to the
// start of the next one.
func (p *parser) unexpected(want string) bool {
	found := p.describe()
	if (p.token.newLine || p.token.kind == tokenEnd) && p.previousEnd.IsValid() {
		p.errorAt(p.previousEnd, fmt.Sprintf("expected %s before %s on line %d", want, found, p.token.line))
		return false
	}
	return p.fail("expected %s, found %s", want, found)
}

// describe names the current token for a message.
func (p *parser) describe() string {
	switch p.token.kind {
	case tokenEnd:
		return "the end of the file"
	case tokenDwarf:
		return "an @@DWARF line"
	}
	text := p.text()
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	return "`" + text + "`"
}

// advance reads the next token.
func (p *parser) advance() {
	p.previousEnd = Position{Offset: p.token.end, Line: p.token.line, Column: p.token.column + p.token.end - p.token.start}
	if len(p.errors) >= MaximumErrors {
		p.lexer.offset = int32(len(p.file.Source))
	}
	p.lexer.next(&p.token)
}

// text returns the source text of the current token.
func (p *parser) text() string { return p.file.Source[p.token.start:p.token.end] }

// dotWord returns the current dotted word without its dot, "" for any other token.
func (p *parser) dotWord() string {
	if p.token.kind != tokenDotWord {
		return ""
	}
	return p.file.Source[p.token.start+1 : p.token.end]
}

// accept consumes a punctuation token if it is the current one.
func (p *parser) accept(m mark) bool {
	if !p.token.is(m) {
		return false
	}
	p.advance()
	return true
}

// expect consumes a punctuation token or reports that it is missing.
func (p *parser) expect(m mark, where string) bool {
	if p.accept(m) {
		return true
	}
	return p.unexpected("`" + string(rune(m)) + "` " + where)
}

// name parses an identifier. Where only a name can be, `%1` is one, although the lexer read its % as the remainder operator.
func (p *parser) name(what string) (Name, bool) {
	if p.token.is('%') {
		p.lexer.nameAt(&p.token)
	}
	if p.token.kind != tokenWord {
		return Name{}, p.unexpected(what)
	}
	n := Name{Pos: p.token.position(), Text: p.text()}
	p.advance()
	return n, true
}

// names parses identifiers separated by commas.
func (p *parser) names(what string) ([]Name, bool) {
	var out []Name
	for {
		n, ok := p.name(what)
		if !ok {
			return out, false
		}
		out = append(out, n)
		if !p.accept(',') {
			return out, true
		}
	}
}

// integer parses a plain non-negative integer that fits an int32.
func (p *parser) integer(what string) (int, bool) {
	if p.token.kind != tokenNumber {
		return 0, p.unexpected(what)
	}
	var e Expression
	if err := e.number(p.text()); err != nil {
		return 0, p.fail("%v", err)
	}
	if e.Kind != ExpressionInteger || e.Bits > math.MaxInt32 {
		return 0, p.fail("expected %s, found %s, which is not an integer below 2^31", what, p.describe())
	}
	p.advance()
	return int(e.Bits), true
}

// quoted parses a string literal.
func (p *parser) quoted(what string, paths bool) (string, bool) {
	if p.token.kind != tokenString {
		return "", p.unexpected(what)
	}
	text := unquote(p.text(), paths)
	p.advance()
	return text, true
}

// enter enters a level of nesting; if it returns true, the caller decrements nesting afterwards.
func (p *parser) enter() bool {
	if p.nesting >= maximumNesting {
		return p.fail("nested more than %d deep; split this", maximumNesting)
	}
	p.nesting++
	return true
}

// topLevel has the directives that exist only at module scope, or begin a statement that does. Inside a function they mean that its closing
// brace is missing.
var topLevel = map[string]bool{
	"version": true, "target": true, "address_size": true, "entry": true, "func": true,
	"visible": true, "extern": true, "weak": true, "common": true, "alias": true,
}

// synchronizeModule skips to where parsing at module scope can continue after an error. That is past the `;` or the closing brace of the
// statement, or before a line that begins with a directive of module scope.
func (p *parser) synchronizeModule() {
	depth := 0
	for p.token.kind != tokenEnd {
		if p.token.newLine && topLevel[p.dotWord()] {
			return
		}
		switch {
		case p.token.is('{'):
			depth++
		case p.token.is('}'):
			depth--
			if depth <= 0 {
				p.advance()
				return
			}
		case p.token.is(';') && depth == 0:
			p.advance()
			return
		}
		p.advance()
	}
}

// synchronizeBlock skips to where parsing inside braces can continue after an error: past a `;`, before a brace, or before a line that
// looks like the start of a statement.
func (p *parser) synchronizeBlock(failedAt int32) {
	for p.token.kind != tokenEnd {
		if p.token.is('{') || p.token.is('}') {
			return
		}
		if p.token.newLine && p.token.start != failedAt {
			if p.token.kind == tokenWord || p.token.kind == tokenDotWord || p.token.is('@') {
				return
			}
		}
		if p.accept(';') {
			return
		}
		p.advance()
	}
}

// unknownDirective reports a dotted word that begins no statement, and suggests the nearest one that does.
func (p *parser) unknownDirective(where string) bool {
	word := p.dotWord()
	message := fmt.Sprintf("unknown directive `.%s` %s", word, where)
	if near := Nearest(word, directiveNames); near != "" {
		message += "; did you mean `." + near + "`?"
	}
	return p.fail("%s", message)
}

// directiveNames are the directives that can begin a statement.
var directiveNames = strings.Fields(`version target address_size file loc section pragma alias entry func visible
	extern weak common reg sreg const global local param shared tex branchtargets calltargets callprototype`)
