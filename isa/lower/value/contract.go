package value

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// ContractProducts fuses multiplications and additions without a rounding modifier into fused multiply-adds, which round once. It
// does so where the driver's compiler does, as recorded on a GPU (testdata/contraction). A product is fused into the additions and
// subtractions that use it
//
//   - if nothing else uses it, and all of them are in its block, without a call, a memory fence and a rounded division or root between
//     them, even one whose result is unused;
//   - if both say .ftz or neither does, the multiplication does not say .sat, and it is not under a predicate;
//   - if no addition has it on both sides.
//
// The pass looks through moves, negations, multiplications by one or minus one, and 32-bit frame variables that are read once. A dead
// instruction is no use, and a branch around nothing does not end a block. A quotient is a product (quotient.go). Of an addition's two
// products one is fused: the one with fewer uses, else the first.
func ContractProducts(f *Function) error {
	if f.multiplies() {
		live := f.liveRegisters(func(isa.Register) bool { return true })
		for _, c := range f.chains() {
			if err := f.Stopped(); err != nil {
				return err
			}
			f.contractChain(c, live[c[len(c)-1].ID])
		}
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			i.Mod.Contract = false // the rest rounds by itself, as with .rn
		}
	}
	return nil
}

// RemoveDeadButCalls removes dead code, except rounded divisions and roots where products may be contracted. The driver's compiler treats
// these as calls: they use their operands and end a region even if their results are dead.
func RemoveDeadButCalls(f *Function) error {
	if !f.multiplies() {
		return RemoveDead(f)
	}
	return f.removeDead(func(i *isa.Instruction) bool { return removable(i) && !endsRegion(i) })
}

// multiplies reports whether the function has a multiplication that may be contracted.
func (f *Function) multiplies() bool {
	for _, b := range f.Blocks {
		if slices.ContainsFunc(b.Instructions, contractible) {
			return true
		}
	}
	return false
}

// contractible reports a multiplication that may be fused: an instruction, or the last step of a quotient (quotient.go).
func contractible(i *isa.Instruction) bool {
	if i.Guard.Present || i.Mod.Saturate || len(i.Dst) == 0 || i.Dst[0].Kind != isa.OperandRegister {
		return false
	}
	return i.Op == isa.OpMul && i.Mod.Contract || isQuotient(i)
}

// endsRegion reports an instruction that ends a region: a call, a memory fence, and an operation that is a call or branches to a slow path.
func endsRegion(i *isa.Instruction) bool {
	switch i.Op {
	case isa.OpCall, isa.OpMembar, isa.OpFence:
		return true
	case isa.OpDiv, isa.OpRem:
		return i.Type.Bytes() == 8 || i.Type == isa.F32 && !i.Mod.Approx && !i.Mod.Full
	case isa.OpRcp, isa.OpSqrt:
		return !i.Mod.Approx
	}
	return false
}

// chains returns the sequences of blocks that always execute one after another. A branch around nothing does not end a sequence.
func (f *Function) chains() [][]*Block {
	next, inner := map[*Block]*Block{}, map[*Block]bool{}
	for _, b := range f.Blocks {
		if n := f.next(b); n != nil {
			next[b], inner[n] = n, true
		}
	}
	var chains [][]*Block
	for _, b := range f.Blocks {
		if inner[b] {
			continue
		}
		var c []*Block
		for n := b; n != nil; n = next[n] {
			c = append(c, n)
		}
		chains = append(chains, c)
	}
	return chains
}

// next returns the only block that follows b and that has no other way in, past blocks that do nothing; nil if there is none.
func (f *Function) next(b *Block) *Block {
	region := []*Block{b}
	within := func(id isa.BlockID) bool { return slices.Contains(region, f.ByID[id]) }
	for {
		var ahead []*Block
		for _, from := range region {
			for _, id := range from.Successors {
				n := f.ByID[id]
				if n == nil || n == b {
					return nil
				}
				if !slices.Contains(region, n) && !slices.Contains(ahead, n) {
					ahead = append(ahead, n)
				}
			}
		}
		inside := slices.IndexFunc(ahead, func(n *Block) bool {
			return !slices.ContainsFunc(n.Predecessors, func(id isa.BlockID) bool { return !within(id) }) && (len(ahead) == 1 || empty(n))
		})
		switch {
		case inside < 0 || ahead[inside] == f.Blocks[0]:
			return nil
		case len(ahead) == 1:
			return ahead[0]
		}
		region = append(region, ahead[inside])
	}
}

// empty reports a block that does nothing but branch.
func empty(b *Block) bool {
	return len(b.Successors) > 0 && (len(b.Instructions) == 0 || len(b.Instructions) == 1 && b.Instructions[0].Op == isa.OpBra)
}

// liveRegisters returns the registers that are live at the end of each block, ascending, among the selected.
func (f *Function) liveRegisters(selected func(isa.Register) bool) [][]int32 {
	touches := flow.NewTouches(len(f.Registers))
	wanted := make([]bool, len(f.Registers))
	for r := range wanted {
		wanted[r] = selected(isa.Register(r))
	}
	var named []isa.Register
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			named = virtual.AppendUses(named[:0], i)
			for _, r := range named {
				if r = virtual.Whole(r); wanted[r] {
					touches.Read(int32(r), b.ID)
				}
			}
			named = virtual.AppendDefinitions(named[:0], i)
			for _, r := range named {
				if r = virtual.Whole(r); !wanted[r] {
					continue
				}
				if i.Guard.Present { // the register keeps its old value where the guard is false
					touches.Read(int32(r), b.ID)
				}
				touches.Write(int32(r), b.ID, !i.Guard.Present)
			}
		}
	}
	_, out := f.flow().LiveBetween(touches)
	return out
}

// contraction is the analysis of a chain of blocks. Each value that a register holds in turn is a heldValue.
type contraction struct {
	f            *Function
	registers    map[isa.Register]*heldValue
	numbers      map[isa.Operand]*heldValue
	sums         []*sum
	region       int   // its number; calls and fences begin a new one
	inlineRegion int32 // of the last instruction
	// inserted are instructions to insert before an instruction.
	inserted map[*isa.Instruction][]*isa.Instruction
}

// heldValue is a value that a register holds; product is set if it is a product, negated if that is negated.
type heldValue struct {
	product *product
	negated bool
}

// product is the result of a multiplication that may be contracted.
type product struct {
	multiplication *isa.Instruction
	region         int
	factors        [2]*heldValue
	kept           [2]isa.Operand // copies of the factors, for additions after the factors are overwritten
	uses           int
	others         int // uses that cannot be contracted
}

// sum is an addition or a subtraction with a product among its operands.
type sum struct {
	addition *isa.Instruction
	sides    [2]*heldValue
	intact   [2][2]bool // of each side's product: whether the factors' registers still hold the factors
	fused    bool
}

// contractChain contracts the products of a chain of blocks; live are the registers that are live behind it.
func (f *Function) contractChain(blocks []*Block, live []int32) {
	c := &contraction{f: f, registers: map[isa.Register]*heldValue{}, numbers: map[isa.Operand]*heldValue{},
		inserted: map[*isa.Instruction][]*isa.Instruction{}}
	for _, b := range blocks {
		for _, i := range b.Instructions {
			c.visit(i)
		}
	}
	for r, v := range c.registers {
		if v.product == nil {
			continue
		}
		if _, found := slices.BinarySearch(live, int32(r)); found {
			v.product.useOtherwise()
		}
	}
	for uses, more := 1, true; more; uses++ {
		more = false
		for _, s := range c.sums {
			more = c.fuse(s, uses) || more
		}
	}
	if len(c.inserted) == 0 {
		return
	}
	for _, b := range blocks {
		var out []*isa.Instruction
		for _, i := range b.Instructions {
			out = append(append(out, c.inserted[i]...), i)
		}
		b.Instructions = out
	}
}

func (p *product) useOtherwise() {
	p.uses++
	p.others++
}

// held returns the value of an operand.
func (c *contraction) held(o *isa.Operand) *heldValue {
	if o.Kind == isa.OperandRegister && o.Register == virtual.Whole(o.Register) {
		if c.registers[o.Register] == nil {
			c.registers[o.Register] = &heldValue{}
		}
		return c.registers[o.Register]
	}
	if o.Kind == isa.OperandImmediate || o.Kind == isa.OperandConstant {
		if c.numbers[*o] == nil {
			c.numbers[*o] = &heldValue{}
		}
		return c.numbers[*o]
	}
	return &heldValue{}
}

// visit records what an instruction reads and writes.
func (c *contraction) visit(i *isa.Instruction) {
	if i.InlineRegion != c.inlineRegion {
		c.inlineRegion = i.InlineRegion
		c.region++
	}
	if v := c.passedOn(i); v != nil {
		c.registers[i.Dst[0].Register] = v
		return
	}
	if s := c.sum(i); s != nil {
		c.sums = append(c.sums, s)
	} else if !c.alwaysFalse(i) {
		c.f.Uses(i, func(r isa.Register, _ int) {
			if v := c.registers[virtual.Whole(r)]; v != nil && v.product != nil {
				v.product.useOtherwise()
			}
		})
	}
	var made *product
	if contractible(i) && slices.ContainsFunc(i.Src, func(o isa.Operand) bool { return o.Kind != isa.OperandImmediate }) {
		made = &product{multiplication: i, region: c.region}
		for n := range i.Src {
			made.factors[n] = c.held(&i.Src[n])
		}
	}
	c.f.Definitions(i, func(r isa.Register, _ int) {
		r = virtual.Whole(r)
		if v := c.registers[r]; v != nil && v.product != nil && i.Guard.Present {
			v.product.useOtherwise() // the register keeps the product where the guard is false
		}
		c.registers[r] = &heldValue{product: made}
	})
	if endsRegion(i) {
		c.region++
	}
}

// alwaysFalse reports a comparison of a value with itself that is always false, as the compiler knows.
func (c *contraction) alwaysFalse(i *isa.Instruction) bool {
	return i.Op == isa.OpSetp && len(i.Src) == 2 && i.Type.Float() && !i.Guard.Present &&
		(i.Mod.Compare == isa.LT || i.Mod.Compare == isa.GT) && c.held(&i.Src[0]) == c.held(&i.Src[1])
}

// passedOn returns the value that a move, a negation or a multiplication by one passes on; nil for other instructions.
func (c *contraction) passedOn(i *isa.Instruction) *heldValue {
	if i.Guard.Present || len(i.Dst) != 1 || len(i.Src) == 0 || i.Dst[0].Kind != isa.OperandRegister || i.Mod.Saturate {
		return nil
	}
	switch i.Op {
	case isa.OpMov:
		d, s := &i.Dst[0], &i.Src[0]
		if len(i.Src) != 1 || s.Kind == isa.OperandRegister &&
			(d.Type.Bytes() != s.Type.Bytes() || c.f.Words(d.Register) != c.f.Words(s.Register)) {
			return nil
		}
		return c.held(s)
	case isa.OpNeg:
		v := c.held(&i.Src[0])
		if v.product == nil || v.product.multiplication.Type != i.Type {
			return nil
		}
		if !i.Mod.Flush || v.product.multiplication.Mod.Flush {
			return &heldValue{product: v.product, negated: !v.negated}
		}
	case isa.OpMul:
		one, minusOne := uint64(0x3f800000), uint64(0xbf800000)
		if i.Type == isa.F64 {
			one, minusOne = 0x3ff0000000000000, 0xbff0000000000000
		}
		exact := i.Mod.Contract || i.Type == isa.F32 && i.Mod.Rounding == isa.RoundNearest
		if !i.Type.Float() || i.Mod.Flush || !exact {
			return nil
		}
		for n := range 2 {
			v := c.held(&i.Src[1-n])
			switch {
			case i.Src[n].Kind != isa.OperandImmediate || i.Src[1-n].Kind != isa.OperandRegister:
			case i.Src[n].Immediate == one:
				return v
			case i.Src[n].Immediate == minusOne && i.Mod.Contract:
				return &heldValue{product: v.product, negated: !v.negated}
			}
		}
	}
	return nil
}

// addsContracting reports an addition or subtraction into which a product may go.
func addsContracting(i *isa.Instruction) bool {
	return (i.Op == isa.OpAdd || i.Op == isa.OpSub) && i.Type.Float() && i.Mod.Contract
}

// sum returns an instruction as an addition with a product, nil if it is not one.
func (c *contraction) sum(i *isa.Instruction) *sum {
	if !addsContracting(i) {
		return nil
	}
	s := &sum{addition: i, sides: [2]*heldValue{c.held(&i.Src[0]), c.held(&i.Src[1])}}
	a, b := s.sides[0].product, s.sides[1].product
	if a == nil && b == nil || a == b || c.doubles(s) {
		return nil
	}
	for n, v := range s.sides {
		p := v.product
		if p == nil {
			continue
		}
		p.uses++
		m := p.multiplication
		if m.Type != i.Type || m.Mod.Flush != i.Mod.Flush || p.region != c.region {
			p.others++
		}
		for k := range m.Src {
			s.intact[n][k] = c.held(&m.Src[k]) == p.factors[k]
		}
	}
	return s
}

// doubles reports the sum of two products of the same factors.
func (c *contraction) doubles(s *sum) bool {
	a, b := s.sides[0], s.sides[1]
	if a.product == nil || b.product == nil || s.addition.Op == isa.OpSub || a.negated != b.negated {
		return false
	}
	x, y := a.product.factors, b.product.factors
	op := a.product.multiplication.Op
	return op == b.product.multiplication.Op && (x == y || op == isa.OpMul && x[0] == y[1] && x[1] == y[0])
}

// fuse fuses a product that has the given number of uses into an addition. more reports that the addition also has a product with more
// uses, for later.
func (c *contraction) fuse(s *sum, uses int) (more bool) {
	if s.fused {
		return false
	}
	for side, v := range s.sides {
		p := v.product
		if p == nil || p.others > 0 || p.uses != uses {
			more = more || p != nil && p.others == 0 && p.uses > uses
			continue
		}
		i := s.addition
		negative, addend := v.negated != (i.Op == isa.OpSub && side == 1), i.Src[1-side]
		factors := [2]isa.Operand{c.factor(p, 0, s.intact[side][0]), c.factor(p, 1, s.intact[side][1])}
		if i.Op == isa.OpSub && side == 0 {
			c.negate(i, &addend)
		}
		if negative {
			n := 0
			if factors[1].Kind == isa.OperandImmediate {
				n = 1
			}
			c.negate(i, &factors[n])
		}
		i.Op, i.Mod.Contract = isa.OpFma, false
		i.Src = []isa.Operand{factors[0], factors[1], addend}
		c.f.contracted[i] = 1 + side
		if other := s.sides[1-side].product; other != nil {
			other.others++
		}
		s.fused = true
		return false
	}
	return more
}

// factor returns an operand with a factor of a product: the multiplication's own operand if it is intact.
func (c *contraction) factor(p *product, n int, intact bool) isa.Operand {
	m := p.multiplication
	if isQuotient(m) {
		if p.kept[n].Kind == isa.OperandNone {
			p.kept = c.quotientFactors(m)
		}
		return p.kept[n]
	}
	o := m.Src[n]
	if intact || o.Kind != isa.OperandRegister {
		return o
	}
	if p.kept[n].Kind == isa.OperandNone {
		p.kept[n] = c.insert(m, isa.OpMov, isa.Modifiers{}, o.Type, o)
	}
	return p.kept[n]
}

// negate negates an operand of i: an immediate in place, any other by an instruction before i.
func (c *contraction) negate(i *isa.Instruction, o *isa.Operand) {
	if o.Kind == isa.OperandImmediate {
		o.Immediate ^= 1 << (8*i.Type.Bytes() - 1)
		return
	}
	*o = c.insert(i, isa.OpNeg, isa.Modifiers{Flush: i.Mod.Flush}, i.Type, *o)
}

// insert inserts an instruction before another, with the same source line, and returns its result.
func (c *contraction) insert(before *isa.Instruction, op isa.Opcode, m isa.Modifiers, t isa.Type, sources ...isa.Operand) isa.Operand {
	result := isa.Reg(c.f.Temporary(t), t)
	i := &isa.Instruction{Op: op, Type: t, Mod: m, Dst: []isa.Operand{result}, Src: sources, Line: before.Line}
	if op == isa.OpSetp {
		result = isa.Predicate(result.Register, false)
		i.Type, i.Dst[0] = sources[0].Type, result
	}
	c.inserted[before] = append(c.inserted[before], i)
	return result
}
