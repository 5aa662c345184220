package main

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/dram"
	"github.com/keplersim/keplersim/sim/engine"
)

// latest serves open rows first, and of several requests the newest. It starves old requests, to show the cost.
type latest struct{}

func init() {
	dram.RegisterScheduler("latest", "open rows first, the newest request of several", func(*configs.DRAM) dram.Scheduler {
		return latest{}
	})
}

// Choose implements dram.Scheduler.
func (latest) Choose(c *dram.Channel, queue *dram.Queue, _ engine.Tick) int {
	for i := queue.Len() - 1; i >= 0; i-- {
		if c.RowOpen(queue.At(i)) {
			return i
		}
	}
	return queue.Len() - 1
}

// Interleave implements dram.Scheduler.
func (latest) Interleave(*dram.Channel, *dram.Queue, uint32, engine.Tick) int { return -1 }

// OpenAhead implements dram.Scheduler.
func (latest) OpenAhead(*dram.Channel, *dram.Queue, uint64, engine.Tick) int { return -1 }
