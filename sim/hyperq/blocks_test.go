package hyperq

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// rise equals a sort, for numbers close together and far apart.
func TestNumbersOfBlocksRise(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		first, within, count := random.Uint64N(1<<40), 1+random.Uint64N(5000), 1+random.IntN(300)
		set := map[uint64]bool{}
		for range count {
			set[first+random.Uint64N(within)] = true
		}
		var numbers []uint64
		for n := range set {
			numbers = append(numbers, n)
		}
		want := slices.Clone(numbers)
		slices.Sort(want)
		(&Blocks{}).rise(numbers)
		require.Equal(t, want, numbers)
	}
}

func BenchmarkRise(b *testing.B) {
	blocks, random := &Blocks{}, rand.New(rand.NewPCG(1, 2))
	mixed := make([]uint64, 240)
	for i, n := range random.Perm(len(mixed)) {
		mixed[i] = 1000 + uint64(n)
	}
	numbers := slices.Clone(mixed)
	for b.Loop() {
		copy(numbers, mixed)
		blocks.rise(numbers)
	}
}
