package sass

// piece is a run of bits of a word.
type piece struct{ first, width uint8 }

// place is the location of a value in a word: pieces, lowest bits first.
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

// signed sign-extends a value of width bits.
func signed(v uint64, width int) int64 { return int64(v<<(64-width)) >> (64 - width) }
