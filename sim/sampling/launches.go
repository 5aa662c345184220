package sampling

import (
	"hash/fnv"
	"math"

	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// When launches are estimated from those before of the same kernel and shape of grid.
const (
	// leastLaunches run behind the first, before others are estimated from them, if their interval is as narrow as launchesAlike.
	leastLaunches = 3
	launchesAlike = 0.03
	// detailedAgain is how many are estimated before one runs in detail all the same, and detailedLater times as many each time that this
	// one is as the others, up to detailedMost.
	detailedAgain = 16
	detailedLater = 4
	detailedMost  = 1024
	// systematic is a part of what is extrapolated that the interval has in any case: measurements do not show what changes slowly.
	systematic = 0.01
)

// shape tells launches apart that need not be alike.
type shape struct {
	program    *smx.Program
	dim, block [3]uint32 // of 0 for any
	shared     int
	parameters uint64 // a hash of them; 0 for any
}

// mostKinds bounds how many shapes are told apart.
const mostKinds = 1024

// launches are those of one shape that have run, in detail or in part.
type launches struct {
	ratio   ratio   // of cycles to warp instructions
	cold    ratio   // of the first, which finds the caches cold
	skipped int     // since the last in detail
	again   int     // how many are before the next
	last    *detail // nil before the first, and where others have come since
	gaps    uint64  // how many launches of the device had run without timing when the last was timed
}

// detail is what a launch was that was timed, in whole or in part.
type detail struct {
	executed float64 // warp instructions
	work     float64 // the same, as launch.work counts it
	blocks   float64
	cycles   float64
	unsure   float64       // by what share the cycles may be wrong themselves
	shares   []*smx.Detail // nil for SMXs that had nothing of it
	memory   stats.Memory
	behaviour
}

// The kinds that a launch belongs to: the launches of its kernel with its grid and its parameters, with its grid, and all. The last tell
// how long it takes where a budget is spent, and nothing else does.
const (
	ofParameters = iota
	ofGrid
	ofKernel
)

// kinds are the launches that a grid is one of, by the constants above.
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
			if len(s.launches) < mostKinds { // others are forgotten at once
				s.launches[key] = k
			}
		}
		list = append(list, k)
	}
	return list
}

// alike reports that the next launch may be estimated from those before.
func (l *launches) alike() bool {
	if l.ratio.Count() < leastLaunches || l.last == nil || l.skipped >= l.again {
		return false
	}
	cycles, half := l.ratio.Predict(l.ratio.Mean())
	return half <= launchesAlike*cycles
}

// like returns what the next launch of a kind may be estimated from, nil where it is to be timed.
func (l *launches) like(h haste) *ratio {
	switch {
	case h == timesSample && l.alike(), h == timesLeast && l.ratio.Count() > 0 && l.last != nil:
		return &l.ratio
	case h == timesLeast && l.cold.Count() > 0 && l.last != nil:
		return &l.cold
	}
	return nil
}

// none reports that none has been timed.
func (l *launches) none() bool { return l.ratio.Count()+l.cold.Count() == 0 }

// note takes in a launch that ran in detail, at least in part, with the caches cold or not.
func (l *launches) note(last *detail, cold bool) {
	ratio := &l.ratio
	if cold {
		ratio = &l.cold
	}
	if l.again == 0 {
		l.again = detailedAgain
	}
	if l.skipped > 0 { // it tells whether those that were left out are like this one
		expected, _ := l.ratio.Predict(last.work)
		l.again = nextAgain(l.again, math.Abs(last.cycles-expected) <= systematic*expected)
	}
	ratio.Add(last.work, last.cycles)
	l.skipped, l.last = 0, last
}

// nextAgain is how many launches are estimated before one is timed all the same, by how many it was and whether this one is as expected.
func nextAgain(again int, expected bool) int {
	if expected {
		return min(detailedLater*again, detailedMost)
	}
	return detailedAgain
}
