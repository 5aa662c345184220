package cache

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
)

// Bypass chooses the global loads that go past L1, of those that may use it.
type Bypass interface {
	// Past reports whether a load of a warp goes past L1. Line is that of its first lane.
	Past(a Access) bool
	// Looked is called with each line that a load has looked for in L1, and whether it was there.
	Looked(a Access, hit bool)
	// Evicted is called with the access that had brought an evicted line, and the one that took its place.
	Evicted(owner, by Access)
}

// BypassSpec is what a bypass is made for.
type BypassSpec struct {
	registry.Values // of its parameters
	// Sets, Ways and LineBytes are those of L1.
	Sets, Ways, LineBytes int
}

// bypasses are the policies of L1 for loads to go past it.
var bypasses = registry.NewKind[func(BypassSpec) Bypass]("L1 bypass")

// RegisterBypass makes a bypass available to configurations by name. Each one's file calls it once, in its init.
func RegisterBypass(name, does string, make func(BypassSpec) Bypass, parameters ...Parameter) {
	bypasses.Register(name, does, make, parameters...)
}

func init() {
	RegisterBypass("none", "every load that may use L1 does", func(BypassSpec) Bypass { return nil })
}

// NewBypass returns the bypass of a cache, nil for none. The error lists the names, or the parameters.
func NewBypass(policy configs.Policy, c *Cache) (Bypass, error) {
	make, parameters, err := bypasses.Choose(string(policy))
	if err != nil {
		return nil, err
	}
	return make(BypassSpec{parameters, c.spec.Sets, c.spec.Ways, c.spec.LineBytes}), nil
}
