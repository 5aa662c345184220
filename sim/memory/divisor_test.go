package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDivisorIsExact(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for by := 1; by <= 200; by++ {
		d := newDivisor(by)
		last := ^uint64(0) / uint64(by)
		for range 2000 {
			n := random.Uint64N(last) >> random.UintN(60)
			for _, n := range []uint64{n, n / uint64(by) * uint64(by), max(1, n/uint64(by)*uint64(by)) - 1, last - 1} {
				quotient, rest := d.divide(n)
				require.Equal(t, n/uint64(by), quotient, "%d / %d", n, by)
				require.Equal(t, n%uint64(by), rest, "%d / %d", n, by)
			}
		}
	}
}
