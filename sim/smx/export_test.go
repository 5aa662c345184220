package smx

import (
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Plainly makes every SMX use the plain loop while a function runs. Nothing else may simulate meanwhile.
func Plainly(run func()) {
	with(plainLoop, run)
	clear(plains)
}

// Operations runs a function, and returns the counters of each operation of each grid meanwhile, by the SMX's number. Nothing else may
// simulate.
func Operations(run func()) map[int][][]stats.OperationCount {
	seen, operations, inner := map[*GridState]bool{}, map[int][][]stats.OperationCount{}, loop
	with(func(s *SMX, to, until engine.Cycle) {
		for _, h := range s.gridStates {
			if !seen[h] {
				seen[h] = true
				operations[s.ID] = append(operations[s.ID], h.Operations) // they share their counters
			}
		}
		inner(s, to, until)
	}, run)
	return operations
}

// with makes every SMX use a loop while a function runs.
func with(other func(s *SMX, to, until engine.Cycle), run func()) {
	before := loop
	defer func() { loop = before }()
	loop = other
	run()
}
