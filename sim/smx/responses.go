package smx

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
)

// responses are those of the memory system to an SMX, and when they are events. Most are one part of an access that needs others, and
// change only counts of what is in flight: those are taken late, with the next event, unless each is observed.
type responses struct {
	port   *memory.Port
	next   engine.Cycle      // when the next arrives, as far as is known
	coming []memory.Response // in this part
	ends   []engine.Cycle    // of this part, when one arrives with which an access ends, or that fills a cache
	each   bool              // every response is an event
}

// lookAhead finds which of the responses that arrive before a cycle are events.
func (s *responses) lookAhead(l *loadStore, before engine.Cycle, each bool) {
	s.coming, s.ends, s.each = s.port.Coming(before), s.ends[:0], each
	for i := range s.coming {
		r := &s.coming[i]
		if !r.Fills() {
			a := l.accesses[r.Tag]
			if a.coming++; a.coming == a.remaining {
				a.warmHost()
			} else if !a.cached {
				continue
			}
		}
		s.ends = append(s.ends, r.Ready)
	}
	s.next, _ = s.port.NextReady()
}

// event returns when the next response arrives that is an event, as far as is known. over is how many requests in flight are too many
// for the unit to take another access, negative where it does; held says that some wait for any response.
func (s *responses) event(over int, held bool) engine.Cycle {
	if s.each || held {
		return s.next
	}
	event := never
	if len(s.ends) > 0 {
		event = s.ends[0]
	}
	if over >= 0 && over < len(s.coming) { // with this one the unit takes accesses again
		event = min(event, s.coming[over].Ready)
	}
	return event
}

// take takes those that have arrived by a cycle. They are to be looked at at once.
func (s *responses) take(by engine.Cycle) []memory.Response {
	arrived := s.port.Receive(by)
	s.coming = s.coming[min(len(arrived), len(s.coming)):]
	for len(s.ends) > 0 && s.ends[0] <= by {
		s.ends = s.ends[1:]
	}
	s.next, _ = s.port.NextReady()
	return arrived
}
