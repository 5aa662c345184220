package main

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/dram"
	"github.com/keplersim/keplersim/sim/engine"
)

// latest serves open rows first, the newest request of several: a scheduler that starves, to see what that costs.
type latest struct{}

func init() {
	dram.RegisterScheduler("latest", "open rows first, the newest request of several", func(*configs.DRAM) dram.Scheduler {
		return latest{}
	})
}

// Choose implements dram.Scheduler.
func (latest) Choose(c *dram.Channel, queue []dram.Request, _ engine.Tick) int {
	for i := len(queue) - 1; i >= 0; i-- {
		if c.RowOpen(&queue[i]) {
			return i
		}
	}
	return len(queue) - 1
}

// Beside implements dram.Scheduler.
func (latest) Beside(*dram.Channel, []dram.Request, uint32, engine.Tick) int { return -1 }

// OpenAhead implements dram.Scheduler.
func (latest) OpenAhead(*dram.Channel, []dram.Request, uint64, engine.Tick) int { return -1 }
