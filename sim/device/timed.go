package device

import (
	"cmp"
	"slices"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/smx"
)

// timed runs in epochs, each no longer than the shortest round trip to L2.
type timed struct{}

func (timed) advance(d *Device) bool {
	how := d.way()
	if how != overlapping {
		d.Forget()
	}
	wake := d.awake()
	if wake > d.now {
		d.Settle() // NextEvent needs it
		wake = min(d.awake(), d.memory.NextEvent())
	}
	epoch := d.memory.EpochCycles()
	if len(d.commands.families) > 0 { // not past the events of nested launches
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
		d.finishSamples() // of the previous epoch
		d.unsettled = true
		if d.crew.rewinds > rewinds {
			d.alternate = alternatingEpochs
		}
	}
	d.serve(until)
	d.now = until
	return true
}

// awake returns the earliest cycle in which an SMX has something to do, according to the SMXs alone.
func (d *Device) awake() engine.Cycle {
	wake := engine.Never
	for _, s := range d.smxs {
		wake = min(wake, s.Wake())
	}
	return wake
}

// way is how an epoch is run. All ways give the same results.
type way int

const (
	serial      way = iota // on one thread
	alternating            // the SMXs on several threads, then the memory system
	overlapping            // the memory system and the SMXs at the same time
)

// worthSharing is how many warps must be resident, or about to start, for a second thread to help. An epoch takes some 1.4 µs a warp, and
// the threads' communication some 30 µs.
const worthSharing = 32

// way chooses how the next epoch is run.
func (d *Device) way() way {
	if d.options.Threads < 2 {
		return serial
	}
	warps := 0
	for _, s := range d.smxs {
		warps += s.Warps() + s.StartingWarps()
	}
	readsHere := d.readsHere()
	switch {
	case warps < worthSharing, readsHere && d.global.HasLazyFills():
		return serial
	case d.partCount() > mostParts || d.observer != nil || len(d.commands.traffic) > 0 || d.options.ReuseDistance,
		d.sampler.Follows(): // the sampler reads the memory system after each epoch
		return alternating
	}
	if d.alternate > 0 || readsHere && d.global.HasPeers() {
		return alternating
	}
	return overlapping
}

// alternatingEpochs is for how many epochs the memory system runs alone after a load has caused a rewind: others are likely.
const alternatingEpochs = 32

// readsHere reports that warps may read global memory through their SMXs' caches.
func (d *Device) readsHere() bool {
	return slices.ContainsFunc(d.grids, func(g *Grid) bool { return g.readsHere })
}

// remember prepares for loads through the SMXs' caches while the memory system runs; false if that is impossible.
func (d *Device) remember() bool {
	version := d.global.Version()
	if d.crew.remembers && d.remembered == version || !d.readsHere() {
		return true
	}
	d.Forget()
	d.crew.remembers, d.remembered = d.memory.Remember(d.crew.rewind), version
	return d.crew.remembers
}

// Forget settles, and ends remembering, so that the memory system is as in a run on one thread.
func (d *Device) Forget() {
	d.Settle()
	if d.crew != nil && d.crew.remembers {
		d.memory.Remember(nil)
		d.crew.remembers = false
	}
}

// mostParts is the most parts of an epoch: more would not be worth it.
const mostParts = 6

// partCount returns the number of parts of an epoch. Two parts are no longer than a response from a slice takes, and one no longer than a
// request takes to its slice.
func (d *Device) partCount() int {
	longest := min(d.memory.ReplyCycles()/2, d.memory.RequestCycles())
	if longest <= 0 {
		return mostParts + 1
	}
	return int((d.memory.EpochCycles() + longest - 1) / longest)
}

// partEnds returns the ends of the parts of an epoch that begins at a cycle.
func (d *Device) partEnds(begin engine.Cycle) []engine.Cycle {
	count, epoch := engine.Cycle(d.partCount()), d.memory.EpochCycles()
	d.ends = d.ends[:0]
	for i := range count {
		d.ends = append(d.ends, begin+epoch*(i+1)/count)
	}
	return d.ends
}

// Settle completes the concurrent step of the memory system. Call it before any use of its state, or of device memory.
func (d *Device) Settle() {
	if d.unsettled {
		d.crew.settle()
		d.finishSamples()
		d.unsettled = false
	}
}

// settled returns the memory system after Settle.
func (d *Device) settled() *memory.System {
	d.Settle()
	return d.memory
}

func (timed) quiet(d *Device) bool { return d.settled().Idle() }

// serve carries out the system calls of an epoch, in the order of cycles and SMXs. Their warps go on at a cycle.
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
			return // later calls would not have happened
		}
	}
}
