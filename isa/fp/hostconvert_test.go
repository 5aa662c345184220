package fp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// conversionEdges are values where conversions turn: halves, ends of ranges, powers of two, what is not a number.
func conversionEdges() (edges []uint64) {
	for _, v := range []float64{0, 0.5, 1.5, 2.5, 1 << 23, 1<<24 + 1, 1<<31 - 1, 1<<31 - 0.5, 1 << 31, 1<<32 - 0.5, 1<<32 - 1, 1 << 32,
		1 << 52, 1<<53 - 1, 1 << 62, 1<<63 - 1024, 1 << 63, 1<<64 - 2048, 1 << 64, math.MaxFloat64, math.Inf(1), math.NaN(), 5e-324} {
		for _, v := range []float64{v, -v, math.Nextafter(v, 0), -math.Nextafter(v, 1e300)} {
			edges = append(edges, math.Float64bits(v), uint64(math.Float32bits(float32(v))))
		}
	}
	for e := range 64 {
		edges = append(edges, 1<<e, -(1 << e), 1<<e-1, 1<<e+1, 0x7ff0000000000001, 0xffc00001)
	}
	return edges
}

// TestConversionsOnTheHost holds every conversion that the host's arithmetic does to the exact one.
func TestConversionsOnTheHost(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	values := conversionEdges()
	count := 2000
	if testing.Short() {
		count = 20
	}
	for range count {
		x := random.NormFloat64() * math.Ldexp(1, random.IntN(70)-3)
		values = append(values, random.Uint64()>>random.IntN(64), operand(random, &Double), operand(random, &Single), math.Float64bits(x),
			uint64(math.Float32bits(float32(x))))
	}
	for _, to := range kinds {
		for _, from := range kinds {
			for r := RoundNone; r <= RoundPlusInteger; r++ {
				exact := converter(to, from, Control{Rounding: r})
				quick := onHost(to, from, Control{Rounding: r}, exact)
				for _, x := range values {
					if exact(x) != quick(x) {
						require.Failf(t, "values differ", "cvt.%v.%s.%s of %x: %x, want %x", r, to.name, from.name, x, quick(x), exact(x))
					}
				}
			}
		}
	}
}
