package device

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each block of a gap is tried once at most, and the first few are spread over the gap.
func TestBlocksThatAreTried(t *testing.T) {
	for _, count := range []uint64{1, 2, 3, 16, 100, 128, 1000, 1023, 4097} {
		j := jumpOver(count, true)
		seen := map[uint64]bool{}
		var quarters [4]int
		for ; j.next < count; j.next++ {
			place := j.place()
			require.Less(t, place, count)
			require.False(t, seen[place], "block %d of %d twice", place, count)
			if seen[place] = true; j.next < 16 {
				quarters[4*place/count]++
			}
		}
		if count >= 100 {
			for _, n := range quarters {
				assert.InDelta(t, 4, n, 2, count)
			}
		}
	}
}
