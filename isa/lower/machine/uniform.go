package machine

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// divergence has the registers that may differ among the lanes of a warp, and the branches that may part them.
type divergence struct {
	f         *Function
	registers []bool
	writers   []int32
	readers   [][]placed // by register
	regions   *flow.Regions
	found     []isa.Register // divergent registers whose readers are still to be visited
	divergent []bool         // by block: its branch parts lanes, and follow has handled it
	// The visited regions of divergent branches, and those of them whose writes all diverge.
	partedIn, writtenIn *flow.Marks
}

// placed is an operation and its block.
type placed struct {
	*Operation
	home *Block
}

// uniformSpecial reports a special register with the same value in all lanes of a warp.
func uniformSpecial(s isa.SpecialRegister) bool {
	return s >= isa.NtidX && s <= isa.NctaidZ || s >= isa.WarpID && s <= isa.GridID ||
		s >= isa.TotalSharedSize && s <= isa.AggregateSharedSize
}

// findDivergence propagates differences among lanes through registers, predicates and divergent branches.
func (f *Function) findDivergence() *divergence {
	n := len(f.Registers)
	d := &divergence{
		f: f, registers: make([]bool, n), writers: make([]int32, n), readers: make([][]placed, n),
		divergent: make([]bool, len(f.ByID)), regions: f.flow().Regions(f.graph()),
	}
	d.partedIn, d.writtenIn = d.regions.NewMarks(), d.regions.NewMarks()
	d.findReaders()
	for _, b := range f.Blocks {
		for _, op := range b.Operations {
			if op.Effect != nil && varies(op.Effect) {
				d.differ(op)
			}
		}
		d.follow(b)
	}
	for len(d.found) > 0 {
		r := d.found[len(d.found)-1]
		d.found = d.found[:len(d.found)-1]
		for _, op := range d.readers[r] {
			if op.Effect != nil {
				d.differ(op.Operation)
			}
			d.follow(op.home)
		}
	}
	return d
}

// findReaders finds the readers and counts the writers of each register.
func (d *divergence) findReaders() {
	count, total := make([]int32, len(d.readers)), 0
	d.eachReading(func(r isa.Register, _ placed) {
		count[r]++
		total++
	})
	all := make([]placed, total)
	for r, n := range count {
		d.readers[r], all = all[:0:n], all[n:]
	}
	d.eachReading(func(r isa.Register, by placed) { d.readers[r] = append(d.readers[r], by) })
	for _, b := range d.f.Blocks {
		for _, op := range b.Operations {
			if op.Effect != nil {
				d.f.Definitions(op.Effect, func(r isa.Register, _ int) { d.writers[virtual.Whole(r)]++ })
			}
		}
	}
}

// eachReading calls visit for each register that an effect, its guard or a branch reads.
func (d *divergence) eachReading(visit func(r isa.Register, by placed)) {
	var named []isa.Register
	for _, b := range d.f.Blocks {
		for _, op := range b.Operations {
			if op.Effect == nil {
				continue
			}
			named = virtual.AppendUses(named[:0], op.Effect)
			if op.Guard.Present {
				named = append(named, op.Guard.Register)
			}
			for _, r := range named {
				visit(virtual.Whole(r), placed{op, b})
			}
		}
		if op := b.branch(true); op != nil && op.Effect == nil {
			visit(virtual.Whole(op.Guard.Register), placed{op, b})
		}
	}
}

// differ records that an operation's results differ among lanes.
func (d *divergence) differ(op *Operation) {
	d.f.Definitions(op.Effect, func(r isa.Register, _ int) { d.add(virtual.Whole(r)) })
}

func (d *divergence) add(r isa.Register) {
	if !d.registers[r] {
		d.registers[r] = true
		d.found = append(d.found, r)
	}
}

// follow applies the consequences of a branch that parts lanes. Registers with several writers diverge if some lanes skip one. If lanes
// leave a loop in different turns, everything that the loop computes diverges.
func (d *divergence) follow(b *Block) {
	if d.divergent[b.ID] || !d.parts(b.last()) {
		return
	}
	d.divergent[b.ID] = true
	d.regions.Visit(&b.Block, d.partedIn, func(b *flow.Block) {
		d.eachWritten(d.f.ByID[b.ID], func(r isa.Register) {
			if d.writers[r] > 1 {
				d.add(r)
			}
		})
	})
	if d.regions.InOwnRegion(&b.Block) {
		d.regions.Visit(&b.Block, d.writtenIn, func(b *flow.Block) { d.eachWritten(d.f.ByID[b.ID], d.add) })
	}
}

func (d *divergence) eachWritten(b *Block, visit func(isa.Register)) {
	for _, op := range b.Operations {
		if op.Effect != nil {
			d.f.Definitions(op.Effect, func(r isa.Register, _ int) { visit(virtual.Whole(r)) })
		}
	}
}

// parts reports a branch that may part a warp's lanes.
func (d *divergence) parts(op *Operation) bool {
	if op == nil {
		return false
	}
	if op.Control == isa.ControlIndex {
		return op.Effect == nil || op.Effect.Src[0].Kind == isa.OperandRegister && d.registers[virtual.Whole(op.Effect.Src[0].Register)]
	}
	return op.Control == isa.ControlBranch && op.Guard.Present && d.registers[virtual.Whole(op.Guard.Register)]
}

// varies reports an instruction whose result may differ among lanes even if its sources do not.
func varies(i *isa.Instruction) bool {
	switch i.Op {
	case isa.OpLd:
		return i.Memory.Space == isa.SpaceLocal || i.Memory.Space == isa.SpaceGeneric || i.Memory.Order != isa.OrderWeak
	case isa.OpMov, isa.OpCvt:
		for _, s := range i.Src {
			if s.Kind == isa.OperandSpecial && !uniformSpecial(s.Special) {
				return true
			}
		}
		return false
	}
	return !i.Op.Pure()
}

// PlaceReconvergence adds the operations by which Kepler reconverges lanes. SSY, which names the reconvergence point, comes before a branch
// that may part lanes, or before the loop around it. NOP.S ends a path without an arithmetic operation that could carry the mark.
func PlaceReconvergence(f *Function) error {
	d := f.findDivergence()
	g := f.graph()
	type place struct{ at, meet isa.BlockID }
	done := map[place]bool{}
	meets := map[isa.BlockID]bool{}
	for _, b := range f.Blocks {
		op := b.last()
		if !d.parts(op) || b.Reconverge == flow.NoBlock {
			continue
		}
		meets[b.Reconverge] = true
		var outer *flow.Loop
		for l := g.Inner[b.ID]; l != nil && !g.Contains(l, b.Reconverge); l = l.Outer {
			outer = l
		}
		at := []*flow.Block{&b.Block}
		if outer != nil {
			at = g.Entries(f.flow(), outer)
		}
		for _, target := range at {
			if p := (place{target.ID, b.Reconverge}); !done[p] {
				done[p] = true
				f.insertBeforeBranch(f.ByID[target.ID], &Operation{join: flow.NoBlock, Ways: []isa.BlockID{b.Reconverge},
					MachineOp: isa.MachineOp{Mnemonic: "SSY", Class: isa.ClassBranch, Line: op.Line, Target: -1, Reconverge: -1}})
			}
		}
	}
	for n, b := range f.Blocks {
		next, falls := b.fallsThrough()
		if !falls || !meets[next] || n+1 >= len(f.Blocks) || b.branch(true) != nil || len(f.ByID[next].Predecessors) < 2 {
			continue
		}
		if op := b.last(); op == nil || op.Guard.Present || op.Class.Memory() || op.Control != isa.ControlNone {
			line := isa.LineIndex(0)
			if op != nil {
				line = op.Line
			}
			b.Operations = append(b.Operations, &Operation{join: flow.NoBlock,
				MachineOp: isa.MachineOp{Mnemonic: "NOP.S", Class: isa.ClassNop, Control: isa.ControlSync, Line: line, Target: -1,
					Reconverge: -1}})
		}
	}
	return nil
}

// insertBeforeBranch inserts an operation before the block's final control operation, or at its end.
func (f *Function) insertBeforeBranch(b *Block, op *Operation) {
	n := len(b.Operations)
	if last := b.last(); last != nil && (last.Control == isa.ControlBranch || last.Control == isa.ControlIndex ||
		last.Control == isa.ControlExit) {
		n--
	}
	b.Operations = slices.Insert(b.Operations, n, op)
}
