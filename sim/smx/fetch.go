package smx

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/cache"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// fetch brings instructions to the warps' buffers, a line of the first instruction cache at a time.
type fetch struct {
	hierarchy
	ahead int
}

func (f *fetch) build(config *configs.Config) (err error) {
	c := &config.InstructionCache
	f.hierarchy, err = newHierarchy(c.L1, c.L15, c.L2Latency)
	f.ahead = c.Prefetch
	return err
}

// line returns when a warp that moves to a line of the program can issue from it. A miss also brings the lines behind it.
func (f *fetch) line(index int32, now engine.Cycle, c *stats.SMX) engine.Cycle {
	address := uint64(index) * f.line1
	at := f.read(address, now, &c.Instruction, &c.InstructionL15)
	if at > now+f.latency1 {
		for n := range f.ahead {
			if next := address + uint64(n+1)*f.line1; !holds(f.l1, next) { // fetched ahead without counting an access
				f.bring(next, holds(f.l15, next&^(f.line15-1)), now)
			}
		}
	}
	return at
}

func holds(c *cache.Cache, line uint64) bool {
	valid, _ := c.Probe(line)
	return valid != 0
}
