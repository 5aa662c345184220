// Package cache is the one set-associative cache of the simulator: L1, read-only, constant and instruction caches of an SMX, the
// slices of L2, and the translation buffers are all made from it.
//
// A [Cache] holds tags, valid and dirty sectors, replacement state and miss registers; it holds no data, since what a byte
// is belongs to device memory, and it knows no time: the owner decides when a lookup happens and when a fill arrives.
//
// The usual life of a load is [Cache.Access], which hits, or takes a miss register and says which sectors to fetch, or
// stalls; and [Cache.Fill], which puts the sectors in and hands back who waited. A store is [Cache.Write]. What a fill or
// a write pushes out is an [Eviction], whose dirty sectors the owner writes back.
//
// A replacement policy is one small file: lru.go, fifo.go, plru.go, random.go. Nothing here allocates after New.
package cache
