package smx

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/observe"
)

// FaultListener is told of lanes whose accesses cannot be carried out. While one listens those lanes are left out of the access: stores do
// nothing, loads leave their registers as they are, and the kernel goes on.
type FaultListener interface {
	// Fault tells of one lane; detail says what lies nearby.
	Fault(e observe.Access, f *exec.Fault, detail string)
}

// effects are what accesses do to memory, whenever their time comes.
type effects struct {
	*common
	faults FaultListener // nil where faults stop the kernel
}

// Tolerate has a listener hear of faulty accesses; nil makes them stop the kernel. It is called before the first block starts, and needs an
// observer beside it, which gives warps and blocks their names.
func (s *SMX) Tolerate(l FaultListener) { s.effects.faults = l }

// prepare describes the memory operation of some lanes, as exec.Bound.Access does. Where faults are tolerated it leaves faulty lanes out.
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
		s.tolerated(w, op, a, fault)
		if lanes &^= 1 << fault.Lane; lanes == 0 {
			a.Active = 0
			return 0, nil
		}
		rest, fault = op.bound.Access(&w.Warp, lanes, &a.Access)
	}
}

// beyond finds a lane that accesses what its memory does not have.
func (s *effects) beyond(w *warp, a *access) *exec.Fault {
	if a.Kind == exec.AccessPrefetch || a.Image != nil || a.Kind == exec.AccessQuery {
		return nil
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
	case isa.SpaceTexture:
		return nil
	}
	return s.outside(a)
}

func (s *effects) tolerated(w *warp, op *operation, a *access, f *exec.Fault) {
	detail := ""
	if !f.Misaligned {
		full := &Fault{Space: f.Space, Address: f.Address}
		s.nearby(w, full)
		detail = full.Nearby
	}
	s.faults.Fault(observe.Access{Cycle: s.now, Warp: w.observed, Op: op.index, Access: &a.Access}, f, detail)
}
