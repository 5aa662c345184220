package memory

import "github.com/keplersim/keplersim/sim/engine"

// schedule lets a channel choose its next requests, and adds events for the arrival of read data at their slices.
func (s *System) schedule(number int32, now engine.Cycle) {
	c := s.channels[number]
	c.scheduled = false
	if c.InSight() == 0 {
		return
	}
	decided, next := c.Decide(engine.Tick(s.toTicks.Ceil(int64(now))))
	for i := range decided {
		r := &decided[i]
		through, took := c.Pass(r, engine.Cycle(s.toCycles.Ceil(int64(r.Done))))
		s.of(r.Account).busy[2*(len(s.ports)+len(s.slices))+int(number)] += took
		if s.watched != nil {
			s.watched.decided(number, r, now, through)
		}
		if r.Write {
			s.let(r.Account)
		} else {
			number := s.flights.take()
			f := s.flights.at(number)
			f.data, f.local, f.slice, f.Account, f.Sectors, f.row = true, r.Line, uint8(r.Slice), r.Account, r.Sectors, r.State
			s.slices[r.Slice].cache.HostPrefetch(s.slices[r.Slice].cache.Set(r.Line))
			s.back.add(through, number)
		}
	}
	c.next = max(now, engine.Cycle(s.toCycles.Ceil(int64(next))), c.PathFree().Up()-s.behind)
	if c.Waiting() > 0 {
		c.scheduled = true
		s.back.add(c.next, s.channelNumber(number))
	}
	if c.heldBack != 0 && !c.Full() {
		for i, sl := range s.slices {
			if c.heldBack>>i&1 != 0 {
				sl.wake(now)
			}
		}
		c.heldBack = 0
	}
}
