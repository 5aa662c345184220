package ckernel

import "strings"

// specifiers are what precedes the names of a declaration.
type specifiers struct {
	base                             *ctype
	typedef, external, static, known bool // known: constexpr
	attributes                       attributes
}

// attributes are CUDA's and clang's.
type attributes struct {
	global, device, host, shared, constant, noinline bool
	unavailable                                      string
	bounds                                           []*expression
	align                                            int64
	vector                                           bool // clang's own vectors, which only our headers have
}

// typeWords are the words of which C's arithmetic types are made.
var typeWords = map[string]bool{
	"void": true, "bool": true, "_Bool": true, "char": true, "short": true, "int": true, "long": true, "float": true, "double": true,
	"signed": true, "unsigned": true, "__signed__": true, "__int128": true,
}

// specifierWords stand beside a type.
var specifierWords = map[string]bool{
	"const": true, "volatile": true, "static": true, "extern": true, "inline": true, "__inline__": true, "__inline": true,
	"constexpr": true,
	"typedef":   true, "register": true, "__attribute__": true, "__declspec": true, "struct": true, "union": true, "enum": true,
	"__noinline__": true, "__restrict__": true, "__restrict": true, "restrict": true, "__volatile__": true, "__extension__": true,
}

// startsType tells whether a token begins a type.
func (p *parser) startsType(t token) bool {
	if t.kind != identifier {
		return false
	}
	if typeWords[t.text] || specifierWords[t.text] {
		return true
	}
	_, is := p.scope.find(t.text).(*ctype)
	return is
}

// startsDeclaration tells a declaration from an expression such as float(x).
func (p *parser) startsDeclaration() bool {
	return p.startsType(p.peek()) && !(p.ahead(1).is("(") && !p.ahead(2).is("*") && !specifierWords[p.peek().text])
}

// specifiers reads them up to the declared name.
func (p *parser) specifiers() (s specifiers, err error) {
	words := map[string]int{}
	constant, volatile := false, false
	first := p.peek()
	for {
		t := p.peek()
		if t.kind != identifier {
			break
		}
		switch {
		case typeWords[t.text]:
			p.next++
			words[t.text]++
			continue
		case t.text == "struct" || t.text == "union":
			p.next++
			s.base, err = p.structure(t)
		case t.text == "enum":
			p.next++
			s.base, err = p.enumeration()
		case specifierWords[t.text]:
			p.next++
			constant = constant || t.text == "const" || t.text == "constexpr"
			volatile = volatile || t.text == "volatile" || t.text == "__volatile__"
			err = p.specifier(&s, t.text)
		default:
			named, is := p.scope.find(t.text).(*ctype)
			if !is || s.base != nil || len(words) > 0 {
				goto end
			}
			p.next++
			s.base = named
		}
		if err != nil {
			return s, err
		}
	}
end:
	if s.base == nil {
		if s.base, err = arithmetic(words, first, p.peek()); err != nil {
			return s, err
		}
	} else if len(words) > 0 {
		return s, errorAt(first.at, "two types in one declaration")
	}
	s.base = s.base.qualified(constant, volatile)
	return s, nil
}

// specifier keeps what a word beside a type says.
func (p *parser) specifier(s *specifiers, word string) error {
	switch word {
	case "constexpr":
		s.known = true
	case "static":
		s.static = true
	case "extern":
		s.external = true
		if p.peek().kind == text {
			p.next++
		}
	case "typedef":
		s.typedef = true
	case "__noinline__":
		s.attributes.noinline = true
	case "__attribute__", "__declspec":
		return p.attributes(&s.attributes)
	}
	return nil
}

// arithmetic is the type that words such as unsigned long make.
func arithmetic(words map[string]int, first, next token) (*ctype, error) {
	unsigned := words["unsigned"] > 0
	choose := func(s, u *ctype) (*ctype, error) {
		if unsigned {
			return u, nil
		}
		return s, nil
	}
	switch {
	case len(words) == 0:
		if err := foreignWord(next); err != nil {
			return nil, err
		}
		if next.kind == identifier {
			return nil, errorAt(next.at, "unknown type name '%s'", next.text)
		}
		return nil, errorAt(next.at, "expected a declaration, and found %s", next)
	case words["__int128"] > 0:
		return nil, needsClang(first.at, "__int128")
	case words["void"] > 0:
		return voidType, nil
	case words["bool"]+words["_Bool"] > 0:
		return boolType, nil
	case words["float"] > 0:
		return floatType, nil
	case words["double"] > 0:
		return doubleType, nil
	case words["char"] > 0:
		if words["signed"]+words["__signed__"] > 0 {
			return scharType, nil
		}
		return choose(charType, ucharType)
	case words["short"] > 0:
		return choose(shortType, ushortType)
	case words["long"] > 1:
		return choose(longlongType, ulonglongType)
	case words["long"] > 0:
		return choose(longType, ulongType)
	}
	return choose(intType, unsignedType)
}

// attributes reads __attribute__((a, b(c))).
func (p *parser) attributes(a *attributes) error {
	if err := p.expect("(", "after __attribute__"); err != nil {
		return err
	}
	double := p.accept("(")
	for !p.peek().is(")") {
		name := p.take()
		if name.kind == endOfFile {
			return errorAt(name.at, "the attribute has no end")
		}
		var arguments []*expression
		var said string
		if p.accept("(") {
			for !p.peek().is(")") {
				if p.peek().kind == text {
					s, err := p.strings()
					if err != nil {
						return err
					}
					said = s
				} else {
					e, err := p.assignment()
					if err != nil {
						return err
					}
					arguments = append(arguments, e)
				}
				if !p.accept(",") {
					break
				}
			}
			if err := p.expect(")", "after the attribute"); err != nil {
				return err
			}
		}
		if err := a.set(name, arguments, said); err != nil {
			return err
		}
		p.accept(",")
	}
	p.next++
	if double {
		return p.expect(")", "after the attribute")
	}
	return nil
}

// set keeps one attribute.
func (a *attributes) set(name token, arguments []*expression, said string) error {
	switch strings.Trim(name.text, "_") {
	case "global":
		a.global = true
	case "device":
		a.device = true
	case "host":
		a.host = true
	case "shared":
		a.shared = true
	case "constant":
		a.constant = true
	case "noinline":
		a.noinline = true
	case "ext_vector_type":
		a.vector = true
	case "unavailable":
		a.unavailable = said
	case "launch_bounds":
		a.bounds = arguments
	case "aligned":
		a.align = 16
		if len(arguments) > 0 {
			n, typ, ok := constantValue(arguments[0])
			if !ok || !typ.isInteger() || n == 0 || n&(n-1) != 0 || n > 4096 {
				return errorAt(name.at, "an alignment is a power of two up to 4096")
			}
			a.align = int64(n)
		}
	}
	return nil
}

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

// tagged declares a structure, whose tag names a type, as in C++.
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

// complete reports types of which there can be no variable.
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

// declarator reads pointers, a name and brackets. Those of functions it leaves.
func (p *parser) declarator(base *ctype) (name token, typ *ctype, err error) {
	done, err := p.deeper()
	defer done()
	if err != nil {
		return name, nil, err
	}
	typ = base
	for {
		t := p.peek()
		switch {
		case t.is("*"):
			p.next++
			typ = pointerTo(typ)
			continue
		case t.is("&"), t.is("&&"):
			return name, nil, needsClang(t.at, "a reference").hinted("use a pointer, or install clang: apt-get install clang-19")
		case t.is("const"):
			typ = typ.qualified(true, false)
		case t.is("volatile"):
			typ = typ.qualified(false, true)
		case t.is("__restrict__"), t.is("__restrict"), t.is("restrict"):
			q := *typ
			q.plain, q.restrict = typ.bare(), true
			typ = &q
		case t.is("__attribute__"):
			p.next++
			var ignored attributes
			if err := p.attributes(&ignored); err != nil {
				return name, nil, err
			}
			continue
		default:
			goto named
		}
		p.next++
	}
named:
	if p.peek().is("(") && (p.ahead(1).is("*") || p.ahead(1).is("&")) {
		return p.grouped(typ)
	}
	if p.peek().kind == identifier && !specifierWords[p.peek().text] {
		name = p.take()
	} else {
		name = token{at: p.peek().at}
	}
	typ, err = p.brackets(typ)
	return name, typ, err
}

// grouped reads (*name)[n], a pointer to an array.
func (p *parser) grouped(base *ctype) (name token, typ *ctype, err error) {
	p.next++
	from := p.next
	for depth := 1; depth > 0; p.next++ { // what the brackets behind it make comes first
		switch t := p.peek(); {
		case t.kind == endOfFile:
			return name, nil, errorAt(t.at, "expected ')' and found %s", t)
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
	}
	if p.peek().is("(") {
		return name, nil, needsClang(p.peek().at, "a pointer to a function")
	}
	if base, err = p.brackets(base); err != nil {
		return name, nil, err
	}
	behind := p.next
	p.next = from
	if name, typ, err = p.declarator(base); err != nil {
		return name, nil, err
	}
	err = p.expect(")", "after the name")
	p.next = behind
	return name, typ, err
}

// brackets reads the sizes of an array.
func (p *parser) brackets(typ *ctype) (*ctype, error) {
	var sizes []int64
	at := p.peek().at
	for p.accept("[") {
		if p.accept("]") {
			if len(sizes) > 0 {
				return nil, errorAt(at, "only the first size of an array may be left out")
			}
			sizes = append(sizes, -1)
			continue
		}
		for p.peek().is("const") || p.peek().is("static") || p.peek().is("__restrict__") {
			p.next++
		}
		e, err := p.conditional()
		if err != nil {
			return nil, err
		}
		n, t, ok := constantValue(e)
		switch {
		case !ok || !t.isInteger():
			return nil, errorAt(e.at, "the size of an array must be known when the kernel is compiled").hinted(
				"use a constant, or extern __shared__ for shared memory whose size the launch gives")
		case int64(n) <= 0 || int64(n) > mostVariable:
			return nil, errorAt(e.at, "an array of %d elements", int64(n))
		}
		sizes = append(sizes, int64(n))
		if err := p.expect("]", "after the array's size"); err != nil {
			return nil, err
		}
	}
	for n := len(sizes) - 1; n >= 0; n-- {
		if sizes[n] > 0 && typ.size > mostVariable/sizes[n] {
			return nil, errorAt(at, "the array is larger than %d bytes", int64(mostVariable))
		}
		typ = arrayOf(typ, sizes[n])
	}
	return typ, nil
}

// typeName reads a type without a name, as casts have it.
func (p *parser) typeName() (*ctype, error) {
	s, err := p.specifiers()
	if err != nil {
		return nil, err
	}
	name, typ, err := p.declarator(s.base)
	if err == nil && name.text != "" {
		err = errorAt(name.at, "expected a type alone, and found %s", name)
	}
	return typ, err
}

// declaration reads variables, functions and names of types. Local ones go into a statement.
func (p *parser) declaration(outside bool, into *statement) error {
	s, err := p.specifiers()
	if err != nil {
		return err
	}
	if p.accept(";") {
		return nil
	}
	for {
		name, typ, err := p.declarator(s.base)
		if err != nil {
			return err
		}
		for p.peek().is("__attribute__") {
			p.next++
			if err := p.attributes(&s.attributes); err != nil {
				return err
			}
		}
		switch {
		case name.text == "":
			if err := foreignWord(p.peek()); err != nil {
				return err
			}
			return errorAt(p.peek().at, "expected a name, and found %s", p.peek())
		case s.typedef:
			p.scope.names[name.text] = typ
			if s.attributes.vector {
				delete(p.scope.names, name.text)
			}
		case p.peek().is("(") && outside:
			done, err := p.function(&s, name, typ)
			if done || err != nil {
				return err
			}
		default:
			v, err := p.variable(&s, name, typ, outside)
			if err != nil {
				return err
			}
			if into != nil {
				into.variables = append(into.variables, v)
			}
		}
		if !p.accept(",") {
			return p.expect(";", "after the declaration")
		}
	}
}

// function reads what follows a function's name; done says that a body ended the declaration.
func (p *parser) function(s *specifiers, name token, result *ctype) (done bool, err error) {
	a := &s.attributes
	f := &function{name: name.text, result: result.bare(), kernel: a.global, noinline: a.noinline,
		bounds: a.bounds, at: name.at, ours: name.at.file.ours}
	f.host = !a.global && !a.device && !f.ours && !s.known
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
	known.body = &statement{action: emptyStatement} // it may call itself, which the generator refuses
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

// read reads the body of one of our functions when it is first called.
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

// overload is the function of these parameters, which may be new.
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
			if other.ours && !f.ours { // a program's own goes before ours
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
