package estimate

import (
	"math"
	"slices"
)

// Surface predicts how long work takes from work that was measured and differs from it: each is a point, whose coordinates say what it
// does. It is a Gaussian process (C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, chapters 2 and 5;
// kriging, where it is of places): the logarithm of time has a trend in the coordinates that are sizes, departs from it alike where points
// are near each other, and strays. How far it departs, what near means, and how far it strays, nobody knows: predictions are the mean over
// all that these may be, weighted by how well they agree with the points. The zero value has no point yet.
type Surface struct {
	// Sizes is how many of the coordinates, from the first on, are logarithms of sizes.
	Sizes  int
	points []point
	models []model // weighted; none while they are to be fitted anew
}

type point struct {
	at     []float64
	time   float64 // its logarithm
	unsure float64 // how far it may be wrong as a measurement: the standard deviation, as a share
}

// model is one of the things that may be.
type model struct {
	departs, near, strays float64
	weight                float64
	factored              cholesky
	solved                []float64
}

// What the departures from the trend may be, as shares, at what distance they are alike, and how far times stray.
var (
	departing = []float64{0.1, 0.2, 0.4, 0.8}
	nearness  = []float64{0.25, 0.5, 1, 2}
	straying  = []float64{0.002, 0.005, 0.01, 0.03, 0.1}
)

const (
	// The trend is what is expected of any work: as it grows time grows, by less than proportionally.
	trendMean, trendSpread = 0.5, 0.5
	// levelSpread is how little is known beforehand of how long work takes: its logarithm.
	levelSpread = 10
	// rugged is how unlikely it is beforehand that times depart much from the trend over little: the logarithm, for a departure by the
	// whole time over a distance of 1.
	rugged = 1
	// mostPoints are kept: another takes the place of one that has a neighbour.
	mostPoints = 48
	// farthest is how far from all points the surface is trusted.
	farthest = 0.25
	// leastWeight is what a model has at least, relative to the best, to count.
	leastWeight = 1e-3
)

// Count is the number of points.
func (s *Surface) Count() int { return len(s.points) }

// Add takes in a point: its coordinates, the time that was measured, and its standard deviation, as a share.
func (s *Surface) Add(at []float64, time, unsure float64) {
	if len(s.points) == mostPoints {
		s.points = slices.Delete(s.points, s.crowded(), s.crowded()+1)
	}
	s.points, s.models = append(s.points, point{at, math.Log(time), unsure}), nil
}

// crowded is the older one of the two points that are nearest to each other.
func (s *Surface) crowded() (older int) {
	least := math.Inf(1)
	for i := range s.points {
		for k := i + 1; k < len(s.points); k++ {
			if d := distance(s.points[i].at, s.points[k].at); d < least {
				older, least = i, d
			}
		}
	}
	return older
}

// distance is the square of the distance.
func distance(a, b []float64) (sum float64) {
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum
}

// trend is what is expected of work at a place.
func (s *Surface) trend(at []float64) (sum float64) {
	for i := range s.Sizes {
		sum += trendMean * at[i]
	}
	return sum
}

// wide is how what is not known of the trend and of the level makes two places vary together.
func (s *Surface) wide(a, b []float64) float64 {
	sum := 0.0
	for i := range s.Sizes {
		sum += (a[i] - s.points[0].at[i]) * (b[i] - s.points[0].at[i])
	}
	return levelSpread*levelSpread + trendSpread*trendSpread*sum
}

// fit weighs the models.
func (s *Surface) fit() {
	level := s.points[0].time - s.trend(s.points[0].at)
	target := make([]float64, len(s.points))
	for i, p := range s.points {
		target[i] = p.time - level - s.trend(p.at)
	}
	best := math.Inf(-1)
	for _, near := range nearness {
		for _, departs := range departing {
			for _, strays := range straying {
				m := model{departs: departs, near: near, strays: strays}
				var ok bool
				if m.factored, ok = factorize(len(s.points), func(i, j int) float64 { return s.together(&m, i, j) }); ok {
					m.solved = m.factored.solve(target)
					m.weight = -(dot(target, m.solved)+m.factored.logDeterminant())/2 - rugged*departs/near
					best = max(best, m.weight)
					s.models = append(s.models, m)
				}
			}
		}
	}
	s.models = slices.DeleteFunc(s.models, func(m model) bool { return m.weight < best+math.Log(leastWeight) })
	sum := 0.0
	for i := range s.models {
		s.models[i].weight = math.Exp(s.models[i].weight - best)
		sum += s.models[i].weight
	}
	for i := range s.models {
		s.models[i].weight /= sum
	}
}

// together is how two points vary together.
func (s *Surface) together(m *model, i, j int) float64 {
	sum := s.wide(s.points[i].at, s.points[j].at) + m.departing(s.points[i].at, s.points[j].at)
	if i == j {
		sum += m.strays*m.strays + s.points[i].unsure*s.points[i].unsure
	}
	return sum
}

// departing is how the departures at two places vary together.
func (m *model) departing(a, b []float64) float64 {
	return m.departs * m.departs * math.Exp(-distance(a, b)/(2*m.near*m.near))
}

// Predict returns the time of work at a place, and half the width of the interval around it, which is infinite while nothing is known.
func (s *Surface) Predict(at []float64) (time, half float64) {
	if len(s.points) == 0 {
		return 0, math.Inf(1)
	}
	nearest := math.Inf(1)
	for i := range s.points {
		nearest = min(nearest, distance(s.points[i].at, at))
	}
	if s.models == nil {
		s.fit()
	}
	mean, square := 0.0, 0.0
	together := make([]float64, len(s.points))
	for i := range s.models {
		m := &s.models[i]
		for k := range s.points {
			together[k] = s.wide(s.points[k].at, at) + m.departing(s.points[k].at, at)
		}
		own := dot(together, m.solved)
		variance := s.wide(at, at) + m.departs*m.departs - dot(together, m.factored.solve(together)) + m.strays*m.strays
		mean += m.weight * own
		square += m.weight * (own*own + max(0, variance))
	}
	spread := math.Sqrt(max(0, square-mean*mean))
	time = math.Exp(mean + s.points[0].time - s.trend(s.points[0].at) + s.trend(at))
	if half = time * math.Expm1(min(Deviations*spread, 1)); nearest > farthest*farthest { // nothing of what was measured is like it
		half = max(half, time*math.Sqrt(nearest))
	}
	return time, half
}

// Deviations is how many standard deviations an interval of Confidence has to either side.
const Deviations = 1.96
