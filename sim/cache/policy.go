package cache

import (
	"fmt"
	"slices"
	"strings"
)

// Policy chooses which line of a full set goes.
type Policy interface {
	// Used tells of an access to a line that is there.
	Used(set, way int)
	// Filled tells of a line put into a way.
	Filled(set, way int)
	// Victim is the way to evict from a full set.
	Victim(set int) int
}

// policies are the replacement policies by name; each file registers its own.
var policies = map[string]func(sets, ways int) Policy{}

// register adds a policy; called while the package is initialised.
func register(name string, make func(sets, ways int) Policy) struct{} {
	policies[name] = make
	return struct{}{}
}

// NewPolicy makes the state of a policy by its name.
func NewPolicy(name string, sets, ways int) (Policy, error) {
	make, ok := policies[name]
	if !ok {
		return nil, fmt.Errorf("cache: no replacement policy %q (there are %s)", name, strings.Join(PolicyNames(), ", "))
	}
	return make(sets, ways), nil
}

// PolicyNames are the names of all policies, sorted.
func PolicyNames() []string {
	var names []string
	for name := range policies {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
