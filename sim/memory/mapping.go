package memory

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
)

// Mapping spreads memory over the slices of L2, in chunks of l2.interleave bytes.
type Mapping interface {
	// Slice returns the slice in which a chunk lies, and the chunk's number among those of the slice. No two chunks have the same of both,
	// and chunks of one slice have rising numbers.
	Slice(chunk uint64) (slice int, local uint64)
}

// mappings are the ways to spread addresses.
var mappings = registry.NewKind[func(*configs.Config) (Mapping, error)]("address mapping")

// RegisterMapping makes a way to spread addresses over slices available to configurations by name. Each one's file calls it once, in its
// init. The error of make says which slices it cannot serve.
func RegisterMapping(name, does string, make func(*configs.Config) (Mapping, error)) {
	mappings.Register(name, does, make)
}
