package memory

import (
	"math/bits"
	"unsafe"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/hostcache"
	"github.com/keplersim/keplersim/isa/exec"
)

// What a request touches at its slice is scattered over the host's memory, but known when the request leaves its port. So the host
// prefetches it: while the SMXs run, they evict the memory system's data from the host's caches.

// hostPrefetch fetches into the host's caches what a departing request will touch.
func (s *System) hostPrefetch(f *flight) {
	s.slices[f.slice].cache.HostPrefetch(int(f.set))
	if f.Access == nil {
		return
	}
	if a := f.Access; f.Lanes&1 != 0 { // once an access: its other requests lack lane 0
		hostcache.Value(&a.Address[31], lastAddressToData)
	}
	if page := (f.Line - s.global.base) >> pageShift; page < uint64(len(s.global.pages)) && s.global.pages[page] != nil {
		at := s.global.pages[page][f.Line&(pageBytes-1):][:configs.LineBytes]
		first, last := bits.TrailingZeros8(f.Sectors)*SectorBytes, (bits.Len8(f.Sectors)-1)*SectorBytes
		hostcache.Lines(&at[first&(configs.LineBytes-1)], &at[last&(configs.LineBytes-1)], f.Access)
	}
}

// lastAddressToData is the distance in bytes from an access's last address to the end of its first words of data.
const lastAddressToData = int(unsafe.Offsetof(exec.Access{}.Data)+unsafe.Sizeof(exec.Access{}.Data[0])) -
	int(unsafe.Offsetof(exec.Access{}.Address)) - 31*8
