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

// block reads statements between braces.
func (p *parser) block() (*statement, error) {
	s := &statement{action: blockStatement, at: p.peek().at}
	if err := p.expect("{", "before statements"); err != nil {
		return nil, err
	}
	p.scope = newScope(p.scope)
	defer func() { p.scope = p.scope.outer }()
	for !p.peek().is("}") {
		if p.peek().kind == endOfFile {
			return nil, errorAt(p.peek().at, "expected '}' to end the block that begins in line %d", s.at.line)
		}
		one, err := p.statement()
		if err != nil {
			return nil, err
		}
		s.body = append(s.body, one)
	}
	s.end = p.take().at
	return s, nil
}

// statement reads a statement or a declaration.
func (p *parser) statement() (*statement, error) {
	done, err := p.deeper()
	defer done()
	if err != nil {
		return nil, err
	}
	t := p.peek()
	if t.kind == pragma {
		return p.unrolled()
	}
	if t.kind == identifier {
		if read := statementWords[t.text]; read != nil {
			p.next++
			return read(p, t.at)
		}
	}
	switch {
	case t.is("{"):
		return p.block()
	case t.is(";"):
		p.next++
		return &statement{action: emptyStatement, at: t.at}, nil
	case t.kind == identifier && p.ahead(1).is(":") && !p.ahead(1).is("::") && p.scope.find(t.text) == nil:
		return nil, needsClang(t.at, "a label")
	case p.startsDeclaration():
		s := &statement{action: declarationStatement, at: t.at}
		return s, p.declaration(false, s)
	}
	e, err := p.whole()
	if err != nil {
		return nil, err
	}
	return &statement{action: expressionStatement, at: t.at, value: e}, p.expect(";", "after the expression")
}

// statementWords read the statements that begin with a word.
var statementWords map[string]func(*parser, position) (*statement, error)

func init() {
	statementWords = map[string]func(*parser, position) (*statement, error){
		"if": (*parser).ifStatement, "for": (*parser).forStatement, "while": (*parser).whileStatement, "do": (*parser).doStatement,
		"switch": (*parser).switchStatement, "case": (*parser).caseStatement, "default": (*parser).defaultStatement,
		"break": (*parser).breakStatement, "continue": (*parser).continueStatement, "return": (*parser).returnStatement,
		"asm": (*parser).assemblyStatement, "__asm__": (*parser).assemblyStatement, "__asm": (*parser).assemblyStatement,
	}
}

// unrolled reads #pragma unroll and the loop behind it.
func (p *parser) unrolled() (*statement, error) {
	t := p.take()
	u := unrolling{asked: true}
	if t.text == "nounroll" {
		u.count = 1
	}
	from := p.next
	for p.peek().kind != endOfFile && !(p.peek().kind == pragma && p.peek().text == "end") {
		p.next++
	}
	if argument := p.tokens[from:p.next]; len(argument) > 0 {
		n, err := p.constantWithin(argument, t.at)
		if err != nil {
			return nil, err
		}
		if int64(n) < 1 {
			return nil, errorAt(t.at, "#pragma unroll takes a number from 1 on, not %d", int64(n))
		}
		u.count = int64(n)
	}
	p.next++
	s, err := p.statement()
	if err != nil {
		return nil, err
	}
	if s.action != loopStatement {
		return nil, errorAt(t.at, "#pragma %s stands before no loop", t.text)
	}
	s.unroll = u
	return s, nil
}

// parenthesised reads a condition.
func (p *parser) parenthesised(word string) (*expression, error) {
	if err := p.expect("(", "after '"+word+"'"); err != nil {
		return nil, err
	}
	e, err := p.whole()
	if err != nil {
		return nil, err
	}
	return e, p.expect(")", "after the condition")
}

func (p *parser) ifStatement(at position) (*statement, error) {
	p.accept("constexpr")
	s := &statement{action: ifStatement, at: at}
	condition, err := p.parenthesised("if")
	if err != nil {
		return nil, err
	}
	if s.value, err = condition.truth(); err != nil {
		return nil, err
	}
	then, err := p.nested()
	if err != nil {
		return nil, err
	}
	s.body = []*statement{then}
	if p.accept("else") {
		s.otherwise, err = p.nested()
	}
	return s, err
}

// nested reads a statement in a scope of its own.
func (p *parser) nested() (*statement, error) {
	p.scope = newScope(p.scope)
	defer func() { p.scope = p.scope.outer }()
	return p.statement()
}

// loopBody reads what a loop repeats.
func (p *parser) loopBody(s *statement) error {
	p.loops++
	defer func() { p.loops-- }()
	body, err := p.nested()
	s.body = []*statement{body}
	return err
}

func (p *parser) forStatement(at position) (*statement, error) {
	s := &statement{action: loopStatement, at: at}
	p.scope = newScope(p.scope)
	defer func() { p.scope = p.scope.outer }()
	if err := p.expect("(", "after 'for'"); err != nil {
		return nil, err
	}
	init, err := p.statement()
	if err != nil {
		return nil, err
	}
	if init.action != emptyStatement {
		s.init = init
	}
	if !p.peek().is(";") {
		condition, err := p.whole()
		if err != nil {
			return nil, err
		}
		if s.value, err = condition.truth(); err != nil {
			return nil, err
		}
	}
	if err := p.expect(";", "after the loop's condition"); err != nil {
		return nil, err
	}
	if !p.peek().is(")") {
		if s.step, err = p.whole(); err != nil {
			return nil, err
		}
	}
	if err := p.expect(")", "after the loop's head"); err != nil {
		return nil, err
	}
	return s, p.loopBody(s)
}

func (p *parser) whileStatement(at position) (*statement, error) {
	s := &statement{action: loopStatement, at: at}
	condition, err := p.parenthesised("while")
	if err != nil {
		return nil, err
	}
	if s.value, err = condition.truth(); err != nil {
		return nil, err
	}
	return s, p.loopBody(s)
}

func (p *parser) doStatement(at position) (*statement, error) {
	s := &statement{action: loopStatement, at: at, testLast: true}
	if err := p.loopBody(s); err != nil {
		return nil, err
	}
	if err := p.expect("while", "after the body of 'do'"); err != nil {
		return nil, err
	}
	condition, err := p.parenthesised("while")
	if err != nil {
		return nil, err
	}
	if s.value, err = condition.truth(); err != nil {
		return nil, err
	}
	return s, p.expect(";", "after 'while (...)'")
}

func (p *parser) switchStatement(at position) (*statement, error) {
	s := &statement{action: switchStatement, at: at}
	value, err := p.parenthesised("switch")
	if err != nil {
		return nil, err
	}
	if !value.typ.isInteger() {
		return nil, errorAt(value.at, "switch takes an integer, not %s", value.typ)
	}
	if s.value, err = value.converted(value.typ.promoted(), "a switch"); err != nil {
		return nil, err
	}
	p.switches++
	defer func() { p.switches-- }()
	if !p.peek().is("{") {
		return nil, errorAt(p.peek().at, "expected '{' after switch (...), and found %s", p.peek())
	}
	body, err := p.block()
	if err != nil {
		return nil, err
	}
	s.body = body.body
	for _, c := range s.body {
		if c.action == caseStatement && c.value != nil {
			if c.value, err = c.value.converted(s.value.typ, "a case"); err != nil {
				return nil, err
			}
		}
	}
	if len(s.body) > 0 && s.body[0].action != caseStatement {
		return nil, errorAt(s.body[0].at, "a statement before the first case never runs")
	}
	return s, nil
}

func (p *parser) caseStatement(at position) (*statement, error) {
	if p.switches == 0 {
		return nil, errorAt(at, "'case' outside a switch")
	}
	e, err := p.conditional()
	if err != nil {
		return nil, err
	}
	bits, typ, ok := constantValue(e)
	if !ok || !typ.isInteger() {
		return nil, errorAt(e.at, "a case takes a constant integer")
	}
	return &statement{action: caseStatement, at: at, value: constant(e.at, typ, bits)}, p.expect(":", "after the case")
}

func (p *parser) defaultStatement(at position) (*statement, error) {
	if p.switches == 0 {
		return nil, errorAt(at, "'default' outside a switch")
	}
	return &statement{action: caseStatement, at: at}, p.expect(":", "after 'default'")
}

func (p *parser) breakStatement(at position) (*statement, error) {
	if p.loops+p.switches == 0 {
		return nil, errorAt(at, "'break' outside a loop or a switch")
	}
	return &statement{action: breakStatement, at: at}, p.expect(";", "after 'break'")
}

func (p *parser) continueStatement(at position) (*statement, error) {
	if p.loops == 0 {
		return nil, errorAt(at, "'continue' outside a loop")
	}
	return &statement{action: continueStatement, at: at}, p.expect(";", "after 'continue'")
}

func (p *parser) returnStatement(at position) (*statement, error) {
	s := &statement{action: returnStatement, at: at}
	result := p.within.result
	if p.accept(";") {
		if result.kind != voidKind {
			return nil, errorAt(at, "function '%s' returns %s, and this 'return' has no value", p.within.name, result)
		}
		return s, nil
	}
	e, err := p.initializer()
	if err != nil {
		return nil, err
	}
	if result.kind == voidKind && e.typ.kind != voidKind {
		return nil, errorAt(e.at, "function '%s' is void, and this 'return' has a value", p.within.name)
	}
	if result.kind != voidKind {
		e, err = e.converted(result, "the value of '"+p.within.name+"'")
		if err != nil {
			return nil, err
		}
	}
	s.value = e
	return s, p.expect(";", "after 'return'")
}

// assemblyStatement reads asm("..." : outputs : inputs : clobbers);
func (p *parser) assemblyStatement(at position) (*statement, error) {
	a := &assembly{}
	for p.peek().is("volatile") || p.peek().is("__volatile__") {
		a.volatile = true
		p.next++
	}
	if err := p.expect("(", "after 'asm'"); err != nil {
		return nil, err
	}
	template, err := p.strings()
	if err != nil {
		return nil, err
	}
	a.template = template
	for part := 0; !p.peek().is(")"); {
		switch {
		case p.accept("::"):
			part += 2
		case p.accept(":"):
			part++
		case part >= 3:
			p.next++ // clobbers
		default:
			o, err := p.operand()
			if err != nil {
				return nil, err
			}
			if part == 1 {
				a.outputs = append(a.outputs, o)
			} else {
				a.inputs = append(a.inputs, o)
			}
			p.accept(",")
		}
		if p.peek().kind == endOfFile {
			break
		}
	}
	if err := p.expect(")", "after asm's operands"); err != nil {
		return nil, err
	}
	return &statement{action: assemblyStatement, at: at, assembly: a}, p.expect(";", "after 'asm (...)'")
}

// operand reads [name] "constraint"(expression).
func (p *parser) operand() (o operandOf, err error) {
	if p.accept("[") {
		o.name = p.take().text
		if err := p.expect("]", "after the operand's name"); err != nil {
			return o, err
		}
	}
	if o.constraint, err = p.strings(); err != nil {
		return o, err
	}
	if err := p.expect("(", "after the constraint"); err != nil {
		return o, err
	}
	if o.value, err = p.whole(); err != nil {
		return o, err
	}
	if !o.value.typ.isScalar() {
		return o, errorAt(o.value.at, "an operand of asm is a number or a pointer, not %s", o.value.typ)
	}
	if strings.HasPrefix(o.constraint, "=") || strings.HasPrefix(o.constraint, "+") {
		if err := o.value.assignable(); err != nil {
			return o, err
		}
	}
	return o, p.expect(")", "after the operand")
}

// strings reads strings that stand beside each other as one.
func (p *parser) strings() (string, error) {
	if p.peek().kind != text {
		return "", errorAt(p.peek().at, "expected a string, and found %s", p.peek())
	}
	var b strings.Builder
	for p.peek().kind == text {
		t := p.take()
		b.WriteString(unquoted(t.text))
	}
	return b.String(), nil
}
