package lower

import "math/bits"

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (s bitset) add(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s bitset) remove(i int32)   { s[i>>6] &^= 1 << (i & 63) }
func (s bitset) has(i int32) bool { return s[i>>6]>>(i&63)&1 != 0 }

// each calls visit for every member, rising.
func (s bitset) each(visit func(int32)) {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			visit(int32(w*64 + bits.TrailingZeros64(word)))
		}
	}
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

func (s bitset) subtract(other bitset) {
	for w := range s {
		s[w] &^= other[w]
	}
}

func (s bitset) intersect(other bitset) {
	for w := range s {
		s[w] &= other[w]
	}
}

func (s bitset) copyFrom(other bitset) { copy(s, other) }
