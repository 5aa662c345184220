package bitset

import "math/bits"

// Set is a set of small numbers.
type Set []uint64

func New(n int) Set { return make(Set, (n+63)/64) }

func (s Set) Add(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s Set) Remove(i int32)   { s[i>>6] &^= 1 << (i & 63) }
func (s Set) Has(i int32) bool { return s[i>>6]>>(i&63)&1 != 0 }

// Last is the greatest member, -1 if there is none.
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

func (s Set) CopyFrom(other Set) { copy(s, other) }
