package lower

import "fmt"

// Pass is one step from a decoded kernel to its machine program.
type Pass struct {
	// Name is what 'keplersim lower --after' calls it. A pass that runs again has another name there.
	Name string
	// What says what the pass does. Why its place matters is in passOrder.
	What string
	run  func(*function) error
}

// Passes are all passes in their order. Those ahead of expand work on PTX instructions, whose meaning they know; those behind it on
// Kepler's operations, whose number and latencies they know.
var Passes = []Pass{
	{"unreachable", "drops blocks to which nothing leads", removeUnreachable},
	{"split-values", "gives each value of a register that holds several in turn a register of its own", splitValues},
	{"fold-parameters", "turns loads of parameters and changes of address space into moves", foldParameters},
	{"copies", "lets users read what a move copied", propagateCopies},
	{"dead-code", "drops what nothing reads", removeDead},
	{"contract", "makes fused multiply-adds of products and sums that leave their rounding open", contractProducts},
	{"fold-addresses", "puts known additions into the offsets of loads and stores", foldAddresses},
	{"narrow-addresses", "computes addresses of small spaces in 32 bits", narrowAddresses},
	{"copies-of-narrow", "lets users read what extensions copy that are moves now", propagateCopies},
	{"dead-wide", "drops the wide values that are not needed any more", removeDead},
	{"combine", "makes shifts of multiplications, multiply-adds of products and sums, one comparison of two", combine},
	{"join-loads", "loads neighbouring words together", joinLoads},
	{"common-values", "computes once what several instructions compute alike", removeCommon},
	{"legalise", "puts numbers that no operation can hold into constant memory, or else into registers", legaliseOperands},
	{"common-numbers", "leaves one register for each such number in a block", removeCommon},
	{"loop-invariants", "moves what a loop computes alike in each turn in front of it, but for mere numbers", hoistInvariants},
	{"common-invariants", "leaves one of the invariants of two loops that meet in the block before them", removeCommon},
	{"dead-at-last", "drops what became unused", removeDead},
	{"fold-negations", "lets f32 arithmetic read its sources with either sign", foldNegations},
	{"expand", "makes Kepler's operations of each instruction, by the table of forms", expandForms},
	{"save-across-calls", "has a device function store the registers that the calling convention asks it to keep", saveAcrossCalls},
	{"branches", "ends lanes in place, lets blocks fall through, puts short bodies under predicates", simplifyBranches},
	{"reconvergence", "adds the operations by which parted lanes meet", placeReconvergence},
	{"schedule", "has first what others wait for, by latency, as long as registers last", schedule},
	{"allocate", "gives virtual registers physical ones, and spills what finds none", allocateRegisters},
	{"reschedule", "lets loads of spilled values overlap with other work", rescheduleSpills},
}

// before says that a pass has to run before another, and why.
type before struct{ first, second, because string }

// passOrder is what the order of Passes has to keep. It is checked when the program starts.
var passOrder = []before{
	{"unreachable", "split-values", "a block without a way from the entry has no dominator, and no write reaches it"},
	{"split-values", "copies", "what looks for values sees only registers that are written once"},
	{"split-values", "fold-addresses", "as above"},
	{"fold-parameters", "copies", "it is copying that brings a parameter into its users"},
	{"copies", "narrow-addresses", "narrowing has to see where an address comes from"},
	{"dead-code", "combine", "rules ask how often a value is used, and dead users count"},
	{"copies", "contract", "a copy of a product is no use of it"},
	{"dead-code", "contract", "nor is what nothing reads"},
	{"contract", "common-values", "ptxas contracts first: two alike products are two"},
	{"contract", "fold-negations", "contraction turns signs by negations"},
	{"fold-addresses", "narrow-addresses", "offsets are found in 64-bit additions"},
	{"fold-addresses", "combine", "an addition that is joined with a product cannot go into an offset any more"},
	{"narrow-addresses", "copies-of-narrow", "it turns extensions into moves"},
	{"copies-of-narrow", "dead-wide", "the wide values are dead when their copies are read"},
	{"combine", "join-loads", "shifts and multiply-adds show how addresses are aligned"},
	{"combine", "legalise", "which operand may be a number depends on the operation"},
	{"join-loads", "schedule", "scheduling moves neighbouring loads apart"},
	{"common-values", "loop-invariants", "one computation moves for all"},
	{"legalise", "common-numbers", "it is the moves of legalising that are made common"},
	{"legalise", "expand", "a form has one place for what is no register"},
	{"common-numbers", "loop-invariants", "a number belongs to its block, and is no invariant"},
	{"loop-invariants", "common-invariants", "the invariants of two loops meet only when both have moved"},
	{"common-invariants", "fold-negations", "to common values a source with its sign turned is the value itself"},
	{"dead-at-last", "fold-negations", "a negation is spared where all its readers can turn the sign: dead ones count"},
	{"fold-negations", "expand", "it works on PTX's meaning"},
	{"expand", "save-across-calls", "what is live across a call shows in operations"},
	{"save-across-calls", "allocate", "spills have their places behind the saved registers"},
	{"expand", "branches", "the number of operations decides what goes under a predicate"},
	{"branches", "reconvergence", "only branches that remain part lanes"},
	{"branches", "schedule", "longer blocks hide more"},
	{"reconvergence", "schedule", "what it adds takes an issue slot"},
	{"schedule", "allocate", "a register that is used again ties operations together"},
	{"allocate", "reschedule", "there is spill code only then"},
}

func init() {
	if err := checkOrder(Passes, passOrder); err != nil {
		panic("lower: " + err.Error())
	}
}

// checkOrder holds a list of passes against what its order has to keep.
func checkOrder(passes []Pass, order []before) error {
	place := map[string]int{}
	for n := range passes {
		if _, twice := place[passes[n].Name]; twice {
			return fmt.Errorf("two passes are called %s", passes[n].Name)
		}
		place[passes[n].Name] = n
	}
	for _, o := range order {
		first, known := place[o.first]
		second, both := place[o.second]
		switch {
		case !known || !both:
			return fmt.Errorf("the order of %s and %s is asked for: there is no such pass", o.first, o.second)
		case first >= second:
			return fmt.Errorf("%s runs before %s: %s", o.second, o.first, o.because)
		}
	}
	return nil
}
