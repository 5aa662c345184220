package device

import (
	"cmp"
	"slices"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/smx"
)

// timed runs in epochs, each no longer than the shortest way to L2 and back.
type timed struct{}

func (timed) advance(d *Device) bool {
	how := d.way()
	if how != overlapping {
		d.Forget()
	}
	wake := d.awake()
	if wake > d.now {
		d.Settle() // it says what to wait for
		wake = min(d.awake(), d.memory.NextEvent())
	}
	epoch := d.memory.EpochCycles()
	if len(d.commands.families) > 0 { // not past what a kernel has launched
		if next := d.foreseen(); next != hyperq.Never {
			wake = min(wake, d.CycleAt(next)-epoch)
		}
	}
	if wake == engine.Never {
		return false
	}
	begin := max(d.now, wake)
	until := begin + epoch
	d.move(d.now, until)
	if d.crew == nil && how != serial {
		d.crew = newCrew(d.smxs, d.memory, d.options.Threads)
		d.crew.start()
	}
	if how == overlapping && !d.remember() {
		how = alternating
	}
	switch how {
	case serial:
		for _, s := range d.smxs {
			s.Run(until)
		}
		d.memory.Step(until)
	case alternating:
		d.crew.runWhole(until)
		d.alternate = max(0, d.alternate-1)
	case overlapping:
		rewinds := d.crew.rewinds
		d.crew.run(d.partEnds(begin), d.note(until))
		d.finishSamples() // of the epoch before
		d.unsettled = true
		if d.crew.rewinds > rewinds {
			d.alternate = alternatingEpochs
		}
	}
	d.serve(until)
	d.now = until
	return true
}

// awake returns the earliest cycle at which an SMX has something to do, as far as is known without the memory system.
func (d *Device) awake() engine.Cycle {
	wake := engine.Never
	for _, s := range d.smxs {
		wake = min(wake, s.Wake())
	}
	return wake
}

// way is how an epoch is run. All ways give the same.
type way int

const (
	serial      way = iota // by one thread
	alternating            // the SMXs on several threads, then the memory system
	overlapping            // the memory system at the same time as the SMXs
)

// worthSharing is how many warps have to be resident, or about to start, for another thread to help. An epoch takes some 1.4 µs a warp,
// and what the threads tell each other in it some 30 µs.
const worthSharing = 32

// way chooses how the next epoch is run.
func (d *Device) way() way {
	warps := 0
	for _, s := range d.smxs {
		warps += s.Warps() + s.StartingWarps()
	}
	readsHere := d.readsHere()
	switch {
	case d.options.Threads < 2 || warps < worthSharing, readsHere && d.global.HasLazyFills():
		return serial
	case d.partCount() > mostParts || d.observer != nil || len(d.commands.traffic) > 0 || d.options.ReuseDistance,
		d.sampler.Follows(): // which looks at the memory system behind each epoch
		return alternating
	}
	if d.alternate > 0 || readsHere && d.global.HasPeers() {
		return alternating
	}
	return overlapping
}

// alternatingEpochs is for how many epochs the memory system runs alone after a load has asked for what memory held before: others will.
const alternatingEpochs = 32

// readsHere reports that warps may read global memory through caches of their SMXs.
func (d *Device) readsHere() bool {
	return slices.ContainsFunc(d.grids, func(g *Grid) bool { return g.readsHere })
}

// remember prepares for loads through the SMXs' caches while the memory system runs; it reports false where that is impossible.
func (d *Device) remember() bool {
	version := d.global.Version()
	if d.crew.remembers && d.remembered == version || !d.readsHere() {
		return true
	}
	d.Forget()
	d.crew.remembers, d.remembered = d.memory.Remember(d.crew.rewind), version
	return d.crew.remembers
}

// Forget is Settle, and has the memory system remember nothing for the SMXs any more: it is as where one thread runs all.
func (d *Device) Forget() {
	d.Settle()
	if d.crew != nil && d.crew.remembers {
		d.memory.Remember(nil)
		d.crew.remembers = false
	}
}

// mostParts is how many parts an epoch has at most: it would not be worth more of them.
const mostParts = 6

// partCount returns how many parts an epoch has. Two of them last no longer than a response from a slice takes, and no request reaches its
// slice within one.
func (d *Device) partCount() int {
	longest := min(d.memory.ReplyCycles()/2, d.memory.RequestCycles())
	if longest <= 0 {
		return mostParts + 1
	}
	return int((d.memory.EpochCycles() + longest - 1) / longest)
}

// partEnds returns where the parts end of an epoch that begins in a cycle.
func (d *Device) partEnds(begin engine.Cycle) []engine.Cycle {
	count, epoch := engine.Cycle(d.partCount()), d.memory.EpochCycles()
	d.ends = d.ends[:0]
	for i := range count {
		d.ends = append(d.ends, begin+epoch*(i+1)/count)
	}
	return d.ends
}

// Settle ends what the memory system does at the same time as the SMXs. It comes before every use of its state, or of device memory.
func (d *Device) Settle() {
	if d.unsettled {
		d.crew.settle()
		d.finishSamples()
		d.unsettled = false
	}
}

// settled is the memory system when it has ended what it does.
func (d *Device) settled() *memory.System {
	d.Settle()
	return d.memory
}

func (timed) quiet(d *Device) bool { return d.settled().Idle() }

// serve carries out the system calls of an epoch, in the order of cycles and SMXs; their warps go on at cycle at.
func (d *Device) serve(at engine.Cycle) {
	var calls []*smx.SystemCall
	for _, x := range d.smxs {
		calls = append(calls, x.Calls()...)
	}
	if len(calls) == 0 {
		return
	}
	d.Settle()
	slices.SortStableFunc(calls, func(a, b *smx.SystemCall) int {
		return cmp.Or(cmp.Compare(a.Cycle, b.Cycle), cmp.Compare(a.SMX.ID, b.SMX.ID))
	})
	for _, c := range calls {
		c.Finish(at)
		if c.SMX.Fault != nil {
			return // what was called later would not have happened
		}
	}
}
