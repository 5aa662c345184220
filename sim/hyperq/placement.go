package hyperq

import "github.com/keplersim/keplersim/internal/registry"

// Placement chooses the SMX that a grid's next block goes to.
type Placement interface {
	// Next returns the SMX of the next block. Argument free is how many more blocks each SMX takes, at least one of them positive. Argument
	// last is the SMX of the previous block, or for a grid's first block the SMX before its first: -1 for SMX 0.
	Next(free []int, last int) int
}

// placements has the registered policies.
var placements = registry.NewKind[func() Placement]("block placement policy")

// RegisterPlacement registers a policy under the name that configurations use. The file of each policy calls it once, in init.
func RegisterPlacement(name, does string, make func() Placement) {
	placements.Register(name, does, make)
}

// NewPlacement returns a policy by name. The error lists the names.
func NewPlacement(name string) (Placement, error) {
	make, err := placements.Find(name)
	if err != nil {
		return nil, err
	}
	return make(), nil
}
