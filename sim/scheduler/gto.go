package scheduler

// Greedy then oldest: stay with the warp that issued last while it is ready, else take the oldest. Warps drift apart, so that
// their memory accesses do not all wait together. Falls back to: oldest.

func init() { register("gto", func(int) Policy { return &greedy{last: -1} }) }

type greedy struct{ last int }

func (g *greedy) Pick(ready uint64, ages *[Slots]uint64) int {
	if g.last < 0 || ready>>g.last&1 == 0 {
		g.last = oldestOf(ready, ages)
	}
	return g.last
}
