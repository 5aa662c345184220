package ckernel

// constant makes a node for a number.
func constant(at position, t *ctype, bits uint64) *expression {
	return &expression{op: constantNode, at: at, typ: t.bare(), bits: bits}
}

// decayed turns an array into a pointer to its first element. Other values keep their types, without const.
func (e *expression) decayed() *expression {
	if e.typ.kind == arrayKind {
		return &expression{op: castNode, at: e.at, parts: []*expression{e}, typ: pointerTo(e.typ.element)}
	}
	return e
}

// isPlace tells whether an expression is an lvalue.
func (e *expression) isPlace() bool {
	switch e.op {
	case variableNode, indexNode, stringNode:
		return true
	case unaryNode:
		return e.text == "*"
	case memberNode:
		return e.arrow || e.parts[0].isPlace()
	}
	return false
}

// assignable returns an error for an expression that cannot be assigned to.
func (e *expression) assignable() error {
	switch {
	case !e.isPlace():
		return errorAt(e.at, "this is no variable, and cannot be assigned to")
	case e.variable != nil && e.variable.special != "":
		return errorAt(e.at, "'%s' cannot be assigned to", e.variable.name)
	case e.typ.constant || e.typ.kind == arrayKind && innermost(e.typ).constant:
		return errorAt(e.at, "this is const, and cannot be assigned to")
	case e.typ.kind == arrayKind:
		return errorAt(e.at, "an array cannot be assigned to")
	}
	return nil
}

// truth converts an expression to a condition.
func (e *expression) truth() (*expression, error) {
	e = e.decayed()
	if !e.typ.isScalar() {
		return nil, errorAt(e.at, "a condition is a number or a pointer, not %s", e.typ)
	}
	return e.converted(boolType, "a condition")
}

// converted converts a value to a type implicitly.
func (e *expression) converted(to *ctype, context string) (*expression, error) {
	if e.op == listNode {
		return e.listAs(to, context)
	}
	if e.op == functionNode {
		return nil, needsClang(e.at, "a pointer to a function")
	}
	if e.op == stringNode && to.kind == arrayKind && to.element.size == 1 && int64(len(e.text)) <= to.length {
		return e, nil
	}
	e = e.decayed()
	from := e.typ.bare()
	to = to.bare()
	switch {
	case same(from, to) && !to.isPointer():
		return e, nil
	case from.isArithmetic() && to.isArithmetic():
	case to.kind == boolKind && from.isPointer():
	case to.isPointer() && from.isPointer():
		if err := e.pointsAs(to, context); err != nil {
			return nil, err
		}
	case to.isPointer() && e.op == constantNode && from.isInteger() && e.bits == 0:
	default:
		err := errorAt(e.at, "%s is %s, and cannot be made of %s", context, to, from)
		if to.isPointer() && same(to.element, from) && e.isPlace() {
			err.Hint = "take the address with &"
		} else if from.isPointer() && same(from.element, to) {
			err.Hint = "read what the pointer points to with *"
		}
		return nil, err
	}
	return &expression{op: castNode, at: e.at, parts: []*expression{e}, typ: to}, nil
}

// pointsAs returns an error for pointers that do not convert implicitly.
func (e *expression) pointsAs(to *ctype, context string) error {
	a, b := e.typ.element, to.element
	null := e.op == constantNode && e.bits == 0
	switch {
	case null:
	case b.kind != voidKind && !same(a, b):
		return errorAt(e.at, "%s is %s, and cannot be made of %s", context, to, e.typ).hinted("write a cast: (%s)value", to)
	case a.constant && !b.constant && !(b.kind == arrayKind):
		return errorAt(e.at, "%s is %s, and would allow writes to %s", context, to, a).hinted("declare it const")
	}
	return nil
}

// listAs gives a list in braces its type.
func (e *expression) listAs(to *ctype, context string) (*expression, error) {
	list := &expression{op: listNode, at: e.at, typ: to.bare()}
	if !to.isAggregate() {
		switch len(e.parts) {
		case 0:
			return constant(e.at, to, 0), nil
		case 1:
			return e.parts[0].converted(to, context)
		}
		return nil, errorAt(e.parts[1].at, "%s is %s, and takes one value", context, to)
	}
	most := len(to.fields)
	if to.kind == arrayKind {
		most = int(min(to.length, mostVariable))
	}
	at := 0
	flat := e.flat(to)
	for n := 0; n < len(flat.parts); n++ {
		if name := flat.designate[n]; name != "" {
			at = -1
			for k := range to.fields {
				if to.fields[k].name == name {
					at = k
				}
			}
			if at < 0 {
				return nil, errorAt(flat.parts[n].at, "%s has no member '%s'", to, name)
			}
		}
		if at >= most {
			return nil, errorAt(flat.parts[n].at, "%s has %d values, and this is one more", to, most)
		}
		_, element := memberAt(to, at)
		part, err := flat.parts[n].converted(element, context)
		if err != nil {
			return nil, err
		}
		for len(list.parts) <= at {
			list.parts = append(list.parts, nil)
		}
		list.parts[at] = part
		at++
	}
	return list, nil
}

// flat groups values whose inner braces were left out, as in {1, 2, 3, 4} for a matrix.
func (e *expression) flat(to *ctype) *expression {
	if to.kind != arrayKind || !to.element.isAggregate() || len(e.parts) == 0 {
		return e
	}
	first := e.parts[0]
	if first.op == listNode || first.op == stringNode || first.typ.isAggregate() {
		return e
	}
	size := len(to.element.fields)
	if to.element.kind == arrayKind {
		size = int(to.element.length)
	}
	grouped := &expression{op: listNode, at: e.at, typ: e.typ}
	for n := 0; n < len(e.parts); n += size {
		end := min(n+size, len(e.parts))
		grouped.parts = append(grouped.parts, &expression{op: listNode, at: e.parts[n].at, typ: e.typ, parts: e.parts[n:end],
			designate: e.designate[n:end]})
		grouped.designate = append(grouped.designate, "")
	}
	return grouped
}

// cast is (type)value.
func cast(at position, to *ctype, e *expression) (*expression, error) {
	if e.op == listNode {
		return e.converted(to, "the value")
	}
	if e.op == functionNode {
		return nil, needsClang(e.at, "a pointer to a function")
	}
	e = e.decayed()
	from := e.typ
	ok := to.kind == voidKind || same(from, to) || from.isScalar() && to.isScalar()
	if from.isFloating() && to.isPointer() || from.isPointer() && to.isFloating() ||
		from.isPointer() && to.isInteger() && to.size < 8 && to.kind != boolKind {
		ok = false
	}
	if !ok {
		return nil, errorAt(at, "%s cannot be cast to %s", from, to)
	}
	return &expression{op: castNode, at: at, parts: []*expression{e}, typ: to.bare()}, nil
}

// unary is a prefix operator.
func unary(t token, e *expression) (*expression, error) {
	made := &expression{op: unaryNode, at: t.at, text: t.text}
	var err error
	switch t.text {
	case "&":
		if e.op == functionNode {
			return nil, needsClang(t.at, "a pointer to a function")
		}
		if !e.isPlace() || e.variable != nil && e.variable.special != "" {
			return nil, errorAt(e.at, "this has no address")
		}
		made.typ = pointerTo(e.typ)
	case "*":
		e = e.decayed()
		if !e.typ.isPointer() || e.typ.element.kind == voidKind {
			return nil, errorAt(t.at, "* reads what a pointer points to, and this is %s", e.typ)
		}
		if err := complete(e.typ.element, t.at); err != nil {
			return nil, err
		}
		made.typ = e.typ.element
	case "!":
		if e, err = e.truth(); err != nil {
			return nil, err
		}
		made.typ = boolType
	default:
		e = e.decayed()
		if !e.typ.isArithmetic() || t.text == "~" && !e.typ.isInteger() {
			return nil, errorAt(t.at, "'%s' takes a number, not %s", t.text, e.typ)
		}
		made.typ = e.typ.promoted()
		if e, err = e.converted(made.typ, "an operand"); err != nil {
			return nil, err
		}
	}
	made.parts = []*expression{e}
	return made, nil
}

// step is ++ or --.
func step(t token, e *expression, behind bool) (*expression, error) {
	if err := e.assignable(); err != nil {
		return nil, err
	}
	if !e.typ.isScalar() || e.typ.kind == boolKind {
		return nil, errorAt(t.at, "'%s' takes a number or a pointer, not %s", t.text, e.typ)
	}
	name := t.text + "x"
	if behind {
		name = "x" + t.text
	}
	return &expression{op: stepNode, at: t.at, text: name, parts: []*expression{e}, typ: e.typ.bare()}, nil
}

// invalid is the error for operands of the wrong types.
func invalid(t token, a, b *expression) error {
	err := errorAt(t.at, "'%s' does not take %s and %s", t.text, a.typ, b.typ)
	if a.typ.kind == structKind || b.typ.kind == structKind {
		err.Hint = "combine the members, one by one"
	}
	return err
}

// binary is an operator between two values, which are converted to a common type.
func binary(t token, a, b *expression) (*expression, error) {
	for _, e := range []*expression{a, b} {
		if e.op == functionNode {
			return nil, needsClang(e.at, "a pointer to a function or a template")
		}
	}
	a, b = a.decayed(), b.decayed()
	made := &expression{op: binaryNode, at: t.at, text: t.text}
	var err error
	switch t.text {
	case "&&", "||":
		if a, err = a.truth(); err != nil {
			return nil, err
		}
		if b, err = b.truth(); err != nil {
			return nil, err
		}
		made.typ = boolType
	case "<<", ">>":
		if !a.typ.isInteger() || !b.typ.isInteger() {
			return nil, invalid(t, a, b)
		}
		made.typ = a.typ.promoted()
		if a, err = a.converted(made.typ, "an operand"); err != nil {
			return nil, err
		}
		if b, err = b.converted(b.typ.promoted(), "an operand"); err != nil {
			return nil, err
		}
	default:
		if a.typ.isPointer() || b.typ.isPointer() {
			return pointerOperation(t, a, b)
		}
		whole := t.text == "%" || t.text == "&" || t.text == "|" || t.text == "^"
		if !a.typ.isArithmetic() || !b.typ.isArithmetic() || whole && !(a.typ.isInteger() && b.typ.isInteger()) {
			return nil, invalid(t, a, b)
		}
		meet := common(a.typ, b.typ)
		if a, err = a.converted(meet, "an operand"); err != nil {
			return nil, err
		}
		if b, err = b.converted(meet, "an operand"); err != nil {
			return nil, err
		}
		made.typ = meet
		if _, is := compare(t.text, func() int { return 0 }); is {
			made.typ = boolType
		}
	}
	made.parts = []*expression{a, b}
	return made, nil
}

// pointerOperation is p + i, p - q, p < q and the like.
func pointerOperation(t token, a, b *expression) (*expression, error) {
	made := &expression{op: binaryNode, at: t.at, text: t.text, parts: []*expression{a, b}}
	switch t.text {
	case "+", "-":
		if t.text == "+" && b.typ.isPointer() && a.typ.isInteger() {
			a, b = b, a
			made.parts = []*expression{a, b}
		}
		switch {
		case a.typ.isPointer() && a.typ.element.kind == voidKind:
			return nil, errorAt(t.at, "a void pointer has no next element")
		case a.typ.isPointer() && b.typ.isInteger():
			made.typ = a.typ.bare()
			return made, complete(a.typ.element, t.at)
		case t.text == "-" && a.typ.isPointer() && b.typ.isPointer() && same(a.typ.element, b.typ.element):
			made.typ = longType
			return made, complete(a.typ.element, t.at)
		}
	case "==", "!=", "<", ">", "<=", ">=":
		made.typ = boolType
		var err error
		if !a.typ.isPointer() {
			if made.parts[0], err = a.converted(b.typ, "a pointer"); err != nil {
				return nil, err
			}
			return made, nil
		}
		if !b.typ.isPointer() {
			if made.parts[1], err = b.converted(a.typ, "a pointer"); err != nil {
				return nil, err
			}
		}
		return made, nil
	}
	return nil, invalid(t, a, b)
}

// choose is a ? b : c.
func choose(at position, condition, a, b *expression) (*expression, error) {
	condition, err := condition.truth()
	if err != nil {
		return nil, err
	}
	a, b = a.decayed(), b.decayed()
	made := &expression{op: chooseNode, at: at}
	switch {
	case a.typ.isArithmetic() && b.typ.isArithmetic() && same(a.typ, b.typ):
		made.typ = a.typ.bare()
	case a.typ.isArithmetic() && b.typ.isArithmetic():
		made.typ = common(a.typ, b.typ)
	case a.typ.isPointer() && !(b.op != constantNode && b.typ.isPointer() && b.typ.element.constant):
		made.typ = a.typ.bare()
	case b.typ.isPointer():
		made.typ = b.typ.bare()
	default:
		made.typ = a.typ.bare()
	}
	if made.typ.kind != voidKind {
		if a, err = a.converted(made.typ, "a result of '?'"); err != nil {
			return nil, err
		}
		if b, err = b.converted(made.typ, "a result of '?'"); err != nil {
			return nil, err
		}
	}
	made.parts = []*expression{condition, a, b}
	return made, nil
}

// assign is = and the like. For a += b the right side is the operation itself; the generator supplies its left operand.
func assign(t token, to, from *expression) (*expression, error) {
	if err := to.assignable(); err != nil {
		return nil, err
	}
	made := &expression{op: assignNode, at: t.at, text: t.text, typ: to.typ.bare()}
	if t.text != "=" {
		operator := t
		operator.text = t.text[:len(t.text)-1]
		placeholder := &expression{op: variableNode, at: to.at, typ: to.typ.bare(), variable: readOnce}
		operation, err := binary(operator, placeholder, from)
		if err != nil {
			return nil, err
		}
		from = operation
	}
	from, err := from.converted(to.typ, "the value")
	if err != nil {
		return nil, err
	}
	made.parts = []*expression{to, from}
	return made, nil
}

// readOnce stands for the value of the left side of an assignment such as +=.
var readOnce = &variable{name: "(the left side)"}

// subscript is a[i].
func subscript(at position, a, index *expression) (*expression, error) {
	base := a
	if a.typ.kind != arrayKind {
		if base = a.decayed(); !base.typ.isPointer() && index.decayed().typ.isPointer() {
			base, index = index.decayed(), base
		}
	}
	if base.typ.kind != arrayKind && !base.typ.isPointer() {
		return nil, errorAt(at, "[] takes an array or a pointer, and this is %s", base.typ)
	}
	if !index.typ.isInteger() {
		return nil, errorAt(index.at, "an index is an integer, not %s", index.typ)
	}
	if err := complete(base.typ.element, at); err != nil {
		return nil, err
	}
	index, err := index.converted(index.typ.promoted(), "an index")
	if err != nil {
		return nil, err
	}
	return &expression{op: indexNode, at: at, parts: []*expression{base, index}, typ: base.typ.element}, nil
}

// member is a.b or a->b.
func member(t token, e *expression, name token) (*expression, error) {
	made := &expression{op: memberNode, at: t.at, text: name.text, parts: []*expression{e}, arrow: t.is("->")}
	of := e.typ
	if made.arrow {
		e = e.decayed()
		if !e.typ.isPointer() {
			return nil, errorAt(t.at, "-> takes a pointer, and this is %s", e.typ).hinted("write .%s", name.text)
		}
		made.parts[0], of = e, e.typ.element
	} else if of.isPointer() && of.element.kind == structKind {
		return nil, errorAt(t.at, ". takes a structure, and this is %s", of).hinted("write ->%s", name.text)
	}
	if of.kind != structKind {
		return nil, errorAt(t.at, "%s has no members", of)
	}
	f := of.bare().field(name.text)
	if f == nil {
		return nil, errorAt(name.at, "no member named '%s' in '%s'", name.text, of.name)
	}
	made.typ = f.typ.qualified(of.constant, of.volatile)
	return made, nil
}
