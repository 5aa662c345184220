package exec

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/keplersim/keplersim/isa"
	mc "github.com/keplersim/keplersim/isa/machinecode"
)

// General registers of the code. Within an operation AX, CX, DX, R10 and R15 are free.
const (
	inState      = mc.DI // NativeState
	inRegisters  = mc.SI // the warp's registers
	inConstants  = mc.BX // the launch's constants
	inPredicates = mc.R8
	inTallies    = mc.R9
	inLanes      = mc.R11 // the number of active lanes
	inActive     = mc.R12 // mask of the active lanes
	inBudget     = mc.R13
	inMask       = mc.R10 // of a guarded operation: the lanes where the guard is true
)

// Vector registers: 0 to 5 are for an operation's functions, from 8 on are the lanes of a guarded operation, from 12 on the active lanes of
// a partial warp.
const (
	spare      mc.Vector = 6 // of value and apply
	merged     mc.Vector = 7 // of write
	guardMasks mc.Vector = 8
	lanesMasks mc.Vector = 12
)

const (
	laneBytes  = 128 // bytes of a register
	chunkBytes = 32  // bytes of a vector register
	chunks     = laneBytes / chunkBytes
)

// translator translates a program for one variant.
type translator struct {
	*mc.Assembler
	native  *Native
	code    *Code
	program *isa.MachineProgram
	variant *variant

	partial     bool       // some lanes are inactive
	screened    bool       // accesses are screened
	observed    bool       // an observer hears of some operations
	saving      bool       // stores are left out for pages that are not saved
	unset       *Unset     // when screened or observed: the registers to watch
	timingSlice []bool     // by operation: it is not skipped; nil: none is
	starts      []mc.Label // by run
	after       []mc.Label // by operation, -1 outside runs
	exit        mc.Label
	exits       []exit

	known      map[slot]uint32 // registers that the run has set to constants
	op         int32
	guarded    bool
	leave      mc.Label // where the current operation is left to the caller
	leaveInUse bool     // the label is in use
}

// exit is a return to the caller, placed behind the code.
type exit struct {
	label  mc.Label
	next   int32
	reason Reason
}

// stateAt returns the operand for a field of the state.
func stateAt(offset uintptr) mc.Memory { return mc.At(inState, int(offset)) }

var state NativeState // for its layout

// newVariant translates a variant.
func newVariant(n *Native, m mode, partial bool) *variant {
	count := len(n.program.Ops)
	assembler := assemblers.Get().(*mc.Assembler)
	t := &translator{native: n, code: n.bound, program: n.program, partial: partial,
		screened: m == modeScreened, observed: m == modeObserved, saving: m == modeSaving, known: map[slot]uint32{}, Assembler: assembler}
	defer func() {
		assembler.Reset()
		assemblers.Put(assembler)
	}()
	t.variant = &variant{runs: make([]int32, len(n.plan.runs)), after: make([]int32, count), translated: make([]bool, count)}
	if t.screened || t.observed {
		t.unset = n.unset()
	}
	if m == modeTimingOnly {
		t.timingSlice = n.timingSlice()
	}
	t.Grow(count * operationBytes)
	t.exit = t.NewLabel()
	t.starts, t.after = make([]mc.Label, len(n.plan.runs)), make([]mc.Label, count)
	for i := range t.starts {
		t.starts[i] = t.NewLabel()
	}
	for i := range t.after {
		t.after[i] = -1
	}
	t.prologue()
	for i := range n.plan.runs {
		t.run(i)
	}
	for _, e := range t.exits {
		t.Bind(e.label)
		t.StoreImmediate(stateAt(unsafe.Offsetof(state.Next)), uint32(e.next))
		t.StoreImmediate(stateAt(unsafe.Offsetof(state.reason)), uint32(e.reason))
		t.Jump(t.exit)
	}
	t.Bind(t.exit)
	t.Store64(stateAt(unsafe.Offsetof(state.budget)), inBudget)
	t.Return()
	if code, err := mc.Place(t.Finish()); err == nil { // otherwise the interpreter executes everything
		t.variant.code = code
	}
	for i, l := range t.starts {
		t.variant.runs[i] = int32(t.Place(l))
	}
	for i, l := range t.after {
		t.variant.after[i] = -1
		if l >= 0 {
			t.variant.after[i] = int32(t.Place(l))
		}
	}
	return t.variant
}

// assemblers are unused assemblers.
var assemblers = sync.Pool{New: func() any { return &mc.Assembler{} }}

// operationBytes is an estimate of an operation's code size.
const operationBytes = 256

// prologue loads the registers and jumps to the state's target.
func (t *translator) prologue() {
	t.variant.enter = t.Len()
	t.Load64(inRegisters, stateAt(unsafe.Offsetof(state.registers)))
	t.Load64(inConstants, stateAt(unsafe.Offsetof(state.constants)))
	t.Load64(inPredicates, stateAt(unsafe.Offsetof(state.predicates)))
	t.Load64(inTallies, stateAt(unsafe.Offsetof(state.tallies)))
	t.Load(inLanes, stateAt(unsafe.Offsetof(state.lanes)))
	t.Load(inActive, stateAt(unsafe.Offsetof(state.active)))
	t.Load64(inBudget, stateAt(unsafe.Offsetof(state.budget)))
	if t.partial {
		t.spread(lanesMasks, inActive)
	}
	t.JumpMemory(stateAt(unsafe.Offsetof(state.target)))
}

// exitTo returns the label of a new return to the caller.
func (t *translator) exitTo(next int32, why Reason) mc.Label {
	l := t.NewLabel()
	t.exits = append(t.exits, exit{l, next, why})
	return l
}

// run emits a run and its end.
func (t *translator) run(number int) {
	r := &t.native.plan.runs[number]
	t.Bind(t.starts[number])
	pause := t.exitTo(r.first, Paused)
	t.CompareMemory(stateAt(unsafe.Offsetof(state.reconverge)), uint32(r.first))
	t.JumpIf(mc.Equal, pause)
	t.Test64(inBudget, inBudget)
	t.JumpIf(mc.Negative, pause)
	if len(r.operations) > 0 {
		t.SubtractImmediate64(inBudget, int32(len(r.operations)))
		t.Increment64(mc.At(inTallies, 16*number))
		t.AddTo64(mc.At(inTallies, 16*number+8), inLanes)
	}
	clear(t.known)
	for _, op := range r.operations {
		t.operation(op)
		t.updateKnown(op)
		t.after[op] = t.NewLabel()
		t.Bind(t.after[op])
	}
	t.end(r)
}

// end emits the code after a run. If another run begins there, that run's beginning checks for reconvergence.
func (t *translator) end(r *run) {
	next := r.next
	if next != r.first && int(next) < len(t.program.Ops) && t.native.plan.runAt[next] >= 0 {
		t.goTo(next)
		return
	}
	if int(next) >= len(t.program.Ops) {
		t.Jump(t.exitTo(next, Paused))
		return
	}
	op := &t.program.Ops[next]
	if op.Control == isa.ControlBranch && op.Slow == nil && !t.unset.Watches(next) {
		t.branch(next)
		return
	}
	if op.Control != isa.ControlNone && !costsOnlyTime(op) {
		t.Jump(t.exitTo(next, Controlled))
		return
	}
	t.goTo(next)
}

// goTo jumps to the beginning of a run.
func (t *translator) goTo(at int32) {
	if at < 0 || int(at) >= len(t.program.Ops) || t.native.plan.runAt[at] < 0 {
		t.Jump(t.exitTo(at, Paused))
		return
	}
	t.Jump(t.starts[t.native.plan.runAt[at]])
}

// branch emits a branch that all active lanes take or none; others are left to the caller.
func (t *translator) branch(at int32) {
	op := &t.program.Ops[at]
	tally := 16 * (len(t.native.plan.runs) + int(at))
	if op.Guard.Present {
		not := t.NewLabel()
		t.readGuard(op.Guard)
		t.Test(inMask, inMask)
		t.JumpIf(mc.Equal, not)
		t.Compare(inMask, inActive)
		t.JumpIf(mc.NotEqual, t.exitTo(at, Controlled))
		t.countBranch(tally)
		t.AddTo64(mc.At(inTallies, tally+8), inLanes)
		t.goTo(op.Target)
		t.Bind(not)
		t.countBranch(tally)
		t.goTo(at + 1)
		return
	}
	t.countBranch(tally)
	t.AddTo64(mc.At(inTallies, tally+8), inLanes)
	t.goTo(op.Target)
}

func (t *translator) countBranch(tally int) {
	t.SubtractImmediate64(inBudget, 1)
	t.Increment64(mc.At(inTallies, tally))
}

// readGuard computes the mask of active lanes with a true guard.
func (t *translator) readGuard(g isa.Guard) {
	t.Load(inMask, mc.At(inPredicates, 4*int(g.Register&7)))
	if g.Negate {
		t.Not(inMask)
	}
	t.And(inMask, inActive)
}

// operation emits one operation, or a return to the caller.
func (t *translator) operation(at int32) {
	bound, op := &t.code.Ops[at], &t.program.Ops[at]
	t.op, t.leaveInUse, t.guarded = at, false, bound.Guard.Present
	watched := t.unset.Watches(at)
	left := t.needsMaskCheck(op) || t.observed && (watched || Reported(op) && !bound.memory.mayRepeat())
	skipped := t.timingSlice != nil && !t.timingSlice[at]
	if skipped || (bound.Kind == KindNone || op.Control == isa.ControlSync) && !left && !watched {
		if bound.Guard.Present {
			t.readGuard(bound.Guard)
			t.countGuarded(at)
		}
		return
	}
	var emit func(*translator, *Bound, *isa.Instruction) bool
	if !left && bound.Kind != KindNone && op.Control != isa.ControlSync {
		emit = translationOf(bound.effect.Op)
	}
	end := t.NewLabel()
	if t.guarded {
		t.readGuard(bound.Guard)
		t.countGuarded(at)
	}
	mark := t.Mark()
	if t.guarded {
		t.Test(inMask, inMask)
		t.JumpIf(mc.Equal, end)
		t.spread(guardMasks, inMask)
	}
	if watched && !t.observed {
		t.setRegisters(op)
	}
	if emit == nil || !t.inRange(bound) || !emit(t, bound, bound.effect) {
		t.Cut(mark)
		t.Jump(t.leaveLabel())
	} else {
		t.variant.translated[at] = true
	}
	t.Bind(end)
}

// updateKnown updates the known registers after an operation.
func (t *translator) updateKnown(at int32) {
	b := &t.code.Ops[at]
	for _, d := range b.destination {
		delete(t.known, d)
	}
	if m := b.memory; m != nil {
		for _, d := range m.result {
			delete(t.known, d[0])
			delete(t.known, d[1])
		}
	}
	i := b.effect
	if b.Kind == KindNone || i == nil || i.Op != isa.OpMov || b.Guard.Present || b.planar != nil || i.Type.Bytes() != 4 || len(i.Dst) != 1 {
		return
	}
	if len(i.Src) == 1 && i.Src[0].Kind == isa.OperandImmediate && b.destination[0] >= 0 {
		t.known[b.destination[0]] = uint32(i.Src[0].Immediate)
	}
}

// leaveLabel returns the label that leaves the current operation to the caller.
func (t *translator) leaveLabel() mc.Label {
	if !t.leaveInUse {
		t.leave, t.leaveInUse = t.exitTo(t.op, Left), true
	}
	return t.leave
}

// countGuarded counts the lanes of a guarded operation.
func (t *translator) countGuarded(at int32) {
	t.Population(mc.AX, inMask)
	t.AddTo64(mc.At(inTallies, 16*(len(t.native.plan.runs)+int(at))+8), mc.AX)
}

// laneBits has each lane's bit of a mask.
func (t *translator) laneBits(c int) mc.Memory {
	var words [8]uint32
	for i := range words {
		words[i] = 1 << (8*c + i)
	}
	return t.Constant(words)
}

// spread expands a mask into four registers with all ones in its lanes.
func (t *translator) spread(first mc.Vector, mask mc.General) {
	t.SpreadGeneral(first, mask)
	for c := chunks - 1; c >= 0; c-- {
		d := first + mc.Vector(c)
		t.VM(mc.PAND, d, first, t.laneBits(c))
		t.VM(mc.PCMPEQD, d, d, t.laneBits(c))
	}
}

// isMasked reports that the operation may be for some lanes only.
func (t *translator) isMasked() bool { return t.partial || t.guarded }

// mask returns the vector mask of eight of the operation's lanes, if isMasked() is true.
func (t *translator) mask(c int) mc.Vector {
	if t.guarded {
		return guardMasks + mc.Vector(c)
	}
	return lanesMasks + mc.Vector(c)
}

// lanes returns the general register with the operation's lanes.
func (t *translator) lanes() mc.General {
	if t.guarded {
		return inMask
	}
	return inActive
}

// inRange reports that an operation's registers are within its function's: the code does not check.
func (t *translator) inRange(b *Bound) bool {
	limit := slot(max(t.program.Registers, 1))
	for i := range t.program.Stack {
		if f := &t.program.Stack[i]; i > 0 && t.op >= f.FirstOp {
			limit = slot(f.Registers)
		}
	}
	ok := func(list ...slot) bool {
		for _, s := range list {
			if s >= limit {
				return false
			}
		}
		return true
	}
	if !ok(b.destination[:]...) || !ok(b.source[:]...) {
		return false
	}
	if d := b.detail; d != nil && !ok(d.negatedFrom[:]...) {
		return false
	}
	if m := b.memory; m != nil {
		for _, list := range [][][2]slot{{m.base, m.comparand}, m.value, m.result} {
			for _, s := range list {
				if !ok(s[:]...) {
					return false
				}
			}
		}
	}
	return true
}

func onesCount(x uint32) uint32 { return uint32(bits.OnesCount32(x)) }
