package value

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// hoistedLimit is the most values that are moved out of one loop: each occupies a register throughout the loop.
const hoistedLimit = 24

// hoistedDepth is the most nested loops that an instruction may move out of.
const hoistedDepth = 64

// HoistInvariants moves loop invariants in front of the loop, inner loops first. Moves of constants stay where they are used.
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

// blocksOfLoops returns each loop's blocks in layout order, without those that are nested too deep.
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

// costly reports an instruction that must not run speculatively: it expands to a routine as long as a call.
func costly(i *isa.Instruction) bool {
	return (i.Op == isa.OpDiv || i.Op == isa.OpRem || i.Op == isa.OpSqrt) && !i.Mod.Approx
}

// insertAtEnd inserts an instruction before the block's branch, or at its end.
func insertAtEnd(b *Block, i *isa.Instruction) {
	n := len(b.Instructions)
	if n > 0 && b.Instructions[n-1].Terminator() {
		n--
	}
	b.Instructions = append(b.Instructions[:n:n], append([]*isa.Instruction{i}, b.Instructions[n:]...)...)
}
