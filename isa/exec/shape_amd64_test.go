package exec

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
)

// A shape is true of every lane, with vectors and without, and a known one is as narrow as its bits allow.
func TestShapeHoldsForEveryLane(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	patterns := map[string]func(lane int, size uint64) uint64{
		"consecutive": func(lane int, size uint64) uint64 { return uint64(lane) * size },
		"one":         func(int, uint64) uint64 { return 0 },
		"strided":     func(lane int, size uint64) uint64 { return uint64(lane) * 5 * size },
		"backwards":   func(lane int, size uint64) uint64 { return uint64(31-lane) * size },
		"row":         func(int, uint64) uint64 { return random.Uint64N(256) },
		"any":         func(int, uint64) uint64 { return random.Uint64() },
		"all but one": func(lane int, size uint64) uint64 { return (uint64(lane) + uint64(lane)/31) * size },
	}
	vectors := hasVectors
	defer func() { hasVectors = vectors }()
	for name, pattern := range patterns {
		for range 200 {
			size := uint8(1) << random.IntN(5)
			start, narrow, wide := random.Uint64N(1<<40), uint32(0), random.Uint64N(1<<20)
			if random.IntN(2) == 0 {
				narrow, wide = random.Uint32N(1<<16), 0
			}
			var low, high isa.Lanes32
			var want isa.Lanes64
			for lane := range want {
				base := start + pattern(lane, uint64(size))
				low[lane], high[lane] = uint32(base), uint32(base>>32)
				want[lane] = pack64(low[lane]+narrow, high[lane]) + wide
			}
			var shapes []Shape
			for _, hasVectors = range []bool{false, vectors} {
				var got isa.Lanes64
				shapes = append(shapes, addresses(&got, &low, &high, narrow, wide, size))
				require.Equal(t, want, got, name)
			}
			require.Equal(t, shapes[0], shapes[1], name)
			s, consecutive, differ := shapes[0], true, uint64(0)
			for lane, x := range want {
				require.LessOrEqual(t, s.Low, x, name)
				require.GreaterOrEqual(t, s.High, x, name)
				consecutive = consecutive && x == want[0]+uint64(lane)*uint64(size)
				differ |= x ^ want[0]
			}
			require.Equal(t, consecutive, s.Consecutive, name)
			lowest := uint(bits.Len64(differ))
			require.True(t, s.Within(lowest), name)
			require.True(t, lowest == 0 || !s.Within(lowest-1), name)
		}
	}
	require.False(t, new(Shape).Within(63), "nothing is known")
}
