package lower

import (
	"context"

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
	{"reach", "drops blocks that nothing reaches; first, so that every block has a dominator", removeUnreachable},
	{"values", "a register that holds several values in turn becomes several; before all that look for values", splitValues},
	{"parameters", "parameter loads and changes of address space become moves; before copies are propagated, which puts them into their users", foldParameters},
	{"copies", "users read what a move copied; before narrowing, which then sees where addresses come from", propagateCopies},
	{"dead", "drops what nothing reads any more; counts of uses below rely on it", removeDead},
	{"contract", "multiplications and additions that leave their rounding open become fused multiply-adds; behind copies and what is dead, " +
		"which do not count as uses, and before anything finds common values, as in ptxas", contractProducts},
	{"addresses", "known additions go into the offsets of loads and stores; before products are joined with additions", foldAddresses},
	{"narrow", "32-bit arithmetic for addresses of small spaces; after the offsets, which need the 64-bit additions", narrowAddresses},
	{"copies again", "narrowing has turned extensions into moves", propagateCopies},
	{"dead again", "and left the wide values behind", removeDead},
	{"combine", "shifts for multiplications, multiply-adds; before operands are made legal, because it changes which place an operand has", combine},
	{"join loads", "neighbouring words are loaded together; after combining, which shows how addresses are aligned, and before scheduling moves loads apart", joinLoads},
	{"common", "one computation for what several compute; before invariants move, so that one is moved for all", removeCommon},
	{"legal operands", "numbers that an operation cannot hold go into constant memory, or into registers where it has no place for those; after everything that creates operations", legaliseOperands},
	{"common numbers", "one register for each such number in a block", removeCommon},
	{"hoist", "loop invariants, but for mere numbers, move in front of the loop", hoistInvariants},
	{"common invariants", "invariants of two loops meet in the block before them", removeCommon},
	{"last dead", "drops what became unused", removeDead},
	{"negations", "f32 arithmetic reads its sources with either sign; behind all that would take the source for the value read", foldNegations},
	{"expand", "instructions become Kepler operations; what works on PTX's meaning stands before, what works on operations and their latencies after", expandForms},
	{"save", "a device function stores the registers in which it keeps values across its calls, as the calling convention asks; after expansion, which tells what is live there, and before allocation, which gives spills their places behind", saveAcrossCalls},
	{"branches", "exits in place, fall-through, short bodies under predicates; on operations, whose number decides, and before scheduling, which gains from longer blocks", simplifyBranches},
	{"reconvergence", "operations by which parted lanes meet; when the branches that remain are known", placeReconvergence},
	{"schedule", "what others wait for comes first, by latency; before registers are allocated, whose reuse would tie operations together", schedule},
	{"allocate", "virtual registers become physical ones; the order of operations is final, so that live ranges are exact", allocateRegisters},
	{"reschedule", "spill code overlaps with other work; only where there is any, and within the registers that are given", rescheduleSpills},
}

// Program lowers one kernel of a program for one chip.
//
// Errors are of type *Error: an instruction that no Kepler operations are known for. When ctx ends, so does lowering, with its error.
func Program(ctx context.Context, p *isa.Program, kernel *isa.Function, o Options) (*isa.MachineProgram, error) {
	o = o.withDefaults()
	mp, err := lowerFunction(ctx, p, kernel, 0, o)
	if err != nil {
		return nil, err
	}
	return mp, appendCallees(ctx, mp, o)
}

// lowerFunction lowers a kernel or a device function, whose numbers lie in constant memory from literals on. Scheduling lets more values
// live at once, predicates among them: what finds no place then may find one in PTX order.
func lowerFunction(ctx context.Context, p *isa.Program, kernel *isa.Function, literals int, o Options) (*isa.MachineProgram, error) {
	mp, err := newFunction(ctx, p, kernel, literals, o).lowered()
	if err == nil || o.NoSchedule || ctx.Err() != nil {
		return mp, err
	}
	o.NoSchedule = true
	if mp, again := newFunction(ctx, p, kernel, literals, o).lowered(); again == nil {
		return mp, nil
	}
	return nil, err
}

// lowered runs all passes and writes the operations.
func (f *function) lowered() (*isa.MachineProgram, error) {
	for _, pass := range Passes {
		if err := f.stopped(); err != nil {
			return nil, err
		}
		if err := pass.run(f); err != nil {
			return nil, err
		}
	}
	return f.emitProgram()
}
