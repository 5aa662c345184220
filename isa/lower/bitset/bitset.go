package bitset

import "math/bits"

// Set is a set of small numbers, a bit each.
type Set []uint64

// New returns an empty set for the numbers below n.
func New(n int) Set { return make(Set, (n+63)/64) }

// Add puts a number in.
func (s Set) Add(i int32) { s[i>>6] |= 1 << (i & 63) }

// Remove takes a number out.
func (s Set) Remove(i int32) { s[i>>6] &^= 1 << (i & 63) }

// Has reports whether a number is in the set.
func (s Set) Has(i int32) bool { return s[i>>6]>>(i&63)&1 != 0 }

// Last returns the greatest member, -1 if there is none.
func (s Set) Last() int32 {
	for w := len(s) - 1; w >= 0; w-- {
		if s[w] != 0 {
			return int32(w*64 + 63 - bits.LeadingZeros64(s[w]))
		}
	}
	return -1
}

// Union adds other's members and reports whether that changed anything.
func (s Set) Union(other Set) bool {
	changed := false
	for w := range s {
		next := s[w] | other[w]
		changed = changed || next != s[w]
		s[w] = next
	}
	return changed
}

// Subtract removes other's members.
func (s Set) Subtract(other Set) {
	for w := range s {
		s[w] &^= other[w]
	}
}

// CopyFrom makes the set equal to another of the same size.
func (s Set) CopyFrom(other Set) { copy(s, other) }
