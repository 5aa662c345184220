package debug

import (
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// A checked run must start at the beginning, as kept states lack what the checks know. But checks change nothing before the first mistake,
// and every run is the same. So up to the last operation that a checked run has found clean, a run without checks can start from a state.
// Beyond it, a checked run starts from the beginning.

// hazardBounds is what checked runs have found out about hazards.
type hazardBounds struct {
	clean uint64 // the number of operations without a hazard
	first uint64 // the operation after which the first hazard was found, 0 for none so far
}

// wantsHazards tells whether a breakpoint asks for hazards.
func (s *Session) wantsHazards() bool {
	for _, b := range s.Breakpoints {
		if b.Hazard && !b.Disabled {
			return true
		}
	}
	return false
}

// mustCheck tells whether a run to an aim must check for hazards.
func (s *Session) mustCheck(a aim) bool {
	return s.wantsHazards() && (a.to == 0 || a.to > s.hazards.clean+1)
}

// untilNumber is an aim that stops before an operation.
func (s *Session) untilNumber(number uint64) aim {
	return aim{ignoreBreakpoints: true, until: func(w *watcher, _ *observe.Issue) bool { return w.number == number }}
}

// limitToClean limits an aim to operations that are known to be clean.
func (s *Session) limitToClean(a aim) aim {
	edge, until := s.hazards.clean+1, a.until
	a.until = func(w *watcher, e *observe.Issue) bool {
		if until != nil && until(w, e) {
			return true
		}
		w.run.leftClean = w.number >= edge
		return w.run.leftClean
	}
	return a
}

// found stops after the first hazard if a breakpoint asks for it, each time that a run reaches it.
func (w *watcher) found(f *finding.Finding) {
	s := w.session
	w.run.faulty = true
	if s.hazards.first == 0 {
		s.hazards.first = w.number
	}
	for _, b := range s.Breakpoints {
		if b.Hazard && !b.Disabled && w.number == s.hazards.first && !w.aim.ignoreBreakpoints && w.pending == nil {
			b.Hits++
			w.pending = &Stop{Reason: AtHazard, Breakpoint: b, Detail: f.String()}
		}
	}
}

// recordClean records that there was no hazard before an operation.
func (w *watcher) recordClean() {
	if w.run.checked && !w.run.faulty {
		w.session.hazards.clean = max(w.session.hazards.clean, w.number-1)
	}
}
