package main

import "github.com/keplersim/keplersim/sim/cache"

// pairs fetches the other line of an aligned pair, as a cache with lines of twice the size would.
type pairs struct{ line uint64 }

func init() {
	cache.RegisterPrefetcher("pairs", "fetches the other line of an aligned pair", func(s cache.PrefetchSpec) cache.Prefetcher {
		return pairs{line: uint64(s.LineBytes)}
	})
}

// Hit implements cache.Prefetcher.
func (pairs) Hit(_ cache.Access, ahead []uint64) []uint64 { return ahead }

// Miss implements cache.Prefetcher.
func (p pairs) Miss(a cache.Access, ahead []uint64) []uint64 { return append(ahead, a.Line^p.line) }

// Filled implements cache.Prefetcher.
func (pairs) Filled(uint64) {}
