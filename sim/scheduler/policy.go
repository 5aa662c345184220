package scheduler

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// Slots is the number of warp slots of one scheduler, at most.
const Slots = 64

// None is what Pick returns for a policy that lets no warp issue in this cycle.
const None = -1

// Policy chooses one of a scheduler's ready warps. A policy that also implements [Listener] is notified of issues and stalls, one that
// implements [CacheListener] of what the SMX's caches do.
type Policy interface {
	// Pick returns the slot to issue from, or None to hold all warps back: they stall as not selected, and Pick is called again in the next
	// cycle. ready has at least one bit set; started[slot] numbers the warps in the order in which they became resident: smaller is older.
	// All warps of a block start together and have the same number, in every scheduler of the SMX.
	Pick(ready uint64, started *[Slots]uint64) int
}

// Warps shows the resident warps of a scheduler. A policy may ask whenever it is called.
type Warps interface {
	// Now returns the cycle.
	Now() engine.Cycle
	// Resident returns the slots that have a warp.
	Resident() uint64
	// Warp returns the warp of a slot, zero for an empty one.
	Warp(slot int) Warp
}

// Warp is what a policy can see of a resident warp.
type Warp struct {
	// PC is the number of the machine operation that it issues next, Class the operation's.
	PC    int32
	Class isa.Class
	// Load says that the operation loads from memory outside of the SMX, maybe through its caches.
	Load bool
	// Block is the place of its block in the grid, and Index that of the warp in the block.
	Block [3]uint32
	Index int
	// Registers is how many registers a thread of its kernel has.
	Registers int
	// Outstanding is how many of its accesses to memory are in flight.
	Outstanding int
	// Misses is how many lines it has missed in the SMX's caches since it started.
	Misses uint64
}

// Listener is notified of the issues and stalls of a scheduler's warps, for policies that learn from them.
type Listener interface {
	// Issued tells of an operation that a warp issued, by Pick or as the second of a pair.
	Issued(Issue)
	// Stalled tells that a warp did not issue for some cycles, which are over, and why.
	Stalled(Stall)
}

// CacheListener is notified of what the L1 and the read-only cache of the scheduler's SMX do for all of its warps.
type CacheListener interface {
	// Looked is called with each line that a load has looked for.
	Looked(Lookup)
	// Evicted is called with each line that was evicted.
	Evicted(Eviction)
}

// Place is where a warp is in its SMX; Scheduler is negative where no warp is known.
type Place struct{ Scheduler, Slot int }

// Lookup is a line that a load has looked for in a cache.
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

// Eviction is a line that had to go.
type Eviction struct {
	Cycle engine.Cycle
	Cache stats.MemorySource
	Line  uint64
	// Owner is the warp that had brought the line, By the one for which it made room.
	Owner, By Place
}

// Issue is one operation that was issued.
type Issue struct {
	Cycle engine.Cycle
	Slot  int
	// PC is the number of the machine operation.
	PC    int32
	Class isa.Class
	// Lanes are those whose guard holds.
	Lanes uint32
}

// Stall is a time in which a warp did not issue: from one cycle up to, not including, another.
type Stall struct {
	From, To engine.Cycle
	Slot     int
	Reason   stats.Stall
}

// Spec is what a policy is made for.
type Spec struct {
	registry.Values // of its parameters
	// SMX is the number of the multiprocessor, Scheduler that of the scheduler in it.
	SMX, Scheduler int
	Warps          Warps
}

// Parameter is a number that a policy takes from the configuration, as in smx.scheduler: {name: NAME, PARAMETER: NUMBER}.
type Parameter = registry.Parameter

// policies are the scheduling policies.
var policies = registry.NewKind[func(Spec) Policy]("scheduler policy")

// Register makes a policy available to configurations by name. Each policy's file calls it once, in its init.
func Register(name, does string, make func(Spec) Policy, parameters ...Parameter) {
	policies.Register(name, does, make, parameters...)
}

// New returns the policy of a configuration, in its first state; it fills in the parameters. The error lists the names, or the parameters.
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
