package ckernel

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

// statementWords map a statement's first word to its parser.
var statementWords map[string]func(*parser, position) (*statement, error)

func init() {
	statementWords = map[string]func(*parser, position) (*statement, error){
		"if": (*parser).ifStatement, "for": (*parser).forStatement, "while": (*parser).whileStatement, "do": (*parser).doStatement,
		"switch": (*parser).switchStatement, "case": (*parser).caseStatement, "default": (*parser).defaultStatement,
		"break": (*parser).breakStatement, "continue": (*parser).continueStatement, "return": (*parser).returnStatement,
		"asm": (*parser).assemblyStatement, "__asm__": (*parser).assemblyStatement, "__asm": (*parser).assemblyStatement,
	}
}

// unrolled reads #pragma unroll and the loop after it.
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

// loopBody reads a loop's body.
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
