package smx

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// scoreboard is when each of a warp's registers, predicates and the carry may be read, and what it waits for until then. One word holds
// both, so that a warp's few registers lie in few lines of the host's caches.
type scoreboard [scoreboardEntries]readiness

// What the entries of a scoreboard are for; registers have their numbers.
const (
	scoreboardPredicate = 256
	scoreboardCarry     = scoreboardPredicate + 7 // behind P0 to P6
	scoreboardEntries   = scoreboardCarry + 1
)

// readiness is a cycle, with the reason to wait until then in the lowest bits.
type readiness int64

const (
	reasonBits = 8
	readyNever = readiness(never >> reasonBits) // while a memory access will write it
)

func readyAt(at engine.Cycle, why stats.Stall) readiness {
	return min(readiness(at), readyNever)<<reasonBits | readiness(why)
}

// dependencies is when everything that an operation touches is ready, and what comes last: of several the first.
func (w *warp) dependencies(op *operation) (at engine.Cycle, why stats.Stall) {
	last := readyAt(0, stats.StallExecutionDependency)
	for _, r := range op.checks[:op.checkCount] {
		if t := w.scoreboard[r]; t>>reasonBits > last>>reasonBits {
			last = t
		}
	}
	at, why = engine.Cycle(last>>reasonBits), stats.Stall(last&(1<<reasonBits-1))
	if last>>reasonBits == readyNever {
		at = never
	}
	return at, why
}

// wrote marks an operation's results as ready at a cycle.
func (w *warp) wrote(op *operation, at engine.Cycle, why stats.Stall) {
	t := readyAt(at, why)
	for _, r := range op.writes[:op.writeCount] {
		w.scoreboard[r] = t
	}
	if op.flagCount > 0 {
		t = readyAt(at, stats.StallExecutionDependency)
		for _, r := range op.writes[op.writeCount:][:op.flagCount] {
			w.scoreboard[r] = t
		}
	}
}

// awaits reports that a memory access will write one of the warp's registers.
func (w *warp) awaits() bool {
	for _, t := range w.scoreboard[:scoreboardPredicate] {
		if t>>reasonBits == readyNever {
			return true
		}
	}
	return false
}
