package memory

import "github.com/keplersim/keplersim/sim/engine"

// The memory system can take its turn beside the SMXs: a Step in Parts, while they run the parts of their epoch that lie behind. What it
// does, and in which order, is the same as in one Step: a Part stops where the next request could still come between.
//
// A Part to a cycle leaves nothing undone at the ports before the cycle, and nothing at the slices before it. What is left has its response
// ReplyCycles later at the earliest, so that the SMXs may run as far as that beside the next Part. No request that is issued less than
// RequestCycles before the Part's end is carried out in it.

// ReplyCycles returns how much later than what happens at a slice its response comes, at the earliest.
func (s *System) ReplyCycles() engine.Cycle {
	return engine.Cycle(min(s.cfg.L2.Latency, s.cfg.DRAM.ControllerLatency) + s.cfg.Interconnect.ResponseLatency)
}

// RequestCycles returns how long a request takes to a slice, at the least.
func (s *System) RequestCycles() engine.Cycle { return engine.Cycle(s.cfg.Interconnect.RequestLatency) }

// Part carries out a part of a Step: it takes the requests that the SMXs have sent from a side of their ports, all issued before to and not
// before the Part that came before, and carries out what happens before to.
func (s *System) Part(to engine.Cycle, side int) {
	s.take(side)
	s.advance(to, to)
	s.publish()
}

// EndStep ends a Step until a cycle, behind the Part to that cycle.
func (s *System) EndStep(until engine.Cycle) {
	s.advance(until, until+s.RequestCycles())
	s.endStep(until)
	s.publish()
}

// publish lets the SMXs take the responses so far.
func (s *System) publish() {
	for _, p := range s.ports {
		if len(p.responses) == 0 {
			continue
		}
		p.arriving.Lock()
		p.arriving.list = append(p.arriving.list, p.responses...)
		p.arriving.Unlock()
		p.responses = p.responses[:0]
	}
}

// Turn begins a part of an epoch of the port's SMX: it knows the responses of all Parts that have ended, and what it sends is on a side.
func (p *Port) Turn(side int) {
	p.side = side
	p.arriving.Lock()
	for _, r := range p.arriving.list {
		p.inbox.Push(r.Ready, r)
	}
	p.arriving.list = p.arriving.list[:0]
	p.arriving.Unlock()
}

// Settle has all SMXs know all responses, when the Parts have ended and no SMX runs.
func (s *System) Settle() {
	for _, p := range s.ports {
		p.Turn(0)
	}
}
