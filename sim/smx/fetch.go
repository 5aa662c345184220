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
	prefetcher cache.Prefetcher // nil for none
	ahead      []uint64         // scratch: the lines that it names
}

func (f *fetch) build(config *configs.Config) (err error) {
	c := &config.InstructionCache
	if f.l1 != nil {
		f.reset()
	} else if f.hierarchy, err = newHierarchy(c.L1, c.L15, c.L2Latency); err != nil {
		return err
	}
	f.prefetcher, err = cache.NewPrefetcher(c.Prefetcher, c.L1.Line)
	return err
}

// line returns when a warp that moves to a line of the program can issue from it. base is where the program's code begins. The prefetcher
// may fetch further lines.
func (f *fetch) line(base uint64, index int32, now engine.Cycle, c *stats.SMX) engine.Cycle {
	address := base + uint64(index)*f.line1
	at := f.read(address, now, &c.Instruction, &c.InstructionL15)
	if f.prefetcher != nil {
		f.prefetch(address, at > now+f.latency1, now)
	}
	return at
}

// prefetch fetches the lines that the prefetcher names after an access. It counts no access for them.
func (f *fetch) prefetch(line uint64, missed bool, now engine.Cycle) {
	f.ahead = cache.Ahead(f.prefetcher, cache.Unattributed(line), !missed, f.ahead)
	for _, next := range f.ahead {
		if !cached(f.l1, next) {
			f.bring(next, cached(f.l15, next&^(f.line15-1)), now)
		}
	}
}

// cached reports whether a cache has a line.
func cached(c *cache.Cache, line uint64) bool {
	valid, _ := c.Probe(line)
	return valid != 0
}
