package value

import (
	"cmp"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// chainLength is how many sums of a loop a step must lead from one to the next for a chain to be worth the registers of the step and of the
// sum that goes on.
const chainLength = 3

// ChainSums has the sums of a block in a loop go on from one to the next where each adds an invariant of its own to the same value, and the
// invariants differ by a step: t + a, t + (a + s), t + (a + 2s) become x, x + s, x + s + s. The invariants then need no register throughout
// the loop. clang leaves them in front of a loop that it has unrolled; nvcc's counts and registers of such loops show a chain
// (straight-line strength reduction: KTT's product of matrices without shared memory has 40 registers, where 64 invariants would not fit).
func ChainSums(f *Function) error {
	c := &chaining{f: f, values: f.newValues(), forms: map[isa.Register]*sumForm{}}
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

// chaining looks for chains with the values of a function.
type chaining struct {
	f      *Function
	values *values
	forms  map[isa.Register]*sumForm
}

// sumForm is a 32-bit value as a sum of multiples of others, rising by register, and of a number; all modulo 2^32.
type sumForm struct {
	terms  []term
	number uint32
}

type term struct {
	of     isa.Operand // a register or a constant
	factor uint32
}

// termsLimit is the most terms of a form; a value of more stands for itself.
const termsLimit = 6

// link is a sum that can be had from an earlier one by a step.
type link struct {
	sum  *isa.Instruction
	from isa.Register
}

// block finds the chains of a block and forges those that are long enough.
func (c *chaining) block(b *Block, l *flow.Loop) {
	links := map[isa.Register][]link{} // by step
	var steps []isa.Register
	var earlier []isa.Register
	for _, i := range b.Instructions {
		if !c.addsInvariant(i, l) {
			c.f.Definitions(i, func(r isa.Register, _ int) {
				if !c.values.single(r) {
					earlier = nil // sums of it are of different values from here on
				}
			})
			continue
		}
		d := i.Dst[0].Register
		c.forms[d] = c.top(&i.Src[0]).plus(c.top(&i.Src[1]), 1)
		for n := len(earlier) - 1; n >= max(0, len(earlier)-4); n-- {
			step, ok := c.step(earlier[n], d, b)
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
		if len(links[step]) < chainLength {
			continue
		}
		for _, k := range links[step] {
			k.sum.Src = []isa.Operand{isa.Reg(k.from, k.sum.Src[0].Type), isa.Reg(step, k.sum.Src[0].Type)}
		}
	}
}

// addsInvariant reports a 32-bit sum in a loop of a value and one that was made in front of the loop for nothing else.
func (c *chaining) addsInvariant(i *isa.Instruction, l *flow.Loop) bool {
	if !plainAdd(i, 4) || i.Dst[0].Kind != isa.OperandRegister || !c.values.single(i.Dst[0].Register) || c.f.Words(i.Dst[0].Register) != 1 {
		return false
	}
	invariant := false
	for n := range i.Src {
		if i.Src[n].Kind != isa.OperandRegister || i.Src[n].Negate {
			return false
		}
		if d := c.values.definition(&i.Src[n]); d != nil && !c.values.graph.Contains(l, c.values.home[i.Src[n].Register].ID) &&
			c.values.uses[i.Src[n].Register] == 1 && d.Op.Pure() && len(d.Src) > 1 {
			invariant = true
		}
	}
	return invariant
}

// step is the register by which one value is more than another, if that is all and it is there in the block.
func (c *chaining) step(from, to isa.Register, b *Block) (isa.Register, bool) {
	difference := c.forms[to].plus(c.forms[from], ^uint32(0))
	if difference == nil || difference.number != 0 || len(difference.terms) != 1 || difference.terms[0].factor != 1 {
		return 0, false
	}
	o := difference.terms[0].of
	if o.Kind != isa.OperandRegister || !c.values.single(o.Register) {
		return 0, false
	}
	home := c.values.home[o.Register]
	return o.Register, home != b && c.values.graph.Dominates(home.ID, b.ID)
}

// top is the form of a source of a sum that is looked at, which may be a register of several writers: none writes it between two such sums.
func (c *chaining) top(o *isa.Operand) *sumForm {
	if o.Register == virtual.Whole(o.Register) && !c.values.single(o.Register) && c.f.Words(o.Register) == 1 {
		return &sumForm{terms: []term{{isa.Reg(o.Register, isa.U32), 1}}}
	}
	return c.operand(o)
}

// form is a register's value as a sum.
func (c *chaining) form(r isa.Register) *sumForm {
	if known := c.forms[r]; known != nil {
		return known
	}
	itself := &sumForm{terms: []term{{isa.Reg(r, isa.U32), 1}}}
	c.forms[r] = itself // of what leads back here
	if form := c.formOf(r); form != nil && len(form.terms) <= termsLimit {
		c.forms[r] = form
	}
	return c.forms[r]
}

// formOf is the form of a register's definition, nil for none that is a sum.
func (c *chaining) formOf(r isa.Register) *sumForm {
	o := isa.Reg(r, isa.U32)
	d := c.values.definition(&o)
	if d == nil || len(d.Dst) != 1 || d.Type.Float() || d.Type.Bytes() != 4 || d.Mod.CarryOut || d.Mod.Saturate || c.f.Words(r) != 1 {
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

// operand is an operand's form, nil for one that cannot be part of a sum.
func (c *chaining) operand(o *isa.Operand) *sumForm {
	switch {
	case o.Negate || o.Type.Bytes() != 4 || o.Selector != 0 || o.Permute != 0:
		return nil
	case o.Kind == isa.OperandImmediate:
		return &sumForm{number: uint32(o.Immediate)}
	case o.Kind == isa.OperandConstant:
		return &sumForm{terms: []term{{isa.Operand{Kind: o.Kind, Bank: o.Bank, Offset: o.Offset, Type: isa.U32}, 1}}}
	case o.Kind == isa.OperandRegister && o.Register == virtual.Whole(o.Register) && c.values.single(o.Register):
		return c.form(o.Register)
	}
	return nil
}

// plus is the form with a multiple of another added, nil where one is missing.
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
		cmp.Compare(a.of.Offset, b.of.Offset))
}
