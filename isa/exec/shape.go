package exec

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa"
)

// Shape is what is known of an access's 32 addresses, active or not, without a look at each. Most accesses are of neighbouring words or of
// few lines: what has to be found out about them can be read from their shape.
type Shape struct {
	// Known: Low and High mean something.
	Known bool
	// Consecutive: each address is known to be the access's size behind the one before.
	Consecutive bool
	// Low has the bits that all addresses have and High those that any has: no address is below Low or above High.
	Low, High uint64
}

// Within reports that all addresses agree in all but their lowest bits.
func (s *Shape) Within(lowest uint) bool { return s.Known && s.Low>>lowest == s.High>>lowest }

// addresses joins the words of a base and adds an offset, to the low word alone where addresses have 32 bits.
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
