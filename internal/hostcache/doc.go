// Package hostcache tells the host's processor what memory is needed soon, so that it comes into the host's caches beside other work. The
// state of a chip's warps is larger than those caches, and what a warp needs is known long before its turn. It changes no result. On other
// hosts than amd64 it does nothing.
package hostcache

import "unsafe"

// Rows asks for rows of 32 words, by their numbers from the row at first on.
func Rows(first *[32]uint32, numbers []uint16) {
	if len(numbers) > 0 {
		prefetchRows(unsafe.Pointer(first), &numbers[0], len(numbers))
	}
}

// Value asks for the first bytes of a value.
func Value[T any](value *T, bytes int) { prefetchBytes(unsafe.Pointer(value), bytes) }

// Lines asks for what lies at three addresses, a line of the caches each.
func Lines[A, B, C any](a *A, b *B, c *C) {
	prefetchLines(unsafe.Pointer(a), unsafe.Pointer(b), unsafe.Pointer(c))
}

// Owned asks for the first bytes of a value that will be written: no other core keeps them.
func Owned[T any](value *T, bytes int) { prefetchOwned(unsafe.Pointer(value), bytes) }
