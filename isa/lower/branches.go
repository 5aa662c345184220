package lower

import (
	"container/heap"
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// A body of at most so many operations is executed under a predicate rather than jumped over: below that, a branch and
// the meeting of its paths cost more issue slots than they save.
const predicatedBody = 7

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

// simplifyBranches lets paths fall through where they can, ends lanes where they stand instead of sending them to an exit, and
// puts short bodies under predicates. Of the blocks where a rule applies, the first in layout order comes first.
func simplifyBranches(f *function) error {
	s := f.newSimplifier()
	for n := 0; len(s.due) > 0; n++ {
		if n%1024 == 0 {
			if err := f.stopped(); err != nil {
				return err
			}
		}
		b := s.first()
		if b == nil {
			continue
		}
		for s.exitInPlace(b) || s.invert(b) || s.predicateBody(b) || s.predicateBodies(b) || s.merge(b) {
			if s.earlierDue(b) {
				s.touch(b)
				break
			}
		}
	}
	s.finish()
	for _, b := range f.blocks {
		for _, op := range b.operations {
			if op.Control == isa.ControlIndex || op.Control == isa.ControlBranch && op.Guard.Present {
				op.reconverge = b.reconverge
			}
		}
	}
	return nil
}

// simplifier holds the control flow while branches are simplified. Predecessors are kept as their number and the exclusive or of their ids,
// which is the only one's where there is one.
type simplifier struct {
	f              *function
	next, previous []*block // in layout, by id
	place          []int    // in the first layout, by id
	count          []int
	mixed          []isa.BlockID
	goesOn         []isa.BlockID // of blocks that are gone: where paths that met there meet; noBlock for others
	gone           []bool
	due            []*block // a heap by place: blocks at which a rule may apply
	queued         []bool
	from           [][]isa.BlockID // by block: who branches there, or did
	// How many times operations name a register, and those of the body that is looked at.
	named  []int32
	inside map[isa.Register]int32
}

func (f *function) newSimplifier() *simplifier {
	n := len(f.byID)
	s := &simplifier{
		f: f, next: make([]*block, n), previous: make([]*block, n), place: make([]int, n), count: make([]int, n),
		mixed: make([]isa.BlockID, n), goesOn: make([]isa.BlockID, n), gone: make([]bool, n), queued: make([]bool, n),
		from: make([][]isa.BlockID, n), named: make([]int32, len(f.registers)), inside: map[isa.Register]int32{},
	}
	for k, b := range f.blocks {
		s.place[b.id], s.goesOn[b.id] = k, noBlock
		if k > 0 {
			s.previous[b.id], s.next[f.blocks[k-1].id] = f.blocks[k-1], b
		}
		for _, p := range b.predecessors {
			s.count[b.id]++
			s.mixed[b.id] ^= p
		}
		for _, op := range b.operations {
			f.eachNamed(op, func(r isa.Register, _ int) { s.named[whole(r)]++ })
			if op.Control == isa.ControlBranch {
				s.from[op.targets[0]] = append(s.from[op.targets[0]], b.id)
			}
		}
	}
	for k := len(f.blocks) - 1; k >= 0; k-- {
		s.touch(f.blocks[k])
	}
	return s
}

// eachNamed calls visit for each register that an operation names, but for a guard of what has no effect.
func (f *function) eachNamed(op *operation, visit func(r isa.Register, words int)) {
	if op.Effect != nil {
		f.uses(op.Effect, visit)
		f.definitions(op.Effect, visit)
	}
	for _, list := range [2][]isa.Register{op.reads, op.writes} {
		for _, r := range list {
			visit(r, 1)
		}
	}
}

// touch has a block looked at again.
func (s *simplifier) touch(b *block) {
	if b == nil || s.queued[b.id] || s.gone[b.id] {
		return
	}
	s.queued[b.id] = true
	heap.Push(s, b)
}

// changed has all blocks looked at again whose rules ask for what is in b or where it leads.
func (s *simplifier) changed(b *block) {
	for n, near := 0, b; n < 4 && near != nil; n, near = n+1, s.previous[near.id] {
		s.touch(near)
	}
	if len(b.operations) == 1 && b.operations[0].Control == isa.ControlExit { // now an exit may stand for a branch to it
		for _, id := range s.from[b.id] {
			s.touch(s.f.byID[id])
		}
	}
}

// first is the next block to look at, nil if it is gone.
func (s *simplifier) first() *block {
	b := heap.Pop(s).(*block)
	s.queued[b.id] = false
	if s.gone[b.id] {
		return nil
	}
	return b
}

// earlierDue reports a block to look at that stands before b.
func (s *simplifier) earlierDue(b *block) bool {
	return len(s.due) > 0 && s.place[s.due[0].id] < s.place[b.id]
}

// Len, Less, Swap, Push and Pop make a heap of what is due.
func (s *simplifier) Len() int           { return len(s.due) }
func (s *simplifier) Less(i, j int) bool { return s.place[s.due[i].id] < s.place[s.due[j].id] }
func (s *simplifier) Swap(i, j int)      { s.due[i], s.due[j] = s.due[j], s.due[i] }
func (s *simplifier) Push(x any)         { s.due = append(s.due, x.(*block)) }
func (s *simplifier) Pop() any {
	last := s.due[len(s.due)-1]
	s.due = s.due[:len(s.due)-1]
	return last
}

// exitInPlace: a branch to a block that only exits is an exit.
func (s *simplifier) exitInPlace(b *block) bool {
	op := b.last()
	if op == nil || op.Control != isa.ControlBranch {
		return false
	}
	target := s.f.byID[op.targets[0]]
	if len(target.operations) != 1 || target.operations[0].Control != isa.ControlExit || target.operations[0].Guard.Present {
		return false
	}
	falls, ok := b.fallsThrough()
	if ok && falls == target.id {
		return false
	}
	op.Mnemonic, op.Control, op.targets, op.reconverge = "EXIT", isa.ControlExit, nil, noBlock
	s.disconnect(b, target)
	s.changed(b)
	return true
}

// after is the n-th block behind b in layout, nil for none.
func (s *simplifier) after(b *block, n int) *block {
	for ; n > 0 && b != nil; n-- {
		b = s.next[b.id]
	}
	return b
}

// invert: a conditional branch over an unconditional one becomes the opposite branch.
func (s *simplifier) invert(x *block) bool {
	y, a := s.after(x, 1), s.after(x, 2)
	if a == nil {
		return false
	}
	over, away := x.branch(true), y.branch(false)
	if over == nil || away == nil || len(y.operations) != 1 || over.targets[0] != a.id || s.count[y.id] != 1 || away.targets[0] == y.id {
		return false
	}
	target := s.f.byID[away.targets[0]]
	over.Guard.Negate = !over.Guard.Negate
	over.targets = away.targets
	over.PTXCount += away.PTXCount
	s.from[target.id] = append(s.from[target.id], x.id)
	s.goesOn[y.id] = target.id
	y.operations = nil
	s.connect(x, target)
	s.connect(x, a)
	s.disconnect(y, target)
	s.disconnect(x, y)
	if x.successors = []isa.BlockID{target.id}; target != a {
		x.successors = append(x.successors, a.id)
	}
	s.changed(x)
	return true
}

// predicateBody: a branch over a short body, which then meets the branch's target.
func (s *simplifier) predicateBody(x *block) bool {
	t, j := s.after(x, 1), s.after(x, 2)
	if j == nil {
		return false
	}
	over := x.branch(true)
	if over == nil || over.targets[0] != j.id || !s.onlyBetween(t, x.id, j.id) || !s.f.predicable(t.operations, over) {
		return false
	}
	guard := over.Guard
	guard.Negate = !guard.Negate
	s.take(x, over, t, guard)
	s.disconnect(t, j)
	s.disconnect(x, t)
	s.changed(x)
	return true
}

// predicateBodies: a branch to one of two short bodies, which then meet.
func (s *simplifier) predicateBodies(x *block) bool {
	t, e, j := s.after(x, 1), s.after(x, 2), s.after(x, 3)
	if j == nil {
		return false
	}
	over, away := x.branch(true), t.branch(false)
	if over == nil || away == nil || over.targets[0] != e.id || away.targets[0] != j.id || !s.onlyBetween(t, x.id, j.id) || !s.onlyBetween(e, x.id, j.id) {
		return false
	}
	body := t.operations[:len(t.operations)-1]
	if len(body)+len(e.operations) > predicatedBody || !s.f.predicable(body, over) || !s.f.predicable(e.operations, over) {
		return false
	}
	guard := over.Guard
	opposite := guard
	opposite.Negate = !guard.Negate
	count := away.PTXCount
	t.operations = body
	s.take(x, over, t, opposite)
	s.take(x, nil, e, guard)
	if op := x.last(); op != nil {
		op.PTXCount += count
	}
	s.connect(x, j)
	for _, b := range []*block{t, e} {
		s.disconnect(b, j)
		s.disconnect(x, b)
	}
	s.changed(x)
	return true
}

// onlyBetween reports a block whose only predecessor and successor are those.
func (s *simplifier) onlyBetween(b *block, before, after isa.BlockID) bool {
	return s.count[b.id] == 1 && s.mixed[b.id] == before && len(b.successors) == 1 && b.successors[0] == after
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
func (s *simplifier) take(x *block, branch *operation, from *block, guard isa.Guard) {
	count := uint8(0)
	if branch != nil {
		count = branch.PTXCount
		x.operations = x.operations[:len(x.operations)-1]
	}
	s.markLocal(from.operations)
	for n, op := range from.operations {
		op.Guard = guard
		if op.Effect != nil {
			op.Effect.Guard = guard
			s.named[whole(guard.Register)]++
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

// markLocal finds the operations of a body whose results nothing outside it names.
func (s *simplifier) markLocal(body []*operation) {
	clear(s.inside)
	for _, op := range body {
		s.f.eachNamed(op, func(r isa.Register, _ int) { s.inside[whole(r)]++ })
	}
	for _, op := range body {
		op.local = true
		check := func(r isa.Register, _ int) { op.local = op.local && s.named[whole(r)] == s.inside[whole(r)] }
		if op.Effect != nil {
			s.f.definitions(op.Effect, check)
		}
		for _, r := range op.writes {
			check(r, 1)
		}
	}
}

// merge joins a block with the only one that follows it.
func (s *simplifier) merge(x *block) bool {
	next := s.next[x.id]
	if next == nil || len(x.successors) != 1 || x.successors[0] != next.id || s.count[next.id] != 1 {
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
	if len(x.operations) == 0 {
		x.operations = next.operations
	} else {
		x.operations = append(x.operations, next.operations...)
	}
	x.successors, x.reconverge = next.successors, next.reconverge
	for _, id := range next.successors {
		s.mixed[id] ^= next.id ^ x.id
	}
	if op := x.last(); op != nil && op.Control == isa.ControlBranch {
		s.from[op.targets[0]] = append(s.from[op.targets[0]], x.id)
	}
	s.goesOn[next.id] = x.id
	s.drop(next)
	s.changed(x)
	return true
}

// drop takes a block out of the layout.
func (s *simplifier) drop(b *block) {
	s.gone[b.id] = true
	before, after := s.previous[b.id], s.next[b.id]
	if before != nil {
		s.next[before.id] = after
	}
	if after != nil {
		s.previous[after.id] = before
	}
	for n, near := 0, before; n < 3 && near != nil; n, near = n+1, s.previous[near.id] {
		s.touch(near)
	}
}

// disconnect ends the way from one block to another, and drops the latter if it was the last one there. A meeting point that is dropped is
// where its own path goes on.
func (s *simplifier) disconnect(from, to *block) {
	n := slices.Index(from.successors, to.id)
	if n < 0 {
		return
	}
	from.successors = slices.Delete(slices.Clone(from.successors), n, n+1)
	s.count[to.id]--
	s.mixed[to.id] ^= from.id
	switch {
	case s.count[to.id] == 1: // what is the only way now may be joined
		s.touch(s.f.byID[s.mixed[to.id]])
		s.changed(to)
	case s.count[to.id] == 0 && to != s.f.blocks[0]:
		if s.goesOn[to.id] == noBlock {
			s.goesOn[to.id] = to.reconverge
		}
		for _, id := range slices.Clone(to.successors) {
			s.disconnect(to, s.f.byID[id])
		}
		s.drop(to)
	}
}

func (s *simplifier) connect(from, to *block) {
	if !slices.Contains(from.successors, to.id) {
		from.successors = append(from.successors, to.id)
		s.count[to.id]++
		s.mixed[to.id] ^= from.id
	}
}

// meeting is where paths meet whose meeting point may be gone.
func (s *simplifier) meeting(id isa.BlockID) isa.BlockID {
	end := id
	for end != noBlock && s.gone[end] {
		end = s.goesOn[end]
	}
	for id != noBlock && s.gone[id] {
		id, s.goesOn[id] = s.goesOn[id], end
	}
	return end
}

// finish writes what is left into the function.
func (s *simplifier) finish() {
	f := s.f
	f.graph = nil
	f.blocks = slices.DeleteFunc(f.blocks, func(b *block) bool {
		if s.gone[b.id] {
			f.byID[b.id] = nil
		}
		return s.gone[b.id]
	})
	for _, b := range f.blocks {
		b.reconverge = s.meeting(b.reconverge)
		b.predecessors = b.predecessors[:0]
	}
	for _, b := range f.blocks {
		for _, id := range b.successors {
			f.byID[id].predecessors = append(f.byID[id].predecessors, b.id)
		}
	}
}
