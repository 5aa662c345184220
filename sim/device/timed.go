package device

import (
	"cmp"
	"slices"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/hyperq"
	"github.com/keplersim/keplersim/sim/smx"
)

// timed runs in epochs, each no longer than the shortest way to L2 and back.
type timed struct{}

func (timed) advance(d *Device) bool {
	wake := d.memory.NextEvent()
	for _, s := range d.smxs {
		wake = min(wake, s.Wake())
	}
	if len(d.front.families) > 0 { // not past what a kernel has launched
		if next := d.foreseen(); next != hyperq.Never {
			wake = min(wake, d.CycleAt(next)-d.memory.EpochCycles())
		}
	}
	if wake == engine.Never {
		return false
	}
	until := max(d.now, wake) + d.memory.EpochCycles()
	if d.workers == nil {
		d.workers = startWorkers(d.smxs, d.options.Threads)
	}
	d.move(d.now, until)
	d.workers.run(until)
	d.memory.Step(until)
	serve(d.smxs, until)
	d.now = until
	return true
}

func (timed) quiet(d *Device) bool { return d.memory.Idle() }

// serve carries out the system calls of an epoch, in the order of cycles and SMXs; their warps go on at cycle at.
func serve(list []*smx.SMX, at engine.Cycle) {
	var calls []*smx.SystemCall
	for _, x := range list {
		calls = append(calls, x.Calls()...)
	}
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
