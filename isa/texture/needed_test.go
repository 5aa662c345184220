package texture

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A read at a texel's centre needs only this texel, and gives what the filter gives with all texels and their weights.
func TestNeededTexels(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	special := []uint32{0, 1 << 31, 1, 0x80000001, 0x7f800000, 0xff800000, 0x7f800001, 0xffc00000, 0x7fffff, 0x800000, 0x3f800000,
		0xff7fffff}
	for _, format := range []Format{U8, S8, U16, S16, F16, F32} {
		i := &Image{Format: format, Channels: 1, NormalizedRead: !format.Float()}
		for _, count := range []int{2, 4, 8} {
			for n := range 2000 {
				s := Sample{Count: count}
				assert.Equal(t, 1, s.Needed())
				var texels [8][]byte
				for k := range count {
					if bits := special[random.IntN(len(special))]; random.IntN(8) > 0 {
						texels[k] = binary.LittleEndian.AppendUint32(nil, bits)
					} else if n%2 == 0 {
						texels[k] = binary.LittleEndian.AppendUint32(nil, random.Uint32())
					}
				}
				w, want := s.weights(), uint32(0)
				if format.Float() {
					want = i.blendFloats(&texels, &w, count, 0)
				} else {
					want = i.blendIntegers(&texels, &w, count, 0)
				}
				assert.Equal(t, [4]uint32{want}, s.Result(i, &[8][]byte{texels[0]}), "%s, %x", format, texels[0])
			}
		}
	}
	assert.Equal(t, 8, (&Sample{Count: 8, fraction: [3]uint32{0, 0, 1}}).Needed())
}
