package cache

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
)

// Prefetcher says which lines a cache fetches before anybody asks for them. Lines that it names and that are here or in flight are passed
// over, and so are all while no MSHR is free: a prefetch never holds up an access. None of its methods may allocate beyond the
// list that it is given.
type Prefetcher interface {
	// Hit tells of an access that found its line, and may append lines to fetch.
	Hit(a Access, ahead []uint64) []uint64
	// Miss tells of an access that did not, and may append lines to fetch.
	Miss(a Access, ahead []uint64) []uint64
	// Filled tells of a line that came.
	Filled(line uint64)
}

// Ahead asks a prefetcher for the lines to fetch after an access. They are in the list that is given, whose contents go.
func Ahead(p Prefetcher, a Access, hit bool, list []uint64) []uint64 {
	if hit {
		return p.Hit(a, list[:0])
	}
	return p.Miss(a, list[:0])
}

// EvictionListener is a [Prefetcher] that also hears of evicted lines, to learn which were fetched for nothing. Instruction caches
// call neither this nor Filled.
type EvictionListener interface {
	// Evicted is called with each line that was evicted.
	Evicted(line uint64)
}

// PrefetchSpec is what a prefetcher is made for.
type PrefetchSpec struct {
	registry.Values // of its parameters
	// LineBytes is the size of the cache's lines.
	LineBytes int
}

// degree is the parameter of the prefetchers here.
var degree = Parameter{Name: "degree", Does: "lines to fetch for one access", Default: 1, Min: 1, Max: 64}

// prefetchers are the prefetchers.
var prefetchers = registry.NewKind[func(PrefetchSpec) Prefetcher]("prefetcher")

// RegisterPrefetcher makes a prefetcher available to configurations by name. Each one's file calls it once, in its init.
func RegisterPrefetcher(name, does string, make func(PrefetchSpec) Prefetcher, parameters ...Parameter) {
	prefetchers.Register(name, does, make, parameters...)
}

// NewPrefetcher returns the prefetcher of a cache with lines of so many bytes, nil for one that never fetches anything. The error lists the
// names, or the parameters.
func NewPrefetcher(policy configs.Policy, lineBytes int) (Prefetcher, error) {
	make, parameters, err := prefetchers.Choose(string(policy))
	if err != nil {
		return nil, err
	}
	return make(PrefetchSpec{parameters, lineBytes}), nil
}
