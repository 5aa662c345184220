package ckernel

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// macro is a #define.
type macro struct {
	name       string
	function   bool
	parameters []string
	variadic   bool
	body       []token
}

// preprocessor makes one list of tokens from a file and its includes.
type preprocessor struct {
	headers fs.FS
	macros  map[string]*macro
	once    map[string]bool
	out     []token
	depth   int // of nested includes
	work    int // tokens made by expansion
}

// condition is an #if that has not ended.
type condition struct {
	at            position
	taken, active bool // taken: some branch was taken; active: this one is
	parent        bool // the surrounding code is active
	final         bool // #else was seen
}

// read adds a file's tokens to out.
func (p *preprocessor) read(f *file) error {
	p.depth++
	defer func() { p.depth-- }()
	tokens, err := lex(f)
	if err != nil {
		return err
	}
	var open []condition
	var pending []token
	flush := func() error {
		expanded, err := p.expand(pending)
		p.out = append(p.out, expanded...)
		pending = pending[:0]
		if err == nil && len(p.out) > mostTokens {
			err = errorAt(position{file: f, line: 1, column: 1}, "the file is too long: more than %d words", mostTokens)
		}
		return err
	}
	active := func() bool { return len(open) == 0 || open[len(open)-1].active }
	for n := 0; n < len(tokens); {
		if !tokens[n].is("#") || !tokens[n].firstWord {
			if active() {
				pending = append(pending, tokens[n])
			}
			n++
			continue
		}
		end := n + 1
		for end < len(tokens) && !tokens[end].firstWord {
			end++
		}
		if err := flush(); err != nil {
			return err
		}
		if err := p.directive(f, tokens[n].at, tokens[n+1:end], &open, active()); err != nil {
			return err
		}
		n = end
	}
	if len(open) > 0 {
		return errorAt(open[len(open)-1].at, "this #if has no #endif")
	}
	return flush()
}

// directive executes a line that begins with #.
func (p *preprocessor) directive(f *file, at position, line []token, open *[]condition, active bool) error {
	if len(line) == 0 {
		return nil
	}
	name, rest := line[0].text, line[1:]
	if isCondition(name) {
		return p.conditional(name, line[0].at, rest, open, active)
	}
	if !active {
		return nil
	}
	switch name {
	case "define":
		return p.define(line[0].at, rest)
	case "undef":
		if len(rest) > 0 {
			delete(p.macros, rest[0].text)
		}
		return nil
	case "include":
		return p.include(f, line[0].at, rest)
	case "error":
		return errorAt(line[0].at, "#error %s", spelled(rest))
	case "pragma":
		return p.pragma(f, line[0], rest)
	case "warning", "line", "ident":
		return nil
	}
	return errorAt(at, "there is no directive #%s", name)
}

func isCondition(name string) bool {
	switch name {
	case "if", "ifdef", "ifndef", "elif", "else", "endif":
		return true
	}
	return false
}

// conditional is #if and the like.
func (p *preprocessor) conditional(name string, at position, rest []token, open *[]condition, active bool) error {
	decide := func() (bool, error) {
		switch name {
		case "ifdef", "ifndef":
			if len(rest) == 0 {
				return false, errorAt(at, "#%s names no macro", name)
			}
			return p.isDefined(rest[0].text) == (name == "ifdef"), nil
		}
		return p.evaluate(at, rest)
	}
	switch name {
	case "if", "ifdef", "ifndef":
		c := condition{at: at, parent: active}
		if active {
			yes, err := decide()
			if err != nil {
				return err
			}
			c.taken, c.active = yes, yes
		}
		*open = append(*open, c)
		if len(*open) > mostDepth {
			return errorAt(at, "more than %d #if in each other", mostDepth)
		}
		return nil
	}
	if len(*open) == 0 {
		return errorAt(at, "#%s without #if", name)
	}
	c := &(*open)[len(*open)-1]
	switch {
	case name == "endif":
		*open = (*open)[:len(*open)-1]
		return nil
	case c.final:
		return errorAt(at, "#%s after #else", name)
	case name == "else":
		c.active, c.taken, c.final = c.parent && !c.taken, true, true
		return nil
	}
	c.active = false
	if c.parent && !c.taken {
		yes, err := decide()
		if err != nil {
			return err
		}
		c.active, c.taken = yes, yes
	}
	return nil
}

func (p *preprocessor) isDefined(name string) bool {
	return p.macros[name] != nil || strings.HasPrefix(name, "__has_")
}

// define is #define.
func (p *preprocessor) define(at position, rest []token) error {
	if len(rest) == 0 || rest[0].kind != identifier {
		return errorAt(at, "#define names no macro")
	}
	m := &macro{name: rest[0].text}
	body := rest[1:]
	if len(body) > 0 && body[0].is("(") && !body[0].spaced {
		m.function = true
		n := 1
		for ; n < len(body) && !body[n].is(")"); n++ {
			switch {
			case body[n].is("..."):
				m.variadic = true
				m.parameters = append(m.parameters, "__VA_ARGS__")
			case body[n].kind == identifier:
				m.parameters = append(m.parameters, body[n].text)
			case !body[n].is(","):
				return errorAt(body[n].at, "expected the name of a parameter of macro %s, and found %s", m.name, body[n])
			}
		}
		if n == len(body) {
			return errorAt(at, "the list of parameters of macro %s has no end", m.name)
		}
		body = body[n+1:]
	}
	m.body = body
	p.macros[m.name] = m
	return nil
}

// include reads one of our headers. CUDA's and C's own header names are accepted without effect: their contents are already there.
func (p *preprocessor) include(f *file, at position, rest []token) error {
	name := strings.Trim(spelled(rest), `<>" `)
	if !f.ours {
		for _, folder := range []string{"cuda", "system"} {
			if data, err := fs.ReadFile(p.headers, path.Join(folder, path.Clean(name))); err == nil {
				if strings.Contains(string(data), "keplersim/") {
					return needsClang(at, "the header "+name)
				}
				return nil
			}
		}
		return errorAt(at, "there is no header %s: the built-in compiler has CUDA's and C's alone", name).
			hinted("put what you need into this file")
	}
	if p.once[name] {
		return nil
	}
	p.once[name] = true
	data, err := fs.ReadFile(p.headers, name)
	if err != nil || p.depth > 10 {
		return errorAt(at, "there is no header %s", name)
	}
	return p.read(newFile(name, data, true))
}

// pragma keeps unroll and nounroll for the parser.
func (p *preprocessor) pragma(f *file, first token, rest []token) error {
	if f.ours || len(rest) == 0 || rest[0].text != "unroll" && rest[0].text != "nounroll" {
		return nil
	}
	argument, err := p.expand(rest[1:])
	if err != nil {
		return err
	}
	t := token{kind: pragma, text: rest[0].text, at: first.at}
	p.out = append(append(append(p.out, t), argument...), token{kind: pragma, text: "end", at: first.at})
	return nil
}

// evaluate evaluates the condition of an #if.
func (p *preprocessor) evaluate(at position, rest []token) (bool, error) {
	var line []token
	for n := 0; n < len(rest); n++ {
		if !rest[n].is("defined") {
			line = append(line, rest[n])
			continue
		}
		n++
		if n < len(rest) && rest[n].is("(") {
			n++
		}
		if n >= len(rest) {
			return false, errorAt(at, "defined names no macro")
		}
		value := "0"
		if p.isDefined(rest[n].text) {
			value = "1"
		}
		line = append(line, token{kind: number, text: value, at: rest[n].at})
		if n+1 < len(rest) && rest[n+1].is(")") && n > 0 && rest[n-1].is("(") {
			n++
		}
	}
	expanded, err := p.expand(line)
	if err != nil {
		return false, err
	}
	for n := range expanded {
		if t := &expanded[n]; t.kind == identifier {
			value := "0"
			if t.text == "true" {
				value = "1"
			}
			t.kind, t.text = number, value
		}
	}
	value, err := constantOf(expanded, at)
	return value != 0, err
}

// expand replaces macros. Tokens still to read are on a stack, the next one on top.
func (p *preprocessor) expand(tokens []token) (out []token, err error) {
	stack := reversed(nil, tokens)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		m := p.macros[t.text]
		if t.kind != identifier || m == nil || t.hideSet.has(t.text) {
			if t.text == "__LINE__" {
				t.kind, t.text = number, strconv.Itoa(t.at.line)
			}
			out = append(out, t)
			continue
		}
		var arguments [][]token
		if m.function {
			if len(stack) == 0 || !stack[len(stack)-1].is("(") {
				out = append(out, t)
				continue
			}
			if arguments, stack, err = p.arguments(m, t, stack); err != nil {
				return nil, err
			}
		}
		body, err := p.substitute(m, t, arguments)
		if err != nil {
			return nil, err
		}
		if p.work += len(body) + 1; p.work > 4*mostTokens {
			return nil, errorAt(t.at, "macro %s expands to too much", t.text)
		}
		stack = reversed(stack, body)
	}
	return out, nil
}

// reversed adds tokens to a stack, the first on top.
func reversed(stack, tokens []token) []token {
	for n := len(tokens) - 1; n >= 0; n-- {
		stack = append(stack, tokens[n])
	}
	return stack
}

// arguments reads a macro's arguments from the opening parenthesis on, and returns the rest of the stack.
func (p *preprocessor) arguments(m *macro, name token, stack []token) (list [][]token, left []token, err error) {
	depth := 0
	list = [][]token{nil}
	for n := len(stack) - 1; n >= 0; n-- {
		t := stack[n]
		switch {
		case t.is("("), t.is("["), t.is("{"):
			if depth++; depth == 1 {
				continue
			}
		case t.is(")"), t.is("]"), t.is("}"):
			if depth--; depth == 0 {
				if len(list) == 1 && len(list[0]) == 0 && len(m.parameters) == 0 {
					list = nil
				}
				if m.variadic && len(list) == len(m.parameters)-1 {
					list = append(list, nil)
				}
				if len(list) != len(m.parameters) {
					return nil, nil, errorAt(name.at, "macro %s takes %d arguments, not %d", m.name, len(m.parameters), len(list))
				}
				return list, stack[:n], nil
			}
		case t.is(",") && depth == 1 && !(m.variadic && len(list) == len(m.parameters)):
			list = append(list, nil)
			continue
		}
		list[len(list)-1] = append(list[len(list)-1], t)
	}
	return nil, nil, errorAt(name.at, "the arguments of macro %s have no end", m.name)
}

// substitute is a macro's body with its arguments. The body's tokens get the position where the macro is used.
func (p *preprocessor) substitute(m *macro, name token, arguments [][]token) (out []token, err error) {
	parameter := func(t token) int {
		for n, known := range m.parameters {
			if t.kind == identifier && t.text == known {
				return n
			}
		}
		return -1
	}
	hide := &hideSet{name: m.name, next: name.hideSet}
	place := func(t token) token {
		t.at, t.hideSet = name.at, hide
		return t
	}
	for n := 0; n < len(m.body); n++ {
		t := m.body[n]
		pasted := n+1 < len(m.body) && m.body[n+1].is("##") || n > 0 && m.body[n-1].is("##")
		which := parameter(t)
		switch {
		case t.is("##") && n+1 < len(m.body):
			continue
		case t.is("#") && m.function && n+1 < len(m.body) && parameter(m.body[n+1]) >= 0:
			n++
			out = append(out, place(token{kind: text, text: strconv.Quote(spelled(arguments[parameter(m.body[n])]))}))
			continue
		}
		piece := []token{place(t)}
		if which >= 0 {
			if piece = arguments[which]; !pasted {
				if piece, err = p.expand(piece); err != nil {
					return nil, err
				}
			}
			hiding := make([]token, len(piece))
			for k, part := range piece {
				hiding[k] = part
				if part.hideSet == nil || !part.hideSet.has(m.name) {
					hiding[k].hideSet = &hideSet{name: m.name, next: part.hideSet}
				}
			}
			piece = hiding
		}
		if n > 0 && m.body[n-1].is("##") && len(out) > 0 && len(piece) > 0 {
			last := &out[len(out)-1]
			joined := pasteOf(last.text + piece[0].text)
			last.kind, last.text = joined, last.text+piece[0].text
			piece = piece[1:]
		}
		out = append(out, piece...)
		if p.work += len(piece); p.work > 4*mostTokens {
			return nil, errorAt(name.at, "macro %s expands to too much", m.name)
		}
	}
	return out, nil
}

// pasteOf is the kind of a token made by ##.
func pasteOf(text string) tokenKind {
	switch {
	case text != "" && isLetter(text[0]):
		return identifier
	case text != "" && isDigit(text[0]):
		return number
	}
	return symbol
}

// spelled turns a line of tokens back into text.
func spelled(tokens []token) string {
	var b strings.Builder
	for n, t := range tokens {
		if n > 0 && t.spaced {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// newFile makes a file from its text.
func newFile(name string, data []byte, ours bool) *file {
	return &file{name: name, lines: strings.Split(string(data), "\n"), ours: ours}
}
