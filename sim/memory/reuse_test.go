package memory

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/stats"
)

// A line's distance is its place in a list of lines, the last used first.
func TestReuseDistances(t *testing.T) {
	var got, want stats.Reuse
	r := newReuse(&got)
	random := rand.New(rand.NewPCG(2, 3))
	var list []uint64
	for i := range 5000 {
		line := uint64(random.IntN(1 + i%90))
		r.use(line)
		if place := slices.Index(list, line); place >= 0 {
			want.Counts[bits.Len(uint(place))]++
			list = slices.Delete(list, place, place+1)
		} else {
			want.First++
		}
		list = slices.Insert(list, 0, line)
		if i%190 == 0 {
			r.renumber()
		}
	}
	require.Equal(t, want, got)
	require.EqualValues(t, 5000, got.Total())
}

// A ring of 100 lines walked four times: 99 other lines are between two uses of one.
func TestReuseRecordsRequestsOnce(t *testing.T) {
	cfg := load(t, "gk110")
	s := New(cfg, NewGlobal(cfg))
	s.RecordReuse()
	c := &chase{rounds: 4}
	for a := range uint64(100) {
		c.addresses = append(c.addresses, firstAddress+128*a)
	}
	drive(t, s, []core{c})
	h := s.Counters(houseAccount).Reuse
	require.EqualValues(t, 100, h.First)
	require.EqualValues(t, 300, h.Counts[7])
	require.EqualValues(t, 400, h.Total())
}
