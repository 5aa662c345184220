package memory

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/engine"
)

// Responses come back by cycle, those of one cycle in the order in which they came, as from a sorted list.
func TestResponsesAreReceivedByCycle(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var b inbox
	var list []Response
	now := engine.Cycle(0)
	for tag := range uint32(20000) {
		r := Response{Ready: now + 1 + engine.Cycle(random.IntN(1+random.IntN(300))), Tag: tag}
		b.push(r)
		list = append(list, r)
		slices.SortStableFunc(list, func(a, b Response) int { return int(a.Ready - b.Ready) })
		if random.IntN(100) == 0 {
			now += engine.Cycle(random.IntN(400))
		} else {
			now += engine.Cycle(random.IntN(3))
		}
		ready := 0
		for ready < len(list) && list[ready].Ready <= now {
			ready++
		}
		require.Len(t, b.before(now+1), ready)
		if ready > 0 {
			first, ok := b.next()
			require.True(t, ok)
			require.Equal(t, list[0].Ready, first)
		}
		require.Equal(t, list[:ready:ready], append([]Response{}, b.take(now)...))
		list = list[ready:]
		require.Empty(t, b.take(now))
	}
}
