package expand

import (
	"slices"

	"github.com/keplersim/keplersim/isa"
)

// slowRegister names a register of a slow path's subroutine.
type slowRegister struct {
	path      isa.SlowKind
	temporary reference
}

// slowPathRegisters resets the temporaries to the registers of the expansion's slow path. The path is a subroutine that all its callers
// share, so it has the same registers everywhere.
func (x *expander) slowPathRegisters(e *expansion) {
	clear(x.temporaries)
	if len(e.called) == 0 {
		return
	}
	kind := isa.SlowNever
	for n := range e.steps {
		kind = max(kind, e.steps[n].slow)
	}
	for _, r := range e.called {
		key := slowRegister{kind, r}
		if _, ok := x.slowRegisters[key]; !ok {
			x.slowRegisters[key] = x.Temporary(temporaryTypes[r.kind])
		}
		x.temporaries[r] = x.slowRegisters[key]
	}
}

// calledTemporaries are the temporaries, without predicates, that only operations of a slow path touch.
func calledTemporaries(steps []step) []reference {
	var called []reference
	for _, inPath := range []bool{true, false} {
		for n := range steps {
			if (steps[n].slow != isa.SlowNever) != inPath {
				continue
			}
			for _, r := range slices.Concat(steps[n].writes, steps[n].reads) {
				r = r.temporary()
				if !inPath {
					called = slices.DeleteFunc(called, func(c reference) bool { return c == r })
				} else if (r.kind == 't' || r.kind == 'w') && !slices.Contains(called, r) {
					called = append(called, r)
				}
			}
		}
	}
	return called
}
