package memory

import "github.com/keplersim/keplersim/sim/engine"

// issue looks up a request's translation; the request leaves at once when it is there.
func (s *System) issue(number int32, now engine.Cycle) {
	f := &s.flights.list[number]
	var slice int
	slice, f.local = s.addresses.slice(f.Line)
	f.slice = int32(slice)
	// Instructions and constants have translations of their own, which their latencies include.
	if f.Source != SourceInstruction && f.Source != SourceConstant {
		if ready := s.translation.translate(int(f.SMX), f.Line, now, &s.stats); ready > now {
			s.stats.TLBWaitCycles += uint64(ready - now)
			s.events.Push(ready, event{eventDepart, number})
			return
		}
	}
	s.depart(number, now)
}

// depart sends a translated request, behind those that wait in the same port.
func (s *System) depart(number int32, now engine.Cycle) {
	f := &s.flights.list[number]
	blocked := &s.blocked[f.SMX]
	sl := s.slices[f.slice]
	if blocked.len() > 0 || sl.credits == 0 {
		s.stats.CrossbarBlocked++
		if blocked.len() == 0 {
			sl.held.push(f.SMX)
		}
		blocked.push(number)
		return
	}
	s.transmit(sl, f, number, now)
}

// transmit puts a request on its SMX's link.
func (s *System) transmit(sl *slice, f *flight, number int32, now engine.Cycle) {
	sl.credits--
	start := s.send[f.SMX].reserve(toFine(now), s.requestBytes(f))
	s.events.Push(start.up()+engine.Cycle(s.cfg.Interconnect.RequestLatency), event{eventArrive, number})
}

// credit tells of a message taken from a slice's queue: the SMX that has waited longest for room there sends on, until it
// comes to a request whose slice is full.
func (s *System) credit(sl *slice, now engine.Cycle) {
	sl.credits++
	for sl.credits > 0 && sl.held.len() > 0 {
		blocked := &s.blocked[sl.held.pop()]
		for blocked.len() > 0 {
			number := *blocked.first()
			f := &s.flights.list[number]
			target := s.slices[f.slice]
			if target.credits == 0 {
				target.held.push(f.SMX)
				break
			}
			blocked.pop()
			s.transmit(target, f, number, now)
		}
	}
}
