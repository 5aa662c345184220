package sampling

import (
	"hash/fnv"
	"math"

	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// Conditions for an estimate from earlier launches of the same kernel and shape of grid.
const (
	// leastLaunches are timed after the first, before others are estimated from them, if the interval is as narrow as launchesAlike.
	leastLaunches = 3
	launchesAlike = 0.03
	// detailedAgain is how many launches are estimated before one is timed again. Each time that one is as expected, the number grows by
	// detailedLater, up to detailedMost.
	detailedAgain = 16
	detailedLater = 4
	detailedMost  = 1024
	// systematic is the least half-width of the interval as a fraction of what is extrapolated: measurements do not show slow changes.
	systematic = 0.01
)

// shape identifies similar launches.
type shape struct {
	program    *smx.Program
	dim, block [3]uint32 // 0 for any
	shared     int
	parameters uint64 // a hash of them; 0 for any
}

// mostKinds is the most shapes that are distinguished.
const mostKinds = 1024

// launches has the timed launches of one shape, timed in full or in part.
type launches struct {
	ratio   ratio   // cycles to warp instructions
	cold    ratio   // of the first launch, with cold caches
	skipped int     // launches estimated since the last timed one
	again   int     // launches to estimate before the next timed one
	last    *detail // nil before the first, and if newer kinds took its place
	gaps    uint64  // launches of the device without timing when the last was timed
}

// detail has the figures of a timed launch.
type detail struct {
	executed float64 // warp instructions
	work     float64 // the same, as launch.work counts it
	blocks   float64
	cycles   float64
	unsure   float64       // relative error of the cycles themselves
	shares   []*smx.Detail // nil for SMXs without work of it
	memory   stats.Memory
	behaviour
}

// The kinds of a launch: launches of its kernel with the same grid and parameters, with the same grid, and all of its kernel. The last kind
// is only used when a budget is spent.
const (
	ofParameters = iota
	ofGrid
	ofKernel
)

// kinds returns the launches of each kind of a grid, by the constants above.
func (s *Sampler) kinds(g *smx.Grid) []*launches {
	hash := fnv.New64a()
	hash.Write(g.Launch.Bank0)
	grid := shape{program: g.Program, dim: g.Dim, block: g.Block, shared: g.Shared}
	parameters := grid
	parameters.parameters = hash.Sum64() | 1
	list := make([]*launches, 0, ofKernel+1)
	for _, key := range []shape{parameters, grid, {program: g.Program}} {
		k := s.launches[key]
		if k == nil {
			k = &launches{}
			if len(s.launches) < mostKinds { // others are dropped at once
				s.launches[key] = k
			}
		}
		list = append(list, k)
	}
	return list
}

// alike reports whether the next launch may be estimated from earlier ones.
func (l *launches) alike() bool {
	if l.ratio.Count() < leastLaunches || l.last == nil || l.skipped >= l.again {
		return false
	}
	cycles, half := l.ratio.Predict(l.ratio.Mean())
	return half <= launchesAlike*cycles
}

// like returns the basis for an estimate of the next launch of a kind, nil if it is to be timed.
func (l *launches) like(h timingPolicy) *ratio {
	switch {
	case h == timesSample && l.alike(), h == timesLeast && l.ratio.Count() > 0 && l.last != nil:
		return &l.ratio
	case h == timesLeast && l.cold.Count() > 0 && l.last != nil:
		return &l.cold
	}
	return nil
}

// none reports that no launch has been timed.
func (l *launches) none() bool { return l.ratio.Count()+l.cold.Count() == 0 }

// note adds a launch that was timed, at least in part, with cold caches or not.
func (l *launches) note(last *detail, cold bool) {
	ratio := &l.ratio
	if cold {
		ratio = &l.cold
	}
	if l.again == 0 {
		l.again = detailedAgain
	}
	if l.skipped > 0 { // it shows whether the launches left out were like this one
		expected, _ := l.ratio.Predict(last.work)
		l.again = nextAgain(l.again, math.Abs(last.cycles-expected) <= systematic*expected)
	}
	ratio.Add(last.work, last.cycles)
	l.skipped, l.last = 0, last
}

// nextAgain returns how many launches to estimate before one is timed again, given the present number and whether the timed one was as
// expected.
func nextAgain(again int, expected bool) int {
	if expected {
		return min(detailedLater*again, detailedMost)
	}
	return detailedAgain
}
