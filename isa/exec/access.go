package exec

import (
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/texture"
)

// AccessKind is what a memory operation does.
type AccessKind uint8

// Access kinds.
const (
	AccessLoad AccessKind = iota
	AccessStore
	AccessAtomic    // read, modify, write; the old value returns
	AccessReduction // the same with nothing returned
	AccessPrefetch
	AccessQuery // txq, suq: what a texture, sampler or surface is, known at once
)

// String returns the kind's name.
func (k AccessKind) String() string {
	return [...]string{"load", "store", "atomic", "reduction", "prefetch", "query"}[k]
}

// Access is one warp's memory operation: an address and up to 16 bytes for each active lane.
type Access struct {
	Kind   AccessKind
	Space  isa.Space // global, shared, local, const or param; generic addresses are resolved by Bound.Access
	Cache  isa.CacheOperator
	Order  isa.Order
	Bytes  uint8 // a lane, all vector components: 1, 2, 4, 8 or 16; of a texture, one texel
	Active uint32
	// Address is the byte address of each active lane: in global space device addresses, in shared space offsets in the
	// block's allocation, in local space offsets in the thread's, in const and param space offsets in the bank.
	Address isa.Lanes64
	// Shape is what is known of Address; the zero value says nothing.
	Shape Shape
	// Data holds the bytes of each lane, little endian, word by word: the value to store, the operand of an atomic
	// (words 0 and 1), or what a load or an atomic returned.
	Data [4]isa.Lanes32
	// Compare is the comparand of a compare-and-swap.
	Compare [2]isa.Lanes32
	// Operation and Type say what an atomic does.
	Operation isa.Sub
	Type      isa.Type
	// Image is the surface whose texels Address names, or the texture that Sampling says how to read: Data holds a read's coordinates
	// in the order of PTX, floats or Integers, and, once the texels are there, the result. Gather is the component that tld4
	// collects, -1 for others.
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
	// Detail says what is wrong with a texture, sampler or surface, or with coordinates; "" for addresses.
	Detail string
	// Misaligned: the address is not a multiple of the size; otherwise it lies outside every allocation.
	Misaligned bool
}
