package ckernel

// structure reads struct or union, a tag, and fields.
func (p *parser) structure(word token) (*ctype, error) {
	var a attributes
	for p.peek().is("__attribute__") {
		p.next++
		if err := p.attributes(&a); err != nil {
			return nil, err
		}
	}
	tag := ""
	if p.peek().kind == identifier {
		tag = p.take().text
	}
	if p.peek().is(":") {
		return nil, needsClang(p.peek().at, "inheritance")
	}
	if !p.peek().is("{") {
		if known := p.scope.tag(tag); known != nil && tag != "" {
			return known, nil
		}
		if tag == "" {
			return nil, errorAt(word.at, "a %s without a name and without members", word.text)
		}
		return p.tagged(tag), nil
	}
	t := p.scope.tags[tag]
	switch {
	case t != nil && tag != "" && t.complete:
		return nil, errorAt(word.at, "struct %s is defined twice", tag)
	case t == nil || tag == "":
		t = p.tagged(tag)
	}
	p.next++
	for !p.accept("}") {
		if err := p.members(t); err != nil {
			return nil, err
		}
	}
	for p.peek().is("__attribute__") {
		p.next++
		if err := p.attributes(&a); err != nil {
			return nil, err
		}
	}
	t.layOut(word.text == "union", a.align)
	if t.size > mostVariable {
		return nil, errorAt(word.at, "struct %s is too large", tag)
	}
	return t, nil
}

// tagged declares a structure. Its tag names a type, as in C++.
func (p *parser) tagged(tag string) *ctype {
	t := &ctype{kind: structKind, name: tag}
	if tag == "" {
		t.name = "(without a name)"
		return t
	}
	p.scope.tags[tag] = t
	p.scope.names[tag] = t
	return t
}

// members reads one declaration of a structure.
func (p *parser) members(t *ctype) error {
	first := p.peek()
	s, err := p.specifiers()
	if err != nil {
		return err
	}
	if p.peek().is(";") && s.base.kind == structKind && s.base.name == "(without a name)" {
		return needsClang(first.at, "a structure without a name within another")
	}
	for {
		name, typ, err := p.declarator(s.base)
		if err != nil {
			return err
		}
		switch {
		case p.peek().is("("):
			return needsClang(name.at, "a member function")
		case p.peek().is(":"):
			return needsClang(name.at, "a bit field")
		case p.peek().is("="):
			return needsClang(p.peek().at, "a member's initial value")
		case name.text == "":
			return errorAt(p.peek().at, "expected the name of a member, and found %s", p.peek())
		case t.field(name.text) != nil:
			return errorAt(name.at, "two members are called %s", name.text)
		}
		if err := complete(typ, name.at); err != nil {
			return err
		}
		if typ.kind == arrayKind && typ.length < 0 {
			return errorAt(name.at, "the array '%s' has no size", name.text)
		}
		t.fields = append(t.fields, field{name: name.text, typ: typ})
		if len(t.fields) > mostSlots {
			return errorAt(name.at, "a structure of too many members")
		}
		if !p.accept(",") {
			return p.expect(";", "after the member")
		}
	}
}

// complete returns an error for types that a variable cannot have.
func complete(t *ctype, at position) error {
	switch {
	case t.kind == voidKind:
		return errorAt(at, "a variable cannot be void")
	case t.kind == structKind && !t.bare().complete:
		return errorAt(at, "struct %s has not been defined", t.name)
	case t.kind == arrayKind:
		return complete(t.element, at)
	}
	return nil
}

// enumeration reads enum { A, B = 2 }.
func (p *parser) enumeration() (*ctype, error) {
	p.accept("class")
	if p.peek().kind == identifier {
		p.scope.names[p.take().text] = intType
	}
	if !p.accept("{") {
		return intType, nil
	}
	value := uint64(0)
	for !p.accept("}") {
		name := p.take()
		if name.kind != identifier {
			return nil, errorAt(name.at, "expected the name of a constant, and found %s", name)
		}
		if p.accept("=") {
			e, err := p.conditional()
			if err != nil {
				return nil, err
			}
			bits, typ, ok := constantValue(e)
			if !ok || !typ.isInteger() {
				return nil, errorAt(e.at, "the value of %s is no constant", name.text)
			}
			value = bits
		}
		p.scope.names[name.text] = &variable{name: name.text, typ: intType, storage: knownStorage, at: name.at,
			value: constant(name.at, intType, value)}
		value++
		if !p.accept(",") && !p.peek().is("}") {
			return nil, errorAt(p.peek().at, "expected ',' or '}', and found %s", p.peek())
		}
	}
	return intType, nil
}
