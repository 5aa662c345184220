package lower

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// divergence says which registers may differ among the lanes of a warp, and which branches may part them.
type divergence struct {
	f         *function
	registers []bool
	regions   map[isa.BlockID]map[isa.BlockID]bool // of a block with a branch: the blocks until its paths meet
}

// uniformSpecials are the special registers that a warp's lanes read alike.
func uniformSpecial(s isa.SpecialRegister) bool {
	return s >= isa.NtidX && s <= isa.NctaidZ || s >= isa.WarpID && s <= isa.GridID || s >= isa.TotalSharedSize && s <= isa.AggregateSharedSize
}

// findDivergence follows what differs among lanes through registers, predicates, and branches that differ.
func (f *function) findDivergence() *divergence {
	d := &divergence{f: f, registers: make([]bool, len(f.registers)), regions: map[isa.BlockID]map[isa.BlockID]bool{}}
	writers := make([]int, len(f.registers))
	for _, b := range f.blocks {
		for _, op := range b.operations {
			if op.Effect != nil {
				f.definitions(op.Effect, func(r isa.Register, _ int) { writers[whole(r)]++ })
			}
		}
	}
	parted := map[isa.BlockID]bool{} // blocks that only some lanes of a warp may be in
	for changed := true; changed; {
		changed = false
		for _, b := range f.blocks {
			for _, op := range b.operations {
				i := op.Effect
				if i == nil {
					continue
				}
				differs := varies(i) || op.Guard.Present && d.registers[whole(op.Guard.Register)]
				f.uses(i, func(r isa.Register, _ int) { differs = differs || d.registers[whole(r)] })
				f.definitions(i, func(r isa.Register, _ int) {
					if r = whole(r); !d.registers[r] && (differs || parted[b.id] && writers[r] > 1) {
						d.registers[r] = true
						changed = true
					}
				})
			}
			if op := b.last(); d.parts(op) {
				region := d.region(b)
				for id := range region {
					if !parted[id] {
						parted[id] = true
						changed = true
					}
				}
				if region[b.id] { // lanes leave the loop in different turns: what it computed differs afterwards
					changed = d.markWritten(region) || changed
				}
			}
		}
	}
	return d
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

// region is the blocks on the paths of a block's branch, up to where they meet.
func (d *divergence) region(b *block) map[isa.BlockID]bool {
	if r := d.regions[b.id]; r != nil {
		return r
	}
	r := map[isa.BlockID]bool{}
	work := slices.Clone(b.successors)
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if id == b.reconverge || r[id] {
			continue
		}
		r[id] = true
		work = append(work, d.f.byID[id].successors...)
	}
	d.regions[b.id] = r
	return r
}

func (d *divergence) markWritten(region map[isa.BlockID]bool) bool {
	changed := false
	for id := range region {
		for _, op := range d.f.byID[id].operations {
			if op.Effect != nil {
				d.f.definitions(op.Effect, func(r isa.Register, _ int) {
					changed = changed || !d.registers[whole(r)]
					d.registers[whole(r)] = true
				})
			}
		}
	}
	return changed
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
	g := f.newGraph()
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
		for _, l := range g.loops { // outer loops stand first
			if l.blocks[b.id] && !l.blocks[b.reconverge] {
				outer = l
				break
			}
		}
		at := []*block{b}
		if outer != nil {
			at = outer.entries(f)
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
