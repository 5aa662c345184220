package smx

import "github.com/keplersim/keplersim/sim/engine"

// epoch is how far the epoch is that is under way.
type epoch struct {
	began    bool // a part of it has been run, and the last has not
	skipping bool // the part before ended while nothing happened: it is not known yet until when
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
	if !s.epoch.began {
		s.beginEpoch()
	}
	s.issuer.warmHost(to)
	s.lsu.lookAhead(&s.lsu.loadStore, to, s.observer != nil || s.ledger.mixed || s.paused)
	if s.epoch.skipping {
		if event := s.nextEvent(); event > s.now {
			s.pass(event, to, 0)
		}
	}
	for s.now < to && s.Fault == nil {
		eligible := s.cycle()
		event := s.nextEvent()
		if s.Fault != nil && s.replays() {
			event = s.now // nothing is left out of the last cycle
		}
		s.pass(event, to, eligible)
	}
	s.lsu.receiveRest()
	s.lsu.loadStore.requests.send(s.lsu.outlet, to)
	if to == until {
		s.endEpoch(until)
	}
}

// cycle is one cycle of the core clock in which something may happen. It returns how many warps could have issued.
func (s *SMX) cycle() (eligible int) {
	s.lastActive = max(s.lastActive, s.now)
	// 1. Responses that have arrived write their registers, fill caches and free the load/store unit.
	if s.lsu.next <= s.now {
		s.lsu.receive(s.now)
	}
	if s.paused {
		return 0
	}
	// 2. Blocks start where there is room.
	if s.residency.start <= s.now {
		s.residency.startOffered()
	}
	// 3. The schedulers issue, if their agendas say so: each picks a warp, which issues an operation, or two that pair. What an
	// operation does is decided and carried out as it issues: by flow if it is one of control, by lsu if it goes to memory, else by its
	// lanes. Then frontEnd plans when the warp can issue the next. The scheduler that goes first changes with each cycle, because some
	// share units; their number is a power of two.
	now, last := s.now, uint(len(s.schedulers)-1)
	for k := uint(0); k <= last; k++ {
		i := (uint(now) + k) & last % mostSchedulers
		// Passed over: no look is due, and none of its warps waits for room in the load/store unit's queue, or there is none.
		if s.looks.due[i] > now && (s.looks.found.of(foundFull)>>i&1 == 0 || s.lsu.loadStore.full(now)) {
			continue
		}
		sc := &s.schedulers[i]
		eligible += s.issuer.schedule(sc)
		for sc.idleLanes >= warpLanes && s.Fault == nil { // the key ideal.no_divergence: lanes that were idle make up an issue slot
			sc.idleLanes -= warpLanes
			s.issuer.schedule(sc)
		}
	}
	return eligible
}

// nextEvent returns when something happens next on the SMX, as far as is known.
func (s *SMX) nextEvent() engine.Cycle {
	l := &s.lsu.loadStore
	event := min(s.lsu.event(l.pending-l.mostPending, l.held > 0 || s.looks.found.of(foundHeld) != 0), s.residency.start)
	if s.looks.found.of(foundFull) != 0 {
		event = min(event, l.roomAt())
	}
	for _, due := range s.looks.due[:len(s.schedulers)] {
		event = min(event, due)
	}
	return event
}

// replays reports that issue slots go to replays of accesses.
func (s *SMX) replays() bool {
	for i := range s.schedulers {
		if s.schedulers[i].replays > 0 {
			return true
		}
	}
	return false
}

// pass lets time pass until the next event, or as far as a cycle. The ledger counts the cycles.
func (s *SMX) pass(event, to engine.Cycle, eligible int) {
	step := max(min(to, event)-s.now, 1)
	if s.residency.residentWarps > 0 && !s.paused {
		if s.ledger.mixed {
			s.ledger.addSums(uint64(step), s.lsu.loadStore.held > 0)
		} else {
			s.ledger.sums.add(uint64(step), s.residency.residentWarps, eligible, s.lsu.loadStore.pending, s.lsu.loadStore.held > 0)
		}
	} else if eligible > 0 && s.ledger.mixed {
		s.ledger.passOver()
	}
	s.now += step
	s.epoch.skipping = event > to
}

// beginEpoch is before the first part of an epoch.
func (s *SMX) beginEpoch() {
	s.atOnce, s.ran, s.epoch = false, true, epoch{began: true}
	s.residency.start = s.residency.due()
	s.ledger.mixed = len(s.ledger.gridStates) > 1
}

// endEpoch counts what is counted by epochs, and leaves the SMX as the next finds it.
func (s *SMX) endEpoch(until engine.Cycle) {
	s.ledger.bookSums()
	for i := range s.schedulers {
		sc := &s.schedulers[i]
		s.issuer.takeReplays(sc, s.now)
		if sc.awake != 0 || sc.replays > 0 {
			s.lastActive = until
		}
	}
	s.residency.clear(min(s.lastActive, until-1))
	s.epoch = epoch{}
}

// RunConcurrently is RunPart while the memory system may run on another thread.
func (s *SMX) RunConcurrently(to, until engine.Cycle) {
	s.lsu.port.Sync()
	s.RunPart(to, until)
	s.lsu.port.Publish()
}
