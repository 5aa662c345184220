package dram

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// firstRefresh returns when a channel refreshes first. Our choice: the channels refresh in turn within an interval, because their
// controllers are independent, and all at once would draw too much current.
func firstRefresh(d *configs.DRAM, channel int) engine.Tick {
	return engine.Tick(d.Timing.REFI * (channel + 1) / d.Channels)
}

// refresh carries out the refreshes that are due, and returns their number. Each closes all rows and blocks the channel.
func (c *Channel) refresh(now engine.Tick) (count uint64) {
	if now < c.nextRefresh {
		return 0
	}
	interval := engine.Tick(c.timing.REFI)
	passed := (now - c.nextRefresh) / interval
	start := max(c.nextRefresh+passed*interval, c.lastColumn+engine.Tick(c.timing.CL)+c.burstTicks, c.writeEnd)
	c.nextRefresh += (passed + 1) * interval
	end := start + engine.Tick(c.timing.RFC)
	for i := range c.list {
		b := &c.list[i]
		b.row = -1
		b.activate = max(b.activate, end)
		c.reads.forget(uint32(i))
		c.writes.forget(uint32(i))
	}
	return uint64(passed) + 1
}
