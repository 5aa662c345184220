package smx

import (
	"math"
	"slices"

	"github.com/keplersim/keplersim/sim/stats"
)

// Detail is a copy of a grid state's counters at some time.
type Detail struct {
	counters   stats.SMX
	operations []stats.OperationCount
	taken      taken
}

// Detail returns the counters so far.
func (h *GridState) Detail() *Detail {
	h.addTally()
	return &Detail{h.Counters, slices.Clone(h.Operations), h.taken}
}

// Extrapolate scales the counters of the state of a grid that partly ran without timing. Counters of time and memory become factor times
// those in detail. Those that runs without timing count too are multiplied by whole, which is 1 if every block has run. Call it before the
// state leaves its SMX. A nil detail has only zeros.
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

// Assume sets all counters of the state of a grid that did not run to factor times those in detail.
func (h *GridState) Assume(detail *Detail, factor float64) {
	h.Counters, h.Operations = detail.counters, append(h.Operations[:0], detail.operations...)
	h.Extrapolate(detail, factor, factor)
}

// Within limits a state's active cycles to those of its launch. They can be more because the time around gaps counts as timed, too.
func (h *GridState) Within(cycles uint64) {
	c := &h.Counters
	if c.ActiveCycles > cycles {
		c.ActiveWarpCycles = scaled(c.ActiveWarpCycles, float64(cycles)/float64(c.ActiveCycles))
		c.ActiveCycles = cycles
	}
}

func scaled(n uint64, factor float64) uint64 { return uint64(math.Round(float64(n) * factor)) }

// Executed adds the number of executions of each operation to a list.
func (h *GridState) Executed(operations []float64) {
	h.addTally()
	for i := range h.Operations {
		operations[i] += float64(h.Operations[i].Executed)
	}
}
