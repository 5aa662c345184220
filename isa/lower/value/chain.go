package value

import (
	"cmp"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// chainLength is the least number of sums in a chain. A shorter chain is not worth its registers: one for the step and one for the running
// sum.
const chainLength = 3

// ChainSums computes each sum of a block in a loop from the previous one. The sums add different invariants to one value, and the
// invariants differ by a step: t + a, t + (a + s), t + (a + 2s) become x, x + s, x + s + s. The invariants then need no registers
// throughout the loop.
//
// The program computes them before a loop that clang has unrolled. The counts and registers of nvcc's loops show a chain (straight-line
// strength reduction): KTT's product of matrices without shared memory has 40 registers, where 64 invariants would not fit.
func ChainSums(f *Function) error {
	c := &chaining{f: f, values: f.newValues(), edges: f.flow(), writers: map[isa.Register][]placedWrite{}}
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			f.Definitions(i, func(r isa.Register, _ int) {
				if r = virtual.Whole(r); !c.values.single(r) {
					c.writers[r] = append(c.writers[r], placedWrite{i, b})
				}
			})
		}
	}
	for _, b := range f.Blocks {
		if err := f.Stopped(); err != nil {
			return err
		}
		if l := c.values.graph.Inner[b.ID]; l != nil {
			c.block(b, l)
		}
	}
	return nil
}

// chaining looks for chains in a function.
type chaining struct {
	f       *Function
	values  *values
	edges   flow.Blocks
	writers map[isa.Register][]placedWrite // of registers that are not values
	// The fields below are for the current block.
	at       *Block
	loop     *flow.Loop
	forms    map[isa.Register]*sumForm
	counters map[isa.Register]*counter
	starting *counter             // the counter whose start is being expanded
	reached  map[isa.BlockID]bool // blocks whose writes may reach this one
}

// placedWrite is a write to a register, with its block.
type placedWrite struct {
	*isa.Instruction
	home *Block
}

// counter is a register that a block advances once in each iteration of a loop by an invariant step.
type counter struct {
	start, update placedWrite
	step          isa.Operand
}

// sumForm is a 32-bit value modulo 2^32: a sum of multiples of other values, sorted by register, plus a number.
type sumForm struct {
	terms  []term
	number uint32
}

type term struct {
	of     isa.Operand // a register or a constant
	factor uint32
}

// termsLimit is the most terms of a form; a value with more is a term itself.
const termsLimit = 6

// link is a sum that is an earlier sum plus a step.
type link struct {
	sum  *isa.Instruction
	from isa.Register
}

// block finds the chains of a block and rewrites those that are long enough.
func (c *chaining) block(b *Block, l *flow.Loop) {
	c.at, c.loop, c.forms, c.reached = b, l, map[isa.Register]*sumForm{}, nil
	c.findCounters()
	links := map[isa.Operand][]link{} // by step
	var steps []isa.Operand
	var earlier []isa.Register
	for _, i := range b.Instructions {
		if !c.addsInvariant(i) {
			c.f.Definitions(i, func(r isa.Register, _ int) {
				if !c.values.single(r) {
					earlier = nil // later sums use a different value of the register
				}
			})
			continue
		}
		d := i.Dst[0].Register
		if c.forms[d] = c.sourceForm(&i.Src[0]).plus(c.sourceForm(&i.Src[1]), 1); c.forms[d] == nil {
			continue
		}
		for n := len(earlier) - 1; n >= max(0, len(earlier)-4); n-- {
			step, ok := c.step(earlier[n], d)
			if !ok {
				continue
			}
			if links[step] == nil {
				steps = append(steps, step)
			}
			links[step] = append(links[step], link{i, earlier[n]})
			break
		}
		earlier = append(earlier, d)
	}
	for _, step := range steps {
		if len(links[step]) >= chainLength {
			c.linkSums(step, links[step])
		}
	}
}

// linkSums computes sums from earlier ones, and drops the counters that only these sums read.
func (c *chaining) linkSums(step isa.Operand, links []link) {
	gone := map[*isa.Instruction]bool{}
	homes := map[*Block]bool{}
	for _, k := range links {
		for n := range k.sum.Src {
			if counted := c.counters[k.sum.Src[n].Register]; counted != nil && c.values.of[k.sum.Src[n].Register].uses == 2 {
				gone[counted.start.Instruction], gone[counted.update.Instruction] = true, true
				homes[counted.start.home], homes[counted.update.home] = true, true
			}
		}
		step.Type = k.sum.Src[0].Type
		k.sum.Src = []isa.Operand{isa.Reg(k.from, step.Type), step}
	}
	for b := range homes {
		b.Instructions = slices.DeleteFunc(b.Instructions, func(i *isa.Instruction) bool { return gone[i] })
	}
}

// findCounters finds the counters that the block advances.
func (c *chaining) findCounters() {
	c.counters = map[isa.Register]*counter{}
	entries := c.values.graph.Entries(c.edges, c.loop)
	if len(entries) != 1 || c.loop != c.values.graph.Inner[c.at.ID] {
		return
	}
	for _, i := range c.at.Instructions {
		if !plainAdd(i, 4) || i.Guard.Present || i.Dst[0].Kind != isa.OperandRegister || i.Src[0].Kind != isa.OperandRegister ||
			i.Src[0].Register != i.Dst[0].Register || i.Src[0].Negate {
			continue
		}
		r, step := i.Dst[0].Register, i.Src[1]
		list := c.writers[r]
		if len(list) != 2 || step.Kind == isa.OperandRegister &&
			(!c.values.single(step.Register) || step.Negate || c.inside(step.Register)) ||
			step.Kind != isa.OperandRegister && step.Kind != isa.OperandImmediate && step.Kind != isa.OperandConstant {
			continue
		}
		start, update := list[0], list[1]
		if start.Instruction == i {
			start, update = update, start
		}
		if update.Instruction != i || start.Guard.Present || len(start.Dst) != 1 || start.Dst[0].Register != r ||
			start.home.ID != entries[0].ID {
			continue
		}
		c.counters[r] = &counter{start, update, step}
	}
}

// inside reports a value that is computed in the loop.
func (c *chaining) inside(r isa.Register) bool {
	return c.values.graph.Contains(c.loop, c.values.of[virtual.Whole(r)].home.ID)
}

// addsInvariant reports a 32-bit sum of a value and an invariant or counter that nothing else uses.
func (c *chaining) addsInvariant(i *isa.Instruction) bool {
	if !plainAdd(i, 4) || i.Dst[0].Kind != isa.OperandRegister || !c.values.single(i.Dst[0].Register) || c.f.Words(i.Dst[0].Register) != 1 {
		return false
	}
	invariant := false
	for n := range i.Src {
		o := &i.Src[n]
		if o.Kind != isa.OperandRegister || o.Negate {
			return false
		}
		if c.counters[o.Register] != nil && c.values.of[o.Register].uses == 2 {
			invariant = true
		}
		if d := c.values.definition(o); d != nil && !c.inside(o.Register) && c.values.of[o.Register].uses == 1 && d.Op.Pure() &&
			len(d.Src) > 1 {
			invariant = true
		}
	}
	return invariant
}

// step returns the register or constant by which one value exceeds another. ok is false if the difference is anything else, or is not
// available in the block.
func (c *chaining) step(from, to isa.Register) (isa.Operand, bool) {
	difference := c.forms[to].plus(c.forms[from], ^uint32(0))
	if difference == nil || difference.number != 0 || len(difference.terms) != 1 || difference.terms[0].factor != 1 {
		return isa.Operand{}, false
	}
	o := difference.terms[0].of
	if o.Kind != isa.OperandRegister {
		return o, o.Kind == isa.OperandConstant
	}
	d, home := c.settled(o.Register)
	return o, d != nil && home != c.at && !c.values.graph.Contains(c.loop, home.ID)
}

// settled returns the one write whose value a register has at every read in the block, and its block; nil if there is none.
func (c *chaining) settled(r isa.Register) (*isa.Instruction, *Block) {
	if c.values.single(r) {
		return c.values.of[r].writer, c.values.of[r].home
	}
	if c.reached == nil {
		c.reached = map[isa.BlockID]bool{}
		for work := []isa.BlockID{c.at.ID}; len(work) > 0; {
			id := work[len(work)-1]
			work = work[:len(work)-1]
			if !c.reached[id] {
				c.reached[id] = true
				work = append(work, c.f.ByID[id].Predecessors...)
			}
		}
	}
	var one placedWrite
	for _, w := range c.writers[r] {
		if !c.reached[w.home.ID] {
			continue
		}
		if one.Instruction != nil {
			return nil, nil
		}
		one = w
	}
	if one.Instruction == nil || one.Guard.Present || c.values.graph.Inner[one.home.ID] != nil || // a loop writes it again
		!c.values.graph.Dominates(one.home.ID, c.at.ID) {
		return nil, nil
	}
	return one.Instruction, one.home
}

// sourceForm returns the form of a sum's source. The source may be a register that the loop changes, as no write is between two sums of a
// chain. A counter becomes its start plus the number of iterations times its step.
func (c *chaining) sourceForm(o *isa.Operand) *sumForm {
	if o.Register != virtual.Whole(o.Register) || c.f.Words(o.Register) != 1 {
		return nil
	}
	if counted := c.counters[o.Register]; counted != nil {
		c.starting = counted
		start := c.sumOf(counted.start.Instruction)
		c.starting = nil
		if start == nil {
			start = c.started(o.Register)
		}
		iterations := counted.step
		iterations.Kind, iterations.Type, iterations.Negate = iterations.Kind+iterationsOf, isa.U32, false
		return start.plus(&sumForm{terms: []term{{iterations, 1}}}, 1)
	}
	if d, _ := c.settled(o.Register); d == nil {
		return &sumForm{terms: []term{{isa.Reg(o.Register, isa.U32), 1}}}
	}
	return c.operand(o)
}

// iterationsOf is added to the kind of a step: the operand times the number of iterations that the loop has made. The offset startOf is
// added to the kind of a counter: its value when control enters the loop.
const (
	iterationsOf = 100
	startOf      = 50
)

// started returns a counter's value at the loop's entry as a form.
func (c *chaining) started(r isa.Register) *sumForm {
	return &sumForm{terms: []term{{isa.Operand{Kind: isa.OperandRegister + startOf, Register: r, Type: isa.U32}, 1}}}
}

// form returns a register's value as a sum.
func (c *chaining) form(r isa.Register) *sumForm {
	if known := c.forms[r]; known != nil {
		return known
	}
	itself := &sumForm{terms: []term{{isa.Reg(r, isa.U32), 1}}}
	c.forms[r] = itself // for values that lead back to this one
	if form := c.formOf(r); form != nil && len(form.terms) <= termsLimit {
		c.forms[r] = form
	}
	return c.forms[r]
}

// formOf returns the form of a register's value, nil if it is not a sum.
func (c *chaining) formOf(r isa.Register) *sumForm {
	if d, _ := c.settled(r); d != nil && c.f.Words(r) == 1 {
		return c.sumOf(d)
	}
	return nil
}

// sumOf returns the form of an instruction's result, nil if it is not a sum.
func (c *chaining) sumOf(d *isa.Instruction) *sumForm {
	if len(d.Dst) != 1 || d.Type.Float() || d.Type.Bytes() != 4 || d.Mod.CarryOut || d.Mod.Saturate {
		return nil
	}
	source := func(n int) *sumForm { return c.operand(&d.Src[n]) }
	switch {
	case d.Op == isa.OpAdd && d.Type != isa.F16x2:
		return source(0).plus(source(1), 1)
	case d.Op == isa.OpSub:
		return source(0).plus(source(1), ^uint32(0))
	case d.Op == isa.OpMov && len(d.Src) == 1:
		return source(0)
	case d.Op == isa.OpShl && d.Src[1].Kind == isa.OperandImmediate && d.Src[1].Immediate < 32:
		return (&sumForm{}).plus(source(0), 1<<d.Src[1].Immediate)
	case (d.Op == isa.OpMul || d.Op == isa.OpMad) && d.Mod.Half == isa.Lo && d.Src[1].Kind == isa.OperandImmediate:
		product := (&sumForm{}).plus(source(0), uint32(d.Src[1].Immediate))
		if d.Op == isa.OpMad {
			return product.plus(source(2), 1)
		}
		return product
	}
	return nil
}

// operand returns an operand's form, nil if it cannot be part of a sum.
func (c *chaining) operand(o *isa.Operand) *sumForm {
	switch {
	case o.Negate || o.Type.Bytes() != 4 || o.Selector != 0 || o.Permute != 0:
		return nil
	case o.Kind == isa.OperandImmediate:
		return &sumForm{number: uint32(o.Immediate)}
	case o.Kind == isa.OperandConstant:
		return &sumForm{terms: []term{{isa.Operand{Kind: o.Kind, Bank: o.Bank, Offset: o.Offset, Type: isa.U32}, 1}}}
	case o.Kind == isa.OperandRegister && c.starting != nil && c.counters[o.Register] != nil:
		// A counter that starts in the same block, before this one.
		other, list := c.counters[o.Register].start.Instruction, c.starting.start.home.Instructions
		if slices.Index(list, other) < slices.Index(list, c.starting.start.Instruction) {
			return c.started(o.Register)
		}
	case o.Kind == isa.OperandRegister && o.Register == virtual.Whole(o.Register):
		if d, _ := c.settled(o.Register); d != nil {
			return c.form(o.Register)
		}
	}
	return nil
}

// plus returns the form plus a multiple of another, nil if one of them is nil.
func (s *sumForm) plus(other *sumForm, factor uint32) *sumForm {
	if s == nil || other == nil {
		return nil
	}
	sum := &sumForm{terms: slices.Clone(s.terms), number: s.number + factor*other.number}
	for _, t := range other.terms {
		n, found := slices.BinarySearchFunc(sum.terms, t, byOperand)
		if !found {
			sum.terms = slices.Insert(sum.terms, n, term{of: t.of})
		}
		if sum.terms[n].factor += factor * t.factor; sum.terms[n].factor == 0 {
			sum.terms = slices.Delete(sum.terms, n, n+1)
		}
	}
	return sum
}

func byOperand(a, b term) int {
	return cmp.Or(cmp.Compare(a.of.Kind, b.of.Kind), cmp.Compare(a.of.Register, b.of.Register), cmp.Compare(a.of.Bank, b.of.Bank),
		cmp.Compare(a.of.Offset, b.of.Offset), cmp.Compare(a.of.Immediate, b.of.Immediate))
}
