package ptx

// operatorForm is an operator's text and precedence; a higher precedence binds tighter.
type operatorForm struct {
	text       string
	precedence int
}

// operatorForms is indexed by Operator. Unary operators have no binary precedence.
var operatorForms = [...]operatorForm{
	OperatorLogicalOr:    {"||", 1},
	OperatorLogicalAnd:   {"&&", 2},
	OperatorOr:           {"|", 3},
	OperatorExclusiveOr:  {"^", 4},
	OperatorAnd:          {"&", 5},
	OperatorEqual:        {"==", 6},
	OperatorNotEqual:     {"!=", 6},
	OperatorLess:         {"<", 7},
	OperatorLessEqual:    {"<=", 7},
	OperatorGreater:      {">", 7},
	OperatorGreaterEqual: {">=", 7},
	OperatorShiftLeft:    {"<<", 8},
	OperatorShiftRight:   {">>", 8},
	OperatorAdd:          {"+", 9},
	OperatorSubtract:     {"-", 9},
	OperatorMultiply:     {"*", 10},
	OperatorDivide:       {"/", 10},
	OperatorRemainder:    {"%", 10},
	OperatorNot:          {"!", 0},
	OperatorComplement:   {"~", 0},
}

// String returns the operator as written.
func (o Operator) String() string { return operatorForms[o].text }

// valueAfter describes, for messages, the operand that must follow an operator.
var valueAfter = func() (out [len(operatorForms)]string) {
	for i, form := range operatorForms {
		out[i] = "a value after " + form.text
	}
	return out
}()

// binaryOperators and unaryOperators map a mark to its operator.
var binaryOperators = [256]Operator{
	markLogicalOr: OperatorLogicalOr, markLogicalAnd: OperatorLogicalAnd,
	'|': OperatorOr, '^': OperatorExclusiveOr, '&': OperatorAnd,
	markEqual: OperatorEqual, markNotEqual: OperatorNotEqual,
	'<': OperatorLess, markLessEqual: OperatorLessEqual, '>': OperatorGreater, markGreaterEqual: OperatorGreaterEqual,
	markShiftLeft: OperatorShiftLeft, markShiftRight: OperatorShiftRight,
	'+': OperatorAdd, '-': OperatorSubtract, '*': OperatorMultiply, '/': OperatorDivide, '%': OperatorRemainder,
}

var unaryOperators = [256]Operator{
	'+': OperatorAdd, '-': OperatorSubtract, '!': OperatorNot, '~': OperatorComplement,
}

func (p *parser) node(kind ExpressionKind, pos Position) *Expression {
	e := take(&p.slab.expressions)
	e.Kind, e.Pos = kind, pos
	return e
}

// expressions parses expressions separated by commas.
func (p *parser) expressions(what string) ([]*Expression, bool) {
	var out []*Expression
	for {
		e, ok := p.expression(what)
		if !ok {
			return out, false
		}
		out = append(out, e)
		if !p.accept(',') {
			return out, true
		}
	}
}

// expression parses a constant expression; what describes it for the error message.
func (p *parser) expression(what string) (*Expression, bool) {
	left, ok := p.unary(what)
	if !ok {
		return nil, false
	}
	return p.expressionAfter(left, 1)
}

// expressionAfter continues after the first operand of an expression.
func (p *parser) expressionAfter(left *Expression, precedence int) (*Expression, bool) {
	left, ok := p.binary(left, precedence)
	if !ok || !p.token.is('?') {
		return left, ok
	}
	if !p.enter() {
		return nil, false
	}
	defer func() { p.nesting-- }()
	e := p.node(ExpressionTernary, left.Pos)
	e.X = left
	p.advance()
	if e.Y, ok = p.expression("a value after ?"); !ok || !p.expect(':', "between the two values after ?") {
		return nil, false
	}
	e.Z, ok = p.expression("a value after :")
	return e, ok
}

// expressionAfterWord continues after a word that is already consumed.
func (p *parser) expressionAfterWord(pos Position, word string) (*Expression, bool) {
	left, ok := p.afterWord(pos, word)
	if !ok {
		return nil, false
	}
	return p.expressionAfter(left, 1)
}

// orAfterBar continues after `left |`, with the bar already consumed.
func (p *parser) orAfterBar(left *Expression, bar token) (*Expression, bool) {
	e := p.node(ExpressionBinary, left.Pos)
	e.Operator = binaryOperators[bar.mark]
	e.X = left
	right, ok := p.unary("a value after |")
	if !ok {
		return nil, false
	}
	if e.Y, ok = p.binary(right, operatorForms[OperatorOr].precedence+1); !ok {
		return nil, false
	}
	return p.expressionAfter(e, 1)
}

// binary parses operators of at least a precedence, and their right operands, after left.
func (p *parser) binary(left *Expression, precedence int) (*Expression, bool) {
	for depth := 0; ; depth++ {
		if p.token.kind != tokenPunctuation {
			return left, true
		}
		operator := binaryOperators[p.token.mark]
		own := operatorForms[operator].precedence
		if operator == OperatorNone || own < precedence {
			return left, true
		}
		if depth > maximumNesting {
			return nil, p.fail("an expression of more than %d operators; split this", maximumNesting)
		}
		p.advance()
		right, ok := p.unary(valueAfter[operator])
		if !ok {
			return nil, false
		}
		if right, ok = p.binary(right, own+1); !ok {
			return nil, false
		}
		e := p.node(ExpressionBinary, left.Pos)
		e.Operator, e.X, e.Y = operator, left, right
		left = e
	}
}

// unary parses an operand with the operators and casts before it.
func (p *parser) unary(what string) (*Expression, bool) {
	if p.token.kind != tokenPunctuation {
		return p.primary(what)
	}
	pos := p.token.position()
	operator := unaryOperators[p.token.mark]
	if operator == OperatorNone && !p.token.is('(') {
		return nil, p.unexpected(what)
	}
	if !p.enter() {
		return nil, false
	}
	defer func() { p.nesting-- }()
	p.advance()
	if operator == OperatorNone {
		return p.parenthesis(pos, what)
	}
	e := p.node(ExpressionUnary, pos)
	e.Operator = operator
	var ok bool
	e.X, ok = p.unary(valueAfter[operator])
	return e, ok
}

// parenthesis parses a cast or an expression after its opening parenthesis.
func (p *parser) parenthesis(pos Position, what string) (*Expression, bool) {
	if word := p.dotWord(); word == "s64" || word == "u64" {
		e := p.node(ExpressionCast, pos)
		e.Text = word
		p.advance()
		if !p.expect(')', "after the type of the cast") {
			return nil, false
		}
		var ok bool
		e.X, ok = p.unary("a value after the cast")
		return e, ok
	}
	e, ok := p.expression(what)
	if !ok {
		return nil, false
	}
	return e, p.expect(')', "to match the opening parenthesis")
}

// primary parses a literal, a name, generic(…) or 0xFF(…).
func (p *parser) primary(what string) (*Expression, bool) {
	pos := p.token.position()
	switch {
	case p.token.kind == tokenNumber:
		return p.literal()
	case p.token.kind == tokenWord:
		word := p.text()
		p.advance()
		return p.afterWord(pos, word)
	case p.token.kind == tokenDotWord && p.inSection:
		e := p.node(ExpressionName, pos)
		e.Text = p.text()
		p.advance()
		return e, true
	}
	return nil, p.unexpected(what)
}

// literal parses a number, and the parenthesised operand of a mask after it.
func (p *parser) literal() (*Expression, bool) {
	e := p.node(ExpressionInteger, p.token.position())
	if err := e.number(p.text()); err != nil {
		return nil, p.fail("%v", err)
	}
	p.advance()
	if !p.token.is('(') {
		return e, true
	}
	if e.Kind != ExpressionInteger {
		return nil, p.fail("only an integer mask such as 0xFF may come before `(`")
	}
	if !p.enter() {
		return nil, false
	}
	defer func() { p.nesting-- }()
	e.Kind = ExpressionMask
	p.advance()
	var ok bool
	if e.X, ok = p.expression("a symbol or address"); !ok {
		return nil, false
	}
	return e, p.expect(')', "after the masked value")
}

// afterWord returns a name, or a call if a parenthesis follows.
func (p *parser) afterWord(pos Position, word string) (*Expression, bool) {
	e := p.node(ExpressionName, pos)
	e.Text = word
	if !p.token.is('(') {
		return e, true
	}
	if word != "generic" && word != "mask" {
		return nil, p.fail("`%s` is not an operator; only generic(symbol) and mask(…) take parentheses", word)
	}
	if !p.enter() {
		return nil, false
	}
	defer func() { p.nesting-- }()
	e.Kind = ExpressionCall
	p.advance()
	var ok bool
	if e.Arguments, ok = p.expressions("a symbol or value"); !ok {
		return nil, false
	}
	return e, p.expect(')', "after the arguments of "+word)
}
