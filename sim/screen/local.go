package screen

import (
	"math/bits"

	"github.com/keplersim/keplersim/isa/exec"
)

// mostLocal is the most bytes of local memory that a thread can have (CUDA C Programming Guide, technical specifications per compute
// capability).
const mostLocal = 512 << 10

// Local has a bit for each written byte of local memory of a warp's threads.
type Local struct {
	lanes [32][]uint64
}

// Access marks the bytes that an access writes. It calls unset for each lane that reads unwritten bytes, with a bit for each of these.
func (l *Local) Access(a *exec.Access, unset func(lane int, missing uint32)) {
	for m := a.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		at := a.Address[lane]
		if at >= mostLocal {
			continue // it will be a fault
		}
		written := &l.lanes[lane]
		for uint64(len(*written)) <= at/64 {
			*written = append(*written, 0)
		}
		word, mask := &(*written)[at/64], (uint64(1)<<a.Bytes-1)<<(at%64)
		if a.Kind != exec.AccessStore {
			if missing := uint32((^*word & mask) >> (at % 64)); missing != 0 {
				unset(lane, missing)
			}
		}
		if a.Kind != exec.AccessLoad {
			*word |= mask
		}
	}
}

// Forget marks all bytes as unwritten.
func (l *Local) Forget() {
	for lane := range l.lanes {
		clear(l.lanes[lane])
		l.lanes[lane] = l.lanes[lane][:0]
	}
}

// AccessLocal screens an access to a warp's local memory; false suspects the launch.
func (b *Block) AccessLocal(warp int, a *exec.Access) bool {
	for len(b.local) <= warp {
		if len(b.local) < cap(b.local) {
			b.local = b.local[:len(b.local)+1]
			b.local[len(b.local)-1].Forget()
			continue
		}
		b.local = append(b.local, Local{})
	}
	clean := true
	b.local[warp].Access(a, func(int, uint32) { clean = false })
	return clean
}
