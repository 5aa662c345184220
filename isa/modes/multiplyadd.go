package modes

import "github.com/keplersim/keplersim/isa"

func multiplyAdd(f *isa.Function, fuse bool) int {
	changed := 0
	var uses usage
	if fuse {
		uses = count(f)
	}
	for _, b := range f.Blocks {
		if fuse {
			changed += fuseBlock(f, b, uses)
		} else {
			changed += splitBlock(f, b)
		}
	}
	return changed
}

func isFloat(t isa.Type) bool { return t == isa.F32 || t == isa.F64 }

func newRegister(f *isa.Function, t isa.Type) isa.Operand {
	f.Registers = append(f.Registers, isa.VirtualRegister{Type: t})
	return isa.Reg(isa.Register(len(f.Registers)-1), t)
}

// splitBlock turns each fma.rn into mul.rn and add.rn, under the same guard.
func splitBlock(f *isa.Function, b *isa.Block) int {
	changed := 0
	var out []*isa.Instruction
	for _, i := range b.Instructions {
		if i.Op == isa.OpFma && isFloat(i.Type) && i.Mod.Rounding == isa.RoundNearest {
			product := newRegister(f, i.Type)
			out = append(out, &isa.Instruction{Op: isa.OpMul, Type: i.Type, Guard: i.Guard, Line: i.Line, Dst: []isa.Operand{product},
				Src: []isa.Operand{i.Src[0], i.Src[1]}, Mod: isa.Modifiers{Rounding: isa.RoundNearest, Flush: i.Mod.Flush}})
			i.Op = isa.OpAdd
			i.Src = []isa.Operand{product, i.Src[2]}
			changed++
		}
		out = append(out, i)
	}
	b.Instructions = out
	return changed
}

// usage counts, for each register of a function, the instructions that read it and those that write it.
type usage struct{ reads, writes map[isa.Register]int }

func count(f *isa.Function) usage {
	u := usage{reads: map[isa.Register]int{}, writes: map[isa.Register]int{}}
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			i.Sources(func(o *isa.Operand) {
				if o.Kind == isa.OperandRegister {
					u.reads[o.Register]++
				}
			})
			i.Destinations(func(o *isa.Operand) {
				if o.Kind == isa.OperandRegister {
					u.writes[o.Register]++
				}
			})
		}
	}
	return u
}

// fuseBlock fuses a product with an addition or subtraction in the same block, if nothing else reads the product and the factors are
// unchanged since the multiplication.
func fuseBlock(f *isa.Function, b *isa.Block, u usage) int {
	changed := 0
	written := map[isa.Register]int{} // by register: its last write in the block
	removed := map[int]bool{}
	before := map[int]*isa.Instruction{} // by instruction: a negation that must precede it
	for at, i := range b.Instructions {
		if side, mul, ok := fusible(b, i, u, written); ok {
			product := b.Instructions[mul]
			a, factor, c := product.Src[0], product.Src[1], i.Src[1-side]
			if i.Op == isa.OpSub {
				negated := &c // a×b − c
				if side == 1 {
					negated = &a // c − a×b
				}
				before[at] = negate(f, i, negated)
			}
			i.Op = isa.OpFma
			i.Src = []isa.Operand{a, factor, c}
			removed[mul] = true
			changed++
		}
		i.Destinations(func(o *isa.Operand) {
			if o.Kind == isa.OperandRegister {
				written[o.Register] = at
			}
		})
	}
	if changed == 0 {
		return 0
	}
	var out []*isa.Instruction
	for at, i := range b.Instructions {
		if n := before[at]; n != nil {
			out = append(out, n)
		}
		if !removed[at] {
			out = append(out, i)
		}
	}
	b.Instructions = out
	return changed
}

// fusible finds an operand of an addition that fuseBlock can fuse, and the position of its multiplication.
func fusible(b *isa.Block, i *isa.Instruction, u usage, written map[isa.Register]int) (side, mul int, ok bool) {
	if i.Op != isa.OpAdd && i.Op != isa.OpSub || !isFloat(i.Type) || i.Mod.Rounding != isa.RoundNearest || i.Guard.Present {
		return 0, 0, false
	}
	for side, o := range i.Src {
		if o.Kind != isa.OperandRegister || u.reads[o.Register] != 1 || u.writes[o.Register] != 1 {
			continue
		}
		at, here := written[o.Register]
		if !here {
			continue
		}
		m := b.Instructions[at]
		if m.Op != isa.OpMul || m.Type != i.Type || m.Mod.Rounding != isa.RoundNearest || m.Mod.Saturate ||
			m.Mod.Flush != i.Mod.Flush || m.Guard.Present {
			continue
		}
		unchanged := true
		for _, factor := range m.Src {
			if last, ok := written[factor.Register]; factor.Kind == isa.OperandRegister && ok && last >= at {
				unchanged = false
			}
		}
		if unchanged {
			return side, at, true
		}
	}
	return 0, 0, false
}

// negate negates an operand of i: an immediate in place; a register through a new one, and then it returns the negation.
func negate(f *isa.Function, i *isa.Instruction, o *isa.Operand) *isa.Instruction {
	if o.Kind == isa.OperandImmediate {
		o.Immediate ^= 1 << (8*i.Type.Bytes() - 1)
		return nil
	}
	d := newRegister(f, i.Type)
	n := &isa.Instruction{
		Op: isa.OpNeg, Type: i.Type, Line: i.Line, Dst: []isa.Operand{d}, Src: []isa.Operand{*o}, Mod: isa.Modifiers{Flush: i.Mod.Flush},
	}
	*o = d
	return n
}
