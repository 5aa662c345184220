package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/engine"
)

// Ports come by cycle, and those of one cycle by number, beside a search through all of them.
func TestPortsIssueByCycleAndNumber(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const ports, epoch = 70, 179
	q := newIssues(ports, epoch)
	for begin := engine.Cycle(0); begin < 200*epoch; begin += epoch {
		var left [ports][]engine.Cycle // in order, each port's
		for p := range left {
			at := begin
			for range random.IntN(6) {
				if at += engine.Cycle(random.IntN(60)); at < begin+epoch {
					left[p] = append(left[p], at)
				}
			}
			if len(left[p]) > 0 {
				q.note(p, left[p][0])
			}
		}
		for {
			first := engine.Never
			for p := range left {
				if len(left[p]) > 0 {
					first = min(first, left[p][0])
				}
			}
			require.Equal(t, first, q.first)
			if first == engine.Never {
				break
			}
			var want, got []int
			for p := range left {
				if len(left[p]) > 0 && left[p][0] == first {
					want = append(want, p)
				}
			}
			q.take(func(p int) {
				got = append(got, p)
				for len(left[p]) > 0 && left[p][0] == q.now {
					left[p] = left[p][1:]
				}
				if len(left[p]) > 0 {
					q.note(p, left[p][0])
				}
			})
			require.Equal(t, want, got)
		}
	}
}
