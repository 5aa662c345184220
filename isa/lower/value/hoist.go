package value

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// hoistedLimit is the most values that one loop may have moved in front of it: each holds a register throughout.
const hoistedLimit = 24

// hoistedDepth is out of how many loops, one in the other, an instruction may move at most.
const hoistedDepth = 64

// HoistInvariants moves what a loop computes alike in each turn in front of it, inner loops first; mere numbers stay where they are used.
func HoistInvariants(f *Function) error {
	v := f.newValues()
	defer v.release()
	inside := f.blocksOfLoops(v.graph)
	edges := f.flow()
	for n := len(v.graph.Loops) - 1; n >= 0; n-- {
		if err := f.Stopped(); err != nil {
			return err
		}
		f.hoistFrom(v.graph.Loops[n], edges, inside[n], v)
	}
	return nil
}

// blocksOfLoops returns each loop's blocks in layout order, but for those that lie too deep in it.
func (f *Function) blocksOfLoops(g *flow.Graph) [][]*Block {
	at := map[*flow.Loop]int{}
	for n, l := range g.Loops {
		at[l] = n
	}
	inside := make([][]*Block, len(g.Loops))
	for _, b := range f.Blocks {
		l := g.Inner[b.ID]
		for n := 0; l != nil && n < hoistedDepth; n++ {
			inside[at[l]] = append(inside[at[l]], b)
			l = l.Outer
		}
	}
	return inside
}

func (f *Function) hoistFrom(l *flow.Loop, edges flow.Blocks, blocks []*Block, v *values) {
	entries := v.graph.Entries(edges, l)
	if len(entries) != 1 {
		return
	}
	before := f.ByID[entries[0].ID]
	hoisted := 0
	outside := func(o *isa.Operand) bool {
		return !virtual.IsRegister(o) || !v.graph.Contains(l, v.of[virtual.Whole(o.Register)].home.ID)
	}
	for changed := true; changed && hoisted < hoistedLimit; {
		changed = false
		for _, b := range blocks {
			for n := 0; n < len(b.Instructions) && hoisted < hoistedLimit; n++ {
				i := b.Instructions[n]
				ok := v.movable(i)
				if ok {
					i.Sources(func(o *isa.Operand) { ok = ok && outside(o) })
				}
				if !ok || costly(i) || number(i) {
					continue
				}
				b.Instructions = append(b.Instructions[:n:n], b.Instructions[n+1:]...)
				insertAtEnd(before, i)
				i.Destinations(func(o *isa.Operand) { v.of[virtual.Whole(o.Register)].home = before })
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
func insertAtEnd(b *Block, i *isa.Instruction) {
	n := len(b.Instructions)
	if n > 0 && b.Instructions[n-1].Terminator() {
		n--
	}
	b.Instructions = append(b.Instructions[:n:n], append([]*isa.Instruction{i}, b.Instructions[n:]...)...)
}
