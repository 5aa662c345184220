package ckernel

import "strings"

// specifiers come before the names in a declaration.
type specifiers struct {
	base                                 *ctype
	typedef, external, static, constexpr bool
	attributes                           attributes
}

// attributes are the attributes of a declaration, CUDA's and clang's.
type attributes struct {
	global, device, host, shared, constant, noinline bool
	unavailable                                      string
	bounds                                           []*expression
	align                                            int64
	vector                                           bool // clang's own vectors, which only our headers have
}

// typeWords are the words that make up C's arithmetic types.
var typeWords = map[string]bool{
	"void": true, "bool": true, "_Bool": true, "char": true, "short": true, "int": true, "long": true, "float": true, "double": true,
	"signed": true, "unsigned": true, "__signed__": true, "__int128": true,
}

// specifierWords can accompany a type.
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

// startsDeclaration distinguishes a declaration from an expression such as float(x).
func (p *parser) startsDeclaration() bool {
	return p.startsType(p.peek()) && !(p.ahead(1).is("(") && !p.ahead(2).is("*") && !specifierWords[p.peek().text])
}

// specifiers reads all specifiers before the declared name.
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

// specifier records a word that accompanies a type.
func (p *parser) specifier(s *specifiers, word string) error {
	switch word {
	case "constexpr":
		s.constexpr = true
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

// arithmetic is the type named by words such as unsigned long.
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

// set records one attribute.
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

// declarator reads pointers, a name and array sizes. It leaves a function's parameters unread.
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
	for depth := 1; depth > 0; p.next++ { // the array sizes after the parentheses apply first
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

// typeName reads a type without a name, as in casts.
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

// declaration reads variables, functions and typedefs. Local variables go into a statement.
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
