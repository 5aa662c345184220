package assemble

import (
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/sass"
)

// Lanes reconverge by the warp's stack. SSY pushes the reconvergence point. A path that reaches the point ends with .S, which pops the next
// path, or the point, from the stack. If branches inside such a region go to the point, a NOP.S of its own comes before it.

// token is a place on the stack, linked to the one below.
type token struct {
	meet  int32
	below *token
}

func (t *token) equal(o *token) bool {
	for t != nil && o != nil && t.meet == o.meet {
		t, o = t.below, o.below
	}
	return t == o
}

// layout is the control flow of a kernel under construction.
type layout struct {
	*kernel
	stacks  []*token
	seen    []bool
	idle    []bool // by operation: an SSY whose place is on top of the stack already, or a mark from lowering
	meets   []bool // by operation: the next one is its reconvergence point, so it needs .S
	jumps   []bool // by branch: its target is a reconvergence point
	landing []bool // by operation: a NOP.S precedes it
}

// layout creates the items of all operations.
func (k *kernel) layout() error {
	n := len(k.mp.Ops)
	l := &layout{kernel: k, stacks: make([]*token, n), seen: make([]bool, n), idle: make([]bool, n), meets: make([]bool, n),
		jumps: make([]bool, n), landing: make([]bool, n+1)}
	if err := l.walk(); err != nil {
		return err
	}
	return l.emit()
}

// step is an operation with the stack that reaches it.
type step struct {
	at    int32
	stack *token
}

func (l *layout) walk() error {
	queue := []step{{}}
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if int(s.at) >= len(l.mp.Ops) {
			return fmt.Errorf("its end is reached")
		}
		if l.seen[s.at] {
			if !l.stacks[s.at].equal(s.stack) {
				return fmt.Errorf("%s is reached by lanes that meet at different places: that has no machine code here",
					l.name(s.at))
			}
			continue
		}
		l.seen[s.at], l.stacks[s.at] = true, s.stack
		next, err := l.successors(s)
		if err != nil {
			return err
		}
		queue = append(queue, next...)
	}
	return nil
}

func (l *layout) name(at int32) string {
	op := &l.mp.Ops[at]
	if op.Line > 0 && int(op.Line) < len(l.program.Lines) {
		return fmt.Sprintf("PTX line %d", l.program.Lines[op.Line].PTXLine)
	}
	return op.Mnemonic
}

// successors returns where an operation leads, and records where lanes reconverge.
func (l *layout) successors(s step) ([]step, error) {
	op := &l.mp.Ops[s.at]
	// to follows an edge; at its end a reconvergence point that it reaches is off the stack.
	to := func(at int32, branch bool) step {
		if s.stack == nil || s.stack.meet != at {
			return step{at, s.stack}
		}
		if branch {
			l.jumps[s.at], l.landing[at] = true, true
		} else {
			l.meets[s.at] = true
		}
		return step{at, s.stack.below}
	}
	switch op.Control {
	case isa.ControlNone, isa.ControlSync, isa.ControlBarrier:
		switch {
		case op.Mnemonic == "NOP.S":
			l.idle[s.at] = true
		case op.Mnemonic == "SSY" && s.stack != nil && s.stack.meet == op.Target:
			l.idle[s.at] = true
		case op.Mnemonic == "SSY":
			s.stack = &token{op.Target, s.stack}
		}
		return []step{to(s.at+1, false)}, nil
	case isa.ControlBranch:
		all := []step{to(op.Target, true)}
		if op.Guard.Present {
			all = append(all, to(s.at+1, false))
		}
		return all, nil
	case isa.ControlExit, isa.ControlTrap:
		if op.Guard.Present {
			return []step{to(s.at+1, false)}, nil
		}
		return nil, nil
	}
	return nil, fmt.Errorf("%s: %s has no machine code here yet", l.name(s.at), op.Mnemonic)
}

// carries reports an operation that can carry .S itself.
func carries(op *isa.MachineOp) bool {
	return op.Control == isa.ControlNone && !op.Guard.Present && !op.Class.Memory() && op.Effect != nil
}

// synchronise is an operation that only ends a path.
var synchronise = &isa.MachineOp{Mnemonic: "NOP.S", Class: isa.ClassNop, Target: -1, Reconverge: -1}

// emit creates the items in the order of the operations.
func (l *layout) emit() error {
	own, landing := make([]int32, len(l.mp.Ops)), make([]int32, len(l.mp.Ops))
	add := func(it item) { l.items = append(l.items, it) }
	branches := map[int]int32{} // by item: the operation that it names as target
	for n := range l.mp.Ops {
		at := int32(n)
		if l.landing[n] {
			if n > 0 && l.seen[n-1] && !l.meets[n-1] && fallsThrough(&l.mp.Ops[n-1]) { // jump around the NOP.S
				branches[len(l.items)] = at
				around := &isa.MachineOp{Line: l.mp.Ops[n].Line, Class: isa.ClassBranch, Control: isa.ControlBranch}
				add(item{op: around, text: "BRA", at: -1})
			}
			landing[n] = int32(len(l.items))
			add(item{op: synchronise, text: "NOP.S", target: -1, at: -1})
		}
		own[n] = int32(len(l.items))
		op := &l.mp.Ops[n]
		if !l.seen[n] {
			continue
		}
		it, err := l.item(at, op)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name(at), err)
		}
		if it.text != "" {
			if op.Control == isa.ControlBranch || op.Mnemonic == "SSY" {
				branches[len(l.items)] = at
			}
			add(it)
			l.frame(op)
			l.addBarrierResult(op)
		}
		switch {
		case !l.meets[n]:
		case carries(op) && it.text != "":
			last := &l.items[len(l.items)-1]
			head, tail, _ := strings.Cut(last.text, " ")
			last.text, last.op, last.at = head+".S "+tail, endOf(op), -1
		case n+1 < len(l.landing) && !l.landing[n+1]:
			add(item{op: synchronise, text: "NOP.S", target: -1, at: -1})
		}
	}
	for n := range l.items {
		l.items[n].target = -1
	}
	for n, at := range branches {
		op := &l.mp.Ops[at]
		switch {
		case l.items[n].text == "BRA" && l.items[n].op != op: // a jump around a NOP.S
			l.items[n].target = own[at]
		case l.jumps[at]:
			l.items[n].target = landing[op.Target]
		default:
			l.items[n].target = own[op.Target]
		}
	}
	l.connect()
	return nil
}

// endOf returns a copy of the operation at a path's end: no other issues with it.
func endOf(op *isa.MachineOp) *isa.MachineOp {
	copied := *op
	copied.PairWithNext = false
	return &copied
}

// fallsThrough reports an operation after which the next one may execute.
func fallsThrough(op *isa.MachineOp) bool {
	return op.Guard.Present || op.Control != isa.ControlBranch && op.Control != isa.ControlExit && op.Control != isa.ControlTrap
}

// item returns the item of an operation; its text is empty if it needs no code.
func (l *layout) item(at int32, op *isa.MachineOp) (it item, err error) {
	it = item{op: op, target: -1, at: at}
	guard := ""
	if g := op.Guard; g.Present {
		guard = fmt.Sprintf("@%sP%d ", map[bool]string{true: "!"}[g.Negate], g.Register)
	}
	switch {
	case l.idle[at]:
		return it, nil
	case op.Mnemonic == "SSY":
		it.text = "SSY"
	case op.Control == isa.ControlBranch:
		it.text = guard + "BRA"
	case op.Control == isa.ControlExit:
		it.text = guard + "EXIT"
	case op.Control == isa.ControlTrap:
		it.text = "BPT.TRAP"
		if guard != "" {
			return it, fmt.Errorf("a trap under a condition")
		}
	default:
		it.text, it.place, err = l.text(op)
	}
	return it, err
}

// frame sets R1 to the address of the thread's frame, after the operation that sets it to the stack's end.
func (l *layout) frame(op *isa.MachineOp) {
	if op.Effect != nil || op.ConstantAddress != stackConstant || op.Mnemonic != "MOV" || l.mp.LocalBytes == 0 {
		return
	}
	r1 := []isa.RegisterRange{{First: 1, Count: 1}}
	l.items = append(l.items, item{target: -1, at: -1, text: fmt.Sprintf("IADD32I R1, R1, -0x%x", l.mp.LocalBytes),
		op: &isa.MachineOp{Mnemonic: "IADD32I", Class: isa.ClassInteger, Reads: r1, Writes: r1}})
}

// addBarrierResult adds the operation that takes the result of a barrier's reduction; translate looks for it behind the barrier.
func (l *layout) addBarrierResult(op *isa.MachineOp) {
	i := op.Effect
	if i == nil || i.Op != isa.OpBar || i.Mod.Select != isa.BarRed || l.encoding == sass.SM30 {
		return
	}
	reduced, taken := endOf(op), endOf(op)
	reduced.Writes, reduced.WritesPred = nil, 0
	l.items[len(l.items)-1].op = reduced
	taken.Class, taken.Reads, taken.ReadsPred, taken.Effect, taken.Control = isa.ClassSpecial, nil, 0, nil, isa.ControlNone
	w := &writer{Instruction: i}
	text := "B2R.RESULT RZ, " + w.p(0)
	if i.Dst[0].Kind == isa.OperandRegister {
		text = "B2R.RESULT " + w.d() + ", PT"
	}
	l.items = append(l.items, item{op: taken, text: text, target: -1, at: -1})
}

// connect sets the successors of each item.
func (l *layout) connect() {
	for n := range l.items {
		it := &l.items[n]
		name := it.text
		if strings.HasPrefix(name, "@") {
			_, name, _ = strings.Cut(name, " ")
		}
		guarded := name != it.text
		it.next = nil
		switch {
		case name == "BRA":
			it.next = append(it.next, it.target)
		case strings.HasPrefix(name, "EXIT") || strings.HasPrefix(name, "BPT"):
		default:
			guarded = true
		}
		if guarded && n+1 < len(l.items) {
			it.next = append(it.next, int32(n+1))
		}
		mark, _, _ := strings.Cut(name, " ")
		if strings.HasSuffix(mark, ".S") && n+2 < len(l.items) && l.items[n+1].op == synchronise { // past the NOP.S that only branches need
			it.next = append(it.next, int32(n+2))
		}
	}
}
