package smx

import (
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
)

// FaultKind is the kind of an error.
type FaultKind uint8

// Fault kinds.
const (
	FaultAddress FaultKind = iota // outside every allocation
	FaultAlignment
	FaultTrap
	FaultBranchIndex
	FaultBarrierNumber
	FaultBarrierThreads // Address is the count of threads, which is not a multiple of 32
	FaultUnsupported
	FaultDeadlock
	FaultStack        // calls deeper than the stack
	FaultCallTarget   // an indirect call of an address that is no function's
	FaultCallMismatch // the function's parameters differ from the call's
	FaultAssert       // Detail is the message
	FaultBreakpoint   // brkpt, which ends a kernel without a debugger
	FaultObject       // an unusable texture, sampler or surface; Detail says why
	FaultSystem       // a system call that could not be carried out; Detail says why
	FaultPolicy       // the scheduler's policy has picked a wrong warp, or none for too long; Detail says which
	FaultSuspected    // a screen wants the launch run again; never reported
)

// Fault is an error of the running kernel, and where it happened.
type Fault struct {
	Kind    FaultKind
	Kernel  string // its symbol
	Title   string // its name for people
	SMX     int
	Block   [3]uint32
	Warp    int // in the block
	Lane    int
	Thread  [3]uint32
	Where   string // file:line of the PTX, and of its source if .loc says so
	Cycle   engine.Cycle
	Address uint64
	Bytes   int
	Space   isa.Space
	Write   bool
	Atomic  bool // it also reads
	// Nearby describes the allocation nearest to an address outside all.
	Nearby string
	// Detail adds to the kind.
	Detail string
	// Calls are the active calls where it happened, innermost first.
	Calls []string
}

// Error says what happened, where, and what to look at.
func (f *Fault) Error() string {
	var b strings.Builder
	access := "load"
	switch {
	case f.Atomic:
		access = "atomic"
	case f.Write:
		access = "store"
	}
	switch f.Kind {
	case FaultAddress:
		fmt.Fprintf(&b, "%d-byte %s at %s address %#x, outside every allocation", f.Bytes, access, f.Space, f.Address)
	case FaultAlignment:
		fmt.Fprintf(&b, "misaligned %d-byte %s at %s address %#x, which is not a multiple of %d", f.Bytes, access, f.Space, f.Address,
			f.Bytes)
	case FaultTrap:
		b.WriteString("the kernel executed trap")
	case FaultBranchIndex:
		fmt.Fprintf(&b, "brx.idx with index %d, beyond its table of targets", f.Address)
	case FaultBarrierNumber:
		fmt.Fprintf(&b, "barrier %d: a block has barriers 0 to 15", f.Address)
	case FaultBarrierThreads:
		fmt.Fprintf(&b, "a barrier of %d threads: the count is a multiple of 32, as whole warps arrive", f.Address)
	case FaultUnsupported:
		b.WriteString("an operation that is not simulated yet")
	case FaultStack:
		fmt.Fprintf(&b, "the call stack of %d bytes a thread is full (heap.stack in the configuration: --set heap.stack=BYTES gives more)",
			f.Bytes)
	case FaultCallTarget:
		fmt.Fprintf(&b, "indirect call of %#x, which is no function whose address the program takes", f.Address)
	case FaultCallMismatch:
		b.WriteString("indirect call of a function with another signature")
	case FaultBreakpoint:
		b.WriteString("the kernel executed brkpt, and no debugger is attached")
	case FaultAssert:
		b.WriteString("assertion failed")
	case FaultSystem:
		b.WriteString("system call failed")
	case FaultPolicy:
		b.WriteString("the policy of smx.scheduler has picked " + f.Detail)
	case FaultObject:
		b.WriteString(f.Detail)
	case FaultDeadlock:
		b.WriteString("deadlock: every warp waits and nothing can wake one")
	}
	if f.Detail != "" && f.Kind != FaultObject && f.Kind != FaultPolicy {
		b.WriteString("; " + f.Detail)
	}
	fmt.Fprintf(&b, "\n  kernel %s, block (%d,%d,%d), warp %d, lane %d, thread (%d,%d,%d)", f.Title, f.Block[0], f.Block[1], f.Block[2],
		f.Warp, f.Lane, f.Thread[0], f.Thread[1], f.Thread[2])
	fmt.Fprintf(&b, "\n  at %s, SMX %d, cycle %d", f.Where, f.SMX, f.Cycle)
	for _, call := range f.Calls {
		b.WriteString("\n  " + call)
	}
	if f.Nearby != "" {
		b.WriteString("\n  " + f.Nearby)
	}
	return b.String()
}

// fault stops the SMX with an error of a warp at an operation. f has the kind and the lane.
func (s *common) fault(w *warp, op *operation, f *Fault) {
	if s.Fault != nil {
		return
	}
	s.locate(w, op, f)
	s.Fault = f
}

func (s *common) locate(w *warp, op *operation, f *Fault) {
	machine := w.block.grid.Program.Machine
	f.Kernel, f.SMX, f.Block, f.Warp, f.Cycle = machine.Kernel.Name, s.ID, w.block.Ctaid, w.index, s.now
	f.Thread = [3]uint32{w.Tid[0][f.Lane], w.Tid[1][f.Lane], w.Tid[2][f.Lane]}
	f.Title, f.Where = machine.Program.Title(f.Kernel), machine.Program.Where(op.machine.Line)
	f.Calls = w.callChain(op)
}

// accessFault stops the SMX at a faulty access.
func (s *common) accessFault(w *warp, op *operation, e *exec.Fault) {
	f := &Fault{Kind: FaultAddress, Lane: e.Lane, Address: e.Address, Bytes: e.Bytes, Space: e.Space, Write: e.Write}
	kind := op.bound.AccessKind()
	f.Atomic = kind == exec.AccessAtomic || kind == exec.AccessReduction
	if e.Misaligned {
		f.Kind = FaultAlignment
	}
	if e.Detail != "" {
		f.Kind, f.Detail = FaultObject, e.Detail
		s.fault(w, op, f)
		return
	}
	s.nearby(w, f)
	s.fault(w, op, f)
}

// nearby describes the memory around a fault's address.
func (s *common) nearby(w *warp, f *Fault) {
	switch f.Space {
	case isa.SpaceGlobal, isa.SpaceGeneric:
		f.Nearby = memory.Nearby(s.global, f.Address)
		if memory.OnCard(s.global, f.Address) {
			f.Nearby += "\n  a card maps whole pages and goes on here: so does --memory card"
		}
	case isa.SpaceShared:
		f.Nearby = fmt.Sprintf("the block has %d bytes of shared memory", len(w.block.Shared))
		if g := w.block.grid; g.Program.Machine.Kernel.DynamicAlign > 0 && g.Dynamic == 0 {
			f.Nearby += "; the kernel uses dynamic shared memory, and the launch gives none: add --shared BYTES, or shared in the " +
				"workload file"
		}
	case isa.SpaceConst:
		f.Nearby = "a card reads 0 outside constant memory and goes on: so does --memory card"
	case isa.SpaceLocal:
		f.Nearby = fmt.Sprintf("the thread has %d bytes of local memory", s.localBytes(w.block.grid))
	}
}

func countWarps(n int) string {
	if n == 1 {
		return "1 warp"
	}
	return fmt.Sprintf("%d warps", n)
}

// Deadlock describes a state without progress: every resident warp waits at a barrier that others will never reach.
func (s *SMX) Deadlock() *Fault {
	var first *Fault
	var waiting []string
	for _, b := range s.residency.blocks {
		if !b.resident {
			continue
		}
		for _, w := range b.warps {
			if !w.atBarrier {
				continue
			}
			f := &Fault{Kind: FaultDeadlock}
			s.locate(w, w.barrierOp, f)
			if first == nil {
				first = f
			}
			if len(waiting) < 8 && b.Ctaid == first.Block {
				waiting = append(waiting, fmt.Sprintf("warp %d waits at a barrier at %s", w.index, f.Where))
			}
		}
		for i := range b.barriers {
			bar := &b.barriers[i]
			if first == nil || bar.arrived == 0 || b.Ctaid != first.Block {
				continue
			}
			needed := fmt.Sprintf("all %d warps of the block that have not exited", b.live)
			if bar.threads > 0 {
				needed = fmt.Sprintf("%d threads (%s)", bar.threads, countWarps((bar.threads+31)/32))
			}
			waiting = append(waiting, fmt.Sprintf("barrier %d has %s and waits for %s", i, countWarps(bar.arrived), needed))
		}
	}
	if first != nil {
		first.Detail = strings.Join(waiting, ", ")
	}
	return first
}
