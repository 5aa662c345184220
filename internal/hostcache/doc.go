// Package hostcache prefetches memory into the host's caches. The state of a chip's warps is larger than those caches, and the simulator
// knows what a warp needs long before its turn. Prefetching changes no result. On hosts other than amd64 it does nothing.
package hostcache

import "unsafe"

// Rows prefetches rows of 32 words each; numbers are their indices, counted from the row at first.
func Rows(first *[32]uint32, numbers []uint16) {
	if len(numbers) > 0 {
		prefetchRows(unsafe.Pointer(first), &numbers[0], len(numbers))
	}
}

// Value prefetches the first bytes of a value.
func Value[T any](value *T, bytes int) { prefetchBytes(unsafe.Pointer(value), bytes) }

// Lines prefetches three cache lines of the host, those at three addresses.
func Lines[A, B, C any](a *A, b *B, c *C) {
	prefetchLines(unsafe.Pointer(a), unsafe.Pointer(b), unsafe.Pointer(c))
}

// Owned prefetches the first bytes of a value that will be written, and takes the lines from other cores.
func Owned[T any](value *T, bytes int) { prefetchOwned(unsafe.Pointer(value), bytes) }
