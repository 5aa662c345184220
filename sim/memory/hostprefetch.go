package memory

import (
	"math/bits"
	"unsafe"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/hostcache"
	"github.com/keplersim/keplersim/isa/exec"
)

// What a request will touch at its slice lies all over the host's memory, and is known when the request leaves its port: the host is told
// in time. While the SMXs run, what the memory system had in the host's caches goes.

// hostPrefetch brings into the host's caches what a request that leaves its port will touch.
func (s *System) hostPrefetch(f *flight) {
	s.slices[f.slice].cache.HostPrefetch(int(f.set))
	if f.Access == nil {
		return
	}
	if a := f.Access; f.Lanes&1 != 0 { // once for an access: its other requests have other lanes
		hostcache.Value(&a.Address[31], lastAddressToData)
	}
	if page := (f.Line - s.global.base) >> pageShift; page < uint64(len(s.global.pages)) && s.global.pages[page] != nil {
		at := s.global.pages[page][f.Line&(pageBytes-1):][:configs.LineBytes]
		first, last := bits.TrailingZeros8(f.Sectors)*SectorBytes, (bits.Len8(f.Sectors)-1)*SectorBytes
		hostcache.Lines(&at[first&(configs.LineBytes-1)], &at[last&(configs.LineBytes-1)], f.Access)
	}
}

// lastAddressToData is how many bytes of an access lie between its last address and the end of its first words of data.
const lastAddressToData = int(unsafe.Offsetof(exec.Access{}.Data)+unsafe.Sizeof(exec.Access{}.Data[0])) -
	int(unsafe.Offsetof(exec.Access{}.Address)) - 31*8
