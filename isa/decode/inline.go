package decode

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// inlinedItems is the most items of a function after inlining; beyond it, calls stay. A kernel that large does not fit the instruction
// caches anyway.
const inlinedItems = 1 << 15

// Inlining is bounded for all device functions of a module together: at most inlinedShare times its items, plus inlinedRoom. Otherwise a
// chain of functions that each call the next would take quadratic memory.
const (
	inlinedShare = 2
	inlinedRoom  = 1 << 16
)

// inlineCalls replaces direct calls by the bodies of the called functions, callees first. Calls of recursive functions, indirect calls and
// system calls stay, and so do calls that would make a function, or the module, too large.
func (l *linker) inlineCalls() {
	order, recursive := l.callOrder()
	room := inlinedRoom
	for _, index := range order {
		room += inlinedShare * len(l.bodies[index].items)
	}
	for _, index := range order {
		b := l.bodies[index]
		inlinable := func(i *isa.Instruction) *body {
			if i.Op != isa.OpCall || i.Call.Function < 0 || recursive[i.Call.Function] {
				return nil
			}
			return l.bodies[i.Call.Function]
		}
		if !slices.ContainsFunc(b.items, func(it item) bool { return it.ins != nil && inlinable(it.ins) != nil }) {
			continue
		}
		if !b.function.Kernel {
			if room <= 0 {
				continue
			}
			room += len(b.items)
		}
		items := b.items
		b.items = nil
		for _, it := range items {
			if it.ins != nil {
				if callee := inlinable(it.ins); callee != nil && len(b.items)+len(callee.items) <= inlinedItems {
					b.inline(it.ins, callee)
					continue
				}
			}
			if it.ins != nil {
				it.ins.InlineRegion = b.inlineRegions
			}
			b.items = append(b.items, it)
		}
		if !b.function.Kernel {
			room -= len(b.items)
		}
	}
}

// callOrder lists the functions with bodies, callees before callers, and returns which are in a cycle of calls.
func (l *linker) callOrder() (order []int32, recursive map[int32]bool) {
	recursive = map[int32]bool{}
	const unseen, open, done = 0, 1, 2
	state := make([]int, len(l.bodies))
	var path []int32
	var visit func(int32)
	visit = func(index int32) {
		state[index] = open
		path = append(path, index)
		for _, it := range l.bodies[index].items {
			if it.ins == nil || it.ins.Op != isa.OpCall || it.ins.Call.Function < 0 {
				continue
			}
			callee := it.ins.Call.Function
			switch {
			case l.bodies[callee] == nil:
			case state[callee] == unseen:
				visit(callee)
			case state[callee] == open:
				for _, member := range path[slices.Index(path, callee):] {
					recursive[member] = true
				}
			}
		}
		path = path[:len(path)-1]
		state[index] = done
		order = append(order, index)
	}
	for index := range l.bodies {
		if l.bodies[index] != nil && state[index] == unseen {
			visit(int32(index))
		}
	}
	return order, recursive
}

// inline appends a callee's body in place of a call.
func (b *body) inline(call *isa.Instruction, callee *body) {
	skip := labelID(-1)
	if call.Guard.Present {
		skip = b.newLabel()
		guard := call.Guard
		guard.Negate = !guard.Negate
		b.emit(&isa.Instruction{Op: isa.OpBra, Guard: guard, Targets: []isa.BlockID{skip}, Line: call.Line})
	}
	c := b.copier(call, callee)
	for k, argument := range call.Call.Arguments {
		c.pass(k, argument)
	}
	defer func() { b.inlineRegions++ }()
	end := b.newLabel()
	last := len(callee.items) - 1
	for k, it := range callee.items {
		switch {
		case it.ins == nil:
			b.items = append(b.items, item{label: it.label + c.label, name: it.name, noUnroll: it.noUnroll})
		case it.ins.Op == isa.OpRet && k == last && !it.ins.Guard.Present:
		case it.ins.Op == isa.OpRet:
			b.emit(&isa.Instruction{Op: isa.OpBra, Guard: c.guard(it.ins.Guard), Targets: []isa.BlockID{end}, Line: c.line(it.ins.Line)})
		default:
			b.emit(c.instruction(it.ins))
		}
	}
	b.items = append(b.items, item{label: end})
	for k, result := range call.Call.Returns {
		c.take(k, result)
	}
	if skip >= 0 {
		b.items = append(b.items, item{label: skip})
	}
}

func (b *body) emit(i *isa.Instruction) { b.items = append(b.items, item{label: -1, ins: i}) }

// copier copies a callee's body into its caller, with renamed registers, labels and variables.
type copier struct {
	caller, callee *body
	call           *isa.Instruction
	register       isa.Register
	label          labelID
	variables      []int32 // caller's variable by the callee's
	lines          map[isa.LineIndex]isa.LineIndex
	inlineRegions  map[int32]int32 // caller's region by the callee's
}

// copier adds registers, labels and variables to b for a copy of the callee. Variables of parameters and results are the caller's own.
func (b *body) copier(call *isa.Instruction, callee *body) *copier {
	c := &copier{caller: b, callee: callee, call: call, register: isa.Register(len(b.function.Registers)), label: labelID(b.labels),
		inlineRegions: map[int32]int32{}}
	b.function.Registers = append(b.function.Registers, callee.function.Registers...)
	b.labels += callee.labels
	c.variables = make([]int32, len(callee.function.Variables))
	for k := range c.variables {
		c.variables[k] = -1
	}
	bind := func(own []int32, passed []isa.CallArgument) {
		for k, v := range own {
			if v >= 0 && k < len(passed) && passed[k].Variable >= 0 {
				c.variables[v] = passed[k].Variable
			}
		}
	}
	bind(callee.outputs, call.Call.Returns)
	bind(callee.inputs, call.Call.Arguments)
	for k, v := range callee.function.Variables {
		if c.variables[k] < 0 {
			c.variables[k] = int32(len(b.function.Variables))
			b.function.Variables = append(b.function.Variables, v)
		}
	}
	return c
}

// pass moves the k-th argument to where the callee reads it, unless that is the caller's variable.
func (c *copier) pass(k int, argument isa.CallArgument) {
	if k >= len(c.callee.inputs) {
		return
	}
	p := &c.callee.function.Parameters[k]
	switch v := c.callee.inputs[k]; {
	case v < 0 && argument.Variable < 0:
		c.caller.emit(c.move(isa.Reg(p.Register+c.register, p.Type), c.call.Src[argument.Operand], p.Type))
	case v < 0:
		c.caller.emit(c.access(isa.OpLd, p.Type, argument.Variable, isa.Reg(p.Register+c.register, p.Type)))
	case argument.Variable < 0:
		c.caller.emit(c.access(isa.OpSt, p.Type, c.variables[v], c.call.Src[argument.Operand]))
	}
}

// take moves the k-th result to where the caller wants it, unless it is there already.
func (c *copier) take(k int, result isa.CallArgument) {
	p := &c.callee.function.Returns[k]
	switch v := c.callee.outputs[k]; {
	case v < 0 && result.Variable < 0:
		c.caller.emit(c.move(c.call.Dst[result.Operand], isa.Reg(p.Register+c.register, p.Type), p.Type))
	case v < 0:
		c.caller.emit(c.access(isa.OpSt, p.Type, result.Variable, isa.Reg(p.Register+c.register, p.Type)))
	case result.Variable < 0:
		c.caller.emit(c.access(isa.OpLd, p.Type, c.variables[v], c.call.Dst[result.Operand]))
	}
}

func (c *copier) move(d, s isa.Operand, t isa.Type) *isa.Instruction {
	if t == isa.Pred {
		d.Kind, s.Kind = predicateKind(d.Kind), predicateKind(s.Kind)
	}
	return &isa.Instruction{Op: isa.OpMov, Type: t, Dst: []isa.Operand{d}, Src: []isa.Operand{s}, Line: c.call.Line}
}

func predicateKind(k isa.OperandKind) isa.OperandKind {
	if k == isa.OperandRegister {
		return isa.OperandPredicate
	}
	return k
}

func (c *copier) access(op isa.Opcode, t isa.Type, variable int32, o isa.Operand) *isa.Instruction {
	i := &isa.Instruction{Op: op, Type: t, Line: c.call.Line, Memory: &isa.Memory{Space: isa.SpaceParam, Vector: 1,
		Base: isa.Operand{Kind: operandVariable, Symbol: variable, Type: isa.U32}}}
	if op == isa.OpLd {
		i.Dst = []isa.Operand{o}
	} else {
		i.Src = []isa.Operand{o}
	}
	return i
}

func (c *copier) guard(g isa.Guard) isa.Guard {
	g.Register += c.register
	return g
}

// inlineRegion returns the caller's number for a region of the callee.
func (c *copier) inlineRegion(own int32) int32 {
	if c.inlineRegions[own] == 0 {
		c.caller.inlineRegions++
		c.inlineRegions[own] = c.caller.inlineRegions
	}
	return c.inlineRegions[own]
}

// instruction copies one of the callee's instructions.
func (c *copier) instruction(i *isa.Instruction) *isa.Instruction {
	out := *i
	out.Line, out.InlineRegion = c.line(i.Line), c.inlineRegion(i.InlineRegion)
	if out.Guard.Present {
		out.Guard = c.guard(out.Guard)
	}
	out.Dst, out.Src = slices.Clone(i.Dst), slices.Clone(i.Src)
	out.Targets = slices.Clone(i.Targets)
	for k := range out.Targets {
		out.Targets[k] += c.label
	}
	if i.Memory != nil {
		memory := *i.Memory
		if memory.Texture != nil {
			texture := *memory.Texture
			texture.Coordinates, texture.Gradient = slices.Clone(texture.Coordinates), slices.Clone(texture.Gradient)
			memory.Texture = &texture
		}
		if memory.Space == isa.SpaceParam && memory.Base.Kind == isa.OperandRegister {
			memory.Space = isa.SpaceLocal
		}
		out.Memory = &memory
	}
	if i.Call != nil {
		call := *i.Call
		call.Arguments, call.Returns = slices.Clone(call.Arguments), slices.Clone(call.Returns)
		for _, list := range [][]isa.CallArgument{call.Arguments, call.Returns} {
			for k := range list {
				if list[k].Variable >= 0 {
					list[k].Variable = c.variables[list[k].Variable]
				}
			}
		}
		out.Call = &call
	}
	rename := func(o *isa.Operand) {
		switch o.Kind {
		case isa.OperandRegister, isa.OperandPredicate:
			o.Register += c.register
		case operandVariable:
			o.Symbol = c.variables[o.Symbol]
		}
	}
	out.Sources(rename)
	out.Destinations(rename)
	return &out
}
