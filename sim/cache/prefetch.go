package cache

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
)

// Prefetcher names lines that a cache fetches before they are requested. Lines that are present or in flight are skipped, and all lines
// while no MSHR is free: a prefetch never delays an access. Its methods must not allocate, except in the list that they are given.
type Prefetcher interface {
	// Hit reports an access that hit, and may append lines to fetch.
	Hit(a Access, ahead []uint64) []uint64
	// Miss reports an access that missed, and may append lines to fetch.
	Miss(a Access, ahead []uint64) []uint64
	// Filled reports a line that arrived.
	Filled(line uint64)
}

// Ahead returns the lines that a prefetcher fetches after an access. It overwrites list.
func Ahead(p Prefetcher, a Access, hit bool, list []uint64) []uint64 {
	if hit {
		return p.Hit(a, list[:0])
	}
	return p.Miss(a, list[:0])
}

// EvictionListener is a [Prefetcher] that also receives evictions, to learn which lines were fetched in vain. Instruction caches call
// neither this nor Filled.
type EvictionListener interface {
	// Evicted is called for each evicted line.
	Evicted(line uint64)
}

// PrefetchSpec has what a prefetcher is made from.
type PrefetchSpec struct {
	registry.Values // its parameters
	// LineBytes is the size of the cache's lines.
	LineBytes int
}

// degree is the parameter of the prefetchers in this package.
var degree = Parameter{Name: "degree", Does: "lines to fetch for one access", Default: 1, Min: 1, Max: 64}

// prefetchers has the registered prefetchers.
var prefetchers = registry.NewKind[func(PrefetchSpec) Prefetcher]("prefetcher")

// RegisterPrefetcher registers a prefetcher under the name that configurations use. The file of each prefetcher calls it once, in init.
func RegisterPrefetcher(name, does string, make func(PrefetchSpec) Prefetcher, parameters ...Parameter) {
	prefetchers.Register(name, does, make, parameters...)
}

// NewPrefetcher returns the prefetcher of a cache with lines of lineBytes bytes, nil if it never fetches anything. The error lists the
// names or the parameters.
func NewPrefetcher(policy configs.Policy, lineBytes int) (Prefetcher, error) {
	make, parameters, err := prefetchers.Choose(string(policy))
	if err != nil {
		return nil, err
	}
	return make(PrefetchSpec{parameters, lineBytes}), nil
}
