package ckernel

// What one file may ask for. A kernel of some thousand lines stays below a tenth of each.
const (
	mostBytes        = 4 << 20
	mostTokens       = 1 << 20
	mostDepth        = 200     // of expressions, statements and types in each other
	mostInlined      = 100     // calls in each other
	mostInstructions = 1 << 18 // of a kernel
	mostWork         = 1 << 22 // instructions written for a kernel, those of attempts that were given up among them
	mostSlots        = 1 << 14 // scalars of a kernel's variables that lie in registers at a time
	mostVariable     = 1 << 31 // bytes of a variable
	mostTurns        = 1 << 16 // of a loop whose turns are counted
)
