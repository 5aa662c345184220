package memory

import (
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/dram"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// watched is what the memory system notes of its requests while somebody listens.
type watched struct {
	observer observe.Observer
	trails   []trail        // by the numbers of flights
	row      stats.RowState // of the data that a slice takes now
}

// trail is when a flight came by.
type trail struct {
	departed, arrived, served engine.Cycle
	found                     observe.Found
}

// Observe lets an observer hear of flights and bursts from now on; nil for none. The first is set while nothing is in flight.
func (s *System) Observe(o observe.Observer) {
	switch {
	case o == nil:
		s.watched = nil
	case s.watched == nil:
		s.watched = &watched{observer: o}
	default:
		s.watched.observer = o // what is in flight has been watched so far
	}
}

// FoundBy returns how observers see the result of a cache lookup.
func FoundBy(status cache.Status) observe.Found {
	switch status {
	case cache.Hit:
		return observe.Hit
	case cache.MissMerged:
		return observe.Merged
	case cache.Stall:
		return observe.Held
	}
	return observe.Missed
}

// trail returns what is known of a flight.
func (w *watched) trail(number int32) *trail {
	for int(number) >= len(w.trails) {
		w.trails = append(w.trails, trail{})
	}
	return &w.trails[number]
}

func (w *watched) departed(number int32, now engine.Cycle) { *w.trail(number) = trail{departed: now} }

func (w *watched) arrived(number int32, now engine.Cycle) { w.trail(number).arrived = now }

func (w *watched) served(number int32, now engine.Cycle, found observe.Found) {
	t := w.trail(number)
	t.served, t.found = now, found
}

// decided tells of a burst.
func (w *watched) decided(number int32, r *dram.Served, now, done engine.Cycle) {
	w.observer.Burst(observe.Burst{
		Decided: now, Done: done, Channel: number, Bank: r.Bank, Row: r.Row, State: r.State, Write: r.Write,
		Slice: r.Slice, Sectors: r.Sectors, Line: r.Line,
	})
}

// finished tells of a flight whose response is ready in a cycle; fromDRAM says that it waited for data that came now.
func (w *watched) finished(number int32, f *flight, now, ready engine.Cycle, fromDRAM bool) {
	t := w.trail(number)
	e := observe.Flight{
		SMX: int(f.SMX), Kind: f.Kind, Source: f.Source, Tag: uint64(f.Tag), Sectors: f.Sectors, Lanes: f.Lanes,
		Line: f.Line, Op: f.PC, Warp: int32(f.Warp), Slice: int32(f.slice),
		Issued: f.Issued, Departed: t.departed, Arrived: t.arrived, Served: t.served, Ready: ready, Found: t.found,
	}
	if fromDRAM {
		e.Filled, e.Row = now, w.row
	}
	w.observer.Flight(e)
}
