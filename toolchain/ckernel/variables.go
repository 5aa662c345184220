package ckernel

import "fmt"

// variable reads the rest of a declaration after a variable's name.
func (p *parser) variable(s *specifiers, name token, typ *ctype, outside bool) (*variable, error) {
	a := &s.attributes
	v := &variable{name: name.text, typ: typ, at: name.at, ours: name.at.file.ours}
	switch {
	case a.shared:
		v.storage = sharedStorage
	case a.constant:
		v.storage = constantStorage
	case a.device || outside && !typ.constant:
		v.storage = deviceStorage
	case outside || s.static && typ.constant:
		v.storage = constantStorage
	case s.static:
		return nil, needsClang(name.at, "a static variable")
	}
	if outside && !a.shared && !a.constant && !a.device && !typ.constant && !(typ.kind == arrayKind && innermost(typ).constant) && !v.ours {
		return nil, errorAt(name.at, "'%s' is a variable of the host: kernels cannot reach it", v.name).
			hinted("write __device__ or __constant__ in front of it")
	}
	if _, twice := p.scope.names[v.name].(*variable); twice && !(s.external || v.ours) {
		return nil, errorAt(name.at, "'%s' is declared twice", v.name)
	}
	if a.align > 0 {
		aligned := *typ
		aligned.align = max(aligned.align, a.align)
		v.typ = &aligned
	}
	p.scope.names[v.name] = v
	if p.peek().is("(") {
		return nil, needsClang(p.peek().at, "a constructor, or a function in a function")
	}
	if p.peek().is("=") || p.peek().is("{") {
		if err := p.initialise(s, v); err != nil {
			return nil, err
		}
	}
	if err := complete(v.typ, v.at); err != nil {
		return nil, err
	}
	if v.typ.kind == arrayKind && v.typ.length < 0 {
		if !s.external || v.storage != sharedStorage {
			return nil, errorAt(v.at, "the array '%s' has no size", v.name)
		}
		v.dynamic = true
	}
	if v.storage != automatic && v.storage != knownStorage {
		p.place(v)
	}
	return v, nil
}

// innermost is the type of an array's scalars or structures.
func innermost(t *ctype) *ctype {
	for t.kind == arrayKind {
		t = t.element
	}
	return t
}

// place gives a variable its name in PTX. Variables of different functions may have the same name.
func (p *parser) place(v *variable) {
	v.label = v.name
	if p.within != nil && !v.dynamic {
		v.label = "_ZZ" + p.within.name + "E" + v.name
	}
	if p.labels[v.label]++; p.labels[v.label] > 1 && !v.dynamic {
		v.label = fmt.Sprintf("%s_%d", v.label, p.labels[v.label]-1)
	}
	p.variables = append(p.variables, v)
}

// initialise reads a variable's initial value.
func (p *parser) initialise(s *specifiers, v *variable) error {
	p.accept("=")
	at := p.peek().at
	e, err := p.initializer()
	if err != nil {
		return err
	}
	if v.storage == sharedStorage {
		return errorAt(at, "a __shared__ variable has no first value").hinted("let threads store it, then __syncthreads()")
	}
	if v.typ.kind == arrayKind && v.typ.length < 0 {
		count := int64(len(e.parts))
		if e.op == stringNode {
			count = int64(len(e.text)) + 1
		}
		v.typ = arrayOf(v.typ.element, count)
	}
	if v.init, err = e.converted(v.typ, "'"+v.name+"'"); err != nil {
		return err
	}
	if v.typ.constant && v.typ.isArithmetic() {
		if bits, typ, ok := constantValue(v.init); ok {
			v.value = constant(at, typ, bits)
			if v.storage == constantStorage && !s.attributes.constant {
				v.storage = knownStorage
			}
			return nil
		}
	}
	if s.constexpr || v.storage != automatic {
		if v.bytes = make([]byte, 0); !initialBytes(v, v.init, &v.bytes) {
			return errorAt(at, "the first value of '%s' must be known when the kernel is compiled", v.name)
		}
		if s.constexpr && v.storage == automatic {
			v.bytes = nil
		}
	}
	return nil
}

// initialBytes writes the initial contents of a variable in memory. It returns false for an initial value that is not constant.
func initialBytes(v *variable, e *expression, into *[]byte) bool {
	if v.typ.size > 1<<24 {
		return false
	}
	bytes := make([]byte, v.typ.size)
	if !fillBytes(bytes, v.typ, e) {
		return false
	}
	*into = bytes
	return true
}

func fillBytes(bytes []byte, typ *ctype, e *expression) bool {
	if e.op == stringNode && typ.kind == arrayKind {
		copy(bytes, e.text)
		return true
	}
	if typ.isAggregate() {
		if e.op != listNode {
			return false
		}
		for n, part := range e.parts {
			if part == nil {
				continue
			}
			at, element := memberAt(typ, n)
			if !fillBytes(bytes[at:at+element.size], element, part) {
				return false
			}
		}
		return true
	}
	bits, _, ok := constantValue(e)
	if !ok {
		return false
	}
	for n := range typ.size {
		bytes[n] = byte(bits >> (8 * n))
	}
	return true
}

// memberAt is the offset and type of an aggregate's n-th part.
func memberAt(t *ctype, n int) (int64, *ctype) {
	if t.kind == arrayKind {
		return int64(n) * t.element.size, t.element
	}
	return t.fields[n].offset, t.fields[n].typ
}
