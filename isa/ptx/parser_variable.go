package ptx

import (
	"fmt"
	"strings"
)

// spaces are the state spaces that begin a declaration.
var spaces = map[string]Space{
	"reg": SpaceRegister, "sreg": SpaceSpecialRegister, "const": SpaceConst, "global": SpaceGlobal,
	"local": SpaceLocal, "param": SpaceParam, "shared": SpaceShared, "tex": SpaceTexture,
}

// types are the type names of declarations.
var types, typeNames = func() (map[string]bool, []string) {
	names := strings.Fields(`u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 b128 f16 f16x2 f32 f64 bf16 bf16x2 tf32
		u16x2 s16x2 f32x2 e4m3 e5m2 e4m3x2 e5m2x2 e4m3x4 e5m2x4 e2m1 e2m1x2 e2m1x4 e2m3 e2m3x2 e2m3x4 e3m2 e3m2x2 e3m2x4
		ue8m0 ue8m0x2 u8x4 s8x4 pred texref samplerref surfref`)
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set, names
}()

// vectorLength returns the number of elements of .v2, .v4 or .v8; 0 for other words.
func vectorLength(word string) int {
	switch word {
	case "v2":
		return 2
	case "v3":
		return 3
	case "v4":
		return 4
	case "v8":
		return 8
	}
	return 0
}

// variableStatement parses a whole declaration with its `;`.
func (p *parser) variableStatement(pos Position, linkage Linkage) (Statement, bool) {
	v := &Variable{Node: Node{pos}, Linkage: linkage}
	if !p.specifiers(v) {
		return nil, false
	}
	for {
		d, ok := p.declarator()
		if !ok {
			return nil, false
		}
		v.Declarators = append(v.Declarators, d)
		if !p.accept(',') {
			break
		}
	}
	return v, p.expect(';', "at the end of the declaration")
}

// specifiers parses everything before the declared names, in any order: space, alignment, vector, type.
func (p *parser) specifiers(v *Variable) bool {
	v.Bank, v.Vector = -1, 1
	v.Space = spaces[p.dotWord()]
	if v.Space == SpaceNone {
		return p.unexpected("a state space such as .param or .reg")
	}
	p.advance()
	if v.Space == SpaceConst && p.accept('[') {
		var ok bool
		if v.Bank, ok = p.integer("the number of a constant bank"); !ok || !p.expect(']', "after the constant bank") {
			return false
		}
	}
	for p.token.kind == tokenDotWord {
		if !p.specifier(v) {
			return false
		}
	}
	if v.Type == "" {
		return p.unexpected("a type such as .u32")
	}
	return true
}

// specifier parses one dotted word of a declaration with its arguments.
func (p *parser) specifier(v *Variable) bool {
	word := p.dotWord()
	switch {
	case word == "align":
		p.advance()
		var ok bool
		v.Align, ok = p.expression("an alignment in bytes")
		return ok
	case vectorLength(word) > 0:
		v.Vector = vectorLength(word)
	case word == "ptr":
		return p.pointer(v)
	case word == "attribute":
		return p.attribute(&v.Attributes)
	case types[word]:
		if v.Type != "" {
			return p.fail("a second type, `.%s`, after `.%s`; a declaration has one", word, v.Type)
		}
		v.Type = word
	default:
		message := fmt.Sprintf("unknown type `.%s`", word)
		if near := Nearest(word, typeNames); near != "" {
			message += "; did you mean `." + near + "`?"
		}
		return p.fail("%s", message)
	}
	p.advance()
	return true
}

// pointer parses `.ptr .global .align 8`.
func (p *parser) pointer(v *Variable) bool {
	p.advance()
	v.Pointer = &Pointer{}
	if space, ok := spaces[p.dotWord()]; ok {
		v.Pointer.Space = space
		p.advance()
	}
	if p.dotWord() != "align" {
		return true
	}
	p.advance()
	var ok bool
	v.Pointer.Align, ok = p.expression("an alignment in bytes")
	return ok
}

// attribute parses `.attribute(.managed, .unified(1, 2))`.
func (p *parser) attribute(out *[]Expression) bool {
	p.advance()
	if !p.expect('(', "after .attribute") {
		return false
	}
	for {
		word := p.dotWord()
		if word == "" {
			return p.unexpected("an attribute such as .managed")
		}
		e := Expression{Kind: ExpressionCall, Pos: p.token.position(), Text: word}
		p.advance()
		if p.accept('(') {
			var ok bool
			if e.Arguments, ok = p.expressions("an integer"); !ok || !p.expect(')', "after the attribute's arguments") {
				return false
			}
		}
		*out = append(*out, e)
		if !p.accept(',') {
			return p.expect(')', "after the attributes")
		}
	}
}

// declarator parses a name with its range, dimensions and initialiser.
func (p *parser) declarator() (Declarator, bool) {
	d := Declarator{Range: -1}
	var ok bool
	if d.Name, ok = p.name("a name"); !ok {
		return d, false
	}
	if p.accept('<') {
		if d.Range, ok = p.integer("the number of registers"); !ok || !p.expect('>', "after the number of registers") {
			return d, false
		}
	}
	for p.accept('[') {
		var length *Expression
		if !p.token.is(']') {
			if length, ok = p.expression("an array length"); !ok {
				return d, false
			}
		}
		d.Dimensions = append(d.Dimensions, length)
		if !p.expect(']', "after the array length") {
			return d, false
		}
	}
	if p.accept('=') {
		d.Initializer = &Initializer{}
		ok = p.initializer(d.Initializer)
	}
	return d, ok
}

// initializer parses a value, a string, or a list in braces.
func (p *parser) initializer(out *Initializer) bool {
	out.Pos = p.token.position()
	switch {
	case p.token.kind == tokenString:
		out.Kind = InitializerString
		out.String, _ = p.quoted("a string", false)
		return true
	case p.token.is('{'):
		return p.initializerList(out)
	}
	var ok bool
	if out.Value, ok = p.expression("an initial value"); !ok {
		return false
	}
	if out.Value.Kind != ExpressionName || !p.token.is('=') {
		return true
	}
	p.advance()
	out.Kind = InitializerField
	out.Field = out.Value.Text
	out.Value, ok = p.expression("the value of " + out.Field)
	return ok
}

func (p *parser) initializerList(out *Initializer) bool {
	out.Kind = InitializerList
	if !p.enter() {
		return false
	}
	defer func() { p.nesting-- }()
	p.advance()
	for !p.token.is('}') {
		out.Elements = append(out.Elements, Initializer{})
		if !p.initializer(&out.Elements[len(out.Elements)-1]) {
			return false
		}
		if !p.accept(',') {
			break
		}
	}
	return p.expect('}', "after the initial values")
}
