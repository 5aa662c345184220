package debug

import (
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/observe"
)

// The checks watch a run from its beginning: what they know is in no state that is kept on the way. But they change nothing before the
// first mistake, and a run is the same each time. So up to the last operation of which a checked run has said that none was found, a run
// without checks goes as well, from a state; behind it one with checks goes from the beginning.

// known is what checked runs have said of hazards.
type known struct {
	clean uint64 // none was found in as many operations
	first uint64 // the operation behind which the first was found, 0 for none so far
}

// wantsHazards reports a breakpoint on hazards.
func (s *Session) wantsHazards() bool {
	for _, b := range s.Breakpoints {
		if b.Hazard && !b.Disabled {
			return true
		}
	}
	return false
}

// checks reports that a run to an aim has to look for hazards.
func (s *Session) checks(a aim) bool {
	return s.wantsHazards() && (a.to == 0 || a.to > s.known.clean+1)
}

// untilNumber is the aim to stop before an operation.
func (s *Session) untilNumber(number uint64) aim {
	return aim{free: true, until: func(w *watcher, _ *observe.Issue) bool { return w.number == number }}
}

// upToEdge is an aim that stops where an operation is next of which is not known that it has no hazard.
func (s *Session) upToEdge(a aim) aim {
	edge, until := s.known.clean+1, a.until
	a.until = func(w *watcher, e *observe.Issue) bool {
		if until != nil && until(w, e) {
			return true
		}
		w.run.edge = w.number >= edge
		return w.run.edge
	}
	return a
}

// found stops behind the first hazard where a breakpoint asks for it, each time that the run comes to it.
func (w *watcher) found(f *finding.Finding) {
	s := w.session
	w.run.faulty = true
	if s.known.first == 0 {
		s.known.first = w.number
	}
	for _, b := range s.Breakpoints {
		if b.Hazard && !b.Disabled && w.number == s.known.first && !w.aim.free && w.pending == nil {
			b.Hits++
			w.pending = &Stop{Reason: AtHazard, Breakpoint: b, Detail: f.String()}
		}
	}
}

// passed notes that no hazard was found before an operation.
func (w *watcher) passed() {
	if w.run.checked && !w.run.faulty {
		w.session.known.clean = max(w.session.known.clean, w.number-1)
	}
}
