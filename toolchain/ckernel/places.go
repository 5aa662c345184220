package ckernel

// place is the address of an lvalue.
func (g *generator) place(e *expression) (value, error) {
	switch e.op {
	case variableNode:
		return g.variablePlace(e)
	case stringNode:
		return value{}, needsClang(e.at, "a string")
	case unaryNode: // *p
		return g.evaluate(e.parts[0])
	case indexNode:
		base := e.parts[0]
		var at value
		var err error
		if base.typ.kind == arrayKind {
			at, err = g.place(base)
		} else {
			at, err = g.evaluate(base)
		}
		if err != nil {
			return value{}, err
		}
		index, err := g.evaluate(e.parts[1])
		if err != nil {
			return value{}, err
		}
		g.at = e.at
		return g.advance(at, index, e.typ.size)
	case memberNode:
		var at value
		var err error
		of := e.parts[0].typ
		if e.arrow {
			at, err = g.evaluate(e.parts[0])
			of = of.element
		} else {
			at, err = g.place(e.parts[0])
		}
		if err != nil {
			return value{}, err
		}
		return g.advance(at, integer(longType, of.bare().field(e.text).offset), 1)
	case assignNode, callNode, chooseNode, listNode, castNode: // a value without an address; one of its parts is read
		v, err := g.evaluate(e)
		if err != nil {
			return value{}, err
		}
		hidden := &variable{name: "(a value)", typ: e.typ.bare(), at: e.at}
		o, err := g.declare(hidden)
		if err != nil {
			return value{}, err
		}
		return o.pointer(), g.store(o.pointer(), e.typ, v)
	}
	return value{}, errorAt(e.at, "this has no place")
}

// variablePlace is a variable's address.
func (g *generator) variablePlace(e *expression) (value, error) {
	v := e.variable
	switch v.storage {
	case sharedStorage, constantStorage, deviceStorage:
		g.used[v] = true
		return value{form: pointing, typ: pointerTo(v.typ), label: v.label, space: spaceOfStorage[v.storage]}, nil
	}
	o := g.objects[v]
	if o == nil {
		return value{}, errorAt(e.at, "'%s' has no value here", v.name)
	}
	return o.pointer(), nil
}

// spaceOfStorage is the memory space of variables that threads share.
var spaceOfStorage = map[storage]space{sharedStorage: sharedSpace, constantStorage: constantSpace, deviceStorage: globalSpace}

// advance adds an index to an address.
func (g *generator) advance(at, index value, size int64) (value, error) {
	if index.isNumber() {
		by := int64(index.bits) * size
		if at.form == numeric {
			at.bits += uint64(by)
			return at, nil
		}
		at.offset += by
		return at, nil
	}
	if at.form == pointing && at.space == objectSpace {
		return value{}, g.spillToMemory(at.object)
	}
	if s, known := g.sums[index.reg]; known && index.typ.signed { // a signed sum does not wrap
		at.offset += s.add * size
		index = s.base
	}
	step := g.scaled(index, size)
	offset := at.offset
	at.offset = 0
	base, err := g.address(at, at.space)
	if err != nil {
		return value{}, err
	}
	r := g.register(doubles)
	g.emit("add.s64 %s, %s, %s", r, base, step)
	moved := value{form: pointing, typ: at.typ, reg: r, space: at.space, cached: at.cached, offset: offset}
	return moved, nil
}

// scaled is an index times an element's size, in 64 bits.
func (g *generator) scaled(index value, size int64) string {
	r := g.register(doubles)
	sign := "s"
	if !index.typ.signed || index.top > 0 && index.top <= 1<<31-1 {
		sign = "u"
	}
	switch {
	case index.typ.size == 8 && size == 1:
		return index.reg
	case index.typ.size == 8:
		g.emit("mul.lo.s64 %s, %s, %d", r, index.reg, size)
	case size == 1:
		g.emit("cvt.%s64.%s32 %s, %s", sign, sign, r, index.reg)
	case size < 1<<31:
		g.emit("mul.wide.%s32 %s, %s, %d", sign, r, index.reg, size)
	default:
		g.emit("cvt.%s64.%s32 %s, %s", sign, sign, r, index.reg)
		wide := g.register(doubles)
		g.emit("mul.lo.s64 %s, %s, %d", wide, r, size)
		return wide
	}
	return r
}

// address returns a register with a pointer into a space. Pointers into a known space are converted if a generic one is asked for.
func (g *generator) address(v value, in space) (string, error) {
	if v.form == numeric {
		return literal(longType, v.bits), nil
	}
	if v.form == unset {
		return "0", nil
	}
	if v.form != pointing {
		return v.reg, nil
	}
	if v.space == objectSpace {
		return "", g.spillToMemory(v.object)
	}
	base := v.reg
	if base == "" {
		base = g.register(doubles)
		g.emit("mov.u64 %s, %s", base, v.label)
	}
	if v.offset != 0 {
		r := g.register(doubles)
		g.emit("add.s64 %s, %s, %d", r, base, v.offset)
		base = r
	}
	if in == genericSpace && v.space != genericSpace {
		r := g.register(doubles)
		g.emit("cvta%s.u64 %s, %s", spaceNames[v.space], r, base)
		base = r
	}
	return base, nil
}

// memory is an address in the syntax of loads and stores.
func (g *generator) memory(v value) (string, error) {
	at := v.reg
	switch {
	case v.form == numeric:
		return "[" + literal(longType, v.bits) + "]", nil
	case v.form == unset:
		return "[0]", nil
	case v.form == held:
	case at == "":
		at = v.label
	}
	if v.offset != 0 {
		if v.offset > 1<<30 || v.offset < -1<<30 {
			r, err := g.address(v, v.space)
			return "[" + r + "]", err
		}
		at += "+" + literal(longType, uint64(v.offset))
	}
	return "[" + at + "]", nil
}

// pointerOperation is p + i, p - q and comparisons.
func (g *generator) pointerOperation(e *expression, a, b value) (value, error) {
	t := e.parts[0].typ
	switch {
	case isComparison(e.text):
		return g.comparePointers(e.text, a, b)
	case e.typ.isPointer():
		if e.text == "-" {
			b = g.arithmetic("-", b.typ.promoted(), number64(b.typ.promoted(), 0), b)
		}
		v, err := g.advance(a, b, t.element.size)
		return v.as(e.typ), err
	}
	if a.form == pointing && b.form == pointing && a.space == objectSpace && b.space == objectSpace && a.object == b.object {
		return integer(longType, (a.offset-b.offset)/t.element.size), nil
	}
	x, y, err := g.addresses(a, b)
	if err != nil {
		return value{}, err
	}
	r := g.register(doubles)
	g.emit("sub.s64 %s, %s, %s", r, x, y)
	return g.arithmetic("/", longType, value{form: held, typ: longType, reg: r}, integer(longType, t.element.size)), nil
}

// addresses returns the addresses of two pointers: in their space if they share one, else generic.
func (g *generator) addresses(a, b value) (x, y string, err error) {
	in := genericSpace
	if a.form == pointing && b.form == pointing && a.space == b.space {
		in = a.space
	}
	if x, err = g.address(a, in); err == nil {
		y, err = g.address(b, in)
	}
	return x, y, err
}

// comparePointers compares addresses.
func (g *generator) comparePointers(operator string, a, b value) (value, error) {
	if a.form == pointing && a.space == objectSpace && b.isNumber() || b.form == pointing && b.space == objectSpace && a.isNumber() {
		return number64(boolType, b2u(operator == "!=")), nil
	}
	x, y, err := g.addresses(a, b)
	if err != nil {
		return value{}, err
	}
	p := g.register(predicates)
	g.emit("setp.%s.u64 %s, %s, %s", unsignedComparisons[operator], p, x, y)
	return value{form: held, typ: boolType, reg: p}, nil
}

var unsignedComparisons = map[string]string{"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
