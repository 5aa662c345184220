package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Values of a slab are zero and handed out once, and many take few allocations.
func TestSlabsHandOutNewValues(t *testing.T) {
	var s Slab[[100]byte]
	seen := map[*[100]byte]bool{}
	for count := range 200 {
		taken := s.Take(count)
		require.Len(t, taken, count)
		require.Equal(t, count, cap(taken))
		for i := range taken {
			require.Zero(t, taken[i])
			require.False(t, seen[&taken[i]])
			seen[&taken[i]] = true
			taken[i][0], taken[i][99] = 1, 1
		}
	}
	require.Less(t, testing.AllocsPerRun(1000, func() { s.Take(1) }), 0.01)
	require.Len(t, s.Take(slabBytes), slabBytes)
}
