package smx

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/engine"
)

// A calendar equals a list of each slot's wake-up time, with slots entered again, removed and asleep for ever.
func TestCalendarWakesEachSlotInItsCycle(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	c := calendar{sleep: never, first: never}
	model := map[int]engine.Cycle{}
	woken := 0
	for now := engine.Cycle(0); now < 20_000; now++ {
		var want uint64
		for slot, at := range model {
			if at <= now {
				want |= 1 << slot
				delete(model, slot)
				woken++
			}
		}
		var got uint64
		if c.sleep <= now {
			got = c.due(now)
		}
		require.Equal(t, want, got, "cycle %d", now)
		for range random.IntN(3) {
			slot, at := random.IntN(64), now+1+engine.Cycle(random.IntN(calendarCycles+4))
			switch random.IntN(8) {
			case 0:
				at = never
			case 1:
				at = now + 1 + engine.Cycle(random.IntN(1000))
			case 2:
				c.strike(slot)
				delete(model, slot)
				continue
			}
			c.enter(slot, at, now)
			model[slot] = at
			require.LessOrEqual(t, c.sleep, at)
		}
	}
	require.Greater(t, woken, 5000)
}
