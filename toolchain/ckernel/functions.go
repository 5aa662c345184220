package ckernel

// function reads the rest of a function after its name. done says that a body ended the declaration.
func (p *parser) function(s *specifiers, name token, result *ctype) (done bool, err error) {
	a := &s.attributes
	f := &function{name: name.text, result: result.bare(), kernel: a.global, noinline: a.noinline,
		bounds: a.bounds, at: name.at, ours: name.at.file.ours}
	f.host = !a.global && !a.device && !f.ours && !s.constexpr
	p.next++
	p.scope = newScope(p.scope)
	defer func() { p.scope = p.scope.outer }()
	if err := p.parameters(f); err != nil {
		return false, err
	}
	for p.peek().is("__attribute__") || p.peek().is("noexcept") {
		if p.take().text == "__attribute__" {
			if err := p.attributes(a); err != nil {
				return false, err
			}
		}
	}
	if f.kernel && f.result.kind != voidKind {
		return false, errorAt(f.at, "kernel '%s' must return void", f.name)
	}
	known := p.overload(f)
	if a.unavailable != "" {
		return false, nil
	}
	if !p.peek().is("{") {
		return false, nil
	}
	if known.body != nil || known.tokens != nil {
		if !f.ours && !known.ours {
			return false, errorAt(f.at, "'%s' is defined twice", f.name)
		}
	}
	f.scope = p.scope
	*known = *f
	if f.ours || f.host {
		known.tokens = p.skipBody()
		return true, nil
	}
	p.functions = append(p.functions, known)
	known.body = &statement{action: emptyStatement} // a placeholder: the function may call itself, which the generator rejects
	return true, p.body(known)
}

// body reads a function's body.
func (p *parser) body(f *function) (err error) {
	before, loops, switches := p.within, p.loops, p.switches
	p.within, p.loops, p.switches = f, 0, 0
	defer func() { p.within, p.loops, p.switches = before, loops, switches }()
	f.body, err = p.block()
	return err
}

// read parses the body of one of our functions on its first call.
func (p *parser) read(f *function) error {
	if f.tokens == nil || f.host {
		return nil
	}
	tokens, next, scope := p.tokens, p.next, p.scope
	p.tokens, p.next, p.scope = f.tokens, 0, f.scope
	defer func() { p.tokens, p.next, p.scope = tokens, next, scope }()
	f.tokens = nil
	f.body = &statement{action: emptyStatement}
	return p.body(f)
}

// overload returns the function with these parameters, perhaps new.
func (p *parser) overload(f *function) *function {
	known, _ := p.global.names[f.name].([]*function)
	for n, other := range known {
		if len(other.parameters) != len(f.parameters) {
			continue
		}
		equal := true
		for k := range f.parameters {
			equal = equal && same(other.parameters[k].typ, f.parameters[k].typ)
		}
		if equal {
			if other.ours && !f.ours { // the program's function replaces ours
				known[n] = f
				return f
			}
			return other
		}
	}
	p.global.names[f.name] = append(known, f)
	return f
}

// parameters reads a function's parameters up to the closing bracket.
func (p *parser) parameters(f *function) error {
	if p.peek().is("void") && p.ahead(1).is(")") {
		p.next++
	}
	for !p.accept(")") {
		if p.accept("...") {
			return needsClang(p.peek().at, "a function of any number of arguments")
		}
		s, err := p.specifiers()
		if err != nil {
			return err
		}
		name, typ, err := p.declarator(s.base)
		if err != nil {
			return err
		}
		if typ.kind == arrayKind {
			typ = pointerTo(typ.element)
		}
		if err := complete(typ, name.at); err != nil {
			return err
		}
		v := &variable{name: name.text, typ: typ, at: name.at}
		if p.accept("=") {
			if v.value, err = p.assignment(); err != nil {
				return err
			}
			if v.value, err = v.value.converted(typ, "parameter '"+v.name+"'"); err != nil {
				return err
			}
		}
		if v.name != "" {
			p.scope.names[v.name] = v
		}
		f.parameters = append(f.parameters, v)
		if !p.accept(",") && !p.peek().is(")") {
			return errorAt(p.peek().at, "expected ',' or ')' after a parameter, and found %s", p.peek())
		}
	}
	return nil
}
