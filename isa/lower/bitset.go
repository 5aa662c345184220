package lower

import "math/bits"

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) add(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s bitset) remove(i int32)   { s[i>>6] &^= 1 << (i & 63) }
func (s bitset) has(i int32) bool { return s[i>>6]>>(i&63)&1 != 0 }

// last is the greatest member, -1 if there is none.
func (s bitset) last() int32 {
	for w := len(s) - 1; w >= 0; w-- {
		if s[w] != 0 {
			return int32(w*64 + 63 - bits.LeadingZeros64(s[w]))
		}
	}
	return -1
}

// union adds other's members and reports whether that changed anything.
func (s bitset) union(other bitset) bool {
	changed := false
	for w := range s {
		next := s[w] | other[w]
		changed = changed || next != s[w]
		s[w] = next
	}
	return changed
}

// subtract removes other's members.
func (s bitset) subtract(other bitset) {
	for w := range s {
		s[w] &^= other[w]
	}
}

func (s bitset) copyFrom(other bitset) { copy(s, other) }
