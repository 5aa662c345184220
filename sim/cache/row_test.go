package cache

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The order of the ways' last uses equals that of a list.
func TestRowsKeepTheOrderOfUses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for ways := 1; ways <= rowWays; ways++ {
		r, list := row{order: inOrder}, []int{}
		for way := range ways {
			list = append(list, way)
		}
		for range 2000 {
			way := random.IntN(ways)
			r.use(way)
			at := slices.Index(list, way)
			list = slices.Insert(slices.Delete(list, at, at+1), 0, way)
			require.Equal(t, list[ways-1], r.last(ways))
			for i, want := range list {
				require.EqualValues(t, want, r.order>>(4*i)&15)
			}
		}
	}
}

// The first matching byte of a word is found, with no match before it. Bytes of empty ways match no hash.
func TestSignsAreFound(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		var r row
		want := sign(random.Uint64() &^ 127)
		first := -1
		for way := range 8 {
			switch random.IntN(4) {
			case 0:
				r.put(way, want)
				if first < 0 {
					first = way
				}
			case 1:
				other := sign(random.Uint64())
				r.put(way, other)
				if other == want && first < 0 {
					first = way
				}
			}
		}
		m := alike(r.signs[0], want*eachByte)
		if first < 0 {
			require.Zero(t, m)
			continue
		}
		require.Equal(t, first, bits.TrailingZeros64(m)>>3)
	}
}
