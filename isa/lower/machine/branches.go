package machine

import (
	"container/heap"
	"slices"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/flow"
	"github.com/keplersim/keplersim/isa/lower/virtual"
)

// predicatedBody is the most operations of a body that is predicated rather than jumped over. For such a body a branch and a reconvergence
// cost more issue slots than they save.
const predicatedBody = 7

// SimplifyBranches lets paths fall through where possible, replaces branches to an exit by exits, and predicates short bodies. It applies
// the rules to the first block in layout order that they fit.
func SimplifyBranches(f *Function) error {
	s := f.newSimplifier()
	for n := 0; len(s.due) > 0; n++ {
		if n%1024 == 0 {
			if err := f.Stopped(); err != nil {
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
	for _, b := range f.Blocks {
		for _, op := range b.Operations {
			if op.Control == isa.ControlIndex || op.Control == isa.ControlBranch && op.Guard.Present {
				op.join = b.Reconverge
			}
		}
	}
	return nil
}

// simplifier is the control flow while branches are simplified. For each block it has the number of predecessors (count) and the exclusive
// or of their ids (predecessorXor): the id of the only predecessor if there is one.
type simplifier struct {
	f              *Function
	next, previous []*Block // in layout, by id
	place          []int    // in the initial layout, by id
	count          []int
	predecessorXor []isa.BlockID
	newMeeting     []isa.BlockID // by removed block: where paths that met there meet now; NoBlock for other blocks
	removed        []bool
	due            []*Block // a heap by place: the blocks to which a rule may apply
	queued         []bool
	from           [][]isa.BlockID // by block: the blocks that branch there now or did before
	// How often operations name a register, in total and in the current body.
	named  []int32
	inside map[isa.Register]int32
}

func (f *Function) newSimplifier() *simplifier {
	n := len(f.ByID)
	s := &simplifier{
		f: f, next: make([]*Block, n), previous: make([]*Block, n), place: make([]int, n), count: make([]int, n),
		predecessorXor: make([]isa.BlockID, n), newMeeting: make([]isa.BlockID, n), removed: make([]bool, n), queued: make([]bool, n),
		from: make([][]isa.BlockID, n), named: make([]int32, len(f.Registers)), inside: map[isa.Register]int32{},
	}
	for k, b := range f.Blocks {
		s.place[b.ID], s.newMeeting[b.ID] = k, flow.NoBlock
		if k > 0 {
			s.previous[b.ID], s.next[f.Blocks[k-1].ID] = f.Blocks[k-1], b
		}
		for _, p := range b.Predecessors {
			s.count[b.ID]++
			s.predecessorXor[b.ID] ^= p
		}
		for _, op := range b.Operations {
			f.EachNamed(op, func(r isa.Register, _ int) { s.named[virtual.Whole(r)]++ })
			if op.Control == isa.ControlBranch {
				s.from[op.Ways[0]] = append(s.from[op.Ways[0]], b.ID)
			}
		}
	}
	for k := len(f.Blocks) - 1; k >= 0; k-- {
		s.touch(f.Blocks[k])
	}
	return s
}

// EachNamed calls visit for each register that an operation names, except the guard of an operation without an effect.
func (f *Function) EachNamed(op *Operation, visit func(r isa.Register, words int)) {
	if op.Effect != nil {
		f.Uses(op.Effect, visit)
		f.Definitions(op.Effect, visit)
	}
	for _, list := range [2][]isa.Register{op.Uses, op.Defines} {
		for _, r := range list {
			visit(r, 1)
		}
	}
}

// touch queues a block for another look.
func (s *simplifier) touch(b *Block) {
	if b == nil || s.queued[b.ID] || s.removed[b.ID] {
		return
	}
	s.queued[b.ID] = true
	heap.Push(s, b)
}

// changed queues all blocks whose rules depend on b or its successors.
func (s *simplifier) changed(b *Block) {
	for n, near := 0, b; n < 4 && near != nil; n, near = n+1, s.previous[near.ID] {
		s.touch(near)
	}
	if len(b.Operations) == 1 && b.Operations[0].Control == isa.ControlExit { // a branch to it can now become an exit
		for _, id := range s.from[b.ID] {
			s.touch(s.f.ByID[id])
		}
	}
}

// first returns the next queued block, nil if it has been removed.
func (s *simplifier) first() *Block {
	b := heap.Pop(s).(*Block)
	s.queued[b.ID] = false
	if s.removed[b.ID] {
		return nil
	}
	return b
}

// earlierDue reports that a queued block comes before b.
func (s *simplifier) earlierDue(b *Block) bool {
	return len(s.due) > 0 && s.place[s.due[0].ID] < s.place[b.ID]
}

// Len, Less, Swap, Push and Pop make due a heap.
func (s *simplifier) Len() int           { return len(s.due) }
func (s *simplifier) Less(i, j int) bool { return s.place[s.due[i].ID] < s.place[s.due[j].ID] }
func (s *simplifier) Swap(i, j int)      { s.due[i], s.due[j] = s.due[j], s.due[i] }
func (s *simplifier) Push(x any)         { s.due = append(s.due, x.(*Block)) }
func (s *simplifier) Pop() any {
	last := s.due[len(s.due)-1]
	s.due = s.due[:len(s.due)-1]
	return last
}

// exitInPlace: a branch to a block that only exits becomes an exit.
func (s *simplifier) exitInPlace(b *Block) bool {
	op := b.last()
	if op == nil || op.Control != isa.ControlBranch {
		return false
	}
	target := s.f.ByID[op.Ways[0]]
	if len(target.Operations) != 1 || target.Operations[0].Control != isa.ControlExit || target.Operations[0].Guard.Present {
		return false
	}
	falls, ok := b.fallsThrough()
	if ok && falls == target.ID {
		return false
	}
	op.Mnemonic, op.Control, op.Ways, op.join = "EXIT", isa.ControlExit, nil, flow.NoBlock
	s.disconnect(b, target)
	s.changed(b)
	return true
}

// after returns the n-th block behind b in layout, nil for none.
func (s *simplifier) after(b *Block, n int) *Block {
	for ; n > 0 && b != nil; n-- {
		b = s.next[b.ID]
	}
	return b
}

// invert: a conditional branch over an unconditional one becomes the opposite conditional branch.
func (s *simplifier) invert(x *Block) bool {
	y, a := s.after(x, 1), s.after(x, 2)
	if a == nil {
		return false
	}
	over, away := x.branch(true), y.branch(false)
	if over == nil || away == nil || len(y.Operations) != 1 || over.Ways[0] != a.ID || s.count[y.ID] != 1 || away.Ways[0] == y.ID {
		return false
	}
	target := s.f.ByID[away.Ways[0]]
	over.Guard.Negate = !over.Guard.Negate
	over.Ways = away.Ways
	over.PTXCount += away.PTXCount
	s.from[target.ID] = append(s.from[target.ID], x.ID)
	s.newMeeting[y.ID] = target.ID
	y.Operations = nil
	s.connect(x, target)
	s.connect(x, a)
	s.disconnect(y, target)
	s.disconnect(x, y)
	if x.Successors = []isa.BlockID{target.ID}; target != a {
		x.Successors = append(x.Successors, a.ID)
	}
	s.changed(x)
	return true
}

// predicateBody: one way of a branch leads through a short body to the other way's target; the body is predicated. The places of the blocks
// do not matter: clang puts a loop's latch before a body that ends in a branch to it.
func (s *simplifier) predicateBody(x *Block) bool {
	over := x.branch(true)
	if over == nil {
		return false
	}
	falls, target := s.after(x, 1), s.f.ByID[over.Ways[0]]
	guard := over.Guard
	body, j := target, falls
	switch {
	case falls == nil || falls == target || x == falls || x == target:
		return false
	case s.onlyBetween(falls, x.ID, target.ID):
		body, j = falls, target
		guard.Negate = !guard.Negate
	case !s.onlyBetween(target, x.ID, falls.ID):
		return false
	}
	operations, away := body.split()
	if !s.f.predicable(operations, over) {
		return false
	}
	count := body.leave(operations, away)
	s.take(x, over, body, guard)
	s.disconnect(body, j)
	s.disconnect(x, body)
	s.goOn(x, j, away, count)
	return true
}

// predicateBodies: a branch to one of two short bodies that then meet; both are predicated.
func (s *simplifier) predicateBodies(x *Block) bool {
	over, t := x.branch(true), s.after(x, 1)
	if over == nil || t == nil || len(t.Successors) != 1 {
		return false
	}
	e, j := s.f.ByID[over.Ways[0]], s.f.ByID[t.Successors[0]]
	if e == t || j == x || !s.onlyBetween(t, x.ID, j.ID) || !s.onlyBetween(e, x.ID, j.ID) {
		return false
	}
	first, away := t.split()
	second, goes := e.split()
	if len(first)+len(second) > predicatedBody || !s.f.predicable(first, over) || !s.f.predicable(second, over) {
		return false
	}
	guard := over.Guard
	opposite := guard
	opposite.Negate = !guard.Negate
	count := t.leave(first, away) + e.leave(second, goes)
	if away == nil {
		away = goes
	}
	s.take(x, over, t, opposite)
	s.take(x, nil, e, guard)
	s.connect(x, j)
	for _, b := range []*Block{t, e} {
		s.disconnect(b, j)
		s.disconnect(x, b)
	}
	s.goOn(x, j, away, count)
	return true
}

// split returns a block's operations and the unconditional branch at its end, nil if there is none.
func (b *Block) split() (operations []*Operation, away *Operation) {
	if away = b.branch(false); away == nil {
		return b.Operations, nil
	}
	return b.Operations[:len(b.Operations)-1], away
}

// leave removes the branch from a block after split, and returns how many PTX instructions the branch completed.
func (b *Block) leave(operations []*Operation, away *Operation) (count uint8) {
	if b.Operations = operations; away == nil {
		return 0
	}
	return away.PTXCount
}

// goOn makes a block lead to its only successor. It appends away, a branch of one of its bodies, unless the successor follows in layout.
// The argument count is the number of PTX instructions that removed branches completed.
func (s *simplifier) goOn(x, j *Block, away *Operation, count uint8) {
	if s.next[x.ID] != j {
		away.PTXCount = 0
		x.Operations = append(x.Operations, away)
		s.from[j.ID] = append(s.from[j.ID], x.ID)
	}
	if op := x.last(); op != nil {
		op.PTXCount += count
	}
	s.changed(x)
}

// onlyBetween reports that before is the only predecessor of a block and after its only successor.
func (s *simplifier) onlyBetween(b *Block, before, after isa.BlockID) bool {
	return s.count[b.ID] == 1 && s.predecessorXor[b.ID] == before && len(b.Successors) == 1 && b.Successors[0] == after
}

// predicable reports operations that may execute under the guard of a branch.
func (f *Function) predicable(body []*Operation, over *Operation) bool {
	if len(body) > predicatedBody {
		return false
	}
	for _, op := range body {
		if op.Guard.Present || op.Control != isa.ControlNone || op.Path != nil || op.Class == isa.ClassShuffle ||
			op.Class == isa.ClassVote || ReadsClock(op) {
			return false
		}
		writes := false
		check := func(r isa.Register, _ int) { writes = writes || virtual.Whole(r) == virtual.Whole(over.Guard.Register) }
		if op.Effect != nil {
			f.Definitions(op.Effect, check)
		}
		for _, r := range op.Defines {
			check(r, 1)
		}
		if writes {
			return false
		}
	}
	return true
}

// take moves a block's operations to the end of x, under a guard and in place of its branch.
func (s *simplifier) take(x *Block, branch *Operation, from *Block, guard isa.Guard) {
	count := uint8(0)
	if branch != nil {
		count = branch.PTXCount
		x.Operations = x.Operations[:len(x.Operations)-1]
	}
	s.markLocal(from.Operations)
	for n, op := range from.Operations {
		op.Guard = guard
		if op.Effect != nil {
			op.Effect.Guard = guard
			s.named[virtual.Whole(guard.Register)]++
		}
		if n == 0 {
			op.PTXCount += count
			count = 0
		}
		x.Operations = append(x.Operations, op)
	}
	if op := x.last(); op != nil {
		op.PTXCount += count
	}
	from.Operations = nil
}

// markLocal sets Local of a body's operations if nothing outside the body names their results.
func (s *simplifier) markLocal(body []*Operation) {
	clear(s.inside)
	for _, op := range body {
		s.f.EachNamed(op, func(r isa.Register, _ int) { s.inside[virtual.Whole(r)]++ })
	}
	for _, op := range body {
		op.Local = true
		check := func(r isa.Register, _ int) {
			op.Local = op.Local && s.named[virtual.Whole(r)] == s.inside[virtual.Whole(r)]
		}
		if op.Effect != nil {
			s.f.Definitions(op.Effect, check)
		}
		for _, r := range op.Defines {
			check(r, 1)
		}
	}
}

// merge joins a block with its only successor if that has no other predecessor and follows in layout.
func (s *simplifier) merge(x *Block) bool {
	next := s.next[x.ID]
	if op := x.last(); op != nil && op.Control == isa.ControlBranch && !op.Guard.Present {
		if target := s.f.ByID[op.Ways[0]]; target != s.f.Blocks[0] && target != x {
			if _, falls := target.fallsThrough(); !falls {
				next = target // wherever it stands
			}
		}
	}
	if next == nil || len(x.Successors) != 1 || x.Successors[0] != next.ID || s.count[next.ID] != 1 {
		return false
	}
	switch op := x.last(); {
	case op == nil || op.Control == isa.ControlNone || op.Control == isa.ControlBarrier || op.Control == isa.ControlSync:
	case op.Control == isa.ControlBranch && !op.Guard.Present:
		x.Operations = x.Operations[:len(x.Operations)-1]
		if len(next.Operations) > 0 {
			next.Operations[0].PTXCount += op.PTXCount
		}
	default:
		return false
	}
	if len(x.Operations) == 0 {
		x.Operations = next.Operations
	} else {
		x.Operations = append(x.Operations, next.Operations...)
	}
	x.Successors, x.Reconverge = next.Successors, next.Reconverge
	for _, id := range next.Successors {
		s.predecessorXor[id] ^= next.ID ^ x.ID
	}
	if op := x.last(); op != nil && op.Control == isa.ControlBranch {
		s.from[op.Ways[0]] = append(s.from[op.Ways[0]], x.ID)
	}
	s.newMeeting[next.ID] = x.ID
	s.drop(next)
	s.changed(x)
	return true
}

// drop removes a block from the layout.
func (s *simplifier) drop(b *Block) {
	s.removed[b.ID] = true
	before, after := s.previous[b.ID], s.next[b.ID]
	if before != nil {
		s.next[before.ID] = after
	}
	if after != nil {
		s.previous[after.ID] = before
	}
	for n, near := 0, before; n < 3 && near != nil; n, near = n+1, s.previous[near.ID] {
		s.touch(near)
	}
}

// disconnect removes an edge, and drops its target if that was the last edge to it. Paths that met at a dropped block meet where its own
// path continues.
func (s *simplifier) disconnect(from, to *Block) {
	n := slices.Index(from.Successors, to.ID)
	if n < 0 {
		return
	}
	from.Successors = slices.Delete(slices.Clone(from.Successors), n, n+1)
	s.count[to.ID]--
	s.predecessorXor[to.ID] ^= from.ID
	switch {
	case s.count[to.ID] == 1: // the block and its only predecessor may be merged now
		s.touch(s.f.ByID[s.predecessorXor[to.ID]])
		s.changed(to)
	case s.count[to.ID] == 0 && to != s.f.Blocks[0]:
		if s.newMeeting[to.ID] == flow.NoBlock {
			s.newMeeting[to.ID] = to.Reconverge
		}
		for _, id := range slices.Clone(to.Successors) {
			s.disconnect(to, s.f.ByID[id])
		}
		s.drop(to)
	}
}

func (s *simplifier) connect(from, to *Block) {
	if !slices.Contains(from.Successors, to.ID) {
		from.Successors = append(from.Successors, to.ID)
		s.count[to.ID]++
		s.predecessorXor[to.ID] ^= from.ID
	}
}

// meeting returns where paths meet now, given a meeting point that may have been dropped.
func (s *simplifier) meeting(id isa.BlockID) isa.BlockID {
	end := id
	for end != flow.NoBlock && s.removed[end] {
		end = s.newMeeting[end]
	}
	for id != flow.NoBlock && s.removed[id] {
		id, s.newMeeting[id] = s.newMeeting[id], end
	}
	return end
}

// finish writes the result into the function.
func (s *simplifier) finish() {
	f := s.f
	f.flowGraph = nil
	f.Blocks = slices.DeleteFunc(f.Blocks, func(b *Block) bool {
		if s.removed[b.ID] {
			f.ByID[b.ID] = nil
		}
		return s.removed[b.ID]
	})
	for _, b := range f.Blocks {
		b.Reconverge = s.meeting(b.Reconverge)
		b.Predecessors = b.Predecessors[:0]
	}
	for _, b := range f.Blocks {
		for _, id := range b.Successors {
			f.ByID[id].Predecessors = append(f.ByID[id].Predecessors, b.ID)
		}
	}
}
