package smx

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
)

// responses are the memory system's responses to an SMX, and which of them are events. Most are one of several parts of an access, and only
// change counts of what is in flight. These are taken late, with the next event, unless each is observed.
type responses struct {
	port   *memory.Port
	next   engine.Cycle      // when the next known response arrives
	coming []memory.Response // those that arrive in this part
	ends   []engine.Cycle    // when a response of this part completes an access or fills a cache
	ended  int               // of ends, those that have arrived
	each   bool              // every response is an event
}

// lookAhead finds which responses that arrive before a cycle are events.
func (s *responses) lookAhead(l *loadStore, before engine.Cycle, each bool) {
	s.coming, s.ends, s.ended, s.each = s.port.Coming(before), s.ends[:0], 0, each
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

// event returns when the next known response that is an event arrives. Argument over is how far the requests in flight exceed the limit
// below which the unit takes accesses, negative if it takes one; held: some transactions wait for any response.
func (s *responses) event(over int, held bool) engine.Cycle {
	if s.each || held {
		return s.next
	}
	event := never
	if s.ended < len(s.ends) {
		event = s.ends[s.ended]
	}
	if over >= 0 && over < len(s.coming) { // after this one the unit takes accesses again
		event = min(event, s.coming[over].Ready)
	}
	return event
}

// take takes the responses that have arrived by a cycle. The result is valid until the next call.
func (s *responses) take(by engine.Cycle) []memory.Response {
	arrived := s.port.Receive(by)
	s.coming = s.coming[min(len(arrived), len(s.coming)):]
	for s.ended < len(s.ends) && s.ends[s.ended] <= by {
		s.ended++
	}
	s.next, _ = s.port.NextReady()
	return arrived
}
