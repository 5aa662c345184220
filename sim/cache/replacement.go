package cache

import "github.com/keplersim/keplersim/internal/registry"

// Access is who uses a line, as replacement policies and prefetchers see it.
type Access struct {
	// Line is the address of the line's first byte. In a slice of L2 it is the slice's own address, in which its lines lie side by side.
	Line uint64
	// PC is the number of the machine operation that asks, and Warp the SMX's slot of the warp; Unknown where nobody asked, or the cache's
	// owner does not know.
	PC, Warp int32
}

// Unknown stands for a PC or a warp that is not known.
const Unknown = -1

// Nobody returns the access of a line that no operation of a warp asked for.
func Nobody(line uint64) Access { return Access{Line: line, PC: Unknown, Warp: Unknown} }

// Replacement chooses which line of a full set goes. A cache has one; none of its methods may allocate.
type Replacement interface {
	// Used tells of an access to a line that is there.
	Used(set, way int, a Access)
	// Filled tells of a line put into a way, and who asked for it.
	Filled(set, way int, a Access)
	// Victim returns the way of a full set to evict for a line that comes.
	Victim(set int, a Access) int
}

// resetter is a policy that can begin anew in its own memory; others are made anew.
type resetter interface{ reset() }

// ReplacementSpec is what a replacement policy is made for.
type ReplacementSpec struct {
	registry.Values // of its parameters
	Sets, Ways      int
}

// Parameter is a number that a policy takes from the configuration, as in l2.policy: {name: NAME, PARAMETER: NUMBER}.
type Parameter = registry.Parameter

// replacements are the replacement policies.
var replacements = registry.NewKind[func(ReplacementSpec) Replacement]("replacement policy")

// RegisterReplacement makes a replacement policy available to configurations by name. Each policy's file calls it once, in its init.
func RegisterReplacement(name, does string, make func(ReplacementSpec) Replacement, parameters ...Parameter) {
	replacements.Register(name, does, make, parameters...)
}
