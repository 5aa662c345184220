package cache

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
)

// Bypass chooses which of the global loads that may use L1 bypass it.
type Bypass interface {
	// Past reports whether a warp's load bypasses L1. Line is that of its first lane.
	Past(a Access) bool
	// Looked is called for each lookup of a load in L1, hit or miss.
	Looked(a Access, hit bool)
	// Evicted is called with the access that had brought an evicted line, and the one that replaced it.
	Evicted(owner, by Access)
}

// BypassSpec has what a bypass is made from.
type BypassSpec struct {
	registry.Values // its parameters
	// Sets, Ways and LineBytes describe L1.
	Sets, Ways, LineBytes int
}

// bypasses has the registered policies.
var bypasses = registry.NewKind[func(BypassSpec) Bypass]("L1 bypass")

// RegisterBypass registers a bypass under the name that configurations use. The file of each bypass calls it once, in init.
func RegisterBypass(name, does string, make func(BypassSpec) Bypass, parameters ...Parameter) {
	bypasses.Register(name, does, make, parameters...)
}

func init() {
	RegisterBypass("none", "every load that may use L1 does", func(BypassSpec) Bypass { return nil })
}

// NewBypass returns the bypass of a cache, nil for none. The error lists the names or the parameters.
func NewBypass(policy configs.Policy, c *Cache) (Bypass, error) {
	make, parameters, err := bypasses.Choose(string(policy))
	if err != nil {
		return nil, err
	}
	return make(BypassSpec{parameters, c.spec.Sets, c.spec.Ways, c.spec.LineBytes}), nil
}
