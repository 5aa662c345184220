package exec

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/texture"
)

// AccessKind is the kind of a memory operation.
type AccessKind uint8

// Access kinds.
const (
	AccessLoad AccessKind = iota
	AccessStore
	AccessAtomic    // read, modify, write; returns the old value
	AccessReduction // the same without returning a value
	AccessPrefetch
	AccessQuery // txq, suq: a property of a texture, sampler or surface, known at once
)

// String returns the kind's name.
func (k AccessKind) String() string {
	return [...]string{"load", "store", "atomic", "reduction", "prefetch", "query"}[k]
}

// Access is one warp's memory operation: an address and up to 16 bytes for each active lane.
type Access struct {
	Kind   AccessKind
	Space  isa.Space // global, shared, local, const or param; Bound.Access resolves generic addresses
	Cache  isa.CacheOperator
	Order  isa.Order
	Bytes  uint8 // bytes of a lane, all vector components: 1, 2, 4, 8 or 16; of a texture, one texel
	Active uint32
	// Address is the byte address of each active lane. It is a device address in global space, an offset in the block's allocation in
	// shared space, in the thread's allocation in local space, and in the bank in const and param space.
	Address isa.Lanes64
	// Shape is a summary of Address; the zero value says nothing.
	Shape Shape
	// Data holds the bytes of each lane, little endian, word by word. It is the value to store, the operand of an atomic (words 0 and 1),
	// or the result of a load or an atomic.
	Data [4]isa.Lanes32
	// Compare is the comparand of a compare-and-swap.
	Compare [2]isa.Lanes32
	// Operation and Type are those of an atomic.
	Operation isa.Sub
	Type      isa.Type
	// Image is the surface that Address is in, or the texture to read as Sampling says. Before a texture read Data holds the coordinates in
	// PTX order, floats or Integers; afterwards the result. Gather is the component that tld4 collects, -1 for others.
	Image    *texture.Image
	Sampling texture.Sampling
	Integers bool
	Gather   int8
}

// Fault is an access that cannot be carried out.
type Fault struct {
	Lane    int
	Address uint64
	Bytes   int
	Space   isa.Space
	Write   bool
	// Detail says what is wrong with a texture, sampler, surface or coordinates; "" for a wrong address.
	Detail string
	// Misaligned: the address is not a multiple of the size; otherwise it is outside every allocation.
	Misaligned bool
}
