package memory

import (
	"fmt"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// System is everything behind the SMXs' ports: translation, crossbar, L2 and DRAM.
//
// A request passes these events:
//
//   - issue: its translation is looked up;
//   - depart: it leaves its SMX's port, if its slice has room;
//   - arrive and serve: its slice looks it up, and it takes effect on memory;
//   - schedule and fill, if L2 lacks the data: its DRAM channel chooses it, and the data arrive.
//
// Bandwidth is booked where a request passes. Only queues whose order can change, or that can be full, are simulated as such.
type System struct {
	fabric
	translation *translation
	slices      []*slice
	behind      engine.Cycle // how far a channel's path to L2 may lag before the channel waits
	epoch       engine.Cycle
}

// New makes the memory system of a chip around its device memory. It panics on a configuration that configs.Load would reject.
func New(cfg *configs.Config, g *Global) *System {
	cfg = cfg.Memory()
	s := &System{fabric: fabric{
		cfg: cfg, global: g, flights: newFlights(cfg.L2.Slices + cfg.DRAM.Channels),
		hostLink: newHostLink(cfg), peerLink: newPeerLink(cfg),
	}}
	s.left, s.issued, s.added = newCalendar(s.flights), newCalendar(s.flights), newCalendar(s.flights)
	s.back = newCalendar(s.flights)
	var err error
	if s.addresses, err = newAddressMap(cfg); err == nil {
		if s.translation, err = newTranslation(cfg, Clients(cfg)); err == nil {
			if s.slices, err = newSlices(&s.fabric); err == nil {
				s.channels, err = newChannels(cfg, &s.addresses, &s.ledger)
			}
		}
	}
	if err != nil {
		panic(fmt.Errorf("memory system of %s: %w", cfg.Name, err))
	}
	if n := len(s.channels); len(s.slices)%n == 0 { // see addressMap.channel
		for i, sl := range s.slices {
			sl.only = s.channels[i%n]
		}
	}
	for client := range Clients(cfg) {
		s.ports = append(s.ports, &Port{smx: int32(client), global: g})
		send, receive := cfg.Interconnect.SMXRequestBytes, cfg.Interconnect.SMXResponseBytes
		if client >= cfg.SMX.Count { // a copy engine is limited by its own rate
			send, receive = cfg.Interconnect.SliceRequestBytes*cfg.L2.Slices, cfg.Interconnect.SliceResponseBytes*cfg.L2.Slices
		}
		header := cfg.Interconnect.HeaderBytes
		s.send, s.receive = append(s.send, newLink(send, header)), append(s.receive, newLink(receive, cfg.Interconnect.ResponseHeaderBytes))
	}
	for range 1 + Clients(cfg) - cfg.SMX.Count {
		s.Open() // account 0 and the copy engines'
	}
	s.behind = engine.Cycle(float64(cfg.DRAM.Queue*cfg.L2.Line/SectorBytes) * cfg.DRAM.SectorCycles)
	core, command := s.frequencies(cfg.Clocks.Core)
	s.toTicks, s.toCycles = engine.NewCrossing(core, command), engine.NewCrossing(command, core)
	// Every response takes at least a request's time to a slice, the shorter of L2's and the DRAM controller's latencies, and the time
	// back. One cycle less keeps it behind the epoch's end, not on it.
	net := &cfg.Interconnect
	s.epoch = engine.Cycle(net.RequestLatency+min(cfg.L2.Latency, cfg.DRAM.ControllerLatency)+net.ResponseLatency) - 1
	return s
}

// frequencies returns the frequencies of the core clock and of DRAM's command clock, in a common unit.
func (s *System) frequencies(core int) (of, command uint64) {
	return uint64(core * s.cfg.DRAM.ClockDivider), uint64(s.cfg.Clocks.Memory)
}

// SetClock changes the core clock between two Steps. until is that of the last Step. Events that the Step has already carried out keep
// their times, and so do decisions of DRAM, so the order of events stays the same.
func (s *System) SetClock(megahertz int, until engine.Cycle) {
	core, command := s.frequencies(megahertz)
	at := int64(until) + int64(s.cfg.Interconnect.RequestLatency)
	ticks := s.toTicks.Then(at, core, command)
	s.toTicks, s.toCycles = ticks, ticks.Back(command, core)
}

// EpochCycles returns how long the SMXs may run between two Steps: no request of such an epoch has its response within it.
func (s *System) EpochCycles() engine.Cycle { return s.epoch }

// Clients returns the number of ports to the memory system: the SMXs', then the copy engines', and one for copies within the memory.
func Clients(cfg *configs.Config) int { return cfg.SMX.Count + cfg.Copies.Engines + 1 }

// Port returns the port of a client: SMXs first, then copy engines.
func (s *System) Port(client int) *Port { return s.ports[client] }

// Step takes the requests issued before until and carries out the events that no later request can precede. At the ports these are the
// events before until, at the slices and behind them those before one crossbar latency after it. The next until may be at most EpochCycles
// later, unless no SMX sends anything before NextEvent. No Part of the Step has been carried out.
func (s *System) Step(until engine.Cycle) {
	for _, p := range s.ports { // no SMX runs: no lock is needed
		p.passing.requests, p.taken = move(p.passing.requests, p.taken)
		p.outbox, p.taken = move(p.outbox, p.taken)
	}
	s.take(until)
	s.alone = true
	s.advance(until, until+s.RequestCycles())
	s.endStep(until)
	s.alone = false
}

// take issues the collected requests from before a cycle.
func (s *System) take(before engine.Cycle) {
	for _, p := range s.ports {
		due := p.next
		for ; due < len(p.taken) && p.taken[due].Issued < before; due++ {
			r := &p.taken[due]
			number := s.flights.take()
			f := s.flights.at(number)
			f.Request, f.data, f.admitted = *r, false, false
			slice, local := s.addresses.slice(r.Line)
			f.SMX, f.slice, f.local, f.set = int16(p.smx), uint8(slice), local, int32(s.slices[slice].cache.Set(local))
			s.issued.add(r.Issued, number)
		}
		if p.next = due; due == len(p.taken) {
			p.taken, p.next = p.taken[:0], 0
		}
	}
}

// advance carries out events at the ports before until, and at the slices before backUntil and the next event at the ports.
func (s *System) advance(until, backUntil engine.Cycle) {
	for {
		// Events at the ports affect the slices only a crossbar latency later. An event at a slice may make room for a port in the same
		// cycle. So slices go first, up to the cycle of the next event at a port.
		next := min(s.nextAtPorts(), until)
		for {
			if s.back.first > next || s.back.first >= backUntil {
				break
			}
			s.stepBack()
			next = min(next, s.added.first)
		}
		if next == until {
			return
		}
		s.stepFront(next)
	}
}

// endStep carries out the remaining events at the slices.
func (s *System) endStep(until engine.Cycle) {
	horizon := until + s.RequestCycles()
	for s.back.first < horizon {
		s.stepBack()
	}
	s.added.moveTo(&s.left)
	if s.undo != nil {
		s.undo.replaced = s.undo.replaced[:0]
	}
}

// nextAtPorts returns the cycle of the next event at the ports.
func (s *System) nextAtPorts() engine.Cycle { return min(s.left.first, s.issued.first, s.added.first) }

// stepFront carries out the events at the ports in the cycle of the first.
func (s *System) stepFront(now engine.Cycle) {
	for number := s.left.listOf(now); number != 0; number = s.left.listOf(now) {
		s.departAll(number, now)
	}
	for number := s.issued.listOf(now); number != 0; number = s.issued.listOf(now) {
		s.issueAll(number, now)
	}
	for number := s.added.listOf(now); number != 0; number = s.added.listOf(now) {
		s.departAll(number, now)
	}
}

// issueAll issues a list of requests.
func (s *System) issueAll(number int32, now engine.Cycle) {
	for number != 0 {
		next := s.flights.next[number]
		s.issue(number, s.flights.at(number), now)
		number = next
	}
}

// departAll sends a list of translated requests.
func (s *System) departAll(number int32, now engine.Cycle) {
	for number != 0 {
		next := s.flights.next[number]
		s.depart(number, s.flights.at(number), now)
		number = next
	}
}

// stepBack carries out the events at the slices and in DRAM in the cycle of the first.
func (s *System) stepBack() {
	now := s.back.enter()
	for number := s.back.list(); number != 0; number = s.back.list() {
		for number != 0 {
			next := s.flights.next[number]
			s.happen(number, now)
			number = next
		}
	}
}

// happen carries out one event of a calendar.
func (s *System) happen(number int32, now engine.Cycle) {
	if number >= s.flights.units {
		if f := s.flights.at(number); f.data {
			s.fill(number, f, now)
		} else {
			s.slices[f.slice].arrive(number, f, now)
		}
		return
	}
	if slices := int32(len(s.slices)); number <= slices {
		s.slices[number-1].served(now)
	} else {
		s.schedule(number-1-slices, now)
	}
}

// fill passes data from DRAM to their slice.
func (s *System) fill(number int32, f *flight, now engine.Cycle) {
	s.let(f.Account)
	if s.watched != nil {
		s.watched.row = f.row
	}
	s.flights.drop(number) // its fields stay until the next take
	s.slices[f.slice].fill(f.local, f.Sectors, f.Account, now)
}

// Idle reports that every request has its response and DRAM has nothing left to do.
func (s *System) Idle() bool { return s.added.empty() && s.back.empty() && s.flights.used() == 0 }

// NextEvent returns the latest cycle at which an epoch may begin so that all responses of requests in flight arrive in time; engine.Never
// if nothing is in flight. In an epoch that begins later, some responses would arrive too late.
func (s *System) NextEvent() engine.Cycle {
	slice := s.back.first
	if slice != engine.Never {
		slice = max(0, slice-s.RequestCycles())
	}
	return min(s.left.first, s.added.first, slice)
}

// WriteBackAll counts all dirty lines of L2 as written to DRAM, as a profiler sees it after a kernel's end. The lines stay, clean. No
// simulated time passes, since nothing waits for it.
func (s *System) WriteBackAll() {
	for _, sl := range s.slices {
		sl.writeBackAll()
	}
}
