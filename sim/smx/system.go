package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// System carries out system calls. Timed runs call it between epochs, on one goroutine, ordered by (cycle, SMX, sequence). Functional runs
// call it as calls are made.
type System interface {
	// Call carries out a call for all its lanes. A non-nil *Fault stops the kernel.
	Call(c *SystemCall) *Fault
}

// SystemCall is one warp's call of a function of the driver.
type SystemCall struct {
	// Name is the function called.
	Name string
	// Lanes are those that call.
	Lanes uint32
	// Cycle and SMX are where the call was made. The calls of one SMX are in order.
	Cycle engine.Cycle
	SMX   *SMX
	// Delay is how many cycles the call takes. System.Call sets it.
	Delay engine.Cycle

	warp *warp
	op   *operation
	held bool
	at   engine.Cycle // when a held call may go on
}

// Argument returns a lane's n-th argument, zero-extended.
func (c *SystemCall) Argument(lane, n int) uint64 { return c.op.bound.Argument(&c.warp.Warp, lane, n) }

// SetResult sets a lane's result of the call.
func (c *SystemCall) SetResult(lane int, value uint64) {
	c.op.bound.SetResult(&c.warp.Warp, lane, value)
}

// AddressBytes returns the size of a pointer in the program.
func (c *SystemCall) AddressBytes() int {
	return c.warp.block.grid.Program.Machine.Program.AddressBytes
}

// Warp returns the calling warp as observers know it, nil without an observer.
func (c *SystemCall) Warp() *observe.Warp { return c.warp.observed }

// Op returns the operation that calls.
func (c *SystemCall) Op() int32 { return c.op.index }

// Block returns the position of the caller's block in the grid.
func (c *SystemCall) Block() [3]uint32 { return c.warp.block.Ctaid }

// Thread returns a lane's position in its block.
func (c *SystemCall) Thread(lane int) [3]uint32 {
	return [3]uint32{c.warp.Tid[0][lane], c.warp.Tid[1][lane], c.warp.Tid[2][lane]}
}

// Place returns the call's kernel and line, as file:line of the PTX.
func (c *SystemCall) Place() *Fault {
	f := &Fault{Lane: bits.TrailingZeros32(c.Lanes) & 31}
	c.SMX.locate(c.warp, c.op, f)
	return f
}

// shared returns bytes of the block's shared memory; false if they are outside.
func (c *SystemCall) shared(offset uint64, bytes int) ([]byte, bool) {
	all := c.warp.block.Shared
	if end := uint64(len(all)); offset > end || end-offset < uint64(bytes) {
		return nil, false
	}
	return all[offset:][:bytes], true
}

// Read copies bytes that a lane sees at a generic address; false if they are outside its memory.
func (c *SystemCall) Read(lane int, address uint64, into []byte) bool {
	space, offset := exec.Resolve(address)
	switch space {
	case isa.SpaceLocal:
		return c.warp.ReadLocal(lane, offset, into)
	case isa.SpaceShared:
		shared, ok := c.shared(offset, len(into))
		copy(into, shared)
		return ok
	}
	return c.SMX.global.Read(address, into) == nil
}

// Write copies bytes to a generic address as a lane would store them; false if they are outside its memory.
func (c *SystemCall) Write(lane int, address uint64, from []byte) bool {
	space, offset := exec.Resolve(address)
	switch space {
	case isa.SpaceLocal:
		return c.warp.WriteLocal(lane, offset, from)
	case isa.SpaceShared:
		shared, ok := c.shared(offset, len(from))
		copy(shared, from)
		return ok
	}
	return c.SMX.global.Write(address, from) == nil
}

// systemCall queues a call, and makes the warp wait until it has been carried out.
func (s *flow) systemCall(w *warp, op *operation, pc int32, mask uint32) {
	w.stack.advance(pc + 1)
	if mask == 0 {
		return
	}
	program := w.block.grid.Program.Machine.Program
	name := program.Functions[op.machine.Effect.Call.Function].Name
	c := &SystemCall{Name: name, Lanes: mask, Cycle: s.now, SMX: s.machine, warp: w, op: op}
	if s.atOnce {
		if s.carryOut(c); c.held {
			w.atSystem = true
			c.wait()
		}
		return
	}
	w.atSystem, w.reason = true, stats.StallSystem
	s.calls = append(s.calls, c)
}

// Calls returns the system calls since the last Calls, in order.
func (s *flow) Calls() []*SystemCall {
	calls := s.calls
	s.calls = nil
	return calls
}

func (s *flow) carryOut(c *SystemCall) {
	fault := &Fault{Kind: FaultSystem, Detail: c.Name + " is not provided"}
	if system := c.warp.block.grid.System; system != nil {
		fault = system.Call(c)
	}
	if fault != nil {
		s.fault(c.warp, c.op, fault)
	}
}

// Finish carries out a call and lets its warp go on at a cycle.
func (c *SystemCall) Finish(at engine.Cycle) {
	s := c.SMX
	s.carryOut(c)
	switch {
	case s.Fault != nil:
	case c.held:
		c.wait()
	default:
		c.release(max(at, c.Cycle+c.Delay))
	}
}

// wait notes that a call is held.
func (c *SystemCall) wait() {
	c.warp.block.held++
	c.SMX.anyHeld = true
}

// Grid returns the caller's grid.
func (c *SystemCall) Grid() *Grid { return c.warp.block.grid }

// State returns the driver's data for the caller's block, nil at its start.
func (c *SystemCall) State() *any { return &c.warp.block.state }

// ThreadNumber returns a lane's thread in its block, in x, y, z order.
func (c *SystemCall) ThreadNumber(lane int) int { return c.warp.index*32 + lane }

// Bytes copies a lane's n-th argument, up to the length of into.
func (c *SystemCall) Bytes(lane, n int, into []byte) {
	c.op.bound.ArgumentBytes(&c.warp.Warp, lane, n, into)
}
