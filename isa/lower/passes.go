package lower

import (
	"fmt"
	"slices"

	"github.com/keplersim/keplersim/isa/lower/expand"
	"github.com/keplersim/keplersim/isa/lower/machine"
	"github.com/keplersim/keplersim/isa/lower/registers"
	"github.com/keplersim/keplersim/isa/lower/schedule"
	"github.com/keplersim/keplersim/isa/lower/value"
)

// Pass is one step from a decoded kernel to its machine program.
type Pass struct {
	// Name is the name for 'keplersim lower --after'. A pass that runs again has another name then.
	Name string
	// What says what the pass does. passOrder says why its place matters.
	What string
}

// formPass is a pass over one form of a function.
type formPass[F form] struct {
	Pass
	run func(F) error
}

// transition is a pass that turns one form into another.
type transition[From, To form] struct {
	Pass
	run func(From) (To, error)
}

// valuePasses work on PTX instructions and depend on their meaning.
var valuePasses = []formPass[*value.Function]{
	{Pass{"unreachable", "drops blocks to which nothing leads"}, value.RemoveUnreachable},
	{Pass{"split-values", "gives each value of a register that holds several in turn a register of its own"}, value.SplitValues},
	{Pass{"unroll", "writes out the turns of short loops whose number is known"}, value.UnrollLoops},
	{Pass{"fold-parameters", "turns loads of parameters and changes of address space into moves"}, value.FoldParameters},
	{Pass{"copies", "lets users read what a move copied"}, value.PropagateCopies},
	{Pass{"promote-words", "keeps 32-bit variables of the frame in registers where products may be contracted"}, value.PromoteWords},
	{Pass{"fold-constants", "makes moves of arithmetic on numbers, and drops what numbers decide not to run"}, value.FoldConstants},
	{Pass{"dead-code", "drops what nothing reads, but no call"}, value.RemoveDeadButCalls},
	{Pass{"contract", "makes fused multiply-adds of products and sums that leave their rounding open"}, value.ContractProducts},
	{Pass{"fold-addresses", "puts known additions into the offsets of loads and stores"}, value.FoldAddresses},
	{Pass{"narrow-addresses", "computes addresses of small spaces in 32 bits"}, value.NarrowAddresses},
	{Pass{"copies-of-narrow", "lets users read what extensions copy that are moves now"}, value.PropagateCopies},
	{Pass{"dead-wide", "drops the wide values that are not needed any more"}, value.RemoveDead},
	{Pass{"fold-narrow", "puts what is added to narrow addresses, or to what they are products of, into offsets"}, value.FoldAddresses},
	{Pass{"common-bases", "computes once what such products have in common"}, value.RemoveCommon},
	{Pass{"add-in-turn", "adds extended values to addresses one after the other"}, value.AddInTurn},
	{Pass{"combine", "makes shifts of multiplications, multiply-adds of products and sums, one comparison of two"}, value.Combine},
	{Pass{"join-words", "loads and stores neighbouring words together"}, value.JoinWords},
	{Pass{"common-values", "computes once what several instructions compute alike"}, value.RemoveCommon},
	{Pass{"legalise", "puts numbers that no operation can hold into constant memory, or else into registers"}, value.LegaliseOperands},
	{Pass{"common-numbers", "leaves one register for each such number in a block"}, value.RemoveCommon},
	{Pass{"loop-invariants", "moves what a loop computes alike in each turn in front of it, except plain numbers"}, value.HoistInvariants},
	{Pass{"common-invariants", "leaves one of the invariants of two loops that meet in the block before them"}, value.RemoveCommon},
	{Pass{"promote-frame", "keeps variables of the frame in registers where nothing takes their addresses"}, value.PromoteFrame},
	{Pass{"chain-sums", "has sums of a loop go on one from the other where their invariants differ by a step"}, value.ChainSums},
	{Pass{"recompute", "computes small values anew behind loops that only carry them past"}, value.RecomputeBehindLoops},
	{Pass{"dead-at-last", "drops what became unused"}, value.RemoveDead},
	{Pass{"fold-negations", "lets arithmetic on floats read its sources with either sign"}, value.FoldNegations},
}

// expandPass turns instructions into operations.
var expandPass = transition[*value.Function, *machine.Function]{
	Pass{"expand", "makes Kepler's operations of each instruction, by the table of forms"}, expand.Operations,
}

// machinePasses work on Kepler's operations and depend on their number and latencies.
var machinePasses = []formPass[*machine.Function]{
	{Pass{"save-across-calls", "has a device function store the registers that the calling convention asks it to keep"},
		machine.SaveAcrossCalls},
	{Pass{"branches", "ends lanes in place, lets blocks fall through, puts short bodies under predicates"}, machine.SimplifyBranches},
	{Pass{"reconvergence", "adds the operations by which parted lanes meet"}, machine.PlaceReconvergence},
}

// orderPasses order operations, within the number of registers.
var orderPasses = []formPass[*machine.Function]{
	{Pass{"relieve", "spreads loads and what else can wait, in blocks that need more registers than there are"}, schedule.ReducePressure},
	{Pass{"schedule", "has first what others wait for, by latency, as long as registers last"}, schedule.Blocks},
}

// allocatePass gives virtual registers physical ones.
var allocatePass = transition[*machine.Function, *machine.Allocated]{
	Pass{"allocate", "gives virtual registers physical ones, and spills what finds none"}, registers.Allocate,
}

// allocatedPasses work on operations over physical registers.
var allocatedPasses = []formPass[*machine.Allocated]{
	{Pass{"reschedule", "lets loads of spilled values overlap with other work"}, schedule.Spills},
}

// Passes are all passes in order. Types fix the order of the three forms; passOrder checks the order within a form.
var Passes = slices.Concat(
	passesOf(valuePasses), []Pass{expandPass.Pass}, passesOf(machinePasses), passesOf(orderPasses),
	[]Pass{allocatePass.Pass}, passesOf(allocatedPasses))

// needed are the passes without which there is no machine program; the others only improve it.
var needed = map[string]bool{
	"unreachable": true, "fold-parameters": true, "legalise": true, "save-across-calls": true, "branches": true, "reconvergence": true,
}

// neededOf returns those of the passes that are needed.
func neededOf[F form](steps []formPass[F]) (list []formPass[F]) {
	for _, step := range steps {
		if needed[step.Name] {
			list = append(list, step)
		}
	}
	return list
}

func passesOf[F form](steps []formPass[F]) []Pass {
	passes := make([]Pass, len(steps))
	for n := range steps {
		passes[n] = steps[n].Pass
	}
	return passes
}

// orderRule says that one pass must run before another, and why.
type orderRule struct{ first, second, because string }

// passOrder lists the constraints on the order of Passes. They are checked when the program starts.
var passOrder = []orderRule{
	{"unreachable", "split-values", "a block without a way from the entry has no dominator, and no write reaches it"},
	{"split-values", "unroll", "a counter has a register of its own"},
	{"unroll", "copies", "what depends on the counter is a number in each turn"},
	{"unroll", "contract", "a product of one turn goes into an addition of the next"},
	{"split-values", "copies", "what looks for values sees only registers that are written once"},
	{"split-values", "fold-addresses", "as above"},
	{"fold-parameters", "copies", "it is copying that brings a parameter into its users"},
	{"copies", "narrow-addresses", "narrowing has to see where an address comes from"},
	{"copies", "fold-constants", "numbers are in the operations then"},
	{"fold-constants", "dead-code", "nothing reads the numbers any more"},
	{"fold-constants", "contract", "a product of numbers is no product"},
	{"dead-code", "combine", "rules ask how often a value is used, and dead users count"},
	{"copies", "promote-words", "as for promote-frame"},
	{"promote-words", "contract", "a product that is read back from the frame is the product"},
	{"copies", "promote-frame", "it is copies that bring an address of the frame into loads and stores"},
	{"common-invariants", "promote-frame",
		"what a volatile variable gave is computed anew in each turn, as the cards' counts of instructions have it"},
	{"promote-frame", "dead-at-last", "addresses of the frame are dead then"},
	{"copies", "contract", "a copy of a product is no use of it"},
	{"dead-code", "contract", "nor is what nothing reads"},
	{"contract", "common-values", "ptxas contracts first: two alike products are two"},
	{"contract", "fold-negations", "contraction turns signs by negations"},
	{"fold-addresses", "narrow-addresses", "offsets are found in 64-bit additions"},
	{"fold-addresses", "combine", "an addition that is joined with a product cannot go into an offset any more"},
	{"narrow-addresses", "copies-of-narrow", "it turns extensions into moves"},
	{"copies-of-narrow", "dead-wide", "the wide values are dead when their copies are read"},
	{"narrow-addresses", "fold-narrow", "a product of 32 bits wraps as its sum does"},
	{"fold-narrow", "combine", "as for fold-addresses"},
	{"fold-addresses", "add-in-turn", "numbers have gone into offsets"},
	{"narrow-addresses", "add-in-turn", "addresses of 32 bits have no extended values"},
	{"add-in-turn", "common-values", "what the addresses have in common is computed once"},
	{"fold-narrow", "common-bases", "each product has one of its own"},
	{"common-bases", "join-words", "neighbours have one base then"},
	{"contract", "common-bases", "as for common-values"},
	{"combine", "join-words", "shifts and multiply-adds show how addresses are aligned"},
	{"combine", "legalise", "which operand may be a number depends on the operation"},
	{"join-words", "schedule", "scheduling moves neighbouring loads and stores apart"},
	{"common-values", "loop-invariants", "one computation moves for all"},
	{"legalise", "common-numbers", "it is the moves of legalising that are made common"},
	{"legalise", "expand", "a form has one place for what is no register"},
	{"common-numbers", "loop-invariants", "a number belongs to its block, and is no invariant"},
	{"loop-invariants", "common-invariants", "the invariants of two loops meet only when both have moved"},
	{"common-invariants", "fold-negations", "to common values a source with its sign turned is the value itself"},
	{"common-invariants", "chain-sums", "invariants that differ are different registers"},
	{"chain-sums", "dead-at-last", "the invariants are dead then"},
	{"common-invariants", "recompute", "what is computed anew would be made common again"},
	{"recompute", "dead-at-last", "what nothing reads any more is dead"},
	{"dead-at-last", "fold-negations", "a negation is spared where all its readers can turn the sign: dead ones count"},
	{"fold-negations", "expand", "it works on PTX's meaning"},
	{"expand", "save-across-calls", "what is live across a call shows in operations"},
	{"save-across-calls", "allocate", "spills have their places behind the saved registers"},
	{"expand", "branches", "the number of operations decides what goes under a predicate"},
	{"branches", "reconvergence", "only branches that remain part lanes"},
	{"branches", "schedule", "longer blocks hide more"},
	{"reconvergence", "schedule", "what it adds takes an issue slot"},
	{"branches", "relieve", "only then is it known what a block needs"},
	{"reconvergence", "relieve", "what it adds has its place at a block's end"},
	{"relieve", "schedule", "the scheduler lets loads run ahead from the order that it finds"},
	{"schedule", "allocate", "a register that is used again ties operations together"},
	{"allocate", "reschedule", "there is spill code only then"},
}

func init() {
	if err := checkOrder(Passes, passOrder); err != nil {
		panic("lower: " + err.Error())
	}
}

// checkOrder checks a list of passes against the constraints.
func checkOrder(passes []Pass, order []orderRule) error {
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
