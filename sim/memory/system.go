package memory

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// System is everything behind the SMXs' ports: translation, crossbar, L2 and DRAM.
type System struct {
	cfg     *configs.Config
	global  *Global
	ports   []*Port
	taken   []int
	arrival *engine.Wheel[Request]
	free    []engine.Cycle
	now     engine.Cycle
	stats   stats.Memory
}

// New makes the memory system of a chip around its device memory.
func New(cfg *configs.Config, g *Global) *System {
	s := &System{cfg: cfg, global: g, taken: make([]int, cfg.SMX.Count), free: make([]engine.Cycle, cfg.L2.Slices), arrival: engine.NewWheel[Request](1024)}
	for smx := range cfg.SMX.Count {
		s.ports = append(s.ports, &Port{smx: int32(smx), inbox: engine.NewWheel[Response](1024)})
	}
	return s
}

// EpochCycles is how long the SMXs may run between two Steps: no answer to a request of such an epoch is due within it.
func (s *System) EpochCycles() engine.Cycle {
	x := s.cfg.Interconnect
	return engine.Cycle(x.RequestLatency + s.cfg.L2.Latency + x.ResponseLatency - 1)
}

// Port is the port of an SMX.
func (s *System) Port(smx int) *Port { return s.ports[smx] }

// Step takes the requests issued before until and computes what follows from them.
func (s *System) Step(until engine.Cycle) {
	for {
		best := -1
		for i, p := range s.ports {
			if s.taken[i] < len(p.outbox) && (best < 0 || p.outbox[s.taken[i]].Issued < s.ports[best].outbox[s.taken[best]].Issued) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		r := s.ports[best].outbox[s.taken[best]]
		s.taken[best]++
		s.arrival.Push(r.Issued+engine.Cycle(s.cfg.Interconnect.RequestLatency), r)
	}
	for i, p := range s.ports {
		p.outbox, s.taken[i] = p.outbox[:0], 0
	}
	for {
		time, r, ok := s.arrival.PopBefore(until + engine.Cycle(s.cfg.Interconnect.RequestLatency))
		if !ok {
			break
		}
		if r.Access != nil {
			s.global.Apply(r.Access, r.Lanes)
		}
		slice := int(r.Line/uint64(s.cfg.L2.Interleave)) % len(s.free)
		start := max(time, s.free[slice])
		s.free[slice] = start + 2
		s.ports[r.SMX].inbox.Push(start+engine.Cycle(s.cfg.L2.Latency+s.cfg.Interconnect.ResponseLatency),
			Response{Ready: start + engine.Cycle(s.cfg.L2.Latency+s.cfg.Interconnect.ResponseLatency), Tag: r.Tag, Access: r.Access, Lanes: r.Lanes, Kind: r.Kind})
	}
	s.now = until
}

// Idle reports that no request is under way.
func (s *System) Idle() bool { return s.arrival.Len() == 0 }

// NextEvent is the next cycle in which something happens behind the ports; engine.Never when nothing will.
func (s *System) NextEvent() engine.Cycle {
	next, ok := s.arrival.Next()
	if !ok {
		return engine.Never
	}
	return next
}

// Stats are the counters so far.
func (s *System) Stats() *stats.Memory { return &s.stats }

// WriteBackAll writes what L2 holds dirty to DRAM, as at the end of a run.
func (s *System) WriteBackAll() {}
