package memory

import "github.com/keplersim/keplersim/sim/engine"

// issue looks up a request's translation. The request departs at once if that is there.
func (s *System) issue(number int32, f *flight, now engine.Cycle) {
	counts := s.of(f.Account)
	counts.Requests++
	// Instructions and constants have translations of their own, whose time is in their latencies.
	if f.Source != SourceInstruction && f.Source != SourceConstant {
		if ready := s.translation.translate(int(f.SMX), f.Line, now, &counts.Memory); ready >= now {
			counts.TLBWaitCycles += uint64(ready - now)
			s.added.add(ready, number)
			return
		}
	}
	s.depart(number, f, now)
}

// depart sends a translated request. If its slice has no room, it waits in its port until it is admitted. A port has a separate queue for
// each slice, so a full slice blocks only its own requests.
func (s *System) depart(number int32, f *flight, now engine.Cycle) {
	if !f.admitted {
		sl := s.slices[f.slice]
		if sl.credits == 0 {
			s.of(f.Account).CrossbarBlocked++
			sl.held.Push(number)
			return
		}
		sl.credits--
	}
	s.put(number, f, now)
}

// put sends an admitted request over its SMX's link.
func (s *System) put(number int32, f *flight, now engine.Cycle) {
	if s.watched != nil {
		s.watched.departed(number, now)
	}
	s.hostPrefetch(f)
	link := &s.send[f.SMX]
	takes := f.request(link)
	s.of(f.Account).busy[f.SMX] += takes
	from := engine.SubCycles(now)
	s.back.add(link.reserve(from, from, takes).Up()+s.RequestCycles(), number)
}
