package smx

import (
	"slices"

	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/scheduler"
)

// listeners pass the events of an SMX's warps and caches to the scheduling policies that listen.
type listeners struct {
	observe.Silent
	smx    *common
	of     []scheduler.Listener      // by scheduler; nil if its policy does not listen
	caches []scheduler.CacheListener // policies that listen to caches
}

// newListeners returns an observer for the policies that listen, nil if none does.
func newListeners(s *common) *listeners {
	l := &listeners{smx: s, of: make([]scheduler.Listener, len(s.schedulers))}
	for i := range s.schedulers {
		l.of[i], _ = s.schedulers[i].policy.(scheduler.Listener)
		if c, ok := s.schedulers[i].policy.(scheduler.CacheListener); ok {
			l.caches = append(l.caches, c)
		}
	}
	if len(l.caches) == 0 && !slices.ContainsFunc(l.of, func(one scheduler.Listener) bool { return one != nil }) {
		return nil
	}
	return l
}

// Issue implements observe.Observer.
func (l *listeners) Issue(e observe.Issue) {
	if to := l.of[e.Warp.Scheduler]; to != nil {
		class := l.smx.schedulers[e.Warp.Scheduler].warps[e.Warp.Slot].operations[e.Op].class
		to.Issued(scheduler.Issue{Cycle: e.Cycle, Slot: e.Warp.Slot, PC: e.Op, Class: class, Lanes: e.Mask})
	}
}

// Stall implements observe.Observer.
func (l *listeners) Stall(e observe.Stall) {
	if to := l.of[e.Warp.Scheduler]; to != nil {
		to.Stalled(scheduler.Stall{From: e.From, To: e.To, Slot: e.Warp.Slot, Reason: e.Reason})
	}
}

// Lookup implements observe.Observer.
func (l *listeners) Lookup(e observe.Lookup) {
	for _, to := range l.caches {
		to.Looked(scheduler.Lookup{
			Cycle: e.Cycle, Warp: scheduler.Place{Scheduler: e.Warp.Scheduler, Slot: e.Warp.Slot}, PC: e.Op, Cache: e.Source, Line: e.Line,
			Found: e.Found,
		})
	}
}

// evicted passes an evicted line to the listeners.
func (l *listeners) evicted(through *dataCache, line uint64) {
	owner, by := through.Owners().LastEvicted()
	for _, to := range l.caches {
		to.Evicted(scheduler.Eviction{
			Cycle: l.smx.now, Cache: through.source, Line: line, Owner: l.place(owner), By: l.place(by),
		})
	}
}

// place returns the slot of the warp of an access. Warps are numbered in turn over the schedulers.
func (l *listeners) place(a cache.Access) scheduler.Place {
	if a.Warp == cache.Unknown {
		return scheduler.Place{Scheduler: cache.Unknown, Slot: cache.Unknown}
	}
	count := len(l.smx.schedulers)
	return scheduler.Place{Scheduler: int(a.Warp) % count, Slot: int(a.Warp) / count}
}

// view is a policy's view of its scheduler.
type view struct {
	smx *common
	of  *warpScheduler
}

// Now implements scheduler.Warps.
func (v *view) Now() engine.Cycle { return v.smx.now }

// Resident implements scheduler.Warps.
func (v *view) Resident() uint64 { return v.of.occupied }

// Warp implements scheduler.Warps.
func (v *view) Warp(slot int) scheduler.Warp {
	w := v.of.warps[slot&lastSlot]
	if w == nil || !w.resident {
		return scheduler.Warp{}
	}
	return scheduler.Warp{
		PC: w.op.index, Class: w.op.class, Load: w.op.inFlight && w.op.writeCount > 0, Block: w.block.Ctaid, Index: w.index,
		Registers: w.RegisterCount(), Outstanding: w.outstanding, Misses: w.misses,
	}
}
