package engine

import "unsafe"

// Slab hands out values from large allocations: one for many values takes less time and memory of the host than one each.
type Slab[T any] struct{ left []T }

// slabBytes is about the size of an allocation.
const slabBytes = 64 << 10

// Take returns count new values, all zero.
func (s *Slab[T]) Take(count int) []T {
	if len(s.left) < count {
		var one T
		s.left = make([]T, max(count, slabBytes/int(unsafe.Sizeof(one))))
	}
	taken := s.left[:count:count]
	s.left = s.left[count:]
	return taken
}
