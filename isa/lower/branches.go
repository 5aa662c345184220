package lower

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// A body of at most so many operations is executed under a predicate rather than jumped over: below that, a branch and
// the meeting of its paths cost more issue slots than they save.
const predicatedBody = 7

// simplifyBranches lets paths fall through where they can, ends lanes where they stand instead of sending them to an exit, and
// puts short bodies under predicates.
func simplifyBranches(f *function) error {
	for changed := true; changed; {
		changed = false
		for n := 0; n < len(f.blocks) && !changed; n++ {
			b := f.blocks[n]
			changed = f.exitInPlace(b) || f.invert(n) || f.predicateBody(n) || f.predicateBodies(n) || f.merge(n)
		}
		if changed {
			f.dropUnreachable()
		}
	}
	for _, b := range f.blocks {
		for _, op := range b.operations {
			if op.Control == isa.ControlIndex || op.Control == isa.ControlBranch && op.Guard.Present {
				op.reconverge = b.reconverge
			}
		}
	}
	return nil
}

// last is the block's last operation, nil for an empty block.
func (b *block) last() *operation {
	if n := len(b.operations); n > 0 {
		return b.operations[n-1]
	}
	return nil
}

// branch is the block's conditional or unconditional branch, nil for none.
func (b *block) branch(conditional bool) *operation {
	if op := b.last(); op != nil && op.Control == isa.ControlBranch && op.Guard.Present == conditional {
		return op
	}
	return nil
}

// exitInPlace: a branch to a block that only exits is an exit.
func (f *function) exitInPlace(b *block) bool {
	op := b.last()
	if op == nil || op.Control != isa.ControlBranch {
		return false
	}
	target := f.byID[op.targets[0]]
	if len(target.operations) != 1 || target.operations[0].Control != isa.ControlExit || target.operations[0].Guard.Present {
		return false
	}
	falls, ok := b.fallsThrough()
	if ok && falls == target.id {
		return false
	}
	op.Mnemonic, op.Control, op.targets, op.reconverge = "EXIT", isa.ControlExit, nil, noBlock
	f.disconnect(b, target)
	return true
}

// invert: a conditional branch over an unconditional one becomes the opposite branch.
func (f *function) invert(n int) bool {
	if n+2 >= len(f.blocks) {
		return false
	}
	x, y, a := f.blocks[n], f.blocks[n+1], f.blocks[n+2]
	over, away := x.branch(true), y.branch(false)
	if over == nil || away == nil || len(y.operations) != 1 || over.targets[0] != a.id || len(y.predecessors) != 1 || away.targets[0] == y.id {
		return false
	}
	target := f.byID[away.targets[0]]
	over.Guard.Negate = !over.Guard.Negate
	over.targets = away.targets
	over.PTXCount += away.PTXCount
	f.disconnect(x, y)
	f.disconnect(y, target)
	x.successors = nil
	f.connect(x, target)
	f.connect(x, a)
	if !slices.Contains(a.predecessors, x.id) {
		a.predecessors = append(a.predecessors, x.id)
	}
	for _, b := range f.blocks {
		if b.reconverge == y.id {
			b.reconverge = target.id
		}
	}
	y.operations = nil
	return true
}

// predicateBody: a branch over a short body, which then meets the branch's target.
func (f *function) predicateBody(n int) bool {
	if n+2 >= len(f.blocks) {
		return false
	}
	x, t, j := f.blocks[n], f.blocks[n+1], f.blocks[n+2]
	over := x.branch(true)
	if over == nil || over.targets[0] != j.id || !onlyBetween(t, x.id, j.id) || !f.predicable(t.operations, over) {
		return false
	}
	guard := over.Guard
	guard.Negate = !guard.Negate
	f.take(x, over, t, guard)
	f.disconnect(x, t)
	f.disconnect(t, j)
	return true
}

// predicateBodies: a branch to one of two short bodies, which then meet.
func (f *function) predicateBodies(n int) bool {
	if n+3 >= len(f.blocks) {
		return false
	}
	x, t, e, j := f.blocks[n], f.blocks[n+1], f.blocks[n+2], f.blocks[n+3]
	over, away := x.branch(true), t.branch(false)
	if over == nil || away == nil || over.targets[0] != e.id || away.targets[0] != j.id || !onlyBetween(t, x.id, j.id) || !onlyBetween(e, x.id, j.id) {
		return false
	}
	body := t.operations[:len(t.operations)-1]
	if len(body)+len(e.operations) > predicatedBody || !f.predicable(body, over) || !f.predicable(e.operations, over) {
		return false
	}
	guard := over.Guard
	opposite := guard
	opposite.Negate = !guard.Negate
	count := away.PTXCount
	t.operations = body
	f.take(x, over, t, opposite)
	f.take(x, nil, e, guard)
	if op := x.last(); op != nil {
		op.PTXCount += count
	}
	for _, b := range []*block{t, e} {
		f.disconnect(x, b)
		f.disconnect(b, j)
	}
	f.connect(x, j)
	return true
}

// onlyBetween reports a block whose only predecessor and successor are those.
func onlyBetween(b *block, before, after isa.BlockID) bool {
	return len(b.predecessors) == 1 && b.predecessors[0] == before && len(b.successors) == 1 && b.successors[0] == after
}

// predicable reports operations that may be executed under the predicate of a branch.
func (f *function) predicable(body []*operation, over *operation) bool {
	if len(body) > predicatedBody {
		return false
	}
	for _, op := range body {
		if op.Guard.Present || op.Control != isa.ControlNone || op.slow != nil || op.Class == isa.ClassShuffle || op.Class == isa.ClassVote || readsClock(op) {
			return false
		}
		writes := false
		check := func(r isa.Register, _ int) { writes = writes || whole(r) == whole(over.Guard.Register) }
		if op.Effect != nil {
			f.definitions(op.Effect, check)
		}
		for _, r := range op.writes {
			check(r, 1)
		}
		if writes {
			return false
		}
	}
	return true
}

// take moves a block's operations to the end of x, in the place of its branch, under a guard.
func (f *function) take(x *block, branch *operation, from *block, guard isa.Guard) {
	count := uint8(0)
	if branch != nil {
		count = branch.PTXCount
		x.operations = x.operations[:len(x.operations)-1]
	}
	f.markLocal(from.operations)
	for n, op := range from.operations {
		op.Guard = guard
		if op.Effect != nil {
			op.Effect.Guard = guard
		}
		if n == 0 {
			op.PTXCount += count
			count = 0
		}
		x.operations = append(x.operations, op)
	}
	if op := x.last(); op != nil {
		op.PTXCount += count
	}
	from.operations = nil
}

// merge joins a block with the only one that follows it.
func (f *function) merge(n int) bool {
	if n+1 >= len(f.blocks) {
		return false
	}
	x, next := f.blocks[n], f.blocks[n+1]
	if len(x.successors) != 1 || x.successors[0] != next.id || len(next.predecessors) != 1 {
		return false
	}
	switch op := x.last(); {
	case op == nil || op.Control == isa.ControlNone || op.Control == isa.ControlBarrier || op.Control == isa.ControlSync:
	case op.Control == isa.ControlBranch && !op.Guard.Present:
		x.operations = x.operations[:len(x.operations)-1]
		if len(next.operations) > 0 {
			next.operations[0].PTXCount += op.PTXCount
		}
	default:
		return false
	}
	x.operations = append(x.operations, next.operations...)
	x.successors, x.reconverge = next.successors, next.reconverge
	for _, s := range next.successors {
		p := f.byID[s].predecessors
		for k := range p {
			if p[k] == next.id {
				p[k] = x.id
			}
		}
	}
	for _, b := range f.blocks {
		if b.reconverge == next.id {
			b.reconverge = x.id
		}
	}
	delete(f.byID, next.id)
	f.blocks = slices.Delete(f.blocks, n+1, n+2)
	return true
}

// markLocal finds the operations of a body whose results nothing outside it touches.
func (f *function) markLocal(body []*operation) {
	inside := map[*operation]bool{}
	for _, op := range body {
		inside[op] = true
	}
	outside := map[isa.Register]bool{}
	for _, b := range f.blocks {
		for _, op := range b.operations {
			if inside[op] {
				continue
			}
			mark := func(r isa.Register, _ int) { outside[whole(r)] = true }
			if op.Effect != nil {
				f.uses(op.Effect, mark)
				f.definitions(op.Effect, mark)
			}
			for _, list := range [2][]isa.Register{op.reads, op.writes} {
				for _, r := range list {
					mark(r, 1)
				}
			}
		}
	}
	for _, op := range body {
		op.local = true
		check := func(r isa.Register, _ int) { op.local = op.local && !outside[whole(r)] }
		if op.Effect != nil {
			f.definitions(op.Effect, check)
		}
		for _, r := range op.writes {
			check(r, 1)
		}
	}
}

func (f *function) disconnect(from, to *block) {
	from.successors = slices.DeleteFunc(from.successors, func(id isa.BlockID) bool { return id == to.id })
	to.predecessors = slices.DeleteFunc(to.predecessors, func(id isa.BlockID) bool { return id == from.id })
}

func (f *function) connect(from, to *block) {
	if !slices.Contains(from.successors, to.id) {
		from.successors = append(from.successors, to.id)
	}
	if !slices.Contains(to.predecessors, from.id) {
		to.predecessors = append(to.predecessors, from.id)
	}
}

// dropUnreachable removes blocks that nothing reaches any more. A meeting point among them is where its own path goes on.
func (f *function) dropUnreachable() {
	reached := map[isa.BlockID]bool{}
	work := []isa.BlockID{f.blocks[0].id}
	for len(work) > 0 {
		id := work[len(work)-1]
		work = work[:len(work)-1]
		if reached[id] {
			continue
		}
		reached[id] = true
		work = append(work, f.byID[id].successors...)
	}
	for _, b := range f.blocks {
		for b.reconverge != noBlock && !reached[b.reconverge] {
			b.reconverge = f.byID[b.reconverge].reconverge
		}
	}
	f.blocks = slices.DeleteFunc(f.blocks, func(b *block) bool {
		if !reached[b.id] {
			delete(f.byID, b.id)
		}
		return !reached[b.id]
	})
	for _, b := range f.blocks {
		b.predecessors = slices.DeleteFunc(b.predecessors, func(id isa.BlockID) bool { return !reached[id] })
	}
}
