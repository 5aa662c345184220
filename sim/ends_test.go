package sim_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

// A warp that has exited waits for its last stores. The wait is charged to them, not to its exit.
func TestTheWaitAtTheEndIsTheStores(t *testing.T) {
	d := loadDevice(t, "ends.ptx", sim.Options{})
	out := d.allocate("out", 32*1024)
	l, err := d.launch("ends", 1, 32, out)
	require.NoError(t, err)
	const scattered, together, reduced = 15, 16, 17 // lines of ends.ptx
	at := map[int]uint64{}
	for _, s := range l.Source {
		if n := s.Stalls[stats.StallExit]; n > 0 {
			at[s.Line] = n
		}
	}
	assert.Subset(t, []int{scattered, together, reduced}, slices.Collect(maps.Keys(at)), "no other line is waited for")
	assert.Equal(t, l.Total.Stalls[stats.StallExit], at[scattered]+at[together]+at[reduced])
	assert.Greater(t, at[scattered], uint64(100), "to memory and back")
	assert.Greater(t, at[reduced], uint64(100), "32 lanes add to one word, each behind the one before it")
	assert.Greater(t, at[scattered], at[together], "the second is carried out while the warp waits for the first")
}

// An SMX of a custom configuration may hold more warps than any Kepler's. All are resident at once, and compute the same.
func TestAnSMXOfManyWarps(t *testing.T) {
	for _, c := range []struct {
		warps     int
		overrides []string
	}{
		{128, []string{"smx.warps=128", "smx.blocks=32", "smx.threads=4096"}},
		{256, []string{"smx.warps=256", "smx.blocks=64", "smx.threads=8192", "registers.per_smx=262144"}},
	} {
		for _, policy := range []string{"fifo", "grr", "gto", "lrr", "oldest", "two-level"} {
			d := loadDevice(t, "ordered.ptx", sim.Options{}, append(c.overrides, "smx.count=1", "smx.scheduler="+policy)...)
			sum, ticket, order := d.allocate("sum", 4), d.allocate("ticket", 4), d.allocate("order", 4*orderedThreads)
			l, err := d.launch("ordered", orderedGrid, orderedBlock, sum, ticket, order)
			require.NoError(t, err)
			warps := c.warps / 6 * 6 // whole blocks of 192 threads
			assert.Equal(t, warps, l.Occupancy.Warps)
			resident := float64(l.Total.ActiveWarpCycles) / float64(l.Total.ActiveCycles)
			assert.Greater(t, resident, 0.5*float64(warps), policy)
			assert.LessOrEqual(t, resident, float64(warps), policy)
			assert.Equal(t, []uint32{orderedThreads}, d.words(ticket, 1))
			taken := d.words(order, orderedThreads)
			slices.Sort(taken)
			for i, n := range taken {
				require.Equal(t, uint32(i), n, "every ticket is taken once")
			}
		}
	}
}
