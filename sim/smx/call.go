package smx

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// frame is one active call: a function's registers and local memory, and its caller's state.
type frame struct {
	exec.Window
	section int32 // index into MachineProgram.Stack
	caller  int32 // index of the caller's frame
	// predicates are the caller's at the call. A return restores them for its lanes.
	predicates [8]uint32
}

// frameAlignment aligns frames. A function without variables takes as much, for its return address.
const frameAlignment = 16

func frameBytes(info *isa.FrameInfo) int {
	return max((info.FrameBytes+frameAlignment-1)/frameAlignment*frameAlignment, frameAlignment)
}

// call lets lanes of the running path run a function. The path waits at next until the last lane has returned.
func (s *stack) call(lanes uint32, pc int32, f frame) {
	s.frames = append(s.frames, f)
	s.entries = append(s.entries, entry{pc: pc, reconverge: noIndex, mask: lanes, frame: int32(len(s.frames) - 1)})
}

// giveBack returns from the running function for some lanes. The path's other lanes go on at next.
func (s *stack) giveBack(lanes uint32, next int32) {
	top := s.top()
	top.pc = next
	for n := len(s.entries) - 1; ; n-- {
		s.entries[n].mask &^= lanes
		if s.root(n) {
			break
		}
	}
	s.meet()
}

// waiting returns the entry of frame n that waits for its calls, which is its last.
func (s *stack) waiting(n int32) *entry {
	for i := len(s.entries) - 1; ; i-- {
		if s.entries[i].frame == n {
			return &s.entries[i]
		}
	}
}

// enter selects the registers and local memory of the running path's frame.
func (w *warp) enter() { w.SetWindow(w.stack.frames[w.stack.top().frame].Window) }

// drains reports whether an operation is a call, return or system call, which may wait for accesses in flight; see mustDrain.
func drains(c isa.Control) bool {
	return c == isa.ControlCall || c == isa.ControlReturn || c == isa.ControlSystem
}

// mustDrain reports that a call, return or system call has to wait. No register may await a load when the register window moves, and a
// system call sees what the warp has stored.
func (w *warp) mustDrain(op *operation) bool {
	switch {
	case !op.drains:
		return false
	case op.control == isa.ControlSystem:
		return w.outstanding > 0
	}
	return w.awaits()
}

// localBytes returns the local memory that a thread of a grid may use: the kernel's own, and the stack if it calls functions.
func (s *common) localBytes(g *Grid) int {
	m := g.Program.Machine
	if len(m.Stack) > 1 {
		return frameBytes(&m.Stack[0]) + s.config.Heap.Stack
	}
	return m.LocalBytes
}

// LocalBytes returns the local memory of all threads of the grid that a chip's SMXs can hold.
func (g *Grid) LocalBytes(config *configs.Config) uint64 {
	m := g.Program.Machine
	bytes := m.LocalBytes
	if len(m.Stack) > 1 {
		bytes = frameBytes(&m.Stack[0]) + config.Heap.Stack
	}
	return uint64(config.SMX.Count*config.SMX.Warps*32) * uint64(bytes)
}

// call makes each lane whose guard holds run its function. Lanes that call the same function stay together.
func (s *flow) call(w *warp, op *operation, pc int32, mask uint32) {
	if mask == 0 {
		w.stack.advance(pc + 1)
		return
	}
	var sections [32]int32
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		section, fault := w.callee(op, lane)
		if fault != nil {
			s.fault(w, op, fault)
			return
		}
		sections[lane] = section
	}
	w.stack.top().pc = pc + 1
	caller := w.stack.top().frame
	groups := 0
	for mask != 0 {
		section := sections[31-bits.LeadingZeros32(mask)]
		lanes := lanesTo(&sections, mask, section)
		mask &^= lanes
		groups++
		if !s.pushFrame(w, op, lanes, section, caller) {
			return
		}
	}
	w.gridState.Counters.Branches++
	if groups > 1 {
		w.gridState.Counters.DivergentBranches++
	}
	w.enter()
}

// callee finds the function that a lane calls.
func (w *warp) callee(op *operation, lane int) (section int32, fault *Fault) {
	m := w.block.grid.Program.Machine
	c := op.machine.Effect.Call
	index := c.Function
	if index < 0 {
		address := op.bound.CallTarget(&w.Warp, lane)
		var ok bool
		if index, ok = exec.FunctionAt(m.Program, address); !ok {
			return 0, &Fault{Kind: FaultCallTarget, Lane: lane, Address: address}
		}
	}
	for n := 1; n < len(m.Stack); n++ {
		if m.Stack[n].Function != index {
			continue
		}
		if p := c.Prototype; p != nil && (len(p.Parameters) != len(m.Stack[n].Parameters) || len(p.Returns) != len(m.Stack[n].Returns)) {
			return 0, &Fault{Kind: FaultCallMismatch, Lane: lane,
				Detail: fmt.Sprintf("%s takes %d arguments and returns %d values, the prototype says %d and %d",
					m.Program.Functions[index].Name, len(m.Stack[n].Parameters), len(m.Stack[n].Returns), len(p.Parameters),
					len(p.Returns))}
		}
		return int32(n), nil
	}
	return 0, &Fault{Kind: FaultCallTarget, Lane: lane, Address: exec.FunctionAddress(index)}
}

// pushFrame begins a function for some lanes.
func (s *flow) pushFrame(w *warp, op *operation, lanes uint32, section, caller int32) bool {
	m := w.block.grid.Program.Machine
	info, from := &m.Stack[section], &w.stack.frames[caller]
	below := &m.Stack[from.section]
	f := frame{section: section, caller: caller, predicates: w.Predicates}
	f.Base = from.Base + int32(below.Registers)
	f.Frame = from.Frame + uint32(frameBytes(below))
	end := int(f.Frame) + frameBytes(info)
	if end > s.localBytes(w.block.grid) {
		s.fault(w, op, &Fault{Kind: FaultStack, Lane: bits.TrailingZeros32(lanes), Bytes: s.config.Heap.Stack,
			Detail: fmt.Sprintf("%s needs %d bytes more at call depth %d", m.Program.Functions[info.Function].Name, frameBytes(info),
				w.depth(caller)+1)})
		return false
	}
	for len(w.Registers) < int(f.Base)+info.Registers {
		w.Registers = append(w.Registers, isa.Lanes32{})
	}
	if need := end * 32; len(w.Local) < need {
		w.Local = append(w.Local, make([]byte, need-len(w.Local))...)
	}
	op.bound.Pass(&w.Warp, lanes, info, f.Window)
	w.stack.call(lanes, info.FirstOp, f)
	w.gridState.Entered[section]++
	return true
}

func (w *warp) depth(n int32) (depth int) {
	for ; n > 0; n = w.stack.frames[n].caller {
		depth++
	}
	return depth
}

// giveBack returns from a function for the lanes whose guard holds, and passes their results to the caller.
func (s *flow) giveBack(w *warp, op *operation, pc int32, mask uint32) {
	if mask == 0 {
		w.stack.advance(pc + 1)
		return
	}
	program := w.block.grid.Program
	f := w.stack.frames[w.stack.top().frame]
	caller := w.stack.frames[f.caller].Window
	call := &program.operations[w.stack.waiting(f.caller).pc-1]
	w.SetWindow(caller)
	call.bound.Take(&w.Warp, mask, &program.Machine.Stack[f.section], op.bound, f.Window)
	for n := range 7 {
		w.Predicates[n] = w.Predicates[n]&^mask | f.predicates[n]&mask
	}
	w.wrote(call, s.now+engine.Cycle(s.config.Pipelines.BranchCycles), stats.StallExecutionDependency)
	w.stack.giveBack(mask, pc+1)
	w.enter()
}

// Longer call chains are shown without their middle.
const (
	chainInner = 8
	chainOuter = 3
)

// inlinedChain lists the calls inlined at a line, innermost first.
func inlinedChain(p *isa.Program, line isa.LineIndex) (chain []string) {
	for site := range p.Calls(line) {
		if where := p.Where(site); where != p.Where(line) && len(chain) < chainInner {
			chain = append(chain, fmt.Sprintf("%s inlined at %s", p.Title(p.Lines[line].Function), where))
		}
		line = site
	}
	return chain
}

// callChain lists the active calls at an operation, innermost first, each caller with the line of its call.
func (w *warp) callChain(at *operation) []string {
	program := w.block.grid.Program
	chain := inlinedChain(program.Machine.Program, at.machine.Line)
	if len(w.stack.entries) == 0 {
		return chain
	}
	depth := w.depth(w.stack.top().frame)
	for n, k := w.stack.top().frame, 0; n > 0; n, k = w.stack.frames[n].caller, k+1 {
		if depth > chainInner+chainOuter && k >= chainInner && k < depth-chainOuter {
			if k == chainInner {
				chain = append(chain, fmt.Sprintf("… %d calls more …", depth-chainInner-chainOuter))
			}
			continue
		}
		f := &w.stack.frames[n]
		section := &program.Machine.Stack[w.stack.frames[f.caller].section]
		name := program.Machine.Kernel.Name
		if f.caller > 0 {
			name = program.Machine.Program.Functions[section.Function].Name
		}
		op := program.operations[w.stack.waiting(f.caller).pc-1].machine
		callee := program.Machine.Program.Functions[program.Machine.Stack[f.section].Function].Name
		chain = append(chain, fmt.Sprintf("%s called from %s at %s", program.Machine.Program.Title(callee),
			program.Machine.Program.Title(name), program.Machine.Program.Where(op.Line)))
		chain = append(chain, inlinedChain(program.Machine.Program, op.Line)...)
	}
	return chain
}
