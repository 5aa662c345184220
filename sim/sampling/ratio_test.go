package sampling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// For work in parts of random size and speed, the interval contains the true time of the rest as often as it says.
func TestIntervalsHaveTheTrueTime(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, measured := range []int{3, 5, 10, 30} {
		inside := 0
		const trials = 4000
		for range trials {
			var r ratio
			part := func() (work, time float64) {
				work = 1000 * (0.8 + 0.4*random.Float64())
				return work, work*2.5 + 100*random.NormFloat64()
			}
			for range measured {
				r.Add(part())
			}
			work, time := 0.0, 0.0
			for range 50 {
				w, t := part()
				work += w
				time += t
			}
			predicted, half := r.Predict(work)
			if math.Abs(predicted-time) <= half {
				inside++
			}
		}
		require.InDelta(t, confidence, float64(inside)/trials, 0.015, "%d parts", measured)
	}
}

func TestPartsThatAreAlikeArePredictedExactly(t *testing.T) {
	var r ratio
	_, half := r.Predict(10)
	require.True(t, math.IsInf(half, 1))
	r.Add(10, 30)
	time, half := r.Predict(100)
	require.Equal(t, 300.0, time)
	require.True(t, math.IsInf(half, 1), "one part says nothing of how parts differ")
	r.Add(20, 60)
	time, half = r.Predict(100)
	require.InDelta(t, 300, time, 1e-9)
	require.InDelta(t, 0, half, 1e-6)
	require.Equal(t, 2, r.Count())
	require.Equal(t, 15.0, r.Mean())
}

// Quantiles are those of printed tables of Student's t, for 95 % on both sides together (NIST/SEMATECH e-Handbook, 1.3.6.7.2).
func TestStudentsQuantiles(t *testing.T) {
	for count, want := range map[int]float64{2: 12.706, 3: 4.303, 5: 2.776, 10: 2.262, 30: 2.045, 101: 1.984} {
		require.InDelta(t, want, student(count), 0.0005, "%d values", count)
	}
	require.True(t, math.IsInf(student(1), 1))
}
