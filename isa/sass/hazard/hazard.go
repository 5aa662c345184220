// Package hazard computes how long Kepler's control words must hold a warp. The result of an operation with a known latency is ready after
// that many cycles, and the compiler must make the warp wait for it. One analysis fills in the waits of generated code, and finds waits
// that are too short in existing code.
package hazard

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// Step is an operation with its possible successors.
type Step struct {
	Op   *isa.MachineOp
	Next []int32
	Wait int // cycles until the next step; 0: both issue together
	// CannotWait: its control byte is not a wait, so earlier steps must wait on behalf of its successors.
	CannotWait bool
}

// Hazard is an operation that reads a result before it is written.
type Hazard struct {
	Producer, Consumer int
	Waited, Needed     int // cycles between producer and consumer
}

// Indices of registers, predicates and flags in pending.
const (
	firstPredicate = 256
	carry          = firstPredicate + 8
	places         = carry + 1
)

// pending has the cycles that are left until each place is written, its whole latency, and its writer.
type pending struct {
	left, whole [places]uint8
	by          [places]int32
}

// Latency returns after how many cycles an operation's result can be read: a register, or a flag (a predicate or the carry). 0 is a result
// that the hardware guards, whatever the compiler does.
type Latency func(op *isa.MachineOp, flag bool) int

// Chip returns the latencies of a chip's configuration. Flags take at least leastFlag.
func Chip(latency func(isa.Class) int) Latency {
	return func(op *isa.MachineOp, flag bool) int {
		switch n := latency(op.Class); {
		case op.Class.Variable():
			return 0
		case flag:
			return max(n, leastFlag)
		default:
			return n
		}
	}
}

// Nvcc is the minimum wait in nvcc's own code for sm_35: 9 cycles for a result of the core lanes, 10 for f64, 12 for a predicate or the
// carry flag. (Source: c the control words of 13 kernels in public binaries.) It leaves reads of special registers, conversions and
// functions to the hardware.
func Nvcc(op *isa.MachineOp, flag bool) int {
	switch c := op.Class; {
	case c.Variable() || !checked[c]:
		return 0
	case flag:
		return leastFlag - 1
	case c == isa.ClassFP64:
		return 10
	}
	return 9
}

// leastFlag is nvcc's wait for a flag in straight-line code; around a branch it waits one cycle less.
const leastFlag = 13

// checked are the classes for whose results nvcc waits.
var checked = [isa.ClassCount]bool{
	isa.ClassMove: true, isa.ClassFP32: true, isa.ClassFP32Compare: true, isa.ClassInteger: true, isa.ClassIntegerCarry: true,
	isa.ClassCompare: true, isa.ClassMultiply: true, isa.ClassShift: true, isa.ClassBits: true, isa.ClassFP64: true,
	isa.ClassFP64Compare: true,
}

// walker is a dataflow analysis of the steps.
type walker struct {
	steps   []Step
	latency Latency
	before  []*pending // by step: the longest pending waits on any path to it
}

// Fill sets the waits of steps, except those that issue together with the next one or that CannotWait.
func Fill(steps []Step, latency Latency) {
	w := &walker{steps: steps, latency: latency}
	for {
		w.walk()
		changed := false
		for n := range steps {
			if s := &steps[n]; s.Wait > 0 && !s.CannotWait {
				if needed := min(w.neededBehind(n), mostCycles); needed > s.Wait {
					s.Wait, changed = needed, true
				}
			}
		}
		if !changed {
			return
		}
	}
}

// mostCycles is the longest wait that a control byte can hold.
const mostCycles = 32

// Check returns the hazards of the steps, in order.
func Check(steps []Step, latency Latency) (list []Hazard) {
	w := &walker{steps: steps, latency: latency}
	w.walk()
	for n := range steps {
		if w.before[n] == nil {
			continue
		}
		if left, by := w.before[n].needed(steps[n].Op); left > 0 {
			needed := w.before[n].of(steps[n].Op, left)
			list = append(list, Hazard{Producer: int(by), Consumer: n, Waited: needed - left, Needed: needed})
		}
	}
	return list
}

// walk computes the states before all steps that the first one leads to.
func (w *walker) walk() {
	w.before = make([]*pending, len(w.steps))
	if len(w.steps) == 0 {
		return
	}
	w.before[0] = &pending{}
	queue, queued := []int32{0}, make([]bool, len(w.steps))
	for len(queue) > 0 {
		n := queue[0]
		queue, queued[n] = queue[1:], false
		after := w.after(int(n))
		for _, next := range w.steps[n].Next {
			if w.before[next] == nil {
				w.before[next] = &pending{}
			} else if !after.exceeds(w.before[next]) {
				continue
			}
			w.before[next].merge(after)
			if !queued[next] {
				queue, queued[next] = append(queue, next), true
			}
		}
	}
}

// after returns the state after a step and its wait.
func (w *walker) after(n int) *pending {
	s := &w.steps[n]
	p := *w.before[n]
	p.issue(s.Op, int32(n), w.latency)
	for k := range p.left {
		p.left[k] -= uint8(min(s.Wait, int(p.left[k])))
	}
	return &p
}

// neededBehind returns how long a step must wait for its successors' sake.
func (w *walker) neededBehind(n int) int {
	s := &w.steps[n]
	if w.before[n] == nil {
		return 0
	}
	p := *w.before[n]
	p.issue(s.Op, int32(n), w.latency)
	return w.neededBy(&p, s.Next, 0)
}

// neededBy returns the wait that a list of steps needs, later cycles on. It includes what these cannot wait for themselves: steps that
// issue together with them, and the successors of steps that CannotWait.
func (w *walker) neededBy(p *pending, list []int32, later int) (longest int) {
	const most = 8 // in cycles and steps: a control word has seven
	for _, next := range list {
		to := &w.steps[next]
		left, _ := p.needed(to.Op)
		longest = max(longest, left-later)
		if (to.Wait == 0 || to.CannotWait) && later < most {
			longest = max(longest, w.neededBy(p, to.Next, later+to.Wait))
		}
	}
	return longest
}

// issue records an operation's writes, unless the hardware guards them.
func (p *pending) issue(op *isa.MachineOp, by int32, latency Latency) {
	each(op.Writes, op.WritesPred, op.WritesCarry, func(place int) {
		n := uint8(latency(op, place >= firstPredicate))
		p.left[place], p.whole[place], p.by[place] = n, n, by
	})
}

// of returns the whole latency of the operand that an operation must wait left cycles for.
func (p *pending) of(op *isa.MachineOp, left int) (whole int) {
	each(op.Reads, op.ReadsPred, op.ReadsCarry, func(place int) {
		if int(p.left[place]) == left {
			whole = max(whole, int(p.whole[place]))
		}
	})
	return whole
}

// needed returns the longest wait for an operation's operands, and which step writes that operand.
func (p *pending) needed(op *isa.MachineOp) (left int, by int32) {
	each(op.Reads, op.ReadsPred, op.ReadsCarry, func(place int) {
		if n := int(p.left[place]); n > left {
			left, by = n, p.by[place]
		}
	})
	return left, by
}

// each calls visit for the places of registers, predicates and the carry flag.
func each(registers []isa.RegisterRange, predicates uint8, flag bool, visit func(place int)) {
	for _, r := range registers {
		for n := range int(r.Count) {
			if place := int(r.First) + n; place < int(isa.RZ) {
				visit(place)
			}
		}
	}
	for n := range 7 {
		if predicates>>n&1 != 0 {
			visit(firstPredicate + n)
		}
	}
	if flag {
		visit(carry)
	}
}

func (p *pending) exceeds(o *pending) bool {
	return slices.ContainsFunc(indices, func(n int) bool { return p.left[n] > o.left[n] })
}

func (p *pending) merge(o *pending) {
	for n := range p.left {
		if o.left[n] > p.left[n] {
			p.left[n], p.whole[n], p.by[n] = o.left[n], o.whole[n], o.by[n]
		}
	}
}

var indices = func() (list []int) {
	for n := range places {
		list = append(list, n)
	}
	return list
}()

// Of returns the steps of a program that came as machine code.
func Of(mp *isa.MachineProgram) []Step {
	steps := make([]Step, len(mp.Ops))
	for n := range mp.Ops {
		op := &mp.Ops[n]
		s := Step{Op: op, Wait: int(op.Wait)}
		if op.PairWithNext || op.Mnemonic == jump && op.Class == isa.ClassBranch { // a jump is a part of the operation before it
			s.Wait = 0
		}
		branches := op.Control == isa.ControlBranch
		if branches && op.Target >= 0 {
			s.Next = append(s.Next, op.Target)
		}
		ends := branches || op.Control == isa.ControlExit || op.Control == isa.ControlTrap
		if (op.Guard.Present || !ends) && n+1 < len(mp.Ops) {
			s.Next = append(s.Next, int32(n+1))
		}
		steps[n] = s
	}
	return steps
}

// jump is the operation that the translation adds after one that ends a path.
const jump = "NOP.S"

// Watched reports a class whose results the hardware guards: nvcc waits less for them than they take.
func Watched(c isa.Class) bool { return c.Variable() || !checked[c] }
