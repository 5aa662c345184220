package lower

import (
	"github.com/keplersim/keplersim/isa"
)

// Pass is one step from a decoded kernel to its machine program.
type Pass struct {
	Name string
	// Why says what the pass does and why it stands where it does.
	Why string
	run func(*function) error
}

// Passes are all passes in their order.
var Passes = []Pass{
	{"expand", "instructions become Kepler operations; what works on PTX's meaning stands before, what works on operations and their latencies after", expandForms},
	{"allocate", "virtual registers become physical ones; the order of operations is final, so that live ranges are exact", allocateRegisters},
}

// Program lowers one kernel of a program for one chip.
//
// Errors are of type *Error: an instruction that no Kepler operations are known for, a call that cannot be lowered.
func Program(p *isa.Program, kernel *isa.Function, o Options) (*isa.MachineProgram, error) {
	f := newFunction(p, kernel, o.withDefaults())
	for _, pass := range Passes {
		if err := pass.run(f); err != nil {
			return nil, err
		}
	}
	return f.emitProgram()
}
