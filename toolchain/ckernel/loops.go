package ckernel

import "slices"

// mostUnrolled is the largest size of a fully unrolled loop, in instructions, as for clang (toolchain's unrollThreshold).
const mostUnrolled = 2000

// loop runs a loop. It is unrolled if its length is known and short; else it has a test in front and its condition at the end.
func (g *generator) loop(s *statement) error {
	slots := len(g.vals)
	if s.init != nil {
		if err := g.statement(s.init, false); err != nil {
			return err
		}
	}
	if err := g.loopItself(s); err != nil {
		return err
	}
	g.close(slots)
	return nil
}

func (g *generator) loopItself(s *statement) error {
	if g.current == nil {
		return nil
	}
	iterations, known := g.countIterations(s)
	if known && iterations == 0 {
		return nil
	}
	limit := mostUnrolled
	if s.unroll.asked {
		limit = 16 * mostUnrolled
	}
	if known && (s.unroll.count == 0 || int64(iterations) <= s.unroll.count) && (s.unroll.count != 1 || iterations == 1) {
		m := g.mark()
		done, err := g.unrollFully(s, limit)
		if done || err != nil {
			return err
		}
		g.undo(m)
	}
	copies := 1
	if s.unroll.count > 1 {
		copies = int(s.unroll.count)
	}
	if known && copies > 1 && iterations%copies != 0 {
		copies = 1
	}
	if !known && copies > 1 {
		copies = 1
	}
	if known && copies == 1 && s.unroll.count != 1 { // clang's partial unrolling
		for _, n := range []int{4, 2} {
			if iterations%n == 0 && n < iterations && !s.unroll.asked {
				copies = n
				break
			}
		}
	}
	return g.emitLoop(s, copies)
}

// countIterations counts a loop's iterations if only its own condition and step decide them.
func (g *generator) countIterations(s *statement) (iterations int, known bool) {
	if s.value == nil || s.testLast || g.current == nil {
		return 0, false
	}
	changed := map[*variable]bool{}
	for _, b := range s.body {
		b.visit(func(v *variable) { changed[v] = true })
	}
	touched := false
	s.value.reads(func(v *variable) { touched = touched || changed[v] })
	if s.step != nil {
		s.step.reads(func(v *variable) { touched = touched || changed[v] })
	}
	if touched {
		return 0, false
	}
	m := g.mark()
	at := g.at
	defer func() { g.undo(m); g.at = at }()
	for iterations = 0; iterations <= mostIterations; iterations++ {
		c, err := g.evaluate(s.value)
		if err != nil || !c.isNumber() {
			return 0, false
		}
		if c.bits == 0 {
			return iterations, true
		}
		if s.step == nil {
			return 0, false
		}
		if _, err := g.evaluate(s.step); err != nil {
			return 0, false
		}
	}
	return 0, false
}

// unrollFully unrolls a loop completely, up to a number of instructions.
func (g *generator) unrollFully(s *statement, limit int) (done bool, err error) {
	c := &scopeOf{loop: true, slots: len(g.vals)}
	g.contexts = append(g.contexts, c)
	before := g.size
	for g.current != nil {
		condition, err := g.evaluate(s.value)
		if err != nil {
			return false, err
		}
		if !condition.isNumber() {
			return false, nil
		}
		if condition.bits == 0 {
			break
		}
		if err := g.emitIteration(s, c); err != nil {
			return false, err
		}
		if g.size-before > limit {
			return false, nil
		}
	}
	g.contexts = g.contexts[:len(g.contexts)-1]
	edges := g.leave(c.breaks, c.slots)
	return true, g.join(edges, c.slots)
}

// emitIteration runs a loop's body and its step.
func (g *generator) emitIteration(s *statement, c *scopeOf) error {
	if err := g.list(s.body, false); err != nil {
		return err
	}
	g.close(c.slots)
	if len(c.continues) > 0 {
		edges := g.leave(c.continues, c.slots)
		c.continues = nil
		if err := g.join(edges, c.slots); err != nil {
			return err
		}
	}
	if s.step == nil || g.current == nil {
		return nil
	}
	g.at = s.step.at
	_, err := g.evaluate(s.step)
	return err
}

// emitLoop writes a loop that stays a loop: a test, one or several copies of the body, and a test that branches back.
func (g *generator) emitLoop(s *statement, copies int) error {
	loopSlots := map[int]bool{}
	s.visit(func(v *variable) {
		if o := g.objects[v]; o != nil && !o.memory {
			for n := range o.leaves {
				if o.slot+n < len(g.vals) {
					loopSlots[o.slot+n] = true
				}
			}
		}
	})
	m := g.mark()
	for {
		missed, err := g.tryLoop(s, copies, loopSlots)
		if err != nil || len(missed) == 0 {
			return err
		}
		for _, n := range missed {
			loopSlots[n] = true
		}
		g.undo(m)
	}
}

// tryLoop is emitLoop with the given slots as those that change in the loop. It returns further slots that it found to change.
func (g *generator) tryLoop(s *statement, copies int, loopSlots map[int]bool) (changed []int, err error) {
	slots := len(g.vals)
	c := &scopeOf{loop: true, slots: slots}
	var guard value
	if !s.testLast && s.value != nil {
		g.at = s.value.at
		if guard, err = g.evaluate(s.value); err != nil {
			return nil, err
		}
		if guard.isNumber() && guard.bits == 0 {
			return nil, nil
		}
	}
	registers, err := g.enter(loopSlots)
	if err != nil {
		return nil, err
	}
	var exits []edge
	from := g.current
	if guard.form == held { // hoisted loads must not run if the loop does not
		from = g.newBlock()
	}
	first := len(g.blocks)
	head := g.newBlock()
	start := slices.Clone(g.vals)
	if guard.form == held {
		g.current.end = ending{kind: branches, predicate: guard.reg, then: from}
		exits = append(exits, edge{g.current, slices.Clone(g.vals)})
		from.end = ending{kind: jumps, then: head}
	} else {
		g.jump(head)
	}
	head.noUnroll = true
	g.current = head
	if err := g.readBools(); err != nil {
		return nil, err
	}
	entry := slices.Clone(g.vals)
	g.entries[head] = entry
	g.contexts = append(g.contexts, c)
	for range copies {
		if err := g.emitIteration(s, c); err != nil {
			return nil, err
		}
	}
	g.contexts = g.contexts[:len(g.contexts)-1]
	if g.current != nil {
		exits, err = g.latch(s, head, registers, exits)
		if err != nil {
			return nil, err
		}
	}
	if changed = g.changedSlots(slices.Concat(exits, c.breaks), slots, loopSlots, entry, start); len(changed) > 0 {
		return changed, nil
	}
	g.hoistLoads(from, head, g.blocks[first:])
	return nil, g.exit(exits, c.breaks, registers, slots)
}

// changedSlots returns the slots that changed in a loop without having a register for it.
func (g *generator) changedSlots(exits []edge, slots int, loopSlots map[int]bool, entry, start []value) (missed []int) {
	for _, e := range exits {
		for n := range slots {
			if !loopSlots[n] && !e.vals[n].equal(entry[n]) && !e.vals[n].equal(start[n]) {
				missed = append(missed, n)
			}
		}
	}
	missed = append(missed, g.changedInLoop...)
	g.changedInLoop = nil
	return missed
}

// enter gives the slots that change in a loop registers, and moves their first values into them.
func (g *generator) enter(loopSlots map[int]bool) (registers map[int]value, err error) {
	registers = map[int]value{}
	var order []int
	for n := range loopSlots {
		order = append(order, n)
	}
	slices.Sort(order)
	for _, n := range order {
		v := g.vals[n]
		if v.form == unset {
			continue
		}
		if v.form == pointing && v.space == objectSpace {
			return nil, g.spillToMemory(v.object)
		}
		edges := []edge{{g.current, g.vals}}
		t, err := g.target(edges, n, v)
		if err != nil {
			return nil, err
		}
		t.top = 0
		if owner := g.ownerOf(n); owner != nil && g.generic[owner] && t.form == pointing {
			t.space, t.cached = genericSpace, nil
		}
		if err := g.moveAt(g.current, t, v); err != nil {
			return nil, err
		}
		registers[n] = t
	}
	for n, t := range registers {
		g.vals[n] = t
	}
	return registers, nil
}

// ownerOf is the variable that a slot belongs to.
func (g *generator) ownerOf(slot int) *variable {
	for v, o := range g.objects {
		if !o.memory && slot >= o.slot && slot < o.slot+len(o.leaves) {
			return v
		}
	}
	return nil
}

// latch ends a loop's iteration: the condition, the moves into the registers for the next iteration, the branch back.
func (g *generator) latch(s *statement, head *block, registers map[int]value, exits []edge) ([]edge, error) {
	condition := number64(boolType, 1)
	if s.value != nil {
		g.at = s.value.at
		var err error
		if condition, err = g.evaluate(s.value); err != nil {
			return nil, err
		}
	}
	if condition.isNumber() && condition.bits == 0 { // the loop runs once
		exits = append(exits, edge{g.current, slices.Clone(g.vals)})
		g.current = nil
		return exits, nil
	}
	last := g.current
	if err := g.moveAll(last, registers, g.vals); err != nil {
		return nil, err
	}
	after := slices.Clone(g.vals)
	for n, t := range registers {
		after[n] = t
	}
	g.changedInLoop = nil
	for n, v := range g.vals {
		if _, moves := registers[n]; !moves && v.form != unset && g.differs(head, n, v) {
			g.changedInLoop = append(g.changedInLoop, n)
		}
	}
	g.current = nil
	if condition.isNumber() {
		last.end = ending{kind: jumps, then: head}
		return exits, nil
	}
	last.end = ending{kind: branches, predicate: condition.reg, then: head}
	return append(exits, edge{last, after}), nil
}

// moveAll moves values into registers as if at once. A new register saves a value that another move would overwrite too early.
func (g *generator) moveAll(b *block, registers map[int]value, vals []value) error {
	var order []int
	targets := map[string]bool{}
	for n, t := range registers {
		order = append(order, n)
		targets[t.reg] = true
	}
	slices.Sort(order)
	reads := func(v value, reg string) bool { return v.reg == reg && reg != "" }
	pending := slices.DeleteFunc(order, func(n int) bool { return vals[n].equal(registers[n]) })
	vals = slices.Clone(vals)
	for len(pending) > 0 {
		progress := false
		for k, n := range pending {
			blocked := false
			for j, other := range pending {
				blocked = blocked || j != k && reads(vals[other], registers[n].reg)
			}
			if blocked {
				continue
			}
			if err := g.moveInto(b, registers[n], vals[n]); err != nil {
				return err
			}
			pending = slices.Delete(pending, k, k+1)
			progress = true
			break
		}
		if progress {
			continue
		}
		n := pending[0] // a cycle of moves: a new register holds one value
		for _, other := range pending {
			if reads(vals[other], registers[n].reg) {
				kept := vals[other]
				kept.reg = g.register(registerClass(registers[n]))
				g.appendTo(b, "mov.%s %s, %s", classNames[registerClass(registers[n])][1], kept.reg, registers[n].reg)
				vals[other] = kept
			}
		}
	}
	return nil
}

func registerClass(v value) class {
	if v.form == pointing {
		return doubles
	}
	return classOf(v.typ)
}

// moveInto is moveAt for a loop's register. A pointer from another space makes the variable's pointer generic.
func (g *generator) moveInto(b *block, target, v value) error {
	elsewhere := v.form == numeric || v.form == pointing && v.space != target.space
	if target.form == pointing && target.space != genericSpace && elsewhere {
		for slot := range g.vals {
			if g.vals[slot].equal(v) {
				if owner := g.ownerOf(slot); owner != nil && !g.generic[owner] {
					g.generic[owner] = true
					return errAgain
				}
			}
		}
		return errorAt(g.at, "this pointer changes its memory in a loop")
	}
	if v.form == pointing && v.space == objectSpace {
		return g.spillToMemory(v.object)
	}
	if v.form == pointing && target.form == pointing && target.cached != nil && v.cached != target.cached {
		g.written[target.cached] = true
		return errAgain
	}
	if v.form == unset {
		v = zero(target.typ)
	}
	return g.moveAt(b, target, v)
}

// exit joins the ways out of a loop. The loop's registers keep the values where possible.
func (g *generator) exit(exits, breaks []edge, registers map[int]value, slots int) error {
	all := slices.Concat(exits, breaks)
	if len(breaks) == 0 || len(exits) == 0 {
		return g.join(all, slots)
	}
	for _, e := range breaks {
		mine := map[int]value{}
		for n, t := range registers {
			if !e.vals[n].equal(t) {
				mine[n] = t
			}
		}
		before := g.vals
		g.vals = e.vals
		end := e.from.end
		e.from.end = ending{}
		err := g.moveAll(e.from, mine, e.vals)
		e.from.end = end
		g.vals = before
		if err != nil {
			return err
		}
		for n, t := range mine {
			e.vals[n] = t
		}
	}
	return g.join(all, slots)
}

// differs tells whether a slot without a register for the loop changed in it.
func (g *generator) differs(head *block, slot int, v value) bool {
	entry := g.entries[head]
	return slot < len(entry) && !v.equal(entry[slot])
}

// switchStatement compares with one case after the other.
func (g *generator) switchStatement(s *statement) error {
	v, err := g.evaluate(s.value)
	if err != nil {
		return err
	}
	slots := len(g.vals)
	c := &scopeOf{slots: slots}
	g.contexts = append(g.contexts, c)
	into := make([][]edge, len(s.body))
	rest := -1
	for n, one := range s.body {
		switch {
		case one.action != caseStatement:
		case one.value == nil:
			rest = n
		case g.current != nil:
			equal := g.compare("==", v, number64(v.typ, one.value.bits))
			switch {
			case equal.isNumber() && equal.bits != 0:
				into[n] = g.leave(into[n], slots)
			case !equal.isNumber():
				from := g.current
				next := g.newBlock()
				from.end = ending{kind: branches, predicate: equal.reg, otherwise: next}
				into[n] = append(into[n], edge{g.splitEdge(from), slices.Clone(g.vals)})
				g.current = next
			}
		}
	}
	if rest >= 0 {
		into[rest] = g.leave(into[rest], slots)
	} else {
		c.breaks = g.leave(c.breaks, slots)
	}
	for n, one := range s.body {
		if one.action != caseStatement {
			if g.current != nil {
				if err := g.statement(one, false); err != nil {
					return err
				}
			}
			continue
		}
		edges := into[n]
		if g.current != nil {
			edges = g.leave(edges, slots)
		}
		if err := g.join(edges, slots); err != nil {
			return err
		}
	}
	g.contexts = g.contexts[:len(g.contexts)-1]
	g.close(slots)
	return g.join(g.leave(c.breaks, slots), slots)
}

// splitEdge inserts a new block on the edge that a branch takes.
func (g *generator) splitEdge(from *block) *block {
	b := g.newBlock()
	from.end.then = b
	return b
}

// visit calls changed for the variables that a statement may change.
func (s *statement) visit(changed func(*variable)) {
	if s == nil {
		return
	}
	s.init.visit(changed)
	s.value.changes(changed)
	s.step.changes(changed)
	for _, b := range s.body {
		b.visit(changed)
	}
	s.otherwise.visit(changed)
	for _, v := range s.variables {
		v.init.changes(changed)
	}
	if s.assembly != nil {
		for _, o := range s.assembly.outputs {
			o.value.root(changed)
			o.value.changes(changed)
		}
		for _, o := range s.assembly.inputs {
			o.value.changes(changed)
		}
	}
}

// changes calls changed for the variables that an expression may change: it assigns to them or takes their addresses.
func (e *expression) changes(changed func(*variable)) {
	if e == nil {
		return
	}
	switch {
	case e.op == assignNode, e.op == stepNode, e.op == unaryNode && e.text == "&", e.op == castNode && e.parts[0].typ.kind == arrayKind:
		e.parts[0].root(changed)
	}
	for _, part := range e.parts {
		part.changes(changed)
	}
}

// root calls found for the variable that a place is part of.
func (e *expression) root(found func(*variable)) {
	switch {
	case e.op == variableNode:
		found(e.variable)
	case e.op == indexNode && e.parts[0].typ.kind == arrayKind, e.op == memberNode && !e.arrow:
		e.parts[0].root(found)
	}
}

// reads calls found for all variables in an expression.
func (e *expression) reads(found func(*variable)) {
	if e == nil {
		return
	}
	if e.op == variableNode {
		found(e.variable)
	}
	for _, part := range e.parts {
		part.reads(found)
	}
}
