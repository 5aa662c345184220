package ckernel

import (
	"context"
	"errors"
	"slices"
)

// generator makes a kernel's instructions. It walks through the trees with what is known of every variable's value.
type generator struct {
	ctx           context.Context
	parser        *parser
	options       Options
	kernel        *function
	blocks        []*block
	current       *block // nil where code is unreachable
	at            position
	vals          []value // the scalars of variables, by slot
	objects       map[*variable]*object
	counts        [classes]int
	numbered      int
	size          int // instructions in the output
	work          int // instructions written, including those of abandoned attempts
	calls         []*function
	contexts      []*scopeOf
	sums          map[string]sum
	negative      map[string]product  // products with a negative number, by register
	places        map[*variable]int64 // offsets of variables in local memory
	frame         int64
	used          map[*variable]bool
	launched      map[*function]bool
	outside       map[string]string  // declarations of the PTX functions that the kernel calls
	entries       map[*block][]value // the slots' values at the start of a loop's iteration
	specials      map[string]string  // the registers that special registers are read into
	changedInLoop []int              // slots found to change in a loop

	// Findings that come too late for instructions already written: they are kept while the kernel is written again.
	inMemory map[*variable]bool // variables whose address is needed
	generic  map[*variable]bool
	written  map[*variable]bool // __restrict__ parameters that the kernel writes through
}

// sum is a signed sum: the value of a register and the number added to it.
type sum struct {
	base value
	add  int64
}

// product describes a product with a negative number: it is minus base times factor, and factor is positive.
type product struct{ base, factor value }

// scopeOf is a loop, a switch or a call that statements can leave.
type scopeOf struct {
	loop, call                 bool
	breaks, continues, returns []edge
	slots                      int // the number of slots outside
	result                     int // a call's slot for its result; -1 for none
	tail                       bool
}

// errAgain makes generate write the kernel again with a new finding.
var errAgain = errors.New("again")

// spillToMemory moves a variable to memory.
func (g *generator) spillToMemory(o *object) error {
	if g.inMemory[o.variable] {
		return errorAt(g.at, "the address of '%s' outlives it", o.variable.name)
	}
	g.inMemory[o.variable] = true
	return errAgain
}

// generate writes a kernel.
func generate(ctx context.Context, p *parser, f *function, options Options) (*generator, error) {
	g := &generator{ctx: ctx, parser: p, options: options, kernel: f, inMemory: map[*variable]bool{}, generic: map[*variable]bool{},
		written: map[*variable]bool{}}
	for {
		err := g.write()
		if err == nil {
			g.fuse()
			return g, nil
		}
		if !errors.Is(err, errAgain) {
			return nil, err
		}
	}
}

// write writes the kernel once.
func (g *generator) write() error {
	g.blocks, g.vals, g.objects, g.counts, g.numbered, g.size = nil, nil, map[*variable]*object{}, [classes]int{}, 0, 0
	g.sums, g.places, g.frame, g.used = map[string]sum{}, map[*variable]int64{}, 0, map[*variable]bool{}
	g.launched, g.outside = map[*function]bool{}, map[string]string{}
	g.calls, g.contexts, g.entries = nil, nil, map[*block][]value{}
	g.specials, g.negative = map[string]string{}, map[string]product{}
	g.current = g.newBlock()
	g.at = g.kernel.at
	for n, v := range g.kernel.parameters {
		if err := g.parameter(n, v); err != nil {
			return err
		}
	}
	g.contexts = []*scopeOf{{call: true, result: -1, tail: true, slots: len(g.vals)}}
	if err := g.list(g.kernel.body.body, true); err != nil {
		return err
	}
	c := g.contexts[0]
	if g.current != nil {
		g.at = g.kernel.body.end
		c.returns = g.leave(c.returns, 0)
	}
	if len(c.returns) == 0 {
		return nil
	}
	if err := g.join(c.returns, 0); err != nil {
		return err
	}
	g.at = g.kernel.body.end
	g.current.end = ending{kind: returns}
	g.current.at = g.kernel.body.end
	return nil
}

// parameter reads a kernel's parameter.
func (g *generator) parameter(n int, v *variable) error {
	o, err := g.declare(v)
	if err != nil {
		return err
	}
	name := paramName(g.kernel, n)
	leaves := v.typ.leaves()
	for _, l := range leaves {
		r := g.loaded(l.typ)
		address := name
		if l.offset > 0 {
			address = name + "+" + literal(longType, uint64(l.offset))
		}
		g.emit("ld.param.%s %s, [%s]", memoryType(l.typ), r.register, address)
		value := r.finish(g)
		if l.typ.isPointer() {
			value.space = globalSpace
			base := g.register(doubles)
			g.emit("cvta.to.global.u64 %s, %s", base, value.reg)
			value.reg = base
			if v.typ.restrict && !g.written[v] && g.hasReadOnlyCache() {
				value.cached = v
			}
		}
		if err := g.storeObject(o, l.offset, l.typ, value); err != nil {
			return err
		}
	}
	return nil
}

// declare makes a variable's object, without a value.
func (g *generator) declare(v *variable) (*object, error) {
	o := &object{variable: v, typ: v.typ, slot: len(g.vals)}
	o.leaves = v.typ.leaves()
	overlap := false
	for n := 1; n < len(o.leaves); n++ {
		overlap = overlap || o.leaves[n].offset < o.leaves[n-1].offset+o.leaves[n-1].typ.size
	}
	o.memory = g.inMemory[v] || overlap || len(o.leaves) > 512 || v.typ.volatile
	g.objects[v] = o
	if o.memory {
		at, placed := g.places[v]
		if !placed {
			at = roundUp(g.frame, max(v.typ.align, 4))
			g.places[v] = at
			if g.frame = at + v.typ.size; g.frame > 512<<10 {
				return nil, errorAt(v.at, "'%s' does not fit into a thread's 512 KB of local memory", v.name)
			}
		}
		o.label, o.offset, o.space = "__local_depot", at, localSpace
		return o, nil
	}
	for range o.leaves {
		g.vals = append(g.vals, value{})
	}
	if len(g.vals) > mostSlots {
		return nil, errorAt(v.at, "too many variables at a time")
	}
	return o, nil
}

// pointer is an object's address.
func (o *object) pointer() value {
	v := value{form: pointing, typ: pointerTo(o.typ), object: o, space: objectSpace}
	if o.memory {
		v.object, v.label, v.offset, v.space = nil, o.label, o.offset, o.space
	}
	return v
}

// list runs statements. At a function's end (tail), the statements after "if (c) return" are its else branch.
func (g *generator) list(statements []*statement, tail bool) error {
	for n, s := range statements {
		last := n == len(statements)-1
		if tail && !last && s.action == ifStatement && s.otherwise == nil && endsInReturn(s.body[0]) {
			return g.branchOn(s.value, func() error { return g.list([]*statement{s.body[0]}, true) },
				func() error { return g.list(statements[n+1:], true) })
		}
		if err := g.statement(s, tail && last); err != nil {
			return err
		}
		if g.current == nil { // a case may follow, which the switch reaches: it writes its body in parts
			return nil
		}
	}
	return nil
}

// endsInReturn tells whether a statement always returns at its end.
func endsInReturn(s *statement) bool {
	switch s.action {
	case returnStatement:
		return true
	case blockStatement:
		return len(s.body) > 0 && endsInReturn(s.body[len(s.body)-1])
	case ifStatement:
		return s.otherwise != nil && endsInReturn(s.body[0]) && endsInReturn(s.otherwise)
	}
	return false
}

// statement runs a statement.
func (g *generator) statement(s *statement, tail bool) error {
	if g.work > mostWork || g.size > mostInstructions {
		return errorAt(s.at, "the kernel becomes more than %d instructions", mostInstructions).
			hinted("#pragma unroll 1 before a loop keeps it a loop")
	}
	if err := g.ctx.Err(); err != nil {
		return err
	}
	g.at = s.at
	switch s.action {
	case expressionStatement:
		_, err := g.evaluate(s.value)
		return err
	case declarationStatement:
		return g.declarations(s)
	case blockStatement:
		slots := len(g.vals)
		err := g.list(s.body, tail)
		g.close(slots)
		return err
	case ifStatement:
		return g.ifStatement(s, tail)
	case loopStatement:
		return g.loop(s)
	case switchStatement:
		return g.switchStatement(s)
	case breakStatement:
		c := g.contexts[len(g.contexts)-1]
		c.breaks = g.leave(c.breaks, c.slots)
	case continueStatement:
		for n := len(g.contexts) - 1; n >= 0; n-- {
			if c := g.contexts[n]; c.loop {
				c.continues = g.leave(c.continues, c.slots)
				break
			}
		}
	case returnStatement:
		return g.returnStatement(s, tail)
	case assemblyStatement:
		return g.assembly(s)
	}
	return nil
}

// close ends the scope of variables beyond the first slots.
func (g *generator) close(slots int) {
	if len(g.vals) > slots {
		g.vals = g.vals[:slots]
	}
}

func (g *generator) ifStatement(s *statement, tail bool) error {
	branch := func(s *statement) func() error {
		return func() error {
			if s == nil {
				return nil
			}
			slots := len(g.vals)
			err := g.list([]*statement{s}, tail)
			g.close(slots)
			return err
		}
	}
	return g.branchOn(s.value, branch(s.body[0]), branch(s.otherwise))
}

// returnStatement ends a call. At a function's end there is nothing to jump over.
func (g *generator) returnStatement(s *statement, tail bool) error {
	n := len(g.contexts) - 1
	for !g.contexts[n].call {
		n--
	}
	c := g.contexts[n]
	if s.value != nil {
		v, err := g.evaluate(s.value)
		if err != nil {
			return err
		}
		if c.result >= 0 {
			g.vals[c.result] = v
		}
	}
	if tail && n == len(g.contexts)-1 {
		return nil
	}
	c.returns = g.leave(c.returns, c.slots)
	return nil
}

// declarations initialise variables.
func (g *generator) declarations(s *statement) error {
	for _, v := range s.variables {
		if v.storage != automatic {
			continue
		}
		g.at = v.at
		if v.init != nil && g.inMemory[v] && (v.typ.constant || v.typ.kind == arrayKind && innermost(v.typ).constant) {
			var bytes []byte
			if initialBytes(v, v.init, &bytes) { // a constant table is stored once, in global memory
				v.bytes, v.storage = bytes, deviceStorage
				g.parser.place(v)
				continue
			}
		}
		var first value
		if v.init != nil && v.init.op != listNode {
			var err error
			if first, err = g.evaluate(v.init); err != nil {
				return err
			}
		}
		o, err := g.declare(v)
		if err != nil {
			return err
		}
		switch {
		case v.init == nil && v.typ.isScalar(): // as clang's -ftrivial-auto-var-init
			if !o.memory {
				g.vals[o.slot] = zero(v.typ)
			}
		case v.init == nil:
		case v.init.op == listNode:
			if err := g.initialise(o.pointer(), v.init, v.typ); err != nil {
				return err
			}
		default:
			if err := g.store(o.pointer(), v.typ, first); err != nil {
				return err
			}
		}
	}
	return nil
}

func zero(t *ctype) value { return number64(t, 0) }

// initialise stores a list in braces; missing parts are zero.
func (g *generator) initialise(to value, list *expression, t *ctype) error {
	count := len(t.fields)
	if t.kind == arrayKind {
		count = int(t.length)
	}
	for n := range count {
		at, element := memberAt(t, n)
		place := to
		place.offset += at
		if n >= len(list.parts) || list.parts[n] == nil {
			for _, l := range element.leaves() {
				zeroed := place
				zeroed.offset += l.offset
				if err := g.store(zeroed, l.typ, zero(l.typ)); err != nil {
					return err
				}
			}
			continue
		}
		part := list.parts[n]
		if part.op == listNode {
			if err := g.initialise(place, part, element); err != nil {
				return err
			}
			continue
		}
		v, err := g.evaluate(part)
		if err != nil {
			return err
		}
		if err := g.store(place, element, v); err != nil {
			return err
		}
	}
	return nil
}

// branchOn runs one of two branches, depending on a condition.
func (g *generator) branchOn(condition *expression, then, otherwise func() error) error {
	c, err := g.evaluate(condition)
	if err != nil {
		return err
	}
	return g.split(c, then, otherwise)
}

// speculated is the cost up to which both branches run and a selection takes one result, as in clang.
const speculated = 4

// split runs one of two branches, or both and selects the results if they are short and only compute.
func (g *generator) split(c value, then, otherwise func() error) error {
	if c.isNumber() {
		if c.bits != 0 {
			return then()
		}
		return otherwise()
	}
	if g.current == nil {
		return nil
	}
	slots, before, head, size := len(g.vals), slices.Clone(g.vals), g.current, len(g.blocks)
	run := func(branch func() error) (first, last *block, vals []value, err error) {
		first = g.newBlock()
		g.current, g.vals = first, slices.Clone(before)
		if err = branch(); err != nil {
			return
		}
		g.close(slots)
		return first, g.current, slices.Clone(g.vals), nil
	}
	yes, yesEnd, yesVals, err := run(then)
	if err != nil {
		return err
	}
	no, noEnd, noVals, err := run(otherwise)
	if err != nil {
		return err
	}
	if yesEnd == yes && noEnd == no {
		if done := g.selectBoth(c, head, yes, no, yesVals, noVals); done {
			g.blocks = g.blocks[:size]
			return nil
		}
	}
	head.end = ending{kind: branches, predicate: c.reg, then: yes, otherwise: no}
	if !(g.bypass(head, yes, yesEnd, true) || g.bypass(head, no, noEnd, false)) {
		var edges []edge
		if yesEnd != nil {
			edges = append(edges, edge{yesEnd, yesVals})
		}
		if noEnd != nil {
			edges = append(edges, edge{noEnd, noVals})
		}
		return g.join(edges, slots)
	}
	edges := []edge{{head, yesVals}, {noEnd, noVals}}
	if head.end.otherwise == nil {
		edges = []edge{{head, noVals}, {yesEnd, yesVals}}
	}
	if edges[1].from == nil {
		edges = edges[:1]
	}
	return g.join(edges, slots)
}

// bypass removes an empty branch: the head goes directly to the join.
func (g *generator) bypass(head, branch, end *block, then bool) bool {
	if end != branch || len(branch.code) > 0 {
		return false
	}
	g.blocks = slices.DeleteFunc(g.blocks, func(b *block) bool { return b == branch })
	if then {
		head.end.then = nil
	} else {
		head.end.otherwise = nil
	}
	return true
}

// selectBoth runs both branches and selects, if that is cheap enough.
func (g *generator) selectBoth(c value, head, yes, no *block, a, b []value) bool {
	cost := 0
	for _, i := range append(slices.Clone(yes.code), no.code...) {
		cost += i.cost
	}
	var differ []int
	for n := range a {
		if !a[n].equal(b[n]) {
			differ = append(differ, n)
		}
	}
	if cost > speculated || len(differ) > 2 {
		return false
	}
	for _, n := range differ {
		if !selectable(a[n], b[n]) {
			return false
		}
	}
	g.current = head
	head.code = append(append(head.code, yes.code...), no.code...)
	g.vals = a
	for _, n := range differ {
		g.vals[n] = g.choose(c, a[n], b[n])
	}
	return true
}

// selectable tells whether one instruction can select between two values.
func selectable(a, b value) bool {
	if a.form == unset || b.form == unset {
		return true
	}
	if a.form == composite || b.form == composite {
		return false
	}
	if a.form == pointing || b.form == pointing {
		return a.form == b.form && a.space == b.space && a.space != objectSpace
	}
	return true
}

// choose selects one of two values by a predicate.
func (g *generator) choose(c, a, b value) value {
	switch {
	case a.form == unset:
		return b
	case b.form == unset || a.equal(b):
		return a
	case a.form == pointing:
		r := g.register(doubles)
		x, _ := g.address(a, a.space)
		y, _ := g.address(b, b.space)
		g.emit("selp.b64 %s, %s, %s, %s", r, x, y, c.reg)
		v := value{form: pointing, typ: a.typ, reg: r, space: a.space}
		if a.cached == b.cached {
			v.cached = a.cached
		}
		return v
	case a.typ.kind == boolKind:
		return g.chooseTruth(c, a, b)
	}
	r := g.register(classOf(a.typ))
	g.emit("selp.%s %s, %s, %s, %s", bitType(a.typ), r, g.operand(a), g.operand(b), c.reg)
	v := value{form: held, typ: a.typ, reg: r}
	if x, y := g.bound(a), g.bound(b); x > 0 && y > 0 {
		v.top = max(x, y)
	}
	return v
}

// chooseTruth selects one of two predicates.
func (g *generator) chooseTruth(c, a, b value) value {
	switch {
	case b.is(0):
		return g.logic("and", c, a)
	case a.is(1):
		return g.logic("or", c, b)
	case a.is(0):
		return g.logic("and", g.not(c), b)
	case b.is(1):
		return g.logic("or", g.not(c), a)
	}
	return g.logic("or", g.logic("and", c, a), g.logic("and", g.not(c), b))
}

func (g *generator) logic(operation string, a, b value) value {
	for _, pair := range [][2]value{{a, b}, {b, a}} {
		if pair[0].isNumber() {
			if (pair[0].bits != 0) == (operation == "and") {
				return pair[1]
			}
			return pair[0]
		}
	}
	p := g.register(predicates)
	g.emit("%s.pred %s, %s, %s", operation, p, a.reg, b.reg)
	return value{form: held, typ: boolType, reg: p}
}

func (g *generator) not(a value) value {
	if a.isNumber() {
		return number64(boolType, a.bits^1)
	}
	p := g.register(predicates)
	g.emit("not.pred %s, %s", p, a.reg)
	return value{form: held, typ: boolType, reg: p}
}
