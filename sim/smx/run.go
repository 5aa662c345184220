package smx

import (
	"github.com/keplersim/keplersim/sim/engine"
)

// turn is what the parts of an epoch hand on to each other.
type turn struct {
	began bool      // a part of the epoch has been run, and the last has not
	cut   bool      // the part before ended while nothing happened: it is not known yet until when
	sums  cycleSums // of the only grid
}

// Run advances the SMX to cycle until, or to its first fault.
func (s *SMX) Run(until engine.Cycle) { s.RunPart(until, until) }

// RunPart advances the SMX to a cycle of an epoch that ends at until. The parts of an epoch together do the same as Run does, where all
// responses that come before a part's end are known at its beginning.
func (s *SMX) RunPart(to, until engine.Cycle) { loop(s, to, until) }

// loop is how every SMX gets through a part of an epoch. Tests put the plain loop in its place, which specifies what it does
// (plain_test.go).
var loop = (*SMX).events

// events is the loop of the product: it goes from event to event and passes over the cycles between them.
func (s *SMX) events(to, until engine.Cycle) {
	if !s.turn.began {
		s.atOnce = false
		s.residency.start = s.residency.due()
		s.ledger.mixed = len(s.ledger.shares) > 1
		s.turn = turn{began: true}
	}
	s.issuer.prefetch(to)
	s.lsu.nextResponse, _ = s.lsu.port.NextReady()
	sums, cut := s.turn.sums, s.turn.cut
	if cut {
		if event := s.event(); event > s.now {
			cut = s.goOn(&sums, event, to, 0)
		}
	}
	schedulers := s.schedulers
	if s.paused {
		schedulers = nil
	}
	for s.now < to && s.Fault == nil {
		if s.lsu.nextResponse <= s.now {
			s.lsu.receive()
		}
		if s.residency.start <= s.now && !s.paused {
			s.residency.startOffered()
		}
		s.lastActive = max(s.lastActive, s.now)
		eligible := 0
		// The order turns, so that no scheduler is always first at a unit that they share.
		first := int(s.now) & (len(schedulers) - 1) // a power of two
		for k := range schedulers {
			if sc := &schedulers[(first+k)&(len(schedulers)-1)]; sc.isDue(&s.lsu.loadStore, s.now) {
				could := s.issuer.schedule(sc)
				eligible += could
				if could > 0 && s.issuer.replaying != 0 {
					s.issuer.unitTaken()
				}
				for sc.idleLanes >= warpLanes && s.Fault == nil {
					sc.idleLanes -= warpLanes
					s.issuer.schedule(sc)
				}
			}
		}
		event := s.event()
		if s.Fault != nil {
			for i := range s.schedulers {
				if s.schedulers[i].replays > 0 { // nothing is left out of the last cycle
					event = s.now
				}
			}
		}
		cut = s.goOn(&sums, event, to, eligible)
	}
	s.lsu.loadStore.requests.send(s.lsu.outlet, to)
	s.turn.sums, s.turn.cut = sums, cut
	if to == until {
		s.endEpoch(until)
	}
}

// RunBeside is RunPart while the memory system may have its turn, too.
func (s *SMX) RunBeside(to, until engine.Cycle) {
	s.lsu.port.Turn()
	s.RunPart(to, until)
	s.lsu.port.EndTurn()
}

// event returns when something happens next on the SMX, as far as is known.
func (s *SMX) event() engine.Cycle {
	event := min(s.lsu.nextResponse, s.residency.start)
	for i := range s.schedulers {
		event = min(event, s.schedulers[i].dueAt(&s.lsu.loadStore))
	}
	return event
}

// goOn lets time pass until the next event, or as far as a cycle: then it reports true.
func (s *SMX) goOn(sums *cycleSums, event, to engine.Cycle, eligible int) (cut bool) {
	step := max(min(to, event)-s.now, 1)
	if s.residency.residentWarps > 0 && !s.paused {
		if s.ledger.mixed {
			s.ledger.addSums(uint64(step), s.loadStore.held > 0)
		} else {
			sums.add(uint64(step), s.residency.residentWarps, eligible, s.lsu.loadStore.pending, s.lsu.loadStore.held > 0)
		}
	} else if eligible > 0 && s.ledger.mixed {
		s.ledger.passOver()
	}
	s.now += step
	return event > to
}

// endEpoch counts what is counted by epochs, and leaves the SMX as the next finds it.
func (s *SMX) endEpoch(until engine.Cycle) {
	s.ledger.bookSums(&s.turn.sums)
	for i := range s.schedulers {
		sc := &s.schedulers[i]
		s.issuer.takeReplays(sc, s.now)
		if sc.awake != 0 || sc.replays > 0 {
			s.lastActive = until
		}
	}
	s.residency.clear(min(s.lastActive, until-1))
	s.turn = turn{}
}
