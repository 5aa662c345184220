package estimate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Work of random sizes and kinds, whose time has a fixed part, one that grows, and a kind that costs more: between points that were
// measured the interval has the true time about as often as it says.
func TestIntervalsOfASurfaceHaveTheTrueTime(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	inside, narrow, trials := 0, 0, 0
	for range 40 {
		noise := 0.02 * random.Float64()
		fixed, each, kind := 1000*random.Float64(), 1+random.Float64(), random.Float64()
		work := func() (at []float64, time float64) {
			size, share := 6+2*random.Float64(), random.Float64()
			time = (fixed + each*math.Exp(size)*(1+kind*share)) * math.Exp(noise*random.NormFloat64())
			return []float64{size, share}, time
		}
		s := Surface{Sizes: 1}
		for range 40 {
			at, time := work()
			s.Add(at, time, 0)
		}
		for range 25 {
			at, time := work()
			expected, half := s.Predict(at)
			trials++
			if math.Abs(expected-time) <= half {
				inside++
			}
			if half <= 0.1*expected {
				narrow++
			}
		}
	}
	require.GreaterOrEqual(t, float64(inside)/float64(trials), Confidence-0.02)
	require.GreaterOrEqual(t, float64(narrow)/float64(trials), 0.8)
}

func TestASurfaceIsNotTrustedFarFromItsPoints(t *testing.T) {
	s := Surface{Sizes: 1}
	_, half := s.Predict([]float64{0})
	require.True(t, math.IsInf(half, 1))
	for i := range 20 { // nothing changes for long
		s.Add([]float64{float64(i) / 100}, 5000, 0)
	}
	time, half := s.Predict([]float64{0.1})
	require.InEpsilon(t, 5000, time, 0.005)
	require.Less(t, half, 0.02*time)
	for _, away := range []float64{0.5, 1, 3} {
		time, half = s.Predict([]float64{0.19 + away})
		require.GreaterOrEqual(t, half, 0.99*min(away, 1)*time, away)
	}
}

// However many points come, a bounded number is kept, spread over where they were.
func TestASurfaceKeepsPointsApart(t *testing.T) {
	s := Surface{Sizes: 1}
	for i := range 3 * mostPoints {
		at := 0.0
		if i < mostPoints/2 {
			at = float64(i)
		}
		s.Add([]float64{at}, 1000, 0)
	}
	require.Equal(t, mostPoints, s.Count())
	apart := map[float64]bool{}
	for _, p := range s.points {
		apart[p.at[0]] = true
	}
	require.Len(t, apart, mostPoints/2)
}
