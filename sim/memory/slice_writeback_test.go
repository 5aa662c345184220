package memory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/engine"
)

// inTurns stores a line to each of some arrays, then the next line of each.
type inTurns struct {
	writer
	arrays, apart uint64
	sent, lines   uint64
	sectors       uint8
}

func (w *inTurns) done() bool { return w.sent >= w.lines }

func (w *inTurns) next(engine.Cycle) (Request, bool) {
	if w.done() || w.flying >= w.limit {
		return Request{}, false
	}
	r := Request{Kind: RequestStore, Line: w.line + w.sent%w.arrays*w.apart + w.sent/w.arrays*128, Sectors: w.sectors, Lanes: 0xffff}
	w.sent++
	w.flying++
	return r, true
}

// Stores to many arrays in turn leave L2 array by array; with a line go the others of its row, so that a row is opened once for many. What
// is dirty in part stays for who may write the rest, and every sector is written once either way.
func TestLinesOfARowAreWrittenTogether(t *testing.T) {
	counted := func(rows string, sectors uint8) (activates, written uint64) {
		cfg := load(t, "k20", "dram.ecc=false", "l2.write_delay=1000000", "l2.write_back_rows="+rows)
		var cores []core
		for i := range cfg.SMX.Count {
			w := &inTurns{arrays: 16, apart: 16 << 20, lines: 1 << 12, sectors: sectors}
			w.line, w.limit = firstAddress+uint64(i)<<20, cfg.LoadStore.Outstanding
			cores = append(cores, w)
		}
		s := New(cfg, NewGlobal(cfg))
		drive(t, s, cores)
		s.WriteBackAll()
		c := s.Counters(nobody)
		require.Equal(t, c.L2WriteSectors, c.DRAMWriteSectors)
		return c.DRAMActivates, c.DRAMWriteSectors
	}
	alone, written := counted("false", 0xf)
	together, same := counted("true", 0xf)
	t.Logf("%d activations, %d line by line", together, alone)
	require.Equal(t, written, same)
	require.Less(t, 3*together, 2*alone)
	alone, _ = counted("false", 0x7)
	together, _ = counted("true", 0x7)
	require.Equal(t, alone, together)
}
