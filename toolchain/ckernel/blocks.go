package ckernel

import (
	"fmt"
	"slices"
	"strconv"
)

// instruction is a line of PTX.
type instruction struct {
	text string
	at   position
	cost int // of running it although its result may not be needed; expensive if that is forbidden
}

// expensive is the cost of instructions that must not run needlessly: memory, barriers, divisions.
const expensive = 100

// block is a basic block.
type block struct {
	number   int
	code     []instruction
	end      ending
	at       position
	noUnroll bool // has #pragma nounroll in the PTX
}

// ending is how a block ends.
type ending struct {
	kind      endingKind
	predicate string
	then      *block // also a jump's target
	otherwise *block
}

type endingKind uint8

const (
	open endingKind = iota
	jumps
	branches
	returns
)

// edge is an incoming edge of a join: the block it comes from, and the variables' values there.
type edge struct {
	from *block
	vals []value
}

func (g *generator) newBlock() *block {
	g.numbered++
	b := &block{number: g.numbered}
	g.blocks = append(g.blocks, b)
	return b
}

// register returns a new register.
func (g *generator) register(c class) string {
	g.counts[c]++
	name := classNames[c][0] + strconv.Itoa(g.counts[c])
	delete(g.sums, name) // of an abandoned attempt
	delete(g.negative, name)
	return name
}

// emit adds an instruction without side effects.
func (g *generator) emit(format string, arguments ...any) { g.emitCost(1, format, arguments...) }

// emitPinned adds an instruction that must not move.
func (g *generator) emitPinned(format string, arguments ...any) {
	g.emitCost(expensive, format, arguments...)
}

func (g *generator) emitCost(cost int, format string, arguments ...any) {
	g.work++
	g.size++
	if g.current == nil {
		return // unreachable
	}
	g.current.code = append(g.current.code, instruction{fmt.Sprintf(format, arguments...), g.at, cost})
}

// appendTo adds an instruction at the end of a finished block.
func (g *generator) appendTo(b *block, format string, arguments ...any) {
	b.code = append(b.code, instruction{fmt.Sprintf(format, arguments...), position{}, 0})
	g.size++
}

// jump ends the current block with a jump.
func (g *generator) jump(to *block) {
	if g.current != nil {
		g.current.end = ending{kind: jumps, then: to}
	}
	g.current = nil
}

// mark is a state of the generator to return to.
type mark struct {
	blocks   int
	current  *block
	code     int
	end      ending
	vals     []value
	counts   [classes]int
	size     int
	contexts []int
}

func (g *generator) mark() mark {
	m := mark{blocks: len(g.blocks), current: g.current, vals: slices.Clone(g.vals), counts: g.counts, size: g.size}
	if g.current != nil {
		m.code, m.end = len(g.current.code), g.current.end
	}
	for _, c := range g.contexts {
		m.contexts = append(m.contexts, len(c.breaks), len(c.continues), len(c.returns))
	}
	return m
}

// undo removes all output since a mark.
func (g *generator) undo(m mark) {
	g.blocks, g.current, g.counts, g.size = g.blocks[:m.blocks], m.current, m.counts, m.size
	if g.current != nil {
		g.current.code, g.current.end = g.current.code[:m.code], m.end
	}
	g.vals = slices.Clone(m.vals)
	g.contexts = g.contexts[:len(m.contexts)/3]
	for n, c := range g.contexts {
		c.breaks, c.continues, c.returns = c.breaks[:m.contexts[3*n]], c.continues[:m.contexts[3*n+1]], c.returns[:m.contexts[3*n+2]]
	}
}

// leave ends the current block and adds it to a list of edges.
func (g *generator) leave(edges []edge, slots int) []edge {
	if g.current == nil {
		return edges
	}
	edges = append(edges, edge{g.current, slices.Clone(g.vals[:min(slots, len(g.vals))])})
	g.current = nil
	return edges
}

// join continues after edges, with the first slots of their values.
func (g *generator) join(edges []edge, slots int) error {
	g.vals = g.vals[:slots]
	switch len(edges) {
	case 0:
		g.current = nil
		return nil
	case 1:
		g.current = edges[0].from
		g.vals = append(g.vals[:0], edges[0].vals[:slots]...)
		if g.current.end.kind == open {
			return nil
		}
	}
	b := g.newBlock()
	merged := make([]value, slots)
	for n := range merged {
		v, err := g.mergeSlot(edges, n)
		if err != nil {
			return err
		}
		merged[n] = v
	}
	for _, e := range edges {
		g.pointTo(e.from, b)
	}
	g.current, g.vals = b, merged
	return g.readBools()
}

// pointTo gives a block without a target its target.
func (g *generator) pointTo(from, to *block) {
	switch {
	case from.end.kind == open:
		from.end = ending{kind: jumps, then: to}
	case from.end.kind == branches && from.end.then == nil:
		from.end.then = to
	case from.end.kind == branches && from.end.otherwise == nil:
		from.end.otherwise = to
	}
}

// mergeSlot returns a slot's value after a join. If the edges' values differ, each edge moves its own into a new register.
func (g *generator) mergeSlot(edges []edge, slot int) (value, error) {
	first := value{}
	all, top, bounded := true, uint64(0), true
	for _, e := range edges {
		v := e.vals[slot]
		if v.form == unset {
			continue
		}
		top, bounded = max(top, g.bound(v)), bounded && (g.bound(v) > 0 || v.is(0))
		if first.form == unset {
			first = v
			continue
		}
		if !v.equal(first) {
			all = false
		}
		if v.cached != first.cached {
			first.cached = nil
		}
	}
	if all || first.form == unset {
		return first, nil
	}
	first.top = 0
	if bounded {
		first.top = top
	}
	target, err := g.target(edges, slot, first)
	if err != nil {
		return value{}, err
	}
	for _, e := range edges {
		v := e.vals[slot]
		if v.form == unset {
			v = number64(first.typ, 0)
		}
		if err := g.moveAt(e.from, target, v); err != nil {
			return value{}, err
		}
	}
	return target, nil
}

// target returns the register for values that meet: a word for predicates; a pointer in the space that all pointers share.
func (g *generator) target(edges []edge, slot int, first value) (value, error) {
	t := first.typ
	v := value{form: held, typ: t}
	if t.kind == boolKind {
		v.typ = boolWord
		v.reg = g.register(words)
		return v, nil
	}
	if !t.isPointer() {
		v.reg, v.top = g.register(classOf(t)), first.top
		return v, nil
	}
	v.form, v.cached = pointing, first.cached
	v.space = genericSpace
	same := true
	var shared space
	for n, e := range edges {
		p := e.vals[slot]
		switch {
		case p.form == pointing && p.space == objectSpace:
			return v, g.spillToMemory(p.object)
		case p.form != pointing:
			same = false
		case n == 0:
			shared = p.space
		case p.space != shared:
			same = false
		}
	}
	if same {
		v.space = shared
	} else {
		v.cached = nil
	}
	v.reg = g.register(doubles)
	return v, nil
}

// boolWord is the type of a truth value that is kept in a word between blocks.
var boolWord = scalar(intKind, 4, true, "bool")

// readBools turns words with truth values back into predicates at the start of a join's block.
func (g *generator) readBools() error {
	for n, v := range g.vals {
		if v.typ == boolWord && v.form == held {
			p := g.register(predicates)
			g.emitCost(0, "setp.ne.s32 %s, %s, 0", p, v.reg)
			g.vals[n] = value{form: held, typ: boolType, reg: p}
		}
	}
	return nil
}

// moveAt moves a value into a register at the end of a block.
func (g *generator) moveAt(b *block, target, v value) error {
	if v.reg == target.reg && v.reg != "" && v.offset == 0 && target.form == v.form {
		return nil
	}
	current, end := g.current, b.end
	g.current = b
	b.end = ending{}
	defer func() { g.current, b.end = current, end }()
	at := g.at
	g.at = position{}
	defer func() { g.at = at }()
	switch {
	case target.typ == boolWord:
		w, err := g.convert(v.as(boolType), intType)
		if err != nil {
			return err
		}
		g.emitCost(0, "mov.b32 %s, %s", target.reg, g.operand(w))
	case target.form == pointing:
		r, err := g.address(v, target.space)
		if err != nil {
			return err
		}
		g.emitCost(0, "mov.b64 %s, %s", target.reg, r)
	default:
		g.emitCost(0, "mov.%s %s, %s", bitType(target.typ), target.reg, g.operand(v))
	}
	return nil
}
