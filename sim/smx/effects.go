package smx

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/observe"
)

// FaultListener receives accesses that cannot be carried out. With a listener, faulty lanes are left out of the access: stores do nothing,
// loads leave their registers as they are, and the kernel goes on.
type FaultListener interface {
	// Fault reports one lane. detail describes the memory near its address.
	Fault(e observe.Access, f *exec.Fault, detail string)
}

// effects are the effects of accesses on memory, at the time at which they happen.
type effects struct {
	*common
	faults FaultListener // nil: faults stop the kernel
}

// ReportFaults sends faulty accesses to a listener; nil makes them stop the kernel. Call it before the first block starts. It needs an
// observer, too, which names warps and blocks.
func (s *SMX) ReportFaults(l FaultListener) { s.effects.faults = l }

// prepare describes the memory operation of some lanes, as exec.Bound.Access does. With a listener it leaves out faulty lanes.
func (s *effects) prepare(w *warp, op *operation, lanes uint32, a *access) (rest uint32, fault *exec.Fault) {
	rest, fault = op.bound.Access(&w.Warp, lanes, &a.Access)
	if s.faults == nil {
		return rest, fault
	}
	for {
		if fault == nil {
			fault = s.beyond(w, a)
		}
		if fault == nil || fault.Detail != "" {
			return rest, fault
		}
		s.report(w, op, a, fault)
		if lanes &^= 1 << fault.Lane; lanes == 0 {
			a.Active = 0
			return 0, nil
		}
		rest, fault = op.bound.Access(&w.Warp, lanes, &a.Access)
	}
}

// beyond finds a lane whose access is outside its memory.
func (s *effects) beyond(w *warp, a *access) *exec.Fault {
	if a.Kind == exec.AccessPrefetch || a.Kind == exec.AccessQuery {
		return nil
	}
	if a.Image != nil {
		if a.Space != isa.SpaceTexture {
			return nil
		}
		return memory.PastTexels(s.global, &a.Access)
	}
	switch a.Space {
	case isa.SpaceShared:
		return a.Within(uint64(len(w.block.Shared)))
	case isa.SpaceLocal:
		return a.Within(uint64(min(s.localBytes(w.block.grid), len(w.Local)/32)))
	case isa.SpaceConst:
		return w.block.Launch.WithinConstants(&a.Access)
	case isa.SpaceParam:
		return a.Within(uint64(len(w.block.Launch.Bank0)))
	}
	return s.outside(a)
}

// report sends a faulty lane to the listener.
func (s *effects) report(w *warp, op *operation, a *access, f *exec.Fault) {
	detail := ""
	if !f.Misaligned {
		full := &Fault{Space: f.Space, Address: f.Address}
		s.nearby(w, full)
		detail = full.Nearby
	}
	s.faults.Fault(observe.Access{Cycle: s.now, Warp: w.observed, Op: op.index, Access: &a.Access}, f, detail)
}

// reach returns the memory that an access went to, for machine code of the host.
func (s *effects) reach(a *access) (reach exec.Reach) {
	address := a.Address[bits.TrailingZeros32(a.Active)&31]
	if s.screen != nil {
		return s.screen.Reach(address, a.Kind)
	}
	if s.survey != nil {
		reach = s.survey.Surveyed(address, a.Kind)
	}
	switch {
	case s.recorder != nil && reach.Bytes == 0:
		return s.recorder.Reach(address)
	case s.observer == nil && s.survey == nil:
		return s.global.Reach(address)
	}
	return reach
}

// pastConstants carries out a load outside the constant bank as a card does, after memory.UseCard. It returns any other fault.
func (s *effects) pastConstants(a *access, bank []byte, fault *exec.Fault) *exec.Fault {
	if fault == nil || a.Space != isa.SpaceConst || !memory.PastConstants(s.global, fault.Address) {
		return fault
	}
	a.ReadOrZero(bank)
	return nil
}

// apply carries out the effect of an access on its memory.
func (s *effects) apply(w *warp, a *access) *exec.Fault {
	switch a.Space {
	case isa.SpaceShared:
		return a.ApplyFlat(w.block.Shared)
	case isa.SpaceLocal:
		return a.ApplyLocal(w.Local, s.localBytes(w.block.grid))
	case isa.SpaceConst:
		return s.pastConstants(a, w.block.Launch.Bank3, a.ApplyFlat(w.block.Launch.Bank3))
	case isa.SpaceParam:
		return a.ApplyFlat(w.block.Launch.Bank0)
	case isa.SpaceTexture:
		fault := memory.PastTexels(s.global, &a.Access)
		if fault == nil {
			s.global.Apply(&a.Access, a.Active)
		}
		return fault
	}
	if fault := s.outside(a); fault != nil {
		return fault
	}
	s.global.Apply(&a.Access, a.Active)
	return nil
}

// outside finds the first lane whose address is in no allocation.
func (s *effects) outside(a *access) *exec.Fault {
	if a.Kind == exec.AccessPrefetch {
		return nil
	}
	if span := a.Shape.High - a.Shape.Low; a.Shape.Known && span < 1<<16 && memory.Reaches(s.global, a.Shape.Low, int(span)+int(a.Bytes)) {
		return nil
	}
	for m := a.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		if !memory.Reaches(s.global, a.Address[lane], int(a.Bytes)) {
			return &exec.Fault{
				Lane: lane, Address: a.Address[lane], Bytes: int(a.Bytes), Space: isa.SpaceGlobal, Write: a.Kind != exec.AccessLoad,
			}
		}
	}
	return nil
}
