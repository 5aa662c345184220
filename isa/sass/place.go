package sass

// piece is a run of bits of a word.
type piece struct{ first, width uint8 }

// place is where a value lies in a word: pieces, the lowest bits first.
type place []piece

func (p place) mask() (mask uint64) {
	for _, part := range p {
		mask |= (1<<part.width - 1) << part.first
	}
	return mask
}

func (p place) width() (n int) {
	for _, part := range p {
		n += int(part.width)
	}
	return n
}

func (p place) get(word uint64) (v uint64) {
	shift := uint8(0)
	for _, part := range p {
		v |= word >> part.first & (1<<part.width - 1) << shift
		shift += part.width
	}
	return v
}

func (p place) put(word *uint64, v uint64) {
	for _, part := range p {
		*word = *word&^((1<<part.width-1)<<part.first) | v&(1<<part.width-1)<<part.first
		v >>= part.width
	}
}

// signed returns a value of so many bits with its sign extended.
func signed(v uint64, width int) int64 { return int64(v<<(64-width)) >> (64 - width) }
