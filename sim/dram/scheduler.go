package dram

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
	"github.com/keplersim/keplersim/sim/engine"
)

// Scheduler chooses which of a channel's waiting requests is next. A queue holds those of one direction that the scheduler sees, oldest
// first; [Channel.RowOpen], [Channel.FirstBurst] and [Channel.Activation] tell of the banks.
type Scheduler interface {
	// Choose returns the place in a queue, which is not empty, of the request to serve next.
	Choose(c *Channel, queue *Queue, now engine.Tick) int
	// Interleave returns the place of a request whose bursts go between those of the chosen one, to the bank given, -1 for none. Only
	// requests whose row is open, in another group of banks, can go between.
	Interleave(c *Channel, queue *Queue, bank uint32, now engine.Tick) int
	// OpenAhead returns the place of a request whose row, which is not open, is opened before it is chosen, -1 for none. Banks for whose
	// open row a request of the queue waits have a bit in wanted; closing those would undo what was opened for others.
	OpenAhead(c *Channel, queue *Queue, wanted uint64, now engine.Tick) int
}

// schedulers are the scheduling policies.
var schedulers = registry.NewKind[func(*configs.DRAM) Scheduler]("DRAM scheduling")

// RegisterScheduler makes a scheduling policy available to configurations by name. Each policy's file calls it once, in its init.
func RegisterScheduler(name, does string, make func(*configs.DRAM) Scheduler) {
	schedulers.Register(name, does, make)
}

// RowPolicy decides whether a bank's row stays open after an access.
type RowPolicy interface {
	// Close reports whether a row is closed to which a request has just been served. waiting are the requests of its direction in the
	// scheduler's sight.
	Close(c *Channel, bank, row uint32, waiting *Queue) bool
}

// rowPolicies are the row policies.
var rowPolicies = registry.NewKind[func(*configs.DRAM) RowPolicy]("row policy")

// RegisterRowPolicy makes a row policy available to configurations by name. Each policy's file calls it once, in its init.
func RegisterRowPolicy(name, does string, make func(*configs.DRAM) RowPolicy) {
	rowPolicies.Register(name, does, make)
}
