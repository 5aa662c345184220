package memory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// inTurns stores a line to each of several arrays, then the next line of each.
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

// inOrder reads line after line.
type inOrder struct {
	writer
	sent, lines uint64
}

func (r *inOrder) done() bool { return r.sent >= r.lines }

func (r *inOrder) next(engine.Cycle) (Request, bool) {
	if r.done() || r.flying >= r.limit {
		return Request{}, false
	}
	line := r.line + r.sent*128
	r.sent++
	r.flying++
	return Request{Kind: RequestLoad, Line: line, Sectors: 0xf, Lanes: 0xffff}, true
}

// rowWrites makes most SMXs store to many arrays in turn and some read, and counts DRAM's rows opened and sectors written.
func rowWrites(t *testing.T, when configs.RowWrites, sectors uint8, readers int) (activates, written uint64) {
	cfg := load(t, "k20", "dram.ecc=false", "l2.write_delay=1000000", "l2.write_back_rows="+string(when))
	var cores []core
	for i := range cfg.SMX.Count {
		line := firstAddress + uint64(i)<<20
		if i < readers {
			r := &inOrder{lines: 1 << 15}
			r.line, r.limit = line+1<<30, cfg.LoadStore.Outstanding
			cores = append(cores, r)
			continue
		}
		w := &inTurns{arrays: 16, apart: 16 << 20, lines: 1 << 12, sectors: sectors}
		w.line, w.limit = line, cfg.LoadStore.Outstanding
		cores = append(cores, w)
	}
	s := New(cfg, NewGlobal(cfg))
	drive(t, s, cores)
	s.WriteBackAll()
	c := s.Counters(houseAccount)
	require.Equal(t, c.L2WriteSectors, c.DRAMWriteSectors)
	return c.DRAMActivates, c.DRAMWriteSectors
}

// Stores to many arrays in turn leave L2 array by array: an evicted line takes along the others of its row, so that a row is opened once
// for many. Partly dirty lines stay until the rest is written. Every sector is written once either way.
func TestLinesOfARowAreWrittenTogether(t *testing.T) {
	alone, written := rowWrites(t, configs.RowWritesNever, 0xf, 0)
	for _, when := range []configs.RowWrites{configs.RowWritesQuiet, configs.RowWritesAlways} {
		together, same := rowWrites(t, when, 0xf, 0)
		t.Logf("%d activations %s, %d line by line", together, when, alone)
		require.Equal(t, written, same)
		require.Less(t, 3*together, 2*alone)
	}
	alone, _ = rowWrites(t, configs.RowWritesNever, 0x7, 0)
	together, _ := rowWrites(t, configs.RowWritesAlways, 0x7, 0)
	require.Equal(t, alone, together)
}

// A waiting read does not wait for a row of writes: if some SMXs read all the time, nearly as many rows are opened as line by line.
func TestARowIsNotWrittenBeforeAReadThatWaits(t *testing.T) {
	alone, _ := rowWrites(t, configs.RowWritesNever, 0xf, 5)
	always, _ := rowWrites(t, configs.RowWritesAlways, 0xf, 5)
	quiet, _ := rowWrites(t, configs.RowWritesQuiet, 0xf, 5)
	t.Logf("%d activations line by line, %d between reads, %d always", alone, quiet, always)
	require.Less(t, always, quiet)
	require.Greater(t, 4*quiet, 3*alone+always)
}
