package cache

// No source mentions a prefetcher in Kepler's data caches.

func init() {
	RegisterPrefetcher("none", "fetches nothing ahead", func(PrefetchSpec) Prefetcher { return nil })
}
