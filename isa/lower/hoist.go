package lower

import "github.com/keplersim/keplersim/isa"

// hoistedLimit is the most values that one loop may have moved in front of it: each holds a register throughout.
const hoistedLimit = 24

// hoistedDepth is out of how many loops, one in the other, an instruction may move at most.
const hoistedDepth = 64

// hoistInvariants moves what a loop computes alike in each turn in front of it, inner loops first; mere numbers stay where they are used.
func hoistInvariants(f *function) error {
	v := f.newValues()
	inside := v.graph.blocksOfLoops(f)
	for n := len(v.graph.loops) - 1; n >= 0; n-- {
		if err := f.stopped(); err != nil {
			return err
		}
		f.hoistFrom(v.graph.loops[n], inside[n], v)
	}
	return nil
}

// blocksOfLoops are each loop's blocks in layout order, but for those that lie too deep in it.
func (g *graph) blocksOfLoops(f *function) [][]*block {
	at := map[*loop]int{}
	for n, l := range g.loops {
		at[l] = n
	}
	inside := make([][]*block, len(g.loops))
	for _, b := range f.blocks {
		l := g.inner[b.id]
		for n := 0; l != nil && n < hoistedDepth; n++ {
			inside[at[l]] = append(inside[at[l]], b)
			l = l.outer
		}
	}
	return inside
}

func (f *function) hoistFrom(l *loop, blocks []*block, v *values) {
	entries := v.graph.entries(f, l)
	if len(entries) != 1 {
		return
	}
	before := entries[0]
	hoisted := 0
	outside := func(o *isa.Operand) bool {
		return !register(o) || !v.graph.contains(l, v.home[whole(o.Register)].id)
	}
	for changed := true; changed && hoisted < hoistedLimit; {
		changed = false
		for _, b := range blocks {
			for n := 0; n < len(b.instructions) && hoisted < hoistedLimit; n++ {
				i := b.instructions[n]
				ok := v.movable(i)
				if ok {
					i.Sources(func(o *isa.Operand) { ok = ok && outside(o) })
				}
				if !ok || costly(i) || number(i) {
					continue
				}
				b.instructions = append(b.instructions[:n:n], b.instructions[n+1:]...)
				insertAtEnd(before, i)
				i.Destinations(func(o *isa.Operand) { v.home[whole(o.Register)] = before })
				n--
				hoisted++
				changed = true
			}
		}
	}
}

// costly reports an instruction that should not run where its result may not be needed: a call-sized routine.
func costly(i *isa.Instruction) bool {
	return (i.Op == isa.OpDiv || i.Op == isa.OpRem || i.Op == isa.OpSqrt) && !i.Mod.Approx
}

// insertAtEnd places an instruction before the block's branch.
func insertAtEnd(b *block, i *isa.Instruction) {
	n := len(b.instructions)
	if n > 0 && b.instructions[n-1].Terminator() {
		n--
	}
	b.instructions = append(b.instructions[:n:n], append([]*isa.Instruction{i}, b.instructions[n:]...)...)
}
