package cache

import "math/bits"

// rowWays is the number of ways of a row.
const rowWays = 16

// row is the state of 16 ways of a set, except their tags, in one line of the host's caches.
type row struct {
	// signs has a byte for each way: 0 if empty, else a hash of its line.
	signs [rowWays / 8]uint64
	// order has the numbers of the ways, four bits each, the last used lowest: the state of "lru" for sets of one row.
	order uint64
	state [rowWays]lineState
	live  int32 // lines in use in the whole set; kept in its first row
	_     int32
}

// Patterns of bytes and half-bytes of a word.
const (
	eachByte  = 0x0101_0101_0101_0101
	eachTop   = 0x8080_8080_8080_8080
	eachFour  = 0x1111_1111_1111_1111
	eachFirst = 0x8888_8888_8888_8888
	inOrder   = 0xfedc_ba98_7654_3210
)

// sign returns the hash of a line, never 0.
func sign(line uint64) uint64 { return line*0x9e37_79b9_7f4a_7c15>>57 | 0x80 }

// alike returns the bytes of a word that equal those of a pattern, as the top bit of each. Above the first match there may be false ones.
func alike(word, pattern uint64) uint64 {
	differ := word ^ pattern
	return (differ - eachByte) &^ differ & eachTop
}

// put sets the hash of a way's line, 0 for none.
func (r *row) put(way int, sign uint64) {
	word, shift := &r.signs[way>>3&1], uint(way&7)*8
	*word = *word&^(0xff<<shift) | sign<<shift
}

// use makes a way the last used.
func (r *row) use(way int) {
	order := r.order
	if order&15 == uint64(way) {
		return
	}
	differ := order ^ uint64(way)*eachFour
	at := uint(bits.TrailingZeros64((differ-eachFour)&^differ&eachFirst)) - 3 // the bit position of the way in order
	before := order & (1<<(at&63) - 1)
	r.order = order&^(1<<(at&63)<<4-1) | before<<4 | uint64(way)
}

// last returns the least recently used of the first ways.
func (r *row) last(ways int) int { return int(r.order >> (4 * uint(ways-1) & 63) & 15) }
