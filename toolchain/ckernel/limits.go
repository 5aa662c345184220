package ckernel

// Limits for one file. A kernel of some thousand lines stays below a tenth of each.
const (
	mostBytes        = 4 << 20
	mostTokens       = 1 << 20
	mostDepth        = 200     // nested expressions, statements and types
	mostInlined      = 100     // nested calls
	mostInstructions = 1 << 18 // in a kernel
	mostWork         = 1 << 22 // instructions written for a kernel, including those of abandoned attempts
	mostSlots        = 1 << 14 // scalars of a kernel's variables in registers at a time
	mostVariable     = 1 << 31 // bytes of a variable
	mostIterations   = 1 << 16 // of a loop whose iterations are counted at compile time
)
