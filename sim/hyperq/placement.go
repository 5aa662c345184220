package hyperq

import "github.com/keplersim/keplersim/internal/registry"

// Placement chooses the SMX that a grid's next block goes to.
type Placement interface {
	// Next returns the SMX of the next block. free is how many more each takes, at least one of them some; last is the SMX that the block
	// before went to, or the one before that at which the grid begins: -1 for SMX 0.
	Next(free []int, last int) int
}

// placements are the placement policies.
var placements = registry.NewKind[func() Placement]("block placement policy")

// RegisterPlacement makes a policy available to configurations by name. Each policy's file calls it once, in its init.
func RegisterPlacement(name, does string, make func() Placement) {
	placements.Register(name, does, make)
}

// NewPlacement returns a policy by name. The error lists the names that there are.
func NewPlacement(name string) (Placement, error) {
	make, err := placements.Find(name)
	if err != nil {
		return nil, err
	}
	return make(), nil
}
