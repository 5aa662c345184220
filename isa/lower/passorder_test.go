package lower

import "fmt"

// orderRule says that one pass must run before another, and why.
type orderRule struct{ first, second, because string }

// passOrder lists the constraints on the order of Passes. A pass that is added gets its own.
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
