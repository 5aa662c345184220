package exec

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// Shape summarises an access's 32 addresses, active or not. Most accesses are of adjacent words or of few lines, and the shape tells all
// that matters about them.
type Shape struct {
	// Known: Low and High are valid.
	Known bool
	// Consecutive: each address is the previous one plus the access's size.
	Consecutive bool
	// Low is the bitwise AND of all addresses, and High the OR: no address is below Low or above High.
	Low, High uint64
}

// Within reports that all addresses agree except in their lowest bits.
func (s *Shape) Within(lowest uint) bool { return s.Known && s.Low>>lowest == s.High>>lowest }

// addresses joins the words of a base and adds an offset: narrow to the low word for 32-bit addresses, else wide.
func addresses(d *isa.Lanes64, low, high *isa.Lanes32, narrow uint32, wide uint64, size uint8) Shape {
	if hasVectors {
		any, all, even := vectorAddress(d, low, high, narrow, wide, uint64(bits.TrailingZeros8(size)))
		return Shape{Known: true, Consecutive: even == isa.FullMask, Low: all, High: any}
	}
	s := Shape{Known: true, Consecutive: true, Low: ^uint64(0)}
	for i := range d {
		x := pack64(low[i]+narrow, high[i]) + wide
		d[i] = x
		s.Low &= x
		s.High |= x
		s.Consecutive = s.Consecutive && x == d[0]+uint64(i)*uint64(size)
	}
	return s
}
