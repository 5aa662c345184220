package memory

import "github.com/keplersim/keplersim/sim/engine"

// issue looks up a request's translation; the request leaves at once when it is there.
func (s *System) issue(number int32, f *flight, now engine.Cycle) {
	counts := s.of(f.Account)
	counts.Requests++
	// Instructions and constants have translations of their own, which their latencies include.
	if f.Source != SourceInstruction && f.Source != SourceConstant {
		if ready := s.translation.translate(int(f.SMX), f.Line, now, &counts.Memory); ready >= now {
			counts.TLBWaitCycles += uint64(ready - now)
			s.front.Push(ready, portEvent(eventDepart, number, s.steps))
			return
		}
	}
	s.depart(number, f, now)
}

// depart sends a translated request, unless its slice has no room for it: then it waits in its port, where each slice has
// a queue of its own, so that a full slice holds back nothing but what goes there.
func (s *System) depart(number int32, f *flight, now engine.Cycle) {
	sl := s.slices[f.slice]
	if sl.credits == 0 {
		s.of(f.Account).CrossbarBlocked++
		sl.held.Push(number)
		return
	}
	sl.credits--
	s.put(number, f, now)
}

// put puts a request, for which its slice has room, on its SMX's link.
func (s *System) put(number int32, f *flight, now engine.Cycle) {
	if s.watched != nil {
		s.watched.departed(number, now)
	}
	s.near(f)
	link := &s.send[f.SMX]
	takes := f.request(link)
	s.of(f.Account).busy[f.SMX] += takes
	s.back.Push(link.reserve(engine.SubCycles(now), takes).Up()+s.RequestCycles(), newEvent(eventArrive, number))
}
