package memory

import "github.com/keplersim/keplersim/sim/engine"

// channelOf is the DRAM channel of a line of a slice.
func (s *System) channelOf(sl *slice, local uint64) int {
	channel, _ := s.addresses.channel(int(sl.number), local)
	return channel
}

// toDRAM queues sectors of a slice's line at their channel; they are there at the given cycle.
func (s *System) toDRAM(sl *slice, local uint64, sectors uint8, write bool, at engine.Cycle) {
	number, address := s.addresses.channel(int(sl.number), local)
	c := s.channels[number]
	c.enqueue(dramRequest{arrived: engine.Tick(s.toTicks.Ceil(int64(at))), line: local, slice: sl.number, sectors: sectors, write: write}, address)
	if !c.scheduled {
		c.scheduled = true
		s.back.Push(max(at, c.next), event{eventSchedule, int32(number)})
	}
}

// schedule lets a channel choose its next requests and makes known when the data of a read are at the slice.
func (s *System) schedule(number int32, now engine.Cycle) {
	c := s.channels[number]
	c.scheduled = false
	if len(c.reads)+len(c.writes) == 0 {
		return
	}
	decided, count, next := c.decide(engine.Tick(s.toTicks.Ceil(int64(now))))
	for i := range decided[:count] {
		r := &decided[i]
		through := c.pass(r, engine.Cycle(s.toCycles.Ceil(int64(r.done))))
		if !r.write {
			s.back.Push(through, event{eventFill, s.fills.take(r.line, r.slice, r.sectors)})
		}
	}
	c.next = max(now, engine.Cycle(s.toCycles.Ceil(int64(next))), c.path.up()-s.behind)
	if c.waiting() > 0 {
		c.scheduled = true
		s.back.Push(c.next, event{eventSchedule, number})
	}
	if c.heldBack != 0 && !c.full() {
		for i, sl := range s.slices {
			if c.heldBack>>i&1 != 0 {
				s.wake(sl, now)
			}
		}
		c.heldBack = 0
	}
}
