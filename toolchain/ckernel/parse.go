package ckernel

import (
	"slices"
	"strings"
)

// parser makes trees of tokens, resolves names and types.
type parser struct {
	tokens    []token
	next      int
	scope     *scope // of what is read now
	global    *scope
	functions []*function // of the user's file, in order
	variables []*variable // with a place in a memory of their own, in order
	within    *function   // whose body is read
	depth     int
	loops     int // around what is read
	switches  int
	labels    map[string]int
	skipped   map[string]bool // functions of our headers that are C++
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

// accept takes a token if it is there.
func (p *parser) accept(what string) bool {
	if p.peek().is(what) {
		p.next++
		return true
	}
	return false
}

// expect takes a token that must be there. What is missing is missed behind the token before.
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

// deeper guards against code that nests without end; the function that it returns ends it.
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

// castWords are C++'s casts, which have a spelling in C.
var castWords = []string{"static_cast", "reinterpret_cast", "const_cast"}

// foreignWord is the error of a word of C++, nil for others.
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
			p.skipTemplate() // classes and relatives of our headers
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

// linkage is extern "C", of one declaration or several.
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

// skipTemplate skips what our headers have of C++. It remembers the names of functions, which are clang's then.
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

// skipBody returns the tokens between braces, those among them.
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
