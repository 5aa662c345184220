package ptx

import "strings"

// guarded parses an instruction that begins with @p or @!p.
func (p *parser) guarded() (Statement, bool) {
	pos := p.token.position()
	p.advance()
	guard := Guard{Pos: pos, Not: p.accept('!')}
	register, ok := p.name("a predicate register after @")
	if !ok {
		return nil, false
	}
	guard.Register = register.Text
	if p.token.kind != tokenWord {
		return nil, p.unexpected("an instruction after the guard")
	}
	mnemonicPos, word := p.token.position(), p.text()
	p.advance()
	return p.instruction(pos, guard, mnemonicPos, word)
}

// instruction parses the rest of an instruction after its first word.
func (p *parser) instruction(pos Position, guard Guard, mnemonicPos Position, word string) (Statement, bool) {
	if word[0] == '%' || word[0] == '$' || word[0] == '_' {
		p.errorAt(mnemonicPos, "expected an instruction, a label followed by `:`, or a directive, found `"+word+"`")
		return nil, false
	}
	for p.token.kind == tokenDotWord && !(p.token.newLine && statementWord(p.dotWord())) {
		word += p.text()
		p.advance()
	}
	i := take(&p.slab.instructions)
	i.Pos, i.Guard, i.MnemonicPos = pos, guard, mnemonicPos
	i.Mnemonic = p.mnemonic(word)
	call := i.Mnemonic.Opcode == "call"
	base := len(p.scratch)
	defer func() { p.scratch = p.scratch[:base] }()
	if !p.token.is(';') {
		for {
			if p.token.newLine && statementWord(p.dotWord()) {
				return i, p.unexpected("an operand or `;`")
			}
			operand, ok := p.operand(call)
			if !ok {
				return i, false
			}
			p.scratch = append(p.scratch, operand)
			if !p.accept(',') {
				break
			}
		}
	}
	i.Operands = p.keep(base)
	if !p.accept(';') {
		return i, p.unexpected("`,` and another operand, or `;`")
	}
	return i, true
}

// statementWord reports a dotted word that, at the start of a line, begins a statement rather than continuing a mnemonic.
func statementWord(word string) bool {
	_, space := spaces[word]
	return space || topLevel[word] || word == "loc" || word == "pragma" || word == "file" || word == "section"
}

// mnemonic returns the Mnemonic that the file's instructions with this text share.
func (p *parser) mnemonic(text string) *Mnemonic {
	if m, ok := p.mnemonics[text]; ok {
		return m
	}
	parts := strings.Split(text, ".")
	m := &Mnemonic{Text: text, Opcode: parts[0], Modifiers: parts[1:]}
	p.mnemonics[text] = m
	return m
}

// keep moves the operands above base from the scratch stack into the tree.
func (p *parser) keep(base int) []Operand {
	n := len(p.scratch) - base
	if n == 0 {
		return nil
	}
	if len(p.slab.operands) < n {
		p.slab.operands = make([]Operand, max(slabLength, n))
	}
	out := p.slab.operands[:n:n]
	p.slab.operands = p.slab.operands[n:]
	copy(out, p.scratch[base:])
	p.scratch = p.scratch[:base]
	return out
}

// operand parses one operand. In a call a parenthesis opens a list.
func (p *parser) operand(call bool) (Operand, bool) {
	o := Operand{Pos: p.token.position()}
	switch {
	case p.token.kind == tokenWord:
		return p.wordOperand(o)
	case p.token.is('['):
		return p.addressOperand(o)
	case p.token.is('{'):
		o.Kind = OperandVector
		ok := p.elements(&o, '}')
		return o, ok
	case p.token.is('(') && call:
		o.Kind = OperandList
		ok := p.elements(&o, ')')
		return o, ok
	}
	value, ok := p.expression("an operand: a register, number, [address], {vector} or name")
	if !ok {
		return o, false
	}
	return p.valueOperand(o, value), true
}

// elements parses the operands between braces or parentheses.
func (p *parser) elements(o *Operand, closing mark) bool {
	if !p.enter() {
		return false
	}
	defer func() { p.nesting-- }()
	p.advance()
	if p.accept(closing) {
		return true
	}
	base := len(p.scratch)
	for {
		element, ok := p.operand(false)
		if !ok {
			return false
		}
		p.scratch = append(p.scratch, element)
		if !p.accept(',') {
			break
		}
	}
	o.Elements = p.keep(base)
	return p.expect(closing, "or `,` after the element")
}

// wordOperand parses an operand that begins with a word.
func (p *parser) wordOperand(o Operand) (Operand, bool) {
	word := p.text()
	p.advance()
	switch {
	case p.token.is(',') || p.token.is(';') || p.token.is('}') || p.token.is(')') || p.token.is(']'):
		return nameOperand(o, word), true
	case p.token.is('['):
		return p.indexedOperand(o, word)
	case p.token.is('|'):
		return p.pairOperand(o, word)
	}
	value, ok := p.expressionAfterWord(o.Pos, word)
	if !ok {
		return o, false
	}
	return p.valueOperand(o, value), true
}

func (p *parser) indexedOperand(o Operand, word string) (Operand, bool) {
	p.advance()
	o.Kind, o.Name = OperandIndexed, word
	var ok bool
	if o.Value, ok = p.expression("an index"); !ok {
		return o, false
	}
	return o, p.expect(']', "after the index")
}

// pairOperand parses `p|q`, or a bitwise or of a symbol with something other than a name.
func (p *parser) pairOperand(o Operand, word string) (Operand, bool) {
	bar := p.token
	p.advance()
	if p.token.kind == tokenWord {
		base := len(p.scratch)
		second := nameOperand(Operand{Pos: p.token.position()}, p.text())
		p.advance()
		p.scratch = append(p.scratch, nameOperand(Operand{Pos: o.Pos}, word), second)
		o.Kind = OperandPair
		o.Elements = p.keep(base)
		return o, true
	}
	left := take(&p.slab.expressions)
	left.Kind, left.Pos, left.Text = ExpressionName, o.Pos, word
	value, ok := p.orAfterBar(left, bar)
	if !ok {
		return o, false
	}
	return p.valueOperand(o, value), true
}

// nameOperand returns the operand for a single word.
func nameOperand(o Operand, word string) Operand {
	switch word {
	case "_":
		o.Kind = OperandSink
		return o
	case warpSize:
		o.Kind = OperandImmediate
		o.Value = &Expression{Kind: ExpressionName, Pos: o.Pos, Text: word}
		return o
	}
	o.Kind = OperandName
	o.Name = word
	if dot := strings.LastIndexByte(word, '.'); dot > 0 && isComponent(word[dot+1:]) {
		o.Name, o.Component = word[:dot], word[dot+1:]
	}
	return o
}

const warpSize = "WARP_SZ"

// isComponent reports whether a word can follow the last dot of a register. It can be a vector element (x, y, z, w or r, g, b, a). In video
// instructions it can be one to four byte selectors (b0, b7, b3210), or one or two half-word selectors (h1, h32).
func isComponent(part string) bool {
	if len(part) == 1 {
		return strings.Contains("xyzwrgba", part)
	}
	switch {
	case len(part) == 0:
		return false
	case part[0] == 'b' && len(part) <= 5:
		return strings.Trim(part[1:], "01234567") == ""
	case part[0] == 'h' && len(part) <= 3:
		return strings.Trim(part[1:], "0123") == ""
	}
	return false
}

// valueOperand returns the operand for an expression: a name, possibly negated, or an immediate.
func (p *parser) valueOperand(o Operand, value *Expression) Operand {
	name := value
	if value.Kind == ExpressionUnary && (value.Operator == OperatorNot || value.Operator == OperatorSubtract) {
		name = value.X
	}
	if name.Kind != ExpressionName || name.Text == warpSize && name != value {
		o.Kind, o.Value = OperandImmediate, value
		return o
	}
	o = nameOperand(o, name.Text)
	if name != value {
		o.Not = value.Operator == OperatorNot
		o.Minus = value.Operator == OperatorSubtract
	}
	return o
}

// addressOperand parses `[address]`, `[symbol, {coordinates}]` and a modifier after the bracket.
func (p *parser) addressOperand(o Operand) (Operand, bool) {
	o.Kind = OperandAddress
	p.advance()
	var ok bool
	if o.Value, ok = p.expression("an address"); !ok {
		return o, false
	}
	if p.token.is(',') {
		if !p.enter() {
			return o, false
		}
		defer func() { p.nesting-- }()
		base := len(p.scratch)
		for p.accept(',') {
			element, ok := p.operand(false)
			if !ok {
				return o, false
			}
			p.scratch = append(p.scratch, element)
		}
		o.Elements = p.keep(base)
	}
	if !p.expect(']', "at the end of the address") {
		return o, false
	}
	if p.token.kind == tokenDotWord && !p.token.newLine {
		o.Component = p.dotWord()
		p.advance()
	}
	return o, true
}
