package scheduler

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// Slots is the most warp slots of one scheduler.
const Slots = 64

// None is the result of Pick for no warp in this cycle.
const None = -1

// Policy chooses one of a scheduler's ready warps. A policy that also implements [Listener] receives issues and stalls, one that implements
// [CacheListener] events of the SMX's caches.
type Policy interface {
	// Pick returns the slot to issue from, or None: all ready warps then stall as not selected, and Pick is called again in the next cycle.
	// At least one bit of ready is set. Value started[slot] numbers the warps in the order in which they became resident: smaller is older.
	// All warps of a block start together and have the same number, in every scheduler of the SMX.
	Pick(ready uint64, started *[Slots]uint64) int
}

// Warps shows the resident warps of a scheduler. A policy may use it in any of its methods.
type Warps interface {
	// Now returns the current cycle.
	Now() engine.Cycle
	// Resident returns the slots with a warp.
	Resident() uint64
	// Warp returns the warp of a slot, zero for an empty one.
	Warp(slot int) Warp
}

// Warp is a policy's view of a resident warp.
type Warp struct {
	// PC is the number of the warp's next machine operation, Class the operation's class.
	PC    int32
	Class isa.Class
	// Load: the operation loads from memory outside the SMX, perhaps through its caches.
	Load bool
	// Block is the position of its block in the grid, Index that of the warp in the block.
	Block [3]uint32
	Index int
	// Registers is the number of registers of a thread.
	Registers int
	// Outstanding is the number of its memory accesses in flight.
	Outstanding int
	// Misses is the number of lines that missed in the SMX's caches since it started.
	Misses uint64
}

// Listener receives the issues and stalls of a scheduler's warps, for policies that learn from them.
type Listener interface {
	// Issued reports an operation that a warp issued, by Pick or as the second of a pair.
	Issued(Issue)
	// Stalled reports that a warp did not issue for some past cycles, and why.
	Stalled(Stall)
}

// CacheListener receives the events of L1 and the read-only cache of the scheduler's SMX, for all of its warps.
type CacheListener interface {
	// Looked is called for each line that a load looks up.
	Looked(Lookup)
	// Evicted is called for each evicted line.
	Evicted(Eviction)
}

// Place is a warp's place in its SMX; Scheduler is negative if no warp is known.
type Place struct{ Scheduler, Slot int }

// Lookup is a load's lookup of a line in a cache.
type Lookup struct {
	Cycle engine.Cycle
	Warp  Place
	PC    int32
	// Cache is stats.SourceLocal for L1, or stats.SourceReadOnly.
	Cache stats.MemorySource
	// Line is the address of the line's first byte.
	Line  uint64
	Found observe.Found
}

// Eviction is an evicted line.
type Eviction struct {
	Cycle engine.Cycle
	Cache stats.MemorySource
	Line  uint64
	// Owner is the warp that had brought the line, By the one whose line replaced it.
	Owner, By Place
}

// Issue is one issued operation.
type Issue struct {
	Cycle engine.Cycle
	Slot  int
	// PC is the number of the machine operation.
	PC    int32
	Class isa.Class
	// Lanes are those whose guard holds.
	Lanes uint32
}

// Stall is a time in which a warp did not issue, from cycle From to before To.
type Stall struct {
	From, To engine.Cycle
	Slot     int
	Reason   stats.Stall
}

// Spec has what a policy is made from.
type Spec struct {
	registry.Values // its parameters
	// SMX is the number of the multiprocessor, Scheduler that of the scheduler in it.
	SMX, Scheduler int
	Warps          Warps
}

// Parameter is a number that a policy takes from the configuration, as in smx.scheduler: {name: NAME, PARAMETER: NUMBER}.
type Parameter = registry.Parameter

// policies has the registered policies.
var policies = registry.NewKind[func(Spec) Policy]("scheduler policy")

// Register registers a policy under the name that configurations use. The file of each policy calls it once, in init.
func Register(name, does string, make func(Spec) Policy, parameters ...Parameter) {
	policies.Register(name, does, make, parameters...)
}

// New returns the policy of a configuration in its first state. It fills in the parameters. The error lists the names or the parameters.
func New(policy configs.Policy, spec Spec) (Policy, error) {
	make, parameters, err := policies.Choose(string(policy))
	if err != nil {
		return nil, err
	}
	spec.Values = parameters
	return make(spec), nil
}

// Names lists the policies, sorted.
func Names() []string { return registry.Names("scheduler policy") }
