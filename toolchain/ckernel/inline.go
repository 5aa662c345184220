package ckernel

import (
	"fmt"
	"slices"
	"strings"
)

// call inlines a function.
func (g *generator) call(e *expression) (value, error) {
	if e.text == "__ldg" {
		return g.cachedLoad(e)
	}
	arguments := make([]value, len(e.parts))
	for n, part := range e.parts {
		if part.op == castNode && part.parts[0].op == stringNode {
			continue // nanf("")
		}
		v, err := g.evaluate(part)
		if err != nil {
			return value{}, err
		}
		arguments[n] = v
	}
	g.at = e.at
	if e.overloads == nil {
		b := builtins[e.text]
		if b.write != nil {
			return b.write(g, b, e, arguments)
		}
		return g.instruction(b, arguments), nil
	}
	if e.text == configureLaunch {
		return value{}, g.launch(e.overloads[0], arguments)
	}
	return g.inline(e, e.overloads[0], arguments)
}

func (g *generator) inline(e *expression, f *function, arguments []value) (value, error) {
	switch {
	case slices.Contains(g.calls, f):
		return value{}, needsClang(e.at, "a function that calls itself ('"+f.name+"')")
	case len(g.calls) > mostInlined:
		return value{}, errorAt(e.at, "more than %d calls in each other", mostInlined)
	case f.body == nil:
		return value{}, errorAt(e.at, "'%s' has no body in this file", f.name)
	}
	if f.body.action == emptyStatement { // its body is still being parsed: recursion
		return value{}, needsClang(e.at, "a function that calls itself ('"+f.name+"')")
	}
	outside := g.at
	c := &scopeOf{call: true, result: -1}
	leaves := 0
	if f.result.kind != voidKind {
		c.result = len(g.vals)
		if f.result.isAggregate() {
			return g.inlineStructure(f, arguments)
		}
		leaves = 1
		g.vals = append(g.vals, value{})
	}
	c.slots = len(g.vals)
	if err := g.run(f, c, arguments); err != nil {
		return value{}, err
	}
	g.at = outside
	if leaves == 0 || len(g.vals) <= c.result {
		g.close(c.slots)
		return value{}, nil
	}
	v := g.vals[c.result]
	g.close(c.result)
	return v.asResult(f.result), nil
}

// run writes the function's body, up to the join of its returns.
func (g *generator) run(f *function, c *scopeOf, arguments []value) error {
	g.calls = append(g.calls, f)
	g.contexts = append(g.contexts, c)
	for n, v := range f.parameters {
		o, err := g.declare(v)
		if err != nil {
			return err
		}
		if err := g.store(o.pointer(), v.typ, arguments[n]); err != nil {
			return err
		}
	}
	if err := g.list(f.body.body, true); err != nil {
		return err
	}
	g.contexts = g.contexts[:len(g.contexts)-1]
	g.calls = g.calls[:len(g.calls)-1]
	if len(c.returns) == 0 {
		g.close(c.slots)
		return nil
	}
	return g.join(g.leave(c.returns, c.slots), c.slots)
}

// inlineStructure is inline for a result of several scalars, kept in a hidden variable.
func (g *generator) inlineStructure(f *function, arguments []value) (value, error) {
	c := &scopeOf{call: true, result: len(g.vals)}
	g.vals = append(g.vals, value{})
	c.slots = len(g.vals)
	if err := g.run(f, c, arguments); err != nil {
		return value{}, err
	}
	if len(g.vals) <= c.result {
		return value{}, nil
	}
	v := g.vals[c.result]
	g.close(c.result)
	if v.form != composite {
		v = value{form: composite, typ: f.result, parts: make([]value, len(f.result.leaves()))}
	}
	return v, nil
}

// instruction writes a builtin that is one instruction.
func (g *generator) instruction(b *builtin, arguments []value) value {
	names := make([]string, 0, len(arguments)+1)
	if g.folds(b, arguments) {
		return g.folded(b, arguments)
	}
	var r value
	if b.result.kind != voidKind {
		r = g.result(b.result)
		names = append(names, r.reg)
	}
	for _, a := range arguments {
		names = append(names, g.operand(a))
	}
	cost := 1
	switch {
	case b.pinned || strings.HasPrefix(b.opcode, "div"), strings.HasPrefix(b.opcode, "sqrt"), strings.HasPrefix(b.opcode, "rcp"):
		cost = expensive
	}
	g.emitCost(cost, "%s %s", b.opcode, strings.Join(names, ", "))
	if strings.HasPrefix(b.opcode, "popc") || strings.HasPrefix(b.opcode, "clz") {
		r.top = 64
	}
	return r
}

// cachedLoad is __ldg.
func (g *generator) cachedLoad(e *expression) (value, error) {
	at, err := g.evaluate(e.parts[0])
	if err != nil {
		return value{}, err
	}
	g.at = e.at
	if at.form == pointing && (at.space == globalSpace || at.space == genericSpace) && g.hasReadOnlyCache() {
		if at.space == genericSpace {
			r := g.register(doubles)
			g.emit("cvta.to.global.u64 %s, %s", r, at.reg)
			at.reg, at.space = r, globalSpace
		}
		before := at.cached
		if before == nil {
			at.cached = ldgPromise
		}
	}
	return g.load(at, e.typ)
}

// hasReadOnlyCache tells whether loads can use the texture unit's cache: from compute capability 3.5 on.
func (g *generator) hasReadOnlyCache() bool {
	return g.options.Arch != "sm_30" && g.options.Arch != "sm_32"
}

// ldgPromise marks pointers of __ldg, which promises that the memory is not written.
var ldgPromise = &variable{name: "__ldg"}

// writeVotingBarrier is __syncthreads_count, _and, _or.
func writeVotingBarrier(g *generator, b *builtin, _ *expression, arguments []value) (value, error) {
	c, err := g.convert(arguments[0], boolType)
	if err != nil {
		return value{}, err
	}
	if c.isNumber() {
		p := g.register(predicates)
		g.emit("setp.ne.s32 %s, %s, 0", p, g.inRegister(number64(intType, c.bits)))
		c = value{form: held, typ: boolType, reg: p}
	}
	if b.opcode == "popc.u32" {
		r := g.result(intType)
		g.emitPinned("bar.red.popc.u32 %s, 0, %s", r.reg, c.reg)
		r.top = 1024
		return r, nil
	}
	p := g.register(predicates)
	g.emitPinned("bar.red.%s %s, 0, %s", b.opcode, p, c.reg)
	return g.convert(value{form: held, typ: boolType, reg: p}, intType)
}

// writeAtomic writes atom. If the result is unused, isa/lower makes it a reduction.
func writeAtomic(g *generator, b *builtin, e *expression, arguments []value) (value, error) {
	at := arguments[0]
	if at.form == pointing {
		if at.space == objectSpace {
			return value{}, g.spillToMemory(at.object)
		}
		if at.cached != nil {
			g.written[at.cached] = true
			return value{}, errAgain
		}
	}
	space := ""
	if at.form == pointing {
		space = spaceNames[at.space]
		if at.space == localSpace || at.space == constantSpace {
			return value{}, errorAt(e.at, "an atomic operation works on global or shared memory")
		}
	}
	place, err := g.memory(at)
	if err != nil {
		return value{}, err
	}
	names := []string{}
	for n, a := range arguments[1:] {
		converted, err := g.convert(a, b.parameters[n+1])
		if err != nil {
			return value{}, err
		}
		names = append(names, g.operand(converted))
	}
	r := g.result(b.result)
	g.emitPinned("atom%s.%s %s, %s, %s", space, b.opcode, r.reg, place, strings.Join(names, ", "))
	return r, nil
}

// writeFirstBit is __ffs: the lowest set bit's position, from 1; 0 for none.
func writeFirstBit(g *generator, b *builtin, _ *expression, arguments []value) (value, error) {
	a := arguments[0]
	t := a.typ.promoted()
	if a.isNumber() {
		for n := range t.bits() {
			if a.bits>>n&1 != 0 {
				return number64(intType, uint64(n)+1), nil
			}
		}
		return number64(intType, 0), nil
	}
	reversed, zeros := g.result(t), g.result(intType)
	g.emit("brev.b%d %s, %s", t.bits(), reversed.reg, a.reg)
	g.emit("clz.b%d %s, %s", t.bits(), zeros.reg, reversed.reg)
	place := g.arithmetic("+", intType, zeros, number64(intType, 1))
	none := g.compare("==", a, zero(a.typ))
	return g.choose(none, number64(intType, 0), place), nil
}

// writeIsNaN compares a value with itself.
func writeIsNaN(g *generator, _ *builtin, _ *expression, arguments []value) (value, error) {
	a := arguments[0]
	if !a.typ.isFloating() {
		return number64(boolType, 0), nil
	}
	if a.isNumber() {
		f := floating(a.typ, a.bits)
		return number64(boolType, b2u(f != f)), nil
	}
	p := g.register(predicates)
	g.emit("setp.nan.%s %s, %s, %s", bitType(a.typ), p, a.reg, a.reg)
	return value{form: held, typ: boolType, reg: p}, nil
}

// asmOperands are the registers for an asm statement's operands, and the outputs to store.
type asmOperands struct {
	texts   []string
	named   map[string]string
	results []asmResult
}

// asmResult is an output: its destination and its register.
type asmResult struct {
	place value
	typ   *ctype
	reg   value
}

func (o *asmOperands) add(operand operandOf, text string) {
	o.texts = append(o.texts, text)
	if operand.name != "" {
		o.named[operand.name] = text
	}
}

// assembly writes an asm statement's text with its operands.
func (g *generator) assembly(s *statement) error {
	a := s.assembly
	operands := &asmOperands{named: map[string]string{}}
	for _, o := range a.outputs {
		if err := g.asmOutput(operands, o); err != nil {
			return err
		}
	}
	for _, o := range a.inputs {
		if err := g.asmInput(operands, o); err != nil {
			return err
		}
	}
	g.at = s.at
	text, err := substituted(a.template, operands.texts, operands.named)
	if err != nil {
		return errorAt(s.at, "asm: %s", err)
	}
	cost := expensive
	if !a.volatile {
		cost = 2
	}
	if text = strings.TrimSpace(text); text != "" {
		g.emitCost(cost, "%s", strings.TrimSuffix(text, ";"))
	}
	for _, r := range operands.results {
		v := r.reg
		if strings.HasPrefix(v.reg, classNames[halves][0]) {
			w := g.result(unsignedType)
			g.emit("cvt.u32.u16 %s, %s", w.reg, v.reg)
			v = w
		}
		converted, err := g.convert(v, r.typ)
		if err != nil {
			return err
		}
		if err := g.store(r.place, r.typ, converted); err != nil {
			return err
		}
	}
	return nil
}

// asmOutput gives an output a register. With a constraint that begins with +, the register holds the old value first.
func (g *generator) asmOutput(operands *asmOperands, o operandOf) error {
	at, err := g.place(o.value)
	if err != nil {
		return err
	}
	t := o.value.typ.bare()
	class, carrier := constraintClass(o.constraint, t)
	r := value{form: held, typ: carrier, reg: g.register(class)}
	if strings.HasPrefix(o.constraint, "+") {
		v, err := g.load(at, t)
		if err != nil {
			return err
		}
		if v, err = g.convert(v, carrier); err != nil {
			return err
		}
		g.emit("mov.%s %s, %s", classNames[class][1], r.reg, g.operand(v))
	}
	operands.results = append(operands.results, asmResult{at, t, r})
	operands.add(o, r.reg)
	return nil
}

// asmInput puts an input into the register that its constraint asks for.
func (g *generator) asmInput(operands *asmOperands, o operandOf) error {
	v, err := g.evaluate(o.value)
	if err != nil {
		return err
	}
	class, carrier := constraintClass(o.constraint, v.typeOr(o.value.typ))
	if v.form != pointing {
		if v, err = g.convert(v, carrier); err != nil {
			return err
		}
	}
	text := g.operand(v)
	switch {
	case class == halves:
		text = g.register(halves)
		g.emit("cvt.u16.u32 %s, %s", text, g.inRegister(v))
	case v.form == numeric && o.constraint != "n" && o.constraint != "i":
		text = g.inRegister(v)
	}
	operands.add(o, text)
	return nil
}

// constraintClass is the kind of register that a constraint asks for, and the type of its contents.
func constraintClass(constraint string, t *ctype) (class, *ctype) {
	switch strings.Trim(constraint, "=+&") {
	case "h":
		return halves, unsignedType
	case "l":
		if t.isPointer() {
			return doubles, ulonglongType
		}
		return doubles, map[bool]*ctype{true: longlongType, false: ulonglongType}[t.signed]
	case "f":
		return singles, floatType
	case "d":
		return wides, doubleType
	}
	return words, map[bool]*ctype{true: intType, false: unsignedType}[t.signed]
}

// substituted is an asm text with its operands.
func substituted(template string, operands []string, named map[string]string) (string, error) {
	var b strings.Builder
	for n := 0; n < len(template); n++ {
		c := template[n]
		if c != '%' || n+1 == len(template) {
			b.WriteByte(c)
			continue
		}
		n++
		switch c = template[n]; {
		case c == '%':
			b.WriteByte('%')
		case c == '[':
			end := strings.IndexByte(template[n:], ']')
			if end < 0 {
				return "", fmt.Errorf("%%[ without ]")
			}
			name := template[n+1 : n+end]
			if named[name] == "" {
				return "", fmt.Errorf("there is no operand %s", name)
			}
			b.WriteString(named[name])
			n += end
		case isDigit(c):
			which := 0
			for n < len(template) && isDigit(template[n]) && which < 100 {
				which = 10*which + int(template[n]-'0')
				n++
			}
			n--
			if which >= len(operands) {
				return "", fmt.Errorf("there is no operand %%%d", which)
			}
			b.WriteString(operands[which])
		default:
			b.WriteString("%" + string(c))
		}
	}
	return b.String(), nil
}
