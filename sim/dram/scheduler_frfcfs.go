package dram

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// frfcfs is first ready, first come first served (Rixner et al., ISCA 2000): of the requests whose row is open the one that the bus can
// carry first, the oldest of several; where no row is open, the one whose row can be opened first. The oldest of all goes first when it has
// waited too long in the scheduler's sight (dram.starvation_limit).
type frfcfs struct{ limit engine.Tick }

func init() {
	RegisterScheduler("fr-fcfs", "first ready first come first served: open rows first, until a request has waited too long",
		func(d *configs.DRAM) Scheduler { return frfcfs{limit: engine.Tick(d.StarvationLimit)} })
}

// lookAhead is how many of the oldest requests are looked at for a row to open.
const lookAhead = 16

// Choose implements Scheduler.
func (f frfcfs) Choose(c *Channel, queue []Request, now engine.Tick) int {
	if now-queue[0].Seen >= f.limit {
		return 0
	}
	if chosen := c.firstReady(queue, now, -1); chosen >= 0 {
		return chosen
	}
	chosen, best := 0, engine.Tick(engine.Never)
	for i := range queue[:min(len(queue), lookAhead)] {
		if at := c.Activation(&queue[i], now); at < best {
			chosen, best = i, at
		}
	}
	return chosen
}

// Beside implements Scheduler.
func (frfcfs) Beside(c *Channel, queue []Request, bank uint32, now engine.Tick) int {
	return c.firstReady(queue, now, c.list[bank].group)
}

// OpenAhead implements Scheduler: of the oldest requests that have to wait for their row the one whose row can be opened first.
func (frfcfs) OpenAhead(c *Channel, queue []Request, wanted uint64, now engine.Tick) int {
	chosen, best := -1, engine.Tick(engine.Never)
	for i := range queue[:min(len(queue), lookAhead)] {
		r := &queue[i]
		if c.RowOpen(r) {
			continue
		}
		if at := c.Activation(r, now); at < best && wanted>>r.Bank&1 == 0 {
			chosen, best = i, at
		}
	}
	return chosen
}
