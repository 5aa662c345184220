package smx

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// scoreboard says when each of a warp's registers and predicates and the carry may be read, and why not before. One word holds both, so
// that a warp's few registers take few lines of the host's caches.
type scoreboard [scoreboardEntries]readiness

// Entries of a scoreboard. Registers use their numbers.
const (
	scoreboardPredicate = 256
	scoreboardCarry     = scoreboardPredicate + 7 // behind P0 to P6
	scoreboardAccess    = scoreboardCarry + 1     // when the warp may access memory again
	scoreboardEntries   = scoreboardAccess + 1
)

// clear makes everything ready for a program that checks this many registers. The entries behind are never read.
func (s *scoreboard) clear(registers int) {
	clear(s[:registers])
	clear(s[scoreboardPredicate:])
}

// readiness is the cycle from which an entry may be read, in the upper bits, and the reason to wait until then, in the lowest 8 bits. An
// entry that a memory access will write at an unknown time is awaited.
type readiness int64

const (
	reasonBits = 8
	reasonMask = 1<<reasonBits - 1
	awaited    = readiness(never >> reasonBits) // the cycle of an awaited entry
)

func readyAt(at engine.Cycle, why stats.Stall) readiness {
	return min(readiness(at), awaited)<<reasonBits | readiness(why)
}

// awaited reports that a memory access will write the entry.
func (r readiness) awaited() bool { return r>>reasonBits == awaited }

// after reports that an entry is ready in a later cycle than other.
func (r readiness) after(other readiness) bool { return r>>reasonBits > other>>reasonBits }

// cycle returns the cycle, never for an awaited entry.
func (r readiness) cycle() engine.Cycle {
	if r.awaited() {
		return never
	}
	return engine.Cycle(r >> reasonBits)
}

func (r readiness) reason() stats.Stall { return stats.Stall(r & reasonMask) }

// dependencies returns when everything that an operation touches is ready, and the reason of the entry that is ready last. Of several such
// entries the first counts.
func (w *warp) dependencies(op *operation) (at engine.Cycle, why stats.Stall) {
	last := readyAt(0, stats.StallExecutionDependency)
	latest := last | reasonMask // no entry of the same cycle is greater
	for _, entry := range op.checks[:op.checkCount%entriesChecked] {
		if r := w.scoreboard[entry]; r > latest {
			last, latest = r, r|reasonMask
		}
	}
	return last.cycle(), last.reason()
}

// wrote marks an operation's results as ready from a cycle on.
func (w *warp) wrote(op *operation, at engine.Cycle, why stats.Stall) {
	t := readyAt(at, why)
	for _, r := range op.writes[:op.writeCount%entriesChecked] {
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
	for _, t := range w.scoreboard[:w.gridState.Grid.Program.registers] {
		if t.awaited() {
			return true
		}
	}
	return false
}
