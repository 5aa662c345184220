package smx

import (
	"math"
	"slices"

	"github.com/keplersim/keplersim/sim/stats"
)

// Detail is what a grid's state had counted at some time.
type Detail struct {
	counters   stats.SMX
	operations []stats.OperationCount
	taken      taken
}

// Detail returns what the state has counted so far.
func (h *GridState) Detail() *Detail {
	h.addTally()
	return &Detail{h.Counters, slices.Clone(h.Operations), h.taken}
}

// Extrapolate makes the counters of time and memory of a state, part of whose grid ran without timing, factor times those in detail;
// what runs without timing counts too becomes whole times as much: 1 where every block has run. It is called before the share leaves its
// SMX. A nil detail has nothing.
func (h *GridState) Extrapolate(detail *Detail, factor, whole float64) {
	h.addTally()
	if detail == nil {
		detail = &Detail{operations: make([]stats.OperationCount, len(h.Operations))}
	}
	timed, all := detail.counters, h.Counters
	stats.Scale(&timed, factor)
	stats.Scale(&all, whole)
	h.Counters = complete(&timed, &all)
	for i := range h.Operations {
		o := &h.Operations[i]
		executed, lanes := scaled(o.Executed, whole), scaled(o.Lanes, whole)
		*o = detail.operations[i]
		o.Scale(factor)
		o.Executed, o.Lanes = executed, lanes
	}
	for class := range h.taken {
		h.taken[class] = int64(float64(detail.taken[class]) * factor)
	}
}

// Assume makes all counters of a state, of whose grid nothing ran, factor times those in detail.
func (h *GridState) Assume(detail *Detail, factor float64) {
	h.Counters, h.Operations = detail.counters, append(h.Operations[:0], detail.operations...)
	h.Extrapolate(detail, factor, factor)
}

// Within makes a state active for no longer than its launch took: of what was timed, the time around gaps counts too.
func (h *GridState) Within(cycles uint64) {
	c := &h.Counters
	if c.ActiveCycles > cycles {
		c.ActiveWarpCycles = scaled(c.ActiveWarpCycles, float64(cycles)/float64(c.ActiveCycles))
		c.ActiveCycles = cycles
	}
}

func scaled(n uint64, factor float64) uint64 { return uint64(math.Round(float64(n) * factor)) }

// Executed adds how often each operation of the grid's program was executed.
func (h *GridState) Executed(operations []float64) {
	h.addTally()
	for i := range h.Operations {
		operations[i] += float64(h.Operations[i].Executed)
	}
}
