package memory

import "github.com/keplersim/keplersim/sim/engine"

// issue looks up a request's translation; the request leaves at once when it is there.
func (s *System) issue(number int32, now engine.Cycle) {
	f := s.flights.at(number)
	// Instructions and constants have translations of their own, which their latencies include.
	if f.Source != SourceInstruction && f.Source != SourceConstant {
		if ready := s.translation.translate(int(f.SMX), f.Line, now, &s.of(f.Account).Memory); ready >= now {
			s.of(f.Account).TLBWaitCycles += uint64(ready - now)
			s.front.Push(ready, event{kind: eventDepart, step: s.steps, index: number})
			return
		}
	}
	s.depart(number, now)
}

// depart sends a translated request, unless its slice has no room for it: then it waits in its port, where each slice has
// a queue of its own, so that a full slice holds back nothing but what goes there.
func (s *System) depart(number int32, now engine.Cycle) {
	f := s.flights.at(number)
	sl := s.slices[f.slice]
	if sl.credits == 0 {
		s.of(f.Account).CrossbarBlocked++
		sl.held.Push(number)
		return
	}
	s.transmit(sl, number, now)
}

// transmit puts a request on its SMX's link.
func (s *System) transmit(sl *slice, number int32, now engine.Cycle) {
	sl.credits--
	s.put(number, now)
}

func (s *System) put(number int32, now engine.Cycle) {
	f := s.flights.at(number)
	if s.watched != nil {
		s.watched.departed(number, now)
	}
	s.near(f)
	start := s.send[f.SMX].reserve(engine.SubCycles(now), s.requestBytes(f), &s.of(f.Account).busy[f.SMX])
	s.back.Push(start.Up()+s.RequestCycles(), event{kind: eventArrive, index: number})
}
