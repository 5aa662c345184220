package memory

import "github.com/keplersim/keplersim/sim/engine"

// The memory system can run at the same time as the SMXs: it runs a Step in Parts, while the SMXs run later parts of their epoch. Effects
// and their order are the same as in one Step, because a Part stops before the next request could intervene.
//
// A Part to a cycle carries out all events before that cycle, at the ports and at the slices. Remaining events have their responses
// ReplyCycles later at the earliest, so the SMXs may run that far during the next Part. Requests issued less than RequestCycles before the
// Part's end do not reach a slice in it. After a Step, no response of the next epoch is missing.

// ReplyCycles returns the shortest time from an event at a slice to its response.
func (s *System) ReplyCycles() engine.Cycle {
	return engine.Cycle(min(s.cfg.L2.Latency, s.cfg.DRAM.ControllerLatency) + s.cfg.Interconnect.ResponseLatency)
}

// RequestCycles returns the shortest time of a request to a slice.
func (s *System) RequestCycles() engine.Cycle { return engine.Cycle(s.cfg.Interconnect.RequestLatency) }

// Part carries out a part of a Step: it takes the requests issued before to, and carries out the events before to. All SMXs that may send
// such requests must have run.
func (s *System) Part(to engine.Cycle) {
	for _, p := range s.ports {
		p.collect()
	}
	s.take(to)
	s.advance(to, to)
	s.publish()
}

// EndStep ends a Step until a cycle, after the Part to that cycle.
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

// Sync gives the port's SMX the responses of all completed Parts.
func (p *Port) Sync() {
	p.passing.Lock()
	for _, r := range p.passing.responses {
		p.inbox.push(r)
	}
	p.passing.responses = p.passing.responses[:0]
	p.passing.Unlock()
}

// Publish gives the memory system the requests since the last Publish.
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

// move appends requests to others, and returns both lists. It swaps them if to is empty.
func move(from, to []Request) (left, moved []Request) {
	if len(to) == 0 {
		return to, from
	}
	return from[:0], append(to, from...)
}

// Settle gives all SMXs all responses, after the Parts, while no SMX runs.
func (s *System) Settle() {
	for _, p := range s.ports {
		p.Sync()
	}
}
