package smx

import "github.com/keplersim/keplersim/sim/engine"

// epoch is the progress of the current epoch.
type epoch struct {
	began    bool // some part has run, but not the last
	skipping bool // the part before ended amid cycles without events; the next event is not known yet
}

// Run advances the SMX to cycle until, or to its first fault.
func (s *SMX) Run(until engine.Cycle) { s.RunPart(until, until) }

// RunPart advances the SMX to a cycle of an epoch that ends at until. Running an epoch in parts equals Run if, at the beginning of each
// part, all responses that arrive before its end are known.
func (s *SMX) RunPart(to, until engine.Cycle) { loop(s, to, until) }

// loop runs a part of an epoch. Tests replace it by the plain loop that specifies it (plain_test.go).
var loop = (*SMX).events

// events goes from event to event and skips the cycles between them.
func (s *SMX) events(to, until engine.Cycle) {
	if !s.epoch.began {
		if s.parking.empty() {
			s.now = to
			return
		}
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
			event = s.now // end in this cycle: its replays are still to be counted
		}
		s.pass(event, to, eligible)
	}
	s.lsu.receiveRest()
	s.lsu.loadStore.requests.send(s.lsu.outlet, to)
	if to == until {
		s.endEpoch(until)
	}
}

// cycle simulates one cycle of the core clock. It returns how many warps could have issued.
func (s *SMX) cycle() (eligible int) {
	s.lastActive = max(s.lastActive, s.now)
	// 1. Responses that have arrived write registers, fill caches and free the load/store unit.
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
	// 3. Each scheduler that is due picks a warp, which issues one operation, or two that pair. An operation executes as it issues: flow
	// executes control, lsu accesses, the lanes the rest. Then frontEnd plans when the warp can issue next. The scheduler that goes first
	// rotates each cycle, because some share units. Their number is a power of two.
	now, last := s.now, uint(len(s.schedulers)-1)
	for k := uint(0); k <= last; k++ {
		i := (uint(now) + k) & last % mostSchedulers
		// Skip it if no look is due, unless one of its warps waits for room in the load/store unit's queue and there is some.
		if s.dueLooks.due[i] > now && (s.dueLooks.found.of(foundFull)>>i&1 == 0 || s.lsu.loadStore.full(now)) {
			continue
		}
		sc := &s.schedulers[i]
		eligible += s.issuer.schedule(sc)
		for sc.idleLanes >= warpLanes && s.Fault == nil { // ideal.no_divergence: idle lanes add up to an issue slot
			sc.idleLanes -= warpLanes
			s.issuer.schedule(sc)
		}
	}
	return eligible
}

// nextEvent returns the next cycle that may have an event. A response that is not known yet is not considered.
func (s *SMX) nextEvent() engine.Cycle {
	l := &s.lsu.loadStore
	event := min(s.lsu.event(l.pending-l.mostPending, l.held > 0 || s.dueLooks.found.of(foundHeld) != 0), s.residency.start)
	if s.dueLooks.found.of(foundFull) != 0 {
		event = min(event, l.roomAt())
	}
	for _, due := range s.dueLooks.due[:len(s.schedulers)] {
		event = min(event, due)
	}
	return event
}

// replays reports that replays of accesses still take issue slots.
func (s *SMX) replays() bool {
	for i := range s.schedulers {
		if s.schedulers[i].replays > 0 {
			return true
		}
	}
	return false
}

// pass advances time to the next event, but not past a cycle, and counts the cycles.
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

// beginEpoch runs before the first part of an epoch.
func (s *SMX) beginEpoch() {
	s.atOnce, s.ran, s.epoch = false, true, epoch{began: true}
	s.residency.start = s.residency.due()
	s.ledger.mixed = len(s.ledger.gridStates) > 1
}

// endEpoch books the counts that are kept by epoch, and leaves the SMX ready for the next.
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
