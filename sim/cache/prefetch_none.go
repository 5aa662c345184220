package cache

// None fetches nothing ahead. No source tells of a prefetcher in Kepler's data caches.

func init() {
	RegisterPrefetcher("none", "fetches nothing ahead", func(PrefetchSpec) Prefetcher { return nil })
}
