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
	scoreboardAccess    = scoreboardCarry + 1     // from when on the warp may access memory again
	scoreboardUsed      = scoreboardAccess + 1
	scoreboardEntries   = 512 // a power of two, so that an entry is masked and not compared with the length
)

// clear makes everything ready for a program that uses so many registers; what lies behind them it never looks at.
func (s *scoreboard) clear(registers int) {
	clear(s[:registers])
	clear(s[scoreboardPredicate:scoreboardUsed])
}

// readiness is the cycle from which an entry may be read, and the reason to wait until then: the cycle in the upper bits, the reason in the
// lowest 8. An entry that a memory access will write, nobody knows when, is awaited.
type readiness int64

const (
	reasonBits = 8
	reasonMask = 1<<reasonBits - 1
	awaited    = readiness(never >> reasonBits) // the cycle of such an entry
)

func readyAt(at engine.Cycle, why stats.Stall) readiness {
	return min(readiness(at), awaited)<<reasonBits | readiness(why)
}

// awaited reports that a memory access will write the entry.
func (r readiness) awaited() bool { return r>>reasonBits == awaited }

// after reports that an entry is ready in a later cycle than another.
func (r readiness) after(other readiness) bool { return r>>reasonBits > other>>reasonBits }

// cycle returns the cycle, never for an entry that is awaited.
func (r readiness) cycle() engine.Cycle {
	if r.awaited() {
		return never
	}
	return engine.Cycle(r >> reasonBits)
}

func (r readiness) reason() stats.Stall { return stats.Stall(r & reasonMask) }

// dependencies returns when everything that an operation touches is ready, and why not before: what its last entry waits for, of several
// that are ready in one cycle the first.
func (w *warp) dependencies(op *operation) (at engine.Cycle, why stats.Stall) {
	last := readyAt(0, stats.StallExecutionDependency)
	latest := last | reasonMask // no entry that is ready in the same cycle is above
	for _, entry := range op.checks[:op.checkCount%entriesChecked] {
		if r := w.scoreboard[entry%scoreboardEntries]; r > latest {
			last, latest = r, r|reasonMask
		}
	}
	return last.cycle(), last.reason()
}

// wrote marks an operation's results as ready at a cycle.
func (w *warp) wrote(op *operation, at engine.Cycle, why stats.Stall) {
	t := readyAt(at, why)
	for _, r := range op.writes[:op.writeCount%entriesChecked] {
		w.scoreboard[r%scoreboardEntries] = t
	}
	if op.flagCount > 0 {
		t = readyAt(at, stats.StallExecutionDependency)
		for _, r := range op.writes[op.writeCount:][:op.flagCount] {
			w.scoreboard[r%scoreboardEntries] = t
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
