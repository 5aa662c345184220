package scheduler

import (
	"fmt"
	"sort"
	"strings"
)

// Slots is the number of warp slots of one scheduler, at most.
const Slots = 64

// Policy chooses one of a scheduler's ready warps.
type Policy interface {
	// Pick returns the slot to issue from. ready has at least one bit set; ages[slot] is smaller for a warp that became
	// resident earlier, and the same for all warps of a block, which start together.
	Pick(ready uint64, ages *[Slots]uint64) int
}

// makers are the registered policies.
var makers = map[string]func(group int) Policy{}

// register makes a policy available by name; each policy's file calls it once.
func register(name string, make func(group int) Policy) { makers[name] = make }

// New makes a policy by name. group is the size of the active set of policies that have one.
func New(name string, group int) (Policy, error) {
	make, ok := makers[name]
	if !ok {
		return nil, fmt.Errorf("no scheduler policy %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return make(group), nil
}

// Names lists the policies, sorted.
func Names() []string {
	names := make([]string, 0, len(makers))
	for name := range makers {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
