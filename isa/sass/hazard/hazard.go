// Package hazard knows how long Kepler's control words have to hold a warp: the result of an operation with a known latency is there so
// many cycles later, and it is the compiler that waits for it. The same walk fills the waits of code that is made and finds those that are
// too short in code that is read.
package hazard

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// Step is an operation with what may follow it.
type Step struct {
	Op   *isa.MachineOp
	Next []int32
	Wait int // cycles before the next one; 0: both issue together
	// Fixed: its control byte says something else than a wait, and what follows has to be waited for before it.
	Fixed bool
}

// Hazard is an operation that reads what another has not written yet.
type Hazard struct {
	Producer, Consumer int
	Waited, Needed     int // cycles between the two
}

// Places of the registers, predicates and flags in a state.
const (
	firstPredicate = 256
	carry          = firstPredicate + 8
	places         = carry + 1
)

// pending is how many cycles are left until each place is written, and by what.
type pending struct {
	left, whole [places]uint8
	by          [places]int32
}

// Latency is after how many cycles what an operation writes can be read: a register, or a predicate or the carry flag. 0 is for what the
// hardware watches, whatever the compiler says.
type Latency func(op *isa.MachineOp, flag bool) int

// Chip is the latency by classes, as a chip's configuration has them. Flags take no less than leastFlag.
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

// Nvcc is what nvcc's own code for sm_35 never goes below: 9 cycles for a result of the core lanes, 10 for one of f64, 12 for a predicate
// or the carry flag (c the control words of 13 kernels in public binaries). It leaves reads of special registers, conversions and functions
// to the hardware.
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

// leastFlag is how long nvcc waits for a flag in a straight line; around a branch it waits one cycle less.
const leastFlag = 13

// checked are the classes whose results nvcc waits for.
var checked = [isa.ClassCount]bool{
	isa.ClassMove: true, isa.ClassFP32: true, isa.ClassFP32Compare: true, isa.ClassInteger: true, isa.ClassIntegerCarry: true,
	isa.ClassCompare: true, isa.ClassMultiply: true, isa.ClassShift: true, isa.ClassBits: true, isa.ClassFP64: true,
	isa.ClassFP64Compare: true,
}

// walker goes over the steps until nothing changes.
type walker struct {
	steps   []Step
	latency Latency
	before  []*pending // the longest waits with which each step is reached
}

// Fill sets the waits of steps that may issue alone: those that issue together with the next one stay.
func Fill(steps []Step, latency Latency) {
	w := &walker{steps: steps, latency: latency}
	for {
		w.walk()
		changed := false
		for n := range steps {
			if s := &steps[n]; s.Wait > 0 && !s.Fixed {
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

// mostCycles is the longest wait that a control word can say.
const mostCycles = 32

// Check returns the hazards of steps, in their order.
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

// walk finds the states before all steps, from the first on.
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

// after is the state behind a step and its wait.
func (w *walker) after(n int) *pending {
	s := &w.steps[n]
	p := *w.before[n]
	p.issue(s.Op, int32(n), w.latency)
	for k := range p.left {
		p.left[k] -= uint8(min(s.Wait, int(p.left[k])))
	}
	return &p
}

// neededBehind is how long a step has to wait for those that follow.
func (w *walker) neededBehind(n int) int {
	s := &w.steps[n]
	if w.before[n] == nil {
		return 0
	}
	p := *w.before[n]
	p.issue(s.Op, int32(n), w.latency)
	return w.neededBy(&p, s.Next, 0)
}

// neededBy is how long those that follow have to be waited for, some cycles later, with what they cannot wait for themselves: what issues
// with them, and what follows an operation whose control byte says something else.
func (w *walker) neededBy(p *pending, list []int32, later int) (longest int) {
	const most = 8 // cycles and operations: a control word has seven
	for _, next := range list {
		to := &w.steps[next]
		left, _ := p.needed(to.Op)
		longest = max(longest, left-later)
		if (to.Wait == 0 || to.Fixed) && later < most {
			longest = max(longest, w.neededBy(p, to.Next, later+to.Wait))
		}
	}
	return longest
}

// issue notes what an operation writes. What has no known latency is watched by the hardware.
func (p *pending) issue(op *isa.MachineOp, by int32, latency Latency) {
	each(op.Writes, op.WritesPred, op.WritesCarry, func(place int) {
		n := uint8(latency(op, place >= firstPredicate))
		p.left[place], p.whole[place], p.by[place] = n, n, by
	})
}

// of is the whole latency of what an operation reads and is still to wait so long for.
func (p *pending) of(op *isa.MachineOp, left int) (whole int) {
	each(op.Reads, op.ReadsPred, op.ReadsCarry, func(place int) {
		if int(p.left[place]) == left {
			whole = max(whole, int(p.whole[place]))
		}
	})
	return whole
}

// needed is the longest wait for what an operation reads, and whose result it is.
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
		if op.PairWithNext || op.Mnemonic == jump && op.Class == isa.ClassBranch { // which is a part of the operation before it
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

// jump is the operation that the translation puts behind one that ends a path.
const jump = "NOP.S"

// Watched reports a class whose results the hardware watches: nvcc waits less for them than they take.
func Watched(c isa.Class) bool { return c.Variable() || !checked[c] }
