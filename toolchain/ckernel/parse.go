package ckernel

import (
	"slices"
	"strings"
)

// parser turns tokens into trees and resolves names and types.
type parser struct {
	tokens    []token
	next      int
	scope     *scope // the current scope
	global    *scope
	functions []*function // the user's functions, in order
	variables []*variable // variables with a memory space of their own, in order
	within    *function   // the function whose body is being read
	depth     int
	loops     int // the number of enclosing loops
	switches  int
	labels    map[string]int
	skipped   map[string]bool // functions in our headers that are C++
}

func newParser() *parser {
	p := &parser{global: newScope(nil), labels: map[string]int{}, skipped: map[string]bool{}}
	p.scope = p.global
	p.declareWords()
	return p
}

func (p *parser) peek() token { return p.ahead(0) }

func (p *parser) ahead(n int) token {
	if p.next+n < len(p.tokens) {
		return p.tokens[p.next+n]
	}
	var at position
	if len(p.tokens) > 0 {
		at = p.tokens[len(p.tokens)-1].at
		at.column += len(p.tokens[len(p.tokens)-1].text)
	}
	return token{kind: endOfFile, at: at}
}

func (p *parser) take() token {
	t := p.peek()
	p.next++
	return t
}

// accept takes a token if it comes next.
func (p *parser) accept(what string) bool {
	if p.peek().is(what) {
		p.next++
		return true
	}
	return false
}

// expect takes a token that must come next. For a missing one, the error's position is right after the token before.
func (p *parser) expect(what, context string) error {
	if p.accept(what) {
		return nil
	}
	t := p.peek()
	at := t.at
	if p.next > 0 && (what == ";" || what == ")" || what == "]") {
		before := p.tokens[p.next-1]
		if before.at.file == t.at.file && before.at.line <= t.at.line {
			at = before.at
			at.column += len(before.text)
		}
	}
	if err := foreignWord(t); err != nil {
		return err
	}
	return errorAt(at, "expected '%s' %s, and found %s", what, context, t)
}

// deeper guards against unbounded nesting. The caller calls the function it returns at the end.
func (p *parser) deeper() (func(), error) {
	if p.depth++; p.depth > mostDepth {
		return func() {}, errorAt(p.peek().at, "the code is nested more than %d deep", mostDepth)
	}
	return func() { p.depth-- }, nil
}

// foreignWords are words of C++ that only clang compiles.
var foreignWords = map[string]string{
	"template": "a template", "class": "a class", "namespace": "a namespace", "using": "a using declaration", "operator": "an operator",
	"virtual": "a virtual function", "new": "new", "delete": "delete", "this": "this", "try": "try", "catch": "catch", "throw": "throw",
	"public": "public", "private": "private", "protected": "protected", "friend": "friend", "typename": "typename", "auto": "auto",
	"decltype": "decltype", "static_cast": "static_cast", "reinterpret_cast": "reinterpret_cast", "const_cast": "const_cast",
	"dynamic_cast": "dynamic_cast", "nullptr_t": "nullptr_t", "::": "a name with ::",
	"mutable": "mutable", "explicit": "explicit", "static_assert": "static_assert", "goto": "goto", "std": "namespace std",
	"texture": "a texture reference", "surface": "a surface reference", "thrust": "Thrust", "cub": "CUB", "printf": "printf",
	"malloc": "malloc", "free": "free", "assert": "assert", "dim3": "dim3",
}

// castWords are C++'s casts, which can be written in C.
var castWords = []string{"static_cast", "reinterpret_cast", "const_cast"}

// foreignWord is the error for a word of C++, nil for other words.
func foreignWord(t token) error {
	what, known := foreignWords[t.text]
	for _, prefix := range []string{"cuda", "tex1D", "tex2D", "tex3D", "surf1D", "surf2D", "surf3D", "curand", "cooperative_groups"} {
		if !known && strings.HasPrefix(t.text, prefix) {
			what, known = "'"+t.text+"'", true
		}
	}
	if !known || t.kind != identifier && t.kind != symbol {
		return nil
	}
	err := needsClang(t.at, what)
	switch {
	case slices.Contains(castWords, t.text):
		err.Hint = "write (type)value, or install clang: apt-get install clang-19"
	case t.text == "auto":
		err.Hint = "write the type, or install clang: apt-get install clang-19"
	}
	return err
}

// file reads a file's declarations.
func (p *parser) file(tokens []token) error {
	p.tokens, p.next = tokens, 0
	for p.peek().kind != endOfFile {
		from := p.next
		err := p.external()
		if at := p.tokens[from].at; err != nil && at.file != nil && at.file.ours {
			p.next = from
			p.skipTemplate() // classes and the like in our headers
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// external reads one declaration outside functions.
func (p *parser) external() error {
	t := p.peek()
	ours := t.at.file != nil && t.at.file.ours
	switch {
	case t.is(";"):
		p.next++
		return nil
	case t.kind == pragma:
		p.next++
		return nil
	case t.is("extern") && p.ahead(1).kind == text:
		return p.linkage()
	case t.is("template") && ours:
		p.skipTemplate()
		return nil
	case t.is("static_assert"), t.is("_Static_assert"):
		for p.peek().kind != endOfFile && !p.accept(";") {
			p.next++
		}
		return nil
	case t.is("#"):
		return errorAt(t.at, "a # stands here, and no directive")
	}
	if err := foreignWord(t); err != nil && !t.is("dim3") {
		return err
	}
	return p.declaration(true, nil)
}

// linkage reads extern "C" with one declaration or several.
func (p *parser) linkage() error {
	p.next += 2
	if !p.accept("{") {
		return p.external()
	}
	for !p.accept("}") {
		if p.peek().kind == endOfFile {
			return errorAt(p.peek().at, `extern "C" { has no }`)
		}
		if err := p.external(); err != nil {
			return err
		}
	}
	return nil
}

// skipTemplate skips the C++ parts of our headers. It records the names of their functions: they need clang.
func (p *parser) skipTemplate() {
	if p.peek().is("template") {
		p.next++
	}
	angles, depth := 0, 0
	for p.peek().kind != endOfFile {
		t := p.take()
		if depth == 0 && angles <= 0 && t.kind == identifier && p.peek().is("(") {
			p.skipped[t.text] = true
		}
		switch t.text {
		case "<":
			if depth == 0 {
				angles++
			}
		case ">":
			if depth == 0 {
				angles--
			}
		case "{":
			depth++
		case "}":
			if depth--; depth == 0 {
				p.accept(";")
				return
			}
		case ";":
			if depth == 0 && angles <= 0 {
				return
			}
		}
	}
}

// skipBody returns the tokens from the opening to the closing brace.
func (p *parser) skipBody() []token {
	from, depth := p.next, 0
	for p.peek().kind != endOfFile {
		switch p.take().text {
		case "{":
			depth++
		case "}":
			if depth--; depth == 0 {
				return p.tokens[from:p.next]
			}
		}
	}
	return p.tokens[from:p.next]
}
