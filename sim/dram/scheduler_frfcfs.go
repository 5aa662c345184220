package dram

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// frfcfs is first ready, first come first served (Rixner et al., ISCA 2000). Of the requests to open rows it chooses the one that the bus
// can carry first, the oldest if there are several; else the one whose row can be opened first. The oldest of all goes first when it has
// been visible for too long (dram.starvation_limit).
type frfcfs struct{ limit engine.Tick }

func init() {
	RegisterScheduler("fr-fcfs", "open rows first, until another request has waited too long",
		func(d *configs.DRAM) Scheduler { return frfcfs{limit: engine.Tick(d.StarvationLimit)} })
}

// lookAhead is how many of the oldest requests are considered for opening a row.
const lookAhead = 16

// Choose implements Scheduler.
func (f frfcfs) Choose(c *Channel, queue *Queue, now engine.Tick) int {
	if now-queue.At(0).Seen >= f.limit {
		return 0
	}
	if chosen := c.firstReady(queue, now, -1); chosen >= 0 {
		return chosen
	}
	return max(0, c.soonestRow(queue, 0, now))
}

// Interleave implements Scheduler.
func (frfcfs) Interleave(c *Channel, queue *Queue, bank uint32, now engine.Tick) int {
	return c.firstReady(queue, now, c.list[bank].group)
}

// OpenAhead implements Scheduler: of the oldest requests to closed rows it chooses the one whose row can be opened first.
func (frfcfs) OpenAhead(c *Channel, queue *Queue, wanted uint64, now engine.Tick) int {
	return c.soonestRow(queue, wanted, now)
}

// soonestRow returns the index of the request to a closed row, among the oldest, whose row can be opened first, -1 for none. It ignores the
// banks in without.
func (c *Channel) soonestRow(queue *Queue, without uint64, now engine.Tick) int {
	chosen, best := -1, engine.Tick(engine.Never)
	any := c.anyActivation(now)
	for i, k := range queue.keys[:min(len(queue.keys), lookAhead)] {
		b := &c.list[k.bank()]
		if without>>(k.bank()&63)&1 != 0 || b.row == int64(k.row) {
			continue
		}
		without |= 1 << (k.bank() & 63) // later requests to this bank are no sooner
		if at := b.activation(any, now, engine.Tick(c.timing.RP)); at < best {
			if chosen, best = i, at; at == any {
				break
			}
		}
	}
	return chosen
}
