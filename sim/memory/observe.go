package memory

import (
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/dram"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// watched is what the memory system records of its requests for an observer.
type watched struct {
	observer observe.Observer
	trails   []trail        // by flight number
	row      stats.RowState // of the data that a slice receives now
}

// trail is when a flight passed each stage.
type trail struct {
	departed, arrived, served engine.Cycle
	found                     observe.Found
}

// Observe sets the observer of flights and bursts; nil for none. Set the first while nothing is in flight.
func (s *System) Observe(o observe.Observer) {
	switch {
	case o == nil:
		s.watched = nil
	case s.watched == nil:
		s.watched = &watched{observer: o}
	default:
		s.watched.observer = o // flights are already recorded
	}
}

// FoundBy translates the result of a cache lookup for observers.
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

// trail returns the record of a flight.
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

// decided reports a burst.
func (w *watched) decided(number int32, r *dram.Served, now, done engine.Cycle) {
	w.observer.Burst(observe.Burst{
		Decided: now, Done: done, Channel: number, Bank: r.Bank, Row: r.Row, State: r.State, Write: r.Write,
		Slice: r.Slice, Sectors: r.Sectors, Line: r.Line,
	})
}

// finished reports a flight whose response is ready in a cycle. fromDRAM: it waited for data that arrives now.
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
