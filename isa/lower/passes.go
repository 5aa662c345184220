package lower

import (
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
	// What says what the pass does. The test's passOrder says why its place matters.
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
