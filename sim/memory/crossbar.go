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
			s.added.add(ready, number)
			return
		}
	}
	s.depart(number, f, now)
}

// depart sends a translated request. If its slice has no room for it, it waits in its port until it is admitted. Each slice has a queue of
// its own there, so that a full slice holds back only what goes to it.
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

// put puts a request, for which its slice has room, on its SMX's link.
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
