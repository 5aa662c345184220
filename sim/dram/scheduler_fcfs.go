package dram

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// fcfs serves requests strictly in the order of arrival.
type fcfs struct{}

func init() {
	RegisterScheduler("fcfs", "strictly in the order of arrival", func(*configs.DRAM) Scheduler { return fcfs{} })
}

// Choose implements Scheduler.
func (fcfs) Choose(*Channel, *Queue, engine.Tick) int { return 0 }

// Interleave implements Scheduler.
func (fcfs) Interleave(*Channel, *Queue, uint32, engine.Tick) int { return -1 }

// OpenAhead implements Scheduler: it opens the first closed row that is needed.
func (fcfs) OpenAhead(c *Channel, queue *Queue, wanted uint64, _ engine.Tick) int {
	for i := range min(queue.Len(), lookAhead) {
		if r := queue.At(i); !c.RowOpen(r) {
			if wanted>>r.Bank&1 != 0 {
				return -1
			}
			return i
		}
	}
	return -1
}
