package translate

import (
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
)

// Control flow. SSY, PBK, PCNT and CAL push a place on the warp's stack; .S, BRK, CONT and RET jump to the topmost place of their kind. The
// code determines the stack at an operation, since all paths to it push the same places. So these become branches to known places, and
// lanes that part reconverge at the post-dominator, as in PTX. A called function is copied for each call.

// mostOperations is the most operations of a kernel, with all copies of functions.
const mostOperations = 1 << 18

// token is a place on the stack, linked to the one below.
type token struct {
	kind  string // SSY, PBK, PCNT, CAL
	place node   // where to continue
	below *token
}

// node is an operation in one call.
type node struct {
	call *call
	at   int // in translator.code
}

// call is a call of a function; nil is the kernel itself.
type call struct {
	from     node
	function *cubin.Function
	depth    int
	stack    int // bytes of its frame and its callers' frames
}

const deepestCall = 16

// mostFrames is the most bytes that the frames of nested calls may take: a thread's local memory.
const mostFrames = 512 << 10

// layout is the control flow under construction.
type layout struct {
	*translator
	stacks map[node]*token
	next   map[node][]node
	order  []*call
	index  map[node]int32
	exits  map[node]bool // EXIT, and RET of the kernel itself
	count  int
}

// flow finds the control flow and emits the operations: first the kernel's, then those of each call.
func (t *translator) flow() error {
	l := &layout{translator: t, stacks: map[node]*token{}, next: map[node][]node{}, order: []*call{nil}, index: map[node]int32{},
		exits: map[node]bool{}}
	t.stack, t.maxRegisters = t.function.Stack, t.function.Registers
	if err := l.walk(); err != nil {
		return err
	}
	return l.emit()
}

// step is an operation with the stack that reaches it.
type step struct {
	node
	stack *token
}

// walk visits each reachable operation, in each call.
func (l *layout) walk() error {
	queue := []step{{node{nil, 0}, nil}}
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if _, seen := l.stacks[s.node]; seen {
			continue
		}
		if l.count++; l.count > mostOperations {
			return fmt.Errorf("calls make more than %d operations of it", mostOperations)
		}
		l.stacks[s.node] = s.stack
		next, err := l.successors(s.node, s.stack)
		if err != nil {
			return err
		}
		l.next[s.node] = []node{}
		for _, n := range next {
			l.next[s.node] = append(l.next[s.node], n.node)
		}
		queue = append(queue, next...)
	}
	return nil
}

// pops are the operations that jump to a place on the stack, with the kind of place.
var pops = map[string]string{"BRK": "PBK", "CONT": "PCNT", "RET": "CAL"}

// successors returns where control goes after an operation, with the stack there; a jump's target comes first.
func (l *layout) successors(n node, stack *token) ([]step, error) {
	w := &l.code[n.at]
	if w.err != nil {
		return nil, fmt.Errorf("/*%04x*/ %w", w.at, w.err)
	}
	if w.Condition() != "T" && w.flag == noFlag {
		return nil, w.refuse("this use of the condition code is not simulated")
	}
	behind := step{node{n.call, n.at + 1}, stack}
	jump := func(target node, after *token) []step {
		if w.conditional() {
			return []step{{target, after}, behind}
		}
		return []step{{target, after}}
	}
	name, _, _ := strings.Cut(w.Name, ".")
	switch name {
	case "BRA":
		target, err := l.target(n)
		return jump(target, stack), err
	case "BRX":
		_, targets, err := l.table(n)
		var next []step
		for _, target := range targets {
			next = append(next, step{target, stack})
		}
		if w.conditional() {
			next = append(next, behind)
		}
		return next, err
	case "SSY", "PBK", "PCNT":
		target, err := l.target(n)
		return []step{{behind.node, &token{name, target, stack}}}, err
	case "CAL", "JCAL":
		return l.called(n, behind)
	case "PRET":
		return []step{behind}, nil
	case "BRK", "CONT", "RET":
		top := stack.of(pops[name])
		switch {
		case top == nil && name == "RET":
			return l.afterExit(n, behind), nil
		case top == nil:
			return nil, w.refuse("no %s precedes it on a path", pops[name])
		}
		return jump(top.place, top.below), nil
	case "EXIT":
		return l.afterExit(n, behind), nil
	case "BPT": // a trap ends the grid
		if p, _ := w.Guard(); p == 7 {
			return nil, nil
		}
	}
	if !w.Meets() {
		return []step{behind}, nil
	}
	top := stack.of("SSY")
	if top == nil {
		return nil, w.refuse("no SSY precedes it on a path")
	}
	return jump(top.place, top.below), nil
}

// of returns the topmost token of a kind, nil for none.
func (t *token) of(kind string) *token {
	for t != nil && t.kind != kind {
		t = t.below
	}
	return t
}

// called continues in a copy of a function.
func (l *layout) called(n node, behind step) ([]step, error) {
	w := &l.code[n.at]
	target, err := l.target(n)
	if err != nil {
		return nil, err
	}
	c := &call{from: n, depth: 1, function: l.code[target.at].function, stack: l.function.Stack}
	if n.call != nil {
		c.depth, c.stack = n.call.depth+1, n.call.stack
	}
	if c.function != w.function {
		c.stack += c.function.Stack
		l.stack, l.maxRegisters = max(l.stack, c.stack), max(l.maxRegisters, c.function.Registers)
	}
	if c.stack > mostFrames {
		return nil, w.refuse("the frames of its calls take %d bytes: at most %d", c.stack, mostFrames)
	}
	if c.depth > deepestCall {
		return nil, w.refuse("more than %d calls within each other: recursion is not simulated", deepestCall)
	}
	l.order = append(l.order, c)
	return []step{{node{c, target.at}, &token{"CAL", behind.node, behind.stack}}}, nil
}

// afterExit returns where control goes after an exit: nowhere, unless some lanes stay.
func (l *layout) afterExit(n node, behind step) []step {
	l.exits[n] = true
	if p, _ := l.code[n.at].Guard(); p != 7 {
		return []step{behind}
	}
	return nil
}

// target returns the target of an operation's operand.
func (l *layout) target(n node) (node, error) {
	w := &l.code[n.at]
	if w.relocation != nil {
		base, ok := l.bases[w.relocation.Symbol]
		if !ok {
			return node{}, w.refuse("the file does not have %s", w.relocation.Symbol)
		}
		return node{n.call, l.where[base]}, nil
	}
	f := w.Field("t")
	if f == nil {
		return node{}, w.refuse("its target is not known")
	}
	at, ok := l.position(w, f.Target(w.Word, w.at))
	if !ok {
		return node{}, w.refuse("no operation is at its target")
	}
	return node{n.call, at}, nil
}

// emit emits the operations of all nodes, call by call.
func (l *layout) emit() error {
	var nodes []node
	jumps := map[node]int32{} // by node: its branch, if an operation with another effect comes first
	for _, c := range l.order {
		for at := range l.code {
			n := node{c, at}
			next, reached := l.next[n]
			if !reached {
				continue
			}
			op, err := l.operation(&l.code[at])
			if err != nil {
				return err
			}
			l.index[n] = int32(len(l.ops))
			nodes = append(nodes, n)
			w := &l.code[at]
			if _, asks := w.branchesOnFlag(); asks {
				if w.order != isa.CompareNone {
					l.ops = append(l.ops, w.extraOperation("ISETP.X", w.flagComparison(), isa.Guard{}))
				}
				l.ops = append(l.ops, w.extraOperation("BRA."+w.Condition(), w.combineGuard(), isa.Guard{}))
				jumps[n] = int32(len(l.ops))
				op.Guard = isa.Guard{Present: true, Register: w.guardAndFlag}
				op.ReadsPred = 1 << w.guardAndFlag
			}
			for _, i := range l.effectsBefore {
				l.ops = append(l.ops, w.extraOperation(op.Mnemonic, i, op.Guard))
				jumps[n] = int32(len(l.ops))
			}
			l.effectsBefore = nil
			l.ops = append(l.ops, op)
			behind := node{c, at + 1}
			if op.Control == isa.ControlNone && op.Effect != nil && (len(next) != 1 || next[0] != behind) {
				jumps[n] = int32(len(l.ops))
				l.ops[len(l.ops)-1].PairWithNext = false
				l.ops = append(l.ops, isa.MachineOp{Mnemonic: "NOP.S", Class: isa.ClassBranch, Control: isa.ControlBranch, Guard: op.Guard,
					ReadsPred: op.ReadsPred, Target: -1, Reconverge: -1, Line: op.Line, Wait: 1, Uncounted: true})
			}
		}
	}
	for _, n := range nodes {
		own := l.index[n]
		if at, ok := jumps[n]; ok {
			own = at
		}
		l.branch(n, own)
	}
	return l.findReconvergence()
}

// extraOperation returns an operation that the code does not have, for an effect that must precede an operation of the code.
func (w *word) extraOperation(name string, effect *isa.Instruction, guard isa.Guard) isa.MachineOp {
	op := isa.MachineOp{Mnemonic: name, Class: isa.ClassNop, Target: -1, Reconverge: -1, Line: w.line, Wait: 1, Effect: effect,
		Guard: guard, Uncounted: true}
	if effect.Guard = guard; guard.Present {
		op.ReadsPred |= 1 << guard.Register & 0x7f
	}
	touched(&op)
	return op
}

// branch sets an operation's control and targets.
func (l *layout) branch(n node, own int32) {
	op := &l.ops[own]
	next := l.next[n]
	switch {
	case l.exits[n]:
		op.Control = isa.ControlExit
	case len(next) == 0:
	case op.Control == isa.ControlIndex:
		_, targets, _ := l.table(n)
		for _, target := range targets {
			op.Targets = append(op.Targets, l.index[target])
		}
	case len(next) == 1 && l.index[next[0]] == own+1:
		if op.Control == isa.ControlBranch { // a branch to the next operation
			op.Control = isa.ControlNone
		}
	default:
		op.Control, op.Target = isa.ControlBranch, l.index[next[0]]
	}
}

// findReconvergence finds where lanes reconverge after each branch, by PTX's rule, on a function with the same control-flow graph.
func (l *layout) findReconvergence() error {
	count := len(l.ops)
	leader := make([]bool, count+1)
	leader[0] = true
	for n := range l.ops {
		op := &l.ops[n]
		if op.Control == isa.ControlBranch || op.Control == isa.ControlExit || op.Control == isa.ControlIndex {
			leader[n+1] = true
			if op.Target >= 0 {
				leader[op.Target] = true
			}
			for _, target := range op.Targets {
				leader[target] = true
			}
		}
	}
	shape := &isa.Function{Kernel: true, Defined: true, Name: l.function.Name}
	blockOf, first := make([]isa.BlockID, count), []int32{}
	for n := range l.ops {
		if leader[n] {
			shape.Blocks = append(shape.Blocks, &isa.Block{})
			first = append(first, int32(n))
		}
		blockOf[n] = isa.BlockID(len(shape.Blocks) - 1)
	}
	for n := range l.ops {
		op := &l.ops[n]
		b := shape.Blocks[blockOf[n]]
		i := op.Effect
		switch op.Control {
		case isa.ControlBranch:
			i = &isa.Instruction{Op: isa.OpBra, Guard: op.Guard, Targets: []isa.BlockID{blockOf[op.Target]}}
		case isa.ControlIndex:
			i = &isa.Instruction{Op: isa.OpBrx, Guard: op.Guard}
			for _, target := range op.Targets {
				i.Targets = append(i.Targets, blockOf[target])
			}
		case isa.ControlExit:
			i = &isa.Instruction{Op: isa.OpExit, Guard: op.Guard}
		}
		if i == nil {
			i = &isa.Instruction{Op: isa.OpMov} // a block has at least one instruction
		}
		b.Instructions = append(b.Instructions, i)
	}
	shape.Connect(l.program)
	for n := range l.ops {
		if op := &l.ops[n]; op.Control == isa.ControlBranch && op.Guard.Present || op.Control == isa.ControlIndex {
			if at := shape.Blocks[blockOf[n]].Reconverge; at >= 0 {
				op.Reconverge = first[at]
			}
		}
	}
	return nil
}
