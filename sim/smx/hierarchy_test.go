package smx

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Reading the same line again skips the caches. Times and counts are the same as with a lookup for each read.
func TestReadingALineAgainCountsAsEveryRead(t *testing.T) {
	for _, policy := range []configs.Policy{"lru", "fifo", "plru", "random"} {
		level := configs.CacheLevel{Bytes: 512, Line: 64, Ways: 4, Latency: 4, Policy: policy, MissRegisters: 4}
		outer := configs.CacheLevel{Bytes: 2048, Line: 256, Ways: 4, Latency: 90, Policy: policy, MissRegisters: 4}
		remembering, err := newHierarchy(level, outer, 200)
		require.NoError(t, err)
		asking, err := newHierarchy(level, outer, 200)
		require.NoError(t, err)
		random := rand.New(rand.NewPCG(11, 12))
		var counts, want [2]stats.CacheCount
		address, now, again := uint64(0), engine.Cycle(0), 0
		for range 20_000 {
			now += engine.Cycle(random.IntN(40))
			if random.IntN(3) == 0 {
				address = random.Uint64N(4096)
			}
			if remembering.recent == address&^63+1 {
				again++
			}
			asking.recent = 0
			require.Equal(t, asking.read(address, now, &want[0], &want[1]), remembering.read(address, now, &counts[0], &counts[1]), policy)
			require.Equal(t, want, counts, policy)
		}
		require.Greater(t, again, 1000)
	}
}
