package cache

import "github.com/keplersim/keplersim/internal/registry"

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

// PrefetchSpec is what a prefetcher is made for.
type PrefetchSpec struct {
	// LineBytes is the size of the cache's lines.
	LineBytes int
	// Degree is how many lines to fetch ahead, at most, for one access.
	Degree int
}

// prefetchers are the prefetchers.
var prefetchers = registry.NewKind[func(PrefetchSpec) Prefetcher]("prefetcher")

// RegisterPrefetcher makes a prefetcher available to configurations by name. Each one's file calls it once, in its init.
func RegisterPrefetcher(name, does string, make func(PrefetchSpec) Prefetcher) {
	prefetchers.Register(name, does, make)
}

// NewPrefetcher returns a cache's prefetcher, nil for one that never fetches anything: a degree of 0, or the name none. The error lists the
// names.
func NewPrefetcher(name string, spec PrefetchSpec) (Prefetcher, error) {
	make, err := prefetchers.Find(name)
	if err != nil || spec.Degree == 0 {
		return nil, err
	}
	return make(spec), nil
}
