package smx

import (
	"slices"

	"github.com/keplersim/keplersim/sim/stats"
)

// Detail is what a share had counted at some time.
type Detail struct {
	counters   stats.SMX
	operations []stats.OperationCount
	taken      taken
}

// Detail returns what the share has counted so far.
func (h *Share) Detail() *Detail {
	h.addTally()
	return &Detail{h.Counters, slices.Clone(h.Operations), h.taken}
}

// Extrapolate makes the counters of time and memory of a share, part of whose grid ran without timing, factor times those in detail;
// what runs without timing counts is complete without it. It is called before the share leaves its SMX. A nil detail has nothing.
func (h *Share) Extrapolate(detail *Detail, factor float64) {
	h.addTally()
	if detail == nil {
		detail = &Detail{operations: make([]stats.OperationCount, len(h.Operations))}
	}
	c, replays := h.Counters, detail.counters.InstIssued-detail.counters.InstExecuted
	h.Counters = detail.counters
	stats.Scale(&h.Counters, factor)
	h.Counters.InstExecuted, h.Counters.ThreadInstExecuted = c.InstExecuted, c.ThreadInstExecuted
	h.Counters.InstIssued = c.InstExecuted + uint64(float64(replays)*factor)
	h.Counters.Branches, h.Counters.DivergentBranches, h.Counters.Barriers = c.Branches, c.DivergentBranches, c.Barriers
	h.Counters.BlocksLaunched, h.Counters.WarpsLaunched = c.BlocksLaunched, c.WarpsLaunched
	h.Counters.ThreadsLaunched = c.ThreadsLaunched
	for i := range h.Operations {
		o := &h.Operations[i]
		executed, lanes := o.Executed, o.Lanes
		*o = detail.operations[i]
		stats.Scale(o, factor)
		o.Executed, o.Lanes = executed, lanes
	}
	for class := range h.taken {
		h.taken[class] = int64(float64(detail.taken[class]) * factor)
	}
}

// Executed adds how often each operation of the grid's program was executed.
func (h *Share) Executed(operations []float64) {
	h.addTally()
	for i := range h.Operations {
		operations[i] += float64(h.Operations[i].Executed)
	}
}
