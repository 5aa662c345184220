package ckernel

import (
	"strconv"
	"strings"
)

// binaryLevels are C's binary operators, the loosest first.
var binaryLevels = [][]string{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
}

// whole reads an expression that may have commas.
func (p *parser) whole() (*expression, error) {
	e, err := p.assignment()
	for err == nil && p.peek().is(",") {
		at := p.take().at
		var right *expression
		if right, err = p.assignment(); err == nil {
			e = &expression{op: binaryNode, at: at, text: ",", parts: []*expression{e, right}, typ: right.typ}
		}
	}
	return e, err
}

// assignment reads an expression without a comma.
func (p *parser) assignment() (*expression, error) {
	done, err := p.deeper()
	defer done()
	if err != nil {
		return nil, err
	}
	e, err := p.conditional()
	if err != nil {
		return nil, err
	}
	switch t := p.peek(); t.text {
	case "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=":
		if t.kind != symbol {
			return e, nil
		}
		p.next++
		var right *expression
		if t.text == "=" {
			right, err = p.initializer()
		} else {
			right, err = p.assignment()
		}
		if err != nil {
			return nil, err
		}
		return assign(t, e, right)
	}
	return e, nil
}

// conditional reads a ? b : c, or an expression of tighter operators.
func (p *parser) conditional() (*expression, error) {
	e, err := p.binary(0)
	if err != nil || !p.peek().is("?") {
		return e, err
	}
	done, err := p.deeper()
	defer done()
	if err != nil {
		return nil, err
	}
	at := p.take().at
	first, err := p.whole()
	if err != nil {
		return nil, err
	}
	if err := p.expect(":", "between the two results of '?'"); err != nil {
		return nil, err
	}
	second, err := p.assignment()
	if err != nil {
		return nil, err
	}
	return choose(at, e, first, second)
}

// binary reads operators of a level and tighter ones.
func (p *parser) binary(level int) (*expression, error) {
	if level == len(binaryLevels) {
		return p.unary()
	}
	e, err := p.binary(level + 1)
	for err == nil {
		t := p.peek()
		if t.kind != symbol || !contains(binaryLevels[level], t.text) {
			break
		}
		p.next++
		var right *expression
		if right, err = p.binary(level + 1); err == nil {
			e, err = binary(t, e, right)
		}
	}
	return e, err
}

func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}

// unary reads prefix operators.
func (p *parser) unary() (*expression, error) {
	done, err := p.deeper()
	defer done()
	if err != nil {
		return nil, err
	}
	t := p.peek()
	switch {
	case t.is("+"), t.is("-"), t.is("!"), t.is("~"), t.is("*"), t.is("&"):
		p.next++
		e, err := p.unary()
		if err != nil {
			return nil, err
		}
		return unary(t, e)
	case t.is("++"), t.is("--"):
		p.next++
		e, err := p.unary()
		if err != nil {
			return nil, err
		}
		return step(t, e, false)
	case t.is("sizeof"), t.is("alignof"), t.is("_Alignof"), t.is("__alignof__"):
		return p.size()
	case t.is("(") && p.startsType(p.ahead(1)):
		return p.cast()
	}
	return p.postfix()
}

// size reads sizeof, whose result is unsigned long.
func (p *parser) size() (*expression, error) {
	word := p.take()
	var t *ctype
	if p.peek().is("(") && p.startsType(p.ahead(1)) {
		p.next++
		var err error
		if t, err = p.typeName(); err != nil {
			return nil, err
		}
		if err := p.expect(")", "after the type"); err != nil {
			return nil, err
		}
	} else {
		e, err := p.unary()
		if err != nil {
			return nil, err
		}
		t = e.typ
	}
	if t.kind == structKind && !t.bare().complete || t.kind == listKind {
		return nil, errorAt(word.at, "the size of %s is not known", t)
	}
	n := t.size
	if word.text != "sizeof" {
		n = t.align
	}
	return constant(word.at, ulongType, uint64(n)), nil
}

// cast reads (type)value, and (type){...}.
func (p *parser) cast() (*expression, error) {
	at := p.take().at
	t, err := p.typeName()
	if err != nil {
		return nil, err
	}
	if err := p.expect(")", "after the type"); err != nil {
		return nil, err
	}
	if p.peek().is("{") {
		e, err := p.initializer()
		if err != nil {
			return nil, err
		}
		return e.converted(t, "the value in braces")
	}
	e, err := p.unary()
	if err != nil {
		return nil, err
	}
	return cast(at, t, e)
}

// postfix reads a value and what follows it.
func (p *parser) postfix() (*expression, error) {
	e, err := p.primary()
	for err == nil {
		t := p.peek()
		switch {
		case t.is("["):
			p.next++
			var index *expression
			if index, err = p.whole(); err != nil {
				return nil, err
			}
			if err = p.expect("]", "after the index"); err == nil {
				e, err = subscript(t.at, e, index)
			}
		case t.is("."), t.is("->"):
			p.next++
			e, err = member(t, e, p.take())
		case t.is("++"), t.is("--"):
			p.next++
			e, err = step(t, e, true)
		case t.is("("):
			e, err = p.call(e)
		case t.is("<<<"):
			e, err = p.launch(e)
		default:
			return e, nil
		}
	}
	return e, err
}

// primary reads a number, a name, or an expression in brackets.
func (p *parser) primary() (*expression, error) {
	t := p.take()
	switch t.kind {
	case number:
		return numberOf(t)
	case character:
		s := unquoted(t.text)
		if len(s) != 1 {
			return nil, errorAt(t.at, "a character constant is one character")
		}
		return constant(t.at, charType, normal(charType, uint64(s[0]))), nil
	case text:
		p.next--
		s, err := p.strings()
		return &expression{op: stringNode, at: t.at, text: s, typ: arrayOf(charType.qualified(true, false), int64(len(s))+1)}, err
	case identifier:
		return p.name(t)
	}
	if t.is("(") {
		if p.peek().is("{") {
			return nil, needsClang(t.at, "a statement within an expression")
		}
		e, err := p.whole()
		if err != nil {
			return nil, err
		}
		return e, p.expect(")", "to close the bracket")
	}
	p.next--
	if err := foreignWord(t); err != nil {
		return nil, err
	}
	return nil, errorAt(t.at, "expected an expression, and found %s", t)
}

// name reads a name: a variable, a function, a type before its value, or a word such as true.
func (p *parser) name(t token) (*expression, error) {
	switch t.text {
	case "true", "false":
		return constant(t.at, boolType, b2u(t.text == "true")), nil
	case "nullptr", "__null":
		return constant(t.at, pointerTo(voidType), 0), nil
	case "__builtin_bit_cast":
		return p.bitCast(t)
	}
	switch known := p.scope.find(t.text).(type) {
	case *variable:
		if known.storage == knownStorage {
			e := *known.value
			e.at = t.at
			return e.converted(known.typ.bare(), "a constant")
		}
		return &expression{op: variableNode, at: t.at, text: t.text, variable: known, typ: known.typ}, nil
	case []*function:
		return &expression{op: functionNode, at: t.at, text: t.text, overloads: known, typ: voidType}, nil
	case *ctype:
		return p.construct(t, known)
	}
	if typeWords[t.text] {
		p.next--
		s, err := p.specifiers()
		if err != nil {
			return nil, err
		}
		return p.construct(t, s.base)
	}
	if isBuiltin(t.text) {
		return &expression{op: functionNode, at: t.at, text: t.text, typ: voidType}, nil
	}
	if err := foreignWord(t); err != nil {
		return nil, err
	}
	if p.peek().is("<") && p.startsType(p.ahead(1)) {
		return nil, needsClang(t.at, "a template ("+t.text+"<...>)")
	}
	if p.skipped[t.text] {
		return nil, needsClang(t.at, "'"+t.text+"'")
	}
	e := errorAt(t.at, "use of undeclared identifier '%s'", t.text)
	if near := p.similar(t.text); near != "" {
		e.Hint = "did you mean '" + near + "'?"
	}
	return nil, e
}

// construct reads float(x) and float4{x, y, z, w}.
func (p *parser) construct(t token, typ *ctype) (*expression, error) {
	switch {
	case p.peek().is("{"):
		e, err := p.initializer()
		if err != nil {
			return nil, err
		}
		return e.converted(typ, "the value in braces")
	case p.peek().is("(") && typ.isScalar():
		p.next++
		if p.accept(")") {
			return constant(t.at, typ, 0), nil
		}
		e, err := p.whole()
		if err != nil {
			return nil, err
		}
		if err := p.expect(")", "after the value"); err != nil {
			return nil, err
		}
		return cast(t.at, typ, e)
	case p.peek().is("("):
		return nil, needsClang(t.at, "a constructor")
	}
	return nil, errorAt(t.at, "'%s' is a type, and a value must stand here", t.text)
}

// bitCast reads __builtin_bit_cast(type, value).
func (p *parser) bitCast(t token) (*expression, error) {
	if err := p.expect("(", "after __builtin_bit_cast"); err != nil {
		return nil, err
	}
	typ, err := p.typeName()
	if err != nil {
		return nil, err
	}
	if err := p.expect(",", "after the type"); err != nil {
		return nil, err
	}
	e, err := p.assignment()
	if err != nil {
		return nil, err
	}
	if !typ.isScalar() || !e.typ.isScalar() || typ.size != e.typ.size {
		return nil, errorAt(t.at, "__builtin_bit_cast between %s and %s", e.typ, typ)
	}
	return &expression{op: bitCastNode, at: t.at, parts: []*expression{e}, typ: typ.bare()}, p.expect(")", "after the value")
}

// initializer reads a value or a list in braces. The initialised variable gives the list its type.
func (p *parser) initializer() (*expression, error) {
	if !p.peek().is("{") {
		return p.assignment()
	}
	done, err := p.deeper()
	defer done()
	if err != nil {
		return nil, err
	}
	list := &expression{op: listNode, at: p.take().at, typ: &ctype{kind: listKind}}
	for !p.accept("}") {
		name := ""
		if p.peek().is(".") && p.ahead(2).is("=") {
			p.next++
			name = p.take().text
			p.next++
		} else if p.peek().is("[") {
			return nil, needsClang(p.peek().at, "an index in a list of first values")
		}
		e, err := p.initializer()
		if err != nil {
			return nil, err
		}
		list.parts, list.designate = append(list.parts, e), append(list.designate, name)
		if !p.accept(",") && !p.peek().is("}") {
			return nil, errorAt(p.peek().at, "expected ',' or '}', and found %s", p.peek())
		}
	}
	return list, nil
}

// call reads arguments and chooses the overload.
func (p *parser) call(e *expression) (*expression, error) {
	at := p.peek().at
	arguments, err := p.arguments()
	if err != nil {
		return nil, err
	}
	if e.op != functionNode {
		return nil, errorAt(at, "%s is no function", e.typ)
	}
	return p.resolve(e, arguments)
}

// arguments reads a list in parentheses.
func (p *parser) arguments() ([]*expression, error) {
	p.next++
	var arguments []*expression
	for !p.accept(")") {
		one, err := p.initializer()
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, one)
		if !p.accept(",") && !p.peek().is(")") {
			if p.peek().kind != endOfFile && !p.peek().is(";") {
				return nil, errorAt(p.peek().at, "expected ',' or ')' after an argument, and found %s", p.peek())
			}
			return nil, p.expect(")", "after the arguments")
		}
	}
	return arguments, nil
}

// numberOf is a number's value and type.
func numberOf(t token) (*expression, error) {
	s := strings.ToLower(t.text)
	hex := strings.HasPrefix(s, "0x")
	if strings.ContainsAny(s, ".p") || !hex && strings.ContainsAny(s, "e") {
		return floatOf(t, s)
	}
	if !hex && strings.HasSuffix(s, "f") {
		return nil, errorAt(t.at, "invalid suffix 'f' of the integer %s", t.text).hinted("write %s.0f", strings.TrimSuffix(t.text, "f"))
	}
	digits := strings.TrimRight(s, "ul")
	suffix := s[len(digits):]
	octal := digits
	if len(digits) > 1 && digits[0] == '0' && isDigit(digits[1]) {
		octal = "0o" + digits[1:]
	}
	v, err := strconv.ParseUint(octal, 0, 64)
	if err != nil || strings.Count(suffix, "u") > 1 || strings.Count(suffix, "l") > 2 {
		return nil, errorAt(t.at, "%s is no number", t.text)
	}
	unsigned, long := strings.Contains(suffix, "u"), strings.Count(suffix, "l")
	decimal := octal == digits && !hex && !strings.HasPrefix(s, "0b")
	for n, typ := range []*ctype{intType, unsignedType, longType, ulongType, longlongType, ulonglongType} {
		if n/2 < long || unsigned != (n%2 == 1) && (unsigned || decimal) {
			continue
		}
		if normal(typ, v) == v && !(typ.signed && int64(v) < 0) {
			return constant(t.at, typ, v), nil
		}
	}
	return constant(t.at, ulonglongType, v), nil
}

func floatOf(t token, s string) (*expression, error) {
	typ, size := doubleType, 64
	if strings.HasSuffix(s, "f") {
		typ, size = floatType, 32
	}
	s = strings.TrimRight(s, "fl")
	v, err := strconv.ParseFloat(s, size)
	if err != nil && !strings.Contains(err.Error(), "range") || strings.Contains(s, "_") {
		return nil, errorAt(t.at, "%s is no number", t.text)
	}
	return constant(t.at, typ, floatBits(typ, v)), nil
}

// unquoted returns the text of a string or character constant.
func unquoted(s string) string {
	var b strings.Builder
	s = s[1 : len(s)-1]
	for n := 0; n < len(s); n++ {
		if s[n] != '\\' || n+1 == len(s) {
			b.WriteByte(s[n])
			continue
		}
		n++
		switch c := s[n]; {
		case c == 'n':
			b.WriteByte('\n')
		case c == 't':
			b.WriteByte('\t')
		case c == 'r':
			b.WriteByte('\r')
		case c == 'x':
			end := n + 1
			for end < len(s) && end < n+3 && strings.IndexByte("0123456789abcdefABCDEF", s[end]) >= 0 {
				end++
			}
			v, _ := strconv.ParseUint(s[n+1:end], 16, 8)
			b.WriteByte(byte(v))
			n = end - 1
		case c >= '0' && c <= '7':
			end := n
			for end < len(s) && end < n+3 && s[end] >= '0' && s[end] <= '7' {
				end++
			}
			v, _ := strconv.ParseUint(s[n:end], 8, 16)
			b.WriteByte(byte(v))
			n = end - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// similar returns a visible name that differs little from a name.
func (p *parser) similar(name string) string {
	best, least := "", 3
	if len(name) < 4 {
		least = 2
	}
	for s := p.scope; s != nil; s = s.outer {
		for known := range s.names {
			if strings.HasPrefix(known, "__ks_") || abs(len(known)-len(name)) >= least {
				continue
			}
			if d := distance(known, name); d < least || d == least && best != "" && known < best {
				best, least = known, d
			}
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// distance is the edit distance: letters to insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for n := range row {
		row[n] = n
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
