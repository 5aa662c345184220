package ckernel

import "strings"

// evaluate generates an expression's value.
func (g *generator) evaluate(e *expression) (value, error) {
	switch e.op {
	case constantNode:
		return number64(e.typ, e.bits), nil
	case variableNode, indexNode, memberNode, stringNode:
		return g.read(e)
	case unaryNode:
		return g.unary(e)
	case stepNode:
		return g.step(e)
	case binaryNode:
		return g.binary(e)
	case assignNode:
		return g.assign(e)
	case chooseNode:
		return g.conditional(e)
	case callNode:
		return g.call(e)
	case castNode:
		return g.cast(e)
	case bitCastNode:
		v, err := g.evaluate(e.parts[0])
		if err != nil {
			return value{}, err
		}
		return g.bitCast(v, e.typ), nil
	case listNode:
		return g.listValue(e)
	}
	return value{}, errorAt(e.at, "this is no value")
}

// read loads an expression's value from its place.
func (g *generator) read(e *expression) (value, error) {
	if e.op == memberNode && !e.arrow {
		if base := e.parts[0]; base.op == variableNode && base.variable.special != "" {
			g.at = e.at
			return g.special(base.variable.special + "." + e.text), nil
		}
		if !e.parts[0].isPlace() { // of a call's result
			v, err := g.evaluate(e.parts[0])
			if err != nil {
				return value{}, err
			}
			return part(v, e.parts[0].typ, e.text, e.typ), nil
		}
	}
	if e.op == variableNode && e.variable.special != "" {
		v := value{form: composite, typ: e.typ.bare()}
		for _, axis := range []string{"x", "y", "z"} {
			v.parts = append(v.parts, g.special(e.variable.special+"."+axis))
		}
		return v, nil
	}
	at, err := g.place(e)
	if err != nil {
		return value{}, err
	}
	g.at = e.at
	return g.load(at, e.typ)
}

// part is a member of a composite value.
func part(v value, of *ctype, name string, t *ctype) value {
	f := of.bare().field(name)
	first := 0
	for _, l := range of.leaves() {
		if l.offset == f.offset {
			break
		}
		first++
	}
	if !t.isAggregate() {
		return v.parts[first]
	}
	count := len(t.leaves())
	return value{form: composite, typ: t.bare(), parts: v.parts[first : first+count]}
}

// tops are the largest values of special registers: a chip's limits.
var tops = map[string]uint64{
	"tid.x": 1023, "tid.y": 1023, "tid.z": 63, "ntid.x": 1024, "ntid.y": 1024, "ntid.z": 64, "ctaid.x": 1<<31 - 2, "ctaid.y": 65534,
	"ctaid.z": 65534, "nctaid.x": 1<<31 - 1, "nctaid.y": 65535, "nctaid.z": 65535,
}

// special returns a special register. The kernel reads it once, at its start.
func (g *generator) special(name string) value {
	r := "%read_" + strings.ReplaceAll(name, ".", "_")
	g.specials[name] = r
	return value{form: held, typ: unsignedType, reg: r, top: tops[name]}
}

// unary is + - ! ~ * and &.
func (g *generator) unary(e *expression) (value, error) {
	switch e.text {
	case "*":
		return g.read(e)
	case "&":
		v, err := g.place(e.parts[0])
		return v.as(e.typ), err
	}
	v, err := g.evaluate(e.parts[0])
	if err != nil {
		return value{}, err
	}
	g.at = e.at
	if v.isNumber() {
		if bits, ok := foldUnary(e.text, v.typ, v.bits); ok {
			return number64(e.typ, bits), nil
		}
	}
	switch e.text {
	case "!":
		return g.not(v), nil
	case "+":
		return v, nil
	}
	r := value{form: held, typ: e.typ.bare(), reg: g.register(classOf(e.typ))}
	switch {
	case e.text == "~":
		g.emit("not.%s %s, %s", bitType(e.typ), r.reg, g.operand(v))
	case e.typ.isFloating():
		g.emit("neg.%s %s, %s", bitType(e.typ), r.reg, g.operand(v))
	default:
		g.emit("neg.s%d %s, %s", e.typ.bits(), r.reg, g.operand(v))
	}
	return r, nil
}

// step is ++ and --.
func (g *generator) step(e *expression) (value, error) {
	at, err := g.place(e.parts[0])
	if err != nil {
		return value{}, err
	}
	t := e.parts[0].typ
	before, err := g.load(at, t)
	if err != nil {
		return value{}, err
	}
	operator := e.text[:1]
	if e.text[0] == 'x' {
		operator = e.text[1:2]
	}
	g.at = e.at
	var after value
	switch {
	case t.isPointer():
		by := int64(1)
		if operator == "-" {
			by = -1
		}
		after, err = g.advance(before, integer(longType, by), t.element.size)
	default:
		wide := t.promoted()
		var v value
		if v, err = g.convert(before, wide); err != nil {
			return value{}, err
		}
		one, _ := convertBits(intType, wide, 1)
		after, err = g.convert(g.arithmetic(operator, wide, v, number64(wide, one)), t)
	}
	if err != nil {
		return value{}, err
	}
	if err := g.store(at, t, after); err != nil {
		return value{}, err
	}
	if e.text[0] == 'x' {
		return before, nil
	}
	return after, nil
}

// binary is an operator between two values.
func (g *generator) binary(e *expression) (value, error) {
	switch e.text {
	case "&&", "||":
		return g.shortCircuit(e)
	case ",":
		if _, err := g.evaluate(e.parts[0]); err != nil {
			return value{}, err
		}
		return g.evaluate(e.parts[1])
	}
	a, err := g.evaluate(e.parts[0])
	if err != nil {
		return value{}, err
	}
	b, err := g.evaluate(e.parts[1])
	if err != nil {
		return value{}, err
	}
	g.at = e.at
	if e.parts[0].typ.isPointer() || e.parts[1].typ.isPointer() {
		return g.pointerOperation(e, a, b)
	}
	if e.typ.kind == boolKind && isComparison(e.text) {
		return g.compare(e.text, a, b), nil
	}
	return g.arithmetic(e.text, e.typ.bare(), a, b), nil
}

func isComparison(operator string) bool {
	_, is := compare(operator, func() int { return 0 })
	return is
}

// shortCircuit is && and ||. The right side runs only if the left side does not decide.
func (g *generator) shortCircuit(e *expression) (value, error) {
	left, err := g.evaluate(e.parts[0])
	if err != nil {
		return value{}, err
	}
	slot := len(g.vals)
	g.vals = append(g.vals, value{})
	right := func() error {
		v, err := g.evaluate(e.parts[1])
		if err == nil {
			g.vals[slot] = v
		}
		return err
	}
	decided := func() error {
		g.vals[slot] = number64(boolType, b2u(e.text == "||"))
		return nil
	}
	if e.text == "&&" {
		err = g.split(left, right, decided)
	} else {
		err = g.split(left, decided, right)
	}
	if err != nil {
		return value{}, err
	}
	v := g.vals[slot]
	g.close(slot)
	return v, nil
}

// conditional is a ? b : c.
func (g *generator) conditional(e *expression) (value, error) {
	c, err := g.evaluate(e.parts[0])
	if err != nil {
		return value{}, err
	}
	if c.isNumber() {
		if c.bits != 0 {
			return g.evaluate(e.parts[1])
		}
		return g.evaluate(e.parts[2])
	}
	first, leaves := len(g.vals), e.typ.leaves()
	if e.typ.kind == voidKind {
		leaves = nil
	}
	for range leaves {
		g.vals = append(g.vals, value{})
	}
	run := func(part *expression) func() error {
		return func() error {
			v, err := g.evaluate(part)
			if err != nil || len(leaves) == 0 {
				return err
			}
			if !e.typ.isAggregate() {
				g.vals[first] = v
				return nil
			}
			copy(g.vals[first:], v.parts)
			return nil
		}
	}
	if err := g.split(c, run(e.parts[1]), run(e.parts[2])); err != nil {
		return value{}, err
	}
	if len(leaves) == 0 || len(g.vals) <= first {
		return value{}, nil
	}
	if e.typ.isAggregate() {
		v := value{form: composite, typ: e.typ.bare(), parts: append([]value(nil), g.vals[first:first+len(leaves)]...)}
		g.close(first)
		return v, nil
	}
	v := g.vals[first]
	g.close(first)
	return v.asResult(e.typ), nil
}

// asResult returns a value of the expression's type: zero if v has no value.
func (v value) asResult(t *ctype) value {
	if v.form == unset {
		return zero(t)
	}
	return v.as(t)
}

// assign is = and the like.
func (g *generator) assign(e *expression) (value, error) {
	to, from := e.parts[0], e.parts[1]
	if e.text == "=" {
		v, err := g.evaluate(from)
		if err != nil {
			return value{}, err
		}
		at, err := g.place(to)
		if err != nil {
			return value{}, err
		}
		g.at = e.at
		return v, g.store(at, to.typ, v)
	}
	at, err := g.place(to)
	if err != nil {
		return value{}, err
	}
	v, err := g.compound(e, at)
	if err != nil {
		return value{}, err
	}
	return v, g.store(at, to.typ, v)
}

// compound evaluates the right side first, as C++ requires, then reads the left side and computes.
func (g *generator) compound(e *expression, at value) (value, error) {
	to, operation := e.parts[0], e.parts[1]
	for operation.op == castNode && operation.parts[0].op != variableNode {
		operation = operation.parts[0]
	}
	right, err := g.evaluate(operation.parts[1])
	if err != nil {
		return value{}, err
	}
	g.at = e.at
	before, err := g.load(at, to.typ)
	if err != nil {
		return value{}, err
	}
	g.at = e.at
	if operation.typ.isPointer() {
		return g.pointerOperation(operation, before, right)
	}
	left, err := g.convert(before, operation.parts[0].typ)
	if err != nil {
		return value{}, err
	}
	return g.convert(g.arithmetic(operation.text, operation.typ.bare(), left, right), to.typ)
}

// listValue makes a structure from values.
func (g *generator) listValue(e *expression) (value, error) {
	slots := len(g.vals)
	o, err := g.declare(&variable{name: "(a list)", typ: e.typ, at: e.at})
	if err != nil {
		return value{}, err
	}
	if err := g.initialise(o.pointer(), e, e.typ); err != nil {
		return value{}, err
	}
	v, err := g.load(o.pointer(), e.typ)
	g.close(slots)
	return v, err
}

// cast converts a value, or turns an array into a pointer.
func (g *generator) cast(e *expression) (value, error) {
	from := e.parts[0]
	if from.typ.kind == arrayKind && e.typ.isPointer() {
		v, err := g.place(from)
		return v.as(e.typ), err
	}
	v, err := g.evaluate(from)
	if err != nil || e.typ.kind == voidKind {
		return value{}, err
	}
	g.at = e.at
	return g.convert(v, e.typ)
}
