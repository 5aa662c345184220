package smx

import (
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
)

type sentRequests []memory.Request

func (s *sentRequests) Send(r ...memory.Request) { *s = append(*s, r...) }

// Requests leave in the order of their cycles, and within a cycle in the order in which they were added, like a stable sort. Their memory
// is used again.
func TestRequestsLeaveInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	o := newOutgoing()
	require.Equal(t, never, o.next())
	var waiting []memory.Request
	unit, sent, passed := engine.Cycle(0), 0, 0
	for now := engine.Cycle(0); now < 40_000; {
		unit = max(unit, now)
		for range random.IntN(12) {
			r := memory.Request{Tag: random.Uint32(), Issued: now + engine.Cycle(random.IntN(30))}
			if random.IntN(3) > 0 { // of the load/store unit, which has a queue
				unit = min(unit+engine.Cycle(random.IntN(3)), now+500)
				r.Issued = unit
			} else if r.Issued < unit {
				passed++
			}
			o.add(&r)
			waiting = append(waiting, r)
		}
		sort.SliceStable(waiting, func(i, k int) bool { return waiting[i].Issued < waiting[k].Issued })
		want := never
		if len(waiting) > 0 {
			want = waiting[0].Issued
		}
		require.Equal(t, want, o.next())
		until := now + 1 + engine.Cycle(random.IntN(20))
		var got sentRequests
		o.send(&got, until)
		n := sort.Search(len(waiting), func(i int) bool { return waiting[i].Issued >= until })
		require.Equal(t, waiting[:n], append([]memory.Request{}, got...))
		waiting = append([]memory.Request{}, waiting[n:]...)
		sent += n
		now = until // what is added from then on leaves no earlier
	}
	require.Greater(t, sent, 10_000)
	require.Greater(t, passed, 500, "requests that leave before others")
	require.Less(t, cap(o.list), 8192)
}
