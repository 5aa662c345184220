// Package cache is the simulator's only set-associative cache. It models L1, read-only, constant and instruction caches of an SMX, the
// slices of L2, and the translation buffers.
//
// A [Cache] holds tags, valid and dirty sectors, replacement state and miss registers. It holds no data: device memory does. It knows no
// time: the owner decides when a lookup happens and when a fill arrives.
//
// A load is a [Cache.Access], which hits, or takes a miss register and returns the sectors to fetch, or stalls. [Cache.Fill] then inserts
// the sectors and returns the waiters. A store is a [Cache.Write]. A fill or a write may return an [Eviction], whose dirty sectors the
// owner writes back.
//
// A replacement policy is one small file: replacement_lru.go, _fifo.go, _plru.go, _random.go. Nothing here allocates after New.
package cache
