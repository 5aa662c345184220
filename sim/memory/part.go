package memory

import "github.com/keplersim/keplersim/sim/engine"

// The memory system can run at the same time as the SMXs: a Step in Parts, while the SMXs run later parts of their epoch. What it does,
// and in which order, is the same as in one Step: a Part stops where the next request could still come between.
//
// A Part to a cycle leaves nothing undone at the ports before the cycle, and nothing at the slices before it. What is left has its response
// ReplyCycles later at the earliest, so that the SMXs may run as far as that during the next Part. No request that is issued less than
// RequestCycles before the Part's end is carried out in it. When a Step has ended, no response is left that comes within the next epoch.

// ReplyCycles returns how much later than what happens at a slice its response comes, at the earliest.
func (s *System) ReplyCycles() engine.Cycle {
	return engine.Cycle(min(s.cfg.L2.Latency, s.cfg.DRAM.ControllerLatency) + s.cfg.Interconnect.ResponseLatency)
}

// RequestCycles returns how long a request takes to a slice, at the least.
func (s *System) RequestCycles() engine.Cycle { return engine.Cycle(s.cfg.Interconnect.RequestLatency) }

// Part carries out a part of a Step: it takes the requests that the SMXs have issued before to, where all SMXs have run that may
// send such, and carries out what happens before to.
func (s *System) Part(to engine.Cycle) {
	for _, p := range s.ports {
		p.collect()
	}
	s.take(to)
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
		p.passing.Lock()
		p.passing.responses = append(p.passing.responses, p.responses...)
		p.passing.Unlock()
		p.responses = p.responses[:0]
	}
}

// Sync gives the port's SMX the responses of all Parts that have ended.
func (p *Port) Sync() {
	p.passing.Lock()
	for _, r := range p.passing.responses {
		p.inbox.push(r)
	}
	p.passing.responses = p.passing.responses[:0]
	p.passing.Unlock()
}

// Publish hands the memory system what the SMX has sent since the last time.
func (p *Port) Publish() {
	p.passing.Lock()
	p.outbox, p.passing.requests = move(p.outbox, p.passing.requests)
	p.passing.Unlock()
}

// collect takes what the SMX has published.
func (p *Port) collect() {
	p.passing.Lock()
	p.passing.requests, p.taken = move(p.passing.requests, p.taken)
	p.passing.Unlock()
}

// move puts requests behind others, and returns both lists. They change places where that is all.
func move(from, to []Request) (left, moved []Request) {
	if len(to) == 0 {
		return to, from
	}
	return from[:0], append(to, from...)
}

// Settle has all SMXs know all responses, when the Parts have ended and no SMX runs.
func (s *System) Settle() {
	for _, p := range s.ports {
		p.Sync()
	}
}
