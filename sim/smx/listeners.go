package smx

import (
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/scheduler"
)

// listeners pass what the warps of an SMX do to the scheduling policies that want to hear it.
type listeners struct {
	observe.Silent
	of []scheduler.Listener // by scheduler
}

// newListeners returns an observer for the policies that listen, nil where none does.
func newListeners(schedulers []warpScheduler) observe.Observer {
	l := &listeners{of: make([]scheduler.Listener, len(schedulers))}
	some := false
	for i := range schedulers {
		listener, ok := schedulers[i].policy.(scheduler.Listener)
		l.of[i] = listener
		some = some || ok
	}
	if !some {
		return nil
	}
	return l
}

// Issue implements observe.Observer.
func (l *listeners) Issue(e observe.Issue) {
	l.of[e.Warp.Scheduler].Issued(scheduler.Issue{Cycle: e.Cycle, Slot: e.Warp.Slot, PC: e.Op, Lanes: e.Mask})
}

// Stall implements observe.Observer.
func (l *listeners) Stall(e observe.Stall) {
	l.of[e.Warp.Scheduler].Stalled(scheduler.Stall{From: e.From, To: e.To, Slot: e.Warp.Slot, Reason: e.Reason})
}
