package memory

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
)

// Mapping spreads memory over the slices of L2, in chunks of l2.interleave bytes.
type Mapping interface {
	// Slice returns the slice of a chunk, and the chunk's number in that slice. No two chunks have both in common, and the numbers in a
	// slice rise with the chunks.
	Slice(chunk uint64) (slice int, local uint64)
}

// mappings has the registered mappings.
var mappings = registry.NewKind[func(*configs.Config) (Mapping, error)]("address mapping")

// RegisterMapping registers a mapping under the name that configurations use. The file of each mapping calls it once, in init. An error of
// make says which numbers of slices it does not support.
func RegisterMapping(name, does string, make func(*configs.Config) (Mapping, error)) {
	mappings.Register(name, does, make)
}
