package debug

import (
	"fmt"
	"math/bits"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/sim/observe"
)

// watcher observes a run and makes it wait at stops.
type watcher struct {
	observe.Silent
	session  *Session
	run      *run
	aim      aim
	number   uint64 // operations so far
	issue    observe.Issue
	requests map[requestKey]observe.Request // in flight
	pending  *Stop                          // a stop at the next operation
	loaded   bool                           // the run started from a state
}

type requestKey struct {
	smx  int
	tag  uint64
	line uint64
}

// Issue counts an operation, and waits if the run must stop.
func (w *watcher) Issue(e observe.Issue) {
	w.number++
	w.issue = e
	if w.aim.quit {
		return
	}
	w.recordClean()
	stop := Stop{Reason: AtStep, Number: w.number, Issue: e}
	switch b := w.hit(&e); {
	case w.pending != nil && !w.aim.ignoreBreakpoints:
		stop.Reason, stop.Breakpoint, stop.Detail = w.pending.Reason, w.pending.Breakpoint, w.pending.Detail
	case b != nil && !w.aim.ignoreBreakpoints:
		b.Hits++
		stop.Reason, stop.Breakpoint = AtBreakpoint, b
	case w.aim.until != nil && w.aim.until(w, &e):
	case w.paused():
		stop.Reason = AtPause
	default:
		w.pending = nil
		return
	}
	w.pending = nil
	w.run.stopped <- stop
	w.aim = <-w.run.resume
}

func (w *watcher) paused() bool {
	w.run.lock.Lock()
	defer w.run.lock.Unlock()
	paused := w.run.pause
	w.run.pause = false
	return paused
}

// hit is the breakpoint that an operation hits, nil for none.
func (w *watcher) hit(e *observe.Issue) *Breakpoint {
	for _, b := range w.session.Breakpoints {
		if b.stopsAt(w, e) {
			return b
		}
	}
	return nil
}

// Access stops after an access of watched memory, before the next operation of any warp.
func (w *watcher) Access(e observe.Access) {
	if w.aim.quit || w.aim.ignoreBreakpoints || e.Active == 0 {
		return
	}
	for _, b := range w.session.Breakpoints {
		if b.Watch == nil || b.Disabled || b.Watch.Space != e.Space || e.Kind > exec.AccessReduction || e.Kind == exec.AccessLoad &&
			!b.Watch.Reads {
			continue
		}
		for m := e.Active; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			at := e.Address[lane]
			if at+uint64(e.Bytes) <= b.Watch.Address || at >= b.Watch.Address+b.Watch.Bytes || !b.holds(w, &w.issue, lane) {
				continue
			}
			b.Hits++
			does := map[bool]string{true: "reads", false: "writes"}[e.Kind == exec.AccessLoad]
			w.pending = &Stop{Reason: AtWatchpoint, Breakpoint: b,
				Detail: fmt.Sprintf("lane %d of warp %d of %s %s %s %#x at %s", lane, e.Warp.Index, e.Warp.Block, does, e.Space, at,
					e.Warp.Where(e.Op))}
			return
		}
	}
}

// Request tracks requests in flight.
func (w *watcher) Request(e observe.Request) {
	if e.Stage == observe.Submitted {
		w.requests[requestKey{e.SMX, e.Tag, e.Line}] = e
		return
	}
	for key := range w.requests {
		if key.smx == e.SMX && key.tag == e.Tag {
			delete(w.requests, key)
			return
		}
	}
}
