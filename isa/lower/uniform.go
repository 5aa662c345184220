package lower

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// divergence says which registers may differ among the lanes of a warp, and which branches may part them.
type divergence struct {
	f         *function
	registers []bool
	writers   []int32
	readers   [][]placed // by register
	regions   *regions
	found     []isa.Register // that differ, and whose readers are still to be looked at
	spread    []bool         // by block: its branch parts lanes, and what that means has been followed
	// Marks of the regions that are parted, and of those whose writes differ.
	partedIn, writtenIn *marks
}

// placed is an operation and its block.
type placed struct {
	*operation
	home *block
}

// uniformSpecials are the special registers that a warp's lanes read alike.
func uniformSpecial(s isa.SpecialRegister) bool {
	return s >= isa.NtidX && s <= isa.NctaidZ || s >= isa.WarpID && s <= isa.GridID || s >= isa.TotalSharedSize && s <= isa.AggregateSharedSize
}

// findDivergence follows what differs among lanes through registers, predicates, and branches that differ.
func (f *function) findDivergence() *divergence {
	n := len(f.registers)
	d := &divergence{
		f: f, registers: make([]bool, n), writers: make([]int32, n), readers: make([][]placed, n),
		spread: make([]bool, len(f.byID)), regions: f.newRegions(),
	}
	d.partedIn, d.writtenIn = d.regions.newMarks(), d.regions.newMarks()
	for _, b := range f.blocks {
		for _, op := range b.operations {
			if op.Effect == nil {
				continue
			}
			f.definitions(op.Effect, func(r isa.Register, _ int) { d.writers[whole(r)]++ })
			read := func(r isa.Register, _ int) { d.readers[whole(r)] = append(d.readers[whole(r)], placed{op, b}) }
			f.uses(op.Effect, read)
			if op.Guard.Present {
				read(op.Guard.Register, 1)
			}
		}
		if op := b.branch(true); op != nil && op.Effect == nil {
			r := whole(op.Guard.Register)
			d.readers[r] = append(d.readers[r], placed{op, b})
		}
	}
	for _, b := range f.blocks {
		for _, op := range b.operations {
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
				d.differ(op.operation)
			}
			d.follow(op.home)
		}
	}
	return d
}

// differ notes that an operation's results differ among lanes.
func (d *divergence) differ(op *operation) {
	d.f.definitions(op.Effect, func(r isa.Register, _ int) { d.add(whole(r)) })
}

func (d *divergence) add(r isa.Register) {
	if !d.registers[r] {
		d.registers[r] = true
		d.found = append(d.found, r)
	}
}

// follow notes what a block's branch means if it parts lanes: blocks that some lanes skip leave registers of several writers different, and
// if lanes leave a loop in different turns, what it computed differs afterwards.
func (d *divergence) follow(b *block) {
	if d.spread[b.id] || !d.parts(b.last()) {
		return
	}
	d.spread[b.id] = true
	d.regions.visit(b, d.partedIn, func(b *block) {
		d.eachWritten(b, func(r isa.Register) {
			if d.writers[r] > 1 {
				d.add(r)
			}
		})
	})
	if d.regions.holdsItself(b) {
		d.regions.visit(b, d.writtenIn, func(b *block) { d.eachWritten(b, d.add) })
	}
}

func (d *divergence) eachWritten(b *block, visit func(isa.Register)) {
	for _, op := range b.operations {
		if op.Effect != nil {
			d.f.definitions(op.Effect, func(r isa.Register, _ int) { visit(whole(r)) })
		}
	}
}

// parts reports a branch that may part a warp's lanes.
func (d *divergence) parts(op *operation) bool {
	if op == nil {
		return false
	}
	if op.Control == isa.ControlIndex {
		return op.Effect == nil || op.Effect.Src[0].Kind == isa.OperandRegister && d.registers[whole(op.Effect.Src[0].Register)]
	}
	return op.Control == isa.ControlBranch && op.Guard.Present && d.registers[whole(op.Guard.Register)]
}

// varies reports an instruction whose result may differ among lanes though its sources do not.
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

// placeReconvergence adds the operations by which Kepler brings parted lanes together: SSY, which names the meeting point,
// ahead of a branch that may part lanes or of the loop around it; and a NOP.S at the end of a path that has no
// arithmetic operation there to carry the mark.
func placeReconvergence(f *function) error {
	d := f.findDivergence()
	g := f.flow()
	type place struct{ at, meet isa.BlockID }
	done := map[place]bool{}
	meets := map[isa.BlockID]bool{}
	for _, b := range f.blocks {
		op := b.last()
		if !d.parts(op) || b.reconverge == noBlock {
			continue
		}
		meets[b.reconverge] = true
		var outer *loop
		for l := g.inner[b.id]; l != nil && !g.contains(l, b.reconverge); l = l.outer {
			outer = l
		}
		at := []*block{b}
		if outer != nil {
			at = g.entries(f, outer)
		}
		for _, target := range at {
			if p := (place{target.id, b.reconverge}); !done[p] {
				done[p] = true
				f.insertBeforeBranch(target, &operation{reconverge: noBlock, MachineOp: isa.MachineOp{Mnemonic: "SSY", Class: isa.ClassBranch, Line: op.Line, Target: -1, Reconverge: -1}})
			}
		}
	}
	for n, b := range f.blocks {
		next, falls := b.fallsThrough()
		if !falls || !meets[next] || n+1 >= len(f.blocks) || b.branch(true) != nil || len(f.byID[next].predecessors) < 2 {
			continue
		}
		if op := b.last(); op == nil || op.Guard.Present || op.Class.Memory() || op.Control != isa.ControlNone {
			line := isa.LineIndex(0)
			if op != nil {
				line = op.Line
			}
			b.operations = append(b.operations, &operation{reconverge: noBlock, MachineOp: isa.MachineOp{Mnemonic: "NOP.S", Class: isa.ClassNop, Control: isa.ControlSync, Line: line, Target: -1, Reconverge: -1}})
		}
	}
	return nil
}

// insertBeforeBranch places an operation before the block's last control operation.
func (f *function) insertBeforeBranch(b *block, op *operation) {
	n := len(b.operations)
	if last := b.last(); last != nil && (last.Control == isa.ControlBranch || last.Control == isa.ControlIndex || last.Control == isa.ControlExit) {
		n--
	}
	b.operations = slices.Insert(b.operations, n, op)
}
