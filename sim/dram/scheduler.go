package dram

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
	"github.com/keplersim/keplersim/sim/engine"
)

// Scheduler chooses the next of a channel's waiting requests. A queue has the visible requests of one direction, oldest first.
// [Channel.RowOpen], [Channel.FirstBurst] and [Channel.Activation] describe the banks.
type Scheduler interface {
	// Choose returns the index of the request to serve next. The queue is not empty.
	Choose(c *Channel, queue *Queue, now engine.Tick) int
	// Interleave returns the index of a request whose bursts go between those of the chosen request, which uses bank; -1 for none. It must
	// use an open row in another bank group.
	Interleave(c *Channel, queue *Queue, bank uint32, now engine.Tick) int
	// OpenAhead returns the index of a request whose closed row to open before it is chosen, -1 for none. Argument wanted has a bit for
	// each bank with requests to its open row: do not close those.
	OpenAhead(c *Channel, queue *Queue, wanted uint64, now engine.Tick) int
}

// schedulers has the registered policies.
var schedulers = registry.NewKind[func(*configs.DRAM) Scheduler]("DRAM scheduling")

// RegisterScheduler registers a scheduling policy under the name that configurations use. The file of each policy calls it once, in init.
func RegisterScheduler(name, does string, make func(*configs.DRAM) Scheduler) {
	schedulers.Register(name, does, make)
}

// RowPolicy decides whether a bank's row stays open after an access.
type RowPolicy interface {
	// Close reports whether to close a row after serving a request. waiting has the visible requests of its direction.
	Close(c *Channel, bank, row uint32, waiting *Queue) bool
}

// rowPolicies has the registered policies.
var rowPolicies = registry.NewKind[func(*configs.DRAM) RowPolicy]("row policy")

// RegisterRowPolicy registers a row policy under the name that configurations use. The file of each policy calls it once, in init.
func RegisterRowPolicy(name, does string, make func(*configs.DRAM) RowPolicy) {
	rowPolicies.Register(name, does, make)
}
