package exec

import "github.com/keplersim/keplersim/isa"

// Launch is a program's constants for one launch: immediates, kernel parameters and user constants, each broadcast once.
type Launch struct {
	Bank0     []byte        // kernel parameters, from isa.ParameterBase on
	Bank3     []byte        // .const symbols
	Constants []isa.Lanes32 // indexed by the operands of a Bound
}
