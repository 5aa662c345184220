package scheduler

import (
	"github.com/keplersim/keplersim/internal/registry"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Slots is the number of warp slots of one scheduler, at most.
const Slots = 64

// Policy chooses one of a scheduler's ready warps. A policy that also implements [Listener] is notified of issues and stalls.
type Policy interface {
	// Pick returns the slot to issue from. ready has at least one bit set; started[slot] numbers the warps in the order in
	// which they became resident: smaller is older. All warps of a block start together and have the same number.
	Pick(ready uint64, started *[Slots]uint64) int
}

// Listener is notified of the issues and stalls of a scheduler's warps, for policies that learn from them.
type Listener interface {
	// Issued tells of an operation that a warp issued, by Pick or as the second of a pair.
	Issued(Issue)
	// Stalled tells that a warp did not issue for some cycles, which are over, and why.
	Stalled(Stall)
}

// Issue is one operation that was issued.
type Issue struct {
	Cycle engine.Cycle
	Slot  int
	// PC is the number of the machine operation.
	PC int32
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
	// ActiveSet is the number of warps in the active set of policies that have one (smx.fetch_group).
	ActiveSet int
}

// policies are the scheduling policies.
var policies = registry.NewKind[func(Spec) Policy]("scheduler policy")

// Register makes a policy available to configurations by name. Each policy's file calls it once, in its init.
func Register(name, does string, make func(Spec) Policy) { policies.Register(name, does, make) }

// New returns a policy by name, in its first state. The error lists the names that there are.
func New(name string, spec Spec) (Policy, error) {
	make, err := policies.Find(name)
	if err != nil {
		return nil, err
	}
	return make(spec), nil
}

// Names lists the policies, sorted.
func Names() []string { return registry.Names("scheduler policy") }
