package cache

import "github.com/keplersim/keplersim/internal/registry"

// Access describes the use of a line to replacement policies and prefetchers.
type Access struct {
	// Line is the address of the line's first byte. In a slice of L2 it is the slice's local address: its lines are consecutive there.
	Line uint64
	// PC is the number of the machine operation, and Warp the SMX's slot of the warp; Unknown if no operation caused the access, or the
	// cache's owner does not know it.
	PC, Warp int32
}

// Unknown is the PC or warp of an access without one.
const Unknown = -1

// Unattributed returns the access to a line that no operation caused.
func Unattributed(line uint64) Access { return Access{Line: line, PC: Unknown, Warp: Unknown} }

// Replacement chooses which line of a full set to evict. Each cache has one. Its methods must not allocate.
type Replacement interface {
	// Used reports an access to a present line.
	Used(set, way int, a Access)
	// Filled reports a line inserted into a way, and the access that requested it.
	Filled(set, way int, a Access)
	// Victim returns the way of a full set to evict for a new line.
	Victim(set int, a Access) int
}

// resetter is a policy that can be reset in place; others are replaced by a new one.
type resetter interface{ reset() }

// ReplacementSpec has what a replacement policy is made from.
type ReplacementSpec struct {
	registry.Values // its parameters
	Sets, Ways      int
}

// Parameter is a number of a policy in the configuration, as in l2.policy: {name: NAME, PARAMETER: NUMBER}.
type Parameter = registry.Parameter

// replacements has the registered policies.
var replacements = registry.NewKind[func(ReplacementSpec) Replacement]("replacement policy")

// RegisterReplacement registers a replacement policy under the name that configurations use. The file of each policy calls it once, in
// init.
func RegisterReplacement(name, does string, make func(ReplacementSpec) Replacement, parameters ...Parameter) {
	replacements.Register(name, does, make, parameters...)
}
