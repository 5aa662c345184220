package sampling

import (
	"math"

	"github.com/keplersim/keplersim/sim/engine"
)

// The uncertainty of cycles estimated from windows.

// wanted returns how many windows make the interval narrower than a fraction of the cycles.
func (m *measurements) wanted(close float64) int {
	stddev, mean, _ := m.stddev()
	for n := leastWindows; n < mostWindows; n++ {
		if student(n)*stddev/mean <= close*math.Sqrt(float64(n)) {
			return n
		}
	}
	return mostWindows
}

// stddev returns the spread of the windows' costs around their mean. It compares neighbours, so that slow changes over a launch do not
// count, and is at least the spread of pieces of windows. It ignores windows in which blocks end and none begin: they only describe the
// end.
func (m *measurements) stddev() (stddev, mean float64, counted int) {
	last, squares, pairs := -1.0, 0.0, 0.0
	for i := range m.windows {
		cost := m.windows[i].cost()
		if m.atEnd(&m.windows[i]) {
			break
		}
		if last >= 0 {
			squares += (cost - last) * (cost - last) / 2
			pairs++
		}
		last, mean, counted = cost, mean+cost, counted+1
	}
	mean /= float64(max(1, counted))
	within := pieceShare * m.noise.share() * math.Sqrt(pieceCycles/m.windowLength())
	return max(math.Sqrt(squares/max(1, pairs)), within*mean), mean, counted
}

// longest returns the warp instructions of the longest tried block, and whether blocks differ in length.
func (m *measurements) longest() (most float64, varied bool) {
	for i := range m.gaps {
		t := &m.gaps[i].tried
		most, varied = max(most, t.most), varied || t.stddev() > variedBlocks*t.mean()
	}
	return most, varied
}

// skipped returns how many blocks have been left out.
func (m *measurements) skipped() (blocks uint64) {
	for i := range m.gaps {
		blocks += m.gaps[i].skipped
	}
	return blocks
}

// atEnd reports whether blocks end and none begin in a window, though some began in the first.
func (m *measurements) atEnd(w *window) bool { return w.ending && !m.windows[0].ending }

// timed returns how many executed warp instructions were timed.
func (m *measurements) timed(now Progress) uint64 {
	for i := range m.gaps {
		now.Executed -= m.gaps[i].untimed
	}
	return now.Executed
}

// total has the sums over the gaps of a launch.
type total struct {
	late     float64   // cycles of the launch beyond the device's time
	left     float64   // warp instructions of blocks left out
	gaps     float64   // cycles in gaps
	unsure   float64   // sum of squared errors of single gaps, in cycles
	skipping float64   // the same for blocks left out
	weights  []float64 // warp instructions whose cost comes from each window

	mean, usual float64 // warp instructions of a block; cost of a window
	wave        float64 // resident blocks
	whole       float64 // cost up to the first gap
}

// total returns the sums over the gaps, and half the width of the interval around the cycles. Argument start is when the launch began,
// finished its progress, wave the number of resident blocks.
func (m *measurements) total(start engine.Cycle, finished Progress, wave float64) (t total, half float64) {
	stddev, usual, counted := m.stddev()
	first := m.gaps[0].from
	t = total{weights: make([]float64, len(m.windows)), mean: float64(finished.Executed) / float64(max(1, finished.Finished)),
		usual: usual, wave: wave, whole: float64(first.At-start) / float64(first.Executed)}
	for i := range m.gaps {
		if g := &m.gaps[i]; g.window+1 == len(m.windows) {
			t.addLast(m, g)
		} else {
			t.add(m, g)
		}
	}
	varying, all := 0.0, 0.0
	for _, w := range t.weights {
		varying += w * w
		all += w
	}
	// After a gap the pipelines fill again, and queues for memory may be other than before the first.
	t.unsure += float64(len(m.gaps))*warmCycles*warmCycles + math.Pow(t.apart(&m.windows[0])*all, 2)
	half = student(counted) * math.Sqrt(stddev*stddev*varying+t.skipping)
	if math.IsNaN(half) || math.IsInf(half, 1) { // one window does not show their spread
		half = 2 * t.gaps
	}
	return t, max(half+math.Sqrt(t.unsure), slowly*t.gaps, m.missing(t.mean)*t.gaps)
}

// apart returns how much the cost of a gap's only window differs from the others.
func (t *total) apart(w *window) float64 { return w.cost() - t.usual }

// leave adds the work that a gap left out, and returns it in warp instructions.
func (t *total) leave(g *gap, before *window) (work float64) {
	per := t.mean
	if g.tried.count > 0 {
		per = g.tried.mean()
	}
	work = float64(g.skipped) * per
	t.late -= float64(g.drained.At - g.from.At)
	t.left += work
	t.skipping += math.Pow(float64(g.skipped)*g.tried.stderr()*before.cost(), 2)
	return work
}

// addLast adds a gap in which the launch ended, or which was followed by a run in detail to the end.
func (t *total) addLast(m *measurements, g *gap) {
	before := &m.windows[g.window]
	left := t.leave(g, before)
	work := left + float64(g.untimed)
	cycles := work * before.cost()
	if g.went > 0 { // at the end not all places had a block
		cycles = (left+g.tried.sum)*before.cost() + g.went
	}
	t.late += cycles - g.went
	t.gaps += cycles
	t.weights[g.window] += work
	t.unsure += math.Pow(g.unsure*cycles, 2) +
		math.Pow(max(math.Abs(t.apart(before)), math.Abs(before.cost()-t.whole))*work, 2)
	if !m.windows[0].ending {
		t.unsure += math.Pow(min(t.mean*t.wave*before.cost(), cycles), 2)
	}
}

// add adds a gap between two windows.
func (t *total) add(m *measurements, g *gap) {
	before, after := &m.windows[g.window], &m.windows[g.window+1]
	left := t.leave(g, before)
	work := left + float64(after.from.Executed-g.from.Executed)
	cycles := work * (before.cost() + after.cost()) / 2
	if m.atEnd(after) { // the cost of few blocks does not describe the gap
		cycles = work * before.cost()
		t.unsure += math.Pow(t.apart(before)*work, 2)
		if g.went > 0 {
			t.unsure += math.Pow(lastPart*t.mean*t.wave*before.cost(), 2)
		}
	}
	if after.ending && g.went > 0 { // only ends of blocks: their own speeds determine when
		cycles = (left+g.tried.sum)*before.cost() + float64(after.from.At-g.drained.At)
	}
	t.late += cycles - float64(after.from.At-g.drained.At)
	t.gaps += cycles
	t.unsure += math.Pow(g.unsure*cycles, 2) // speeds are measured again for each gap
	t.weights[g.window] += work / 2
	t.weights[g.window+1] += work / 2
}

// missing returns the possible relative error because more or fewer blocks ended in the windows than their executed instructions suggest:
// the windows saw only some phases of the blocks. It is proportional to the spread of pieces, because phases do not matter if they all cost
// the same. Argument mean is the warp instructions of a block.
func (m *measurements) missing(mean float64) float64 {
	executed, ended := 0.0, 0.0
	for i := range m.windows {
		if w := &m.windows[i]; !w.ending {
			executed += float64(w.to.Executed - w.from.Executed)
			ended += float64(w.to.Finished - w.from.Finished)
		}
	}
	expected := executed / max(1, mean)
	apart, chance := math.Abs(ended-expected), byChance*math.Sqrt(expected)
	if apart <= chance {
		return 0
	}
	return min(1, 2*m.noise.share()*apart/(min(ended, expected)+chance))
}

// byChance is how many times the square root of their number events may deviate by chance.
const byChance = 3
