package sampling

import (
	"math"

	"github.com/keplersim/keplersim/sim/engine"
)

// How sure the cycles are that windows tell.

// wanted is how many windows make the interval as narrow as a share of the cycles.
func (m *measurements) wanted(close float64) int {
	stray, mean, _ := m.stray()
	for n := leastWindows; n < mostWindows; n++ {
		if student(n)*stray/mean <= close*math.Sqrt(float64(n)) {
			return n
		}
	}
	return mostWindows
}

// stray is how far the costs of single windows stray from their mean: from what differs between neighbours, so that what changes slowly
// over a launch does not count, and at least from what pieces of windows do. Windows in which blocks end and none begin are left out: they
// are for the end alone.
func (m *measurements) stray() (stray, mean float64, counted int) {
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

// longest is how many warp instructions the longest block that was tried has, and whether blocks differ in that.
func (m *measurements) longest() (most float64, varied bool) {
	for i := range m.gaps {
		t := &m.gaps[i].tried
		most, varied = max(most, t.most), varied || t.stray() > variedBlocks*t.mean()
	}
	return most, varied
}

// skipped is how many blocks have been left out.
func (m *measurements) skipped() (blocks uint64) {
	for i := range m.gaps {
		blocks += m.gaps[i].skipped
	}
	return blocks
}

// atEnd reports that in a window blocks end and none begin, though some began in the first.
func (m *measurements) atEnd(w *window) bool { return w.ending && !m.windows[0].ending }

// timed is how many warp instructions ran with timing, of those that have run.
func (m *measurements) timed(now Progress) uint64 {
	for i := range m.gaps {
		now.Executed -= m.gaps[i].untimed
	}
	return now.Executed
}

// total is what the gaps of a launch add up to.
type total struct {
	late     float64   // cycles that the launch took longer than the device went
	left     float64   // warp instructions that were left out altogether
	gaps     float64   // cycles of gaps
	unsure   float64   // squares of cycles that single gaps may be wrong by
	skipping float64   // the same, of what was left out altogether
	weights  []float64 // warp instructions that each window says the cost of

	mean, usual float64 // warp instructions of a block; the cost of a window
	wave        float64 // blocks that are resident at once
	whole       float64 // the cost up to the first gap
}

// total returns what gaps add up to, and half the width of the interval around the cycles. start is when the launch began, finished how
// far it came, wave how many blocks were resident.
func (m *measurements) total(start engine.Cycle, finished Progress, wave float64) (t total, half float64) {
	stray, usual, counted := m.stray()
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
	// Behind a gap the pipelines fill anew, and where blocks queue for memory they may do so otherwise than before the first.
	t.unsure += float64(len(m.gaps))*warmCycles*warmCycles + math.Pow(t.apart(&m.windows[0])*all, 2)
	half = student(counted) * math.Sqrt(stray*stray*varying+t.skipping)
	if math.IsNaN(half) || math.IsInf(half, 1) { // one window says nothing of how they differ
		half = 2 * t.gaps
	}
	return t, max(half+math.Sqrt(t.unsure), slowly*t.gaps, m.missing(t.mean)*t.gaps)
}

// apart is by how much a window that alone says what a gap costs differs from the others.
func (t *total) apart(w *window) float64 { return w.cost() - t.usual }

// leave adds what a gap left out, and returns how many warp instructions that is.
func (t *total) leave(g *gap, before *window) (work float64) {
	per := t.mean
	if g.tried.count > 0 {
		per = g.tried.mean()
	}
	work = float64(g.skipped) * per
	t.late -= float64(g.drained.At - g.from.At)
	t.left += work
	t.skipping += math.Pow(float64(g.skipped)*g.tried.sure()*before.cost(), 2)
	return work
}

// addLast adds a gap with which the end came, or in detail behind it.
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
	if m.atEnd(after) { // what few blocks cost in it says nothing of the gap
		cycles = work * before.cost()
		t.unsure += math.Pow(t.apart(before)*work, 2)
		if g.went > 0 {
			t.unsure += math.Pow(lastPart*t.mean*t.wave*before.cost(), 2)
		}
	}
	if after.ending && g.went > 0 { // blocks end, and none begin: when, their own speeds say
		cycles = (left+g.tried.sum)*before.cost() + float64(after.from.At-g.drained.At)
	}
	t.late += cycles - float64(after.from.At-g.drained.At)
	t.gaps += cycles
	t.unsure += math.Pow(g.unsure*cycles, 2) // of each gap speeds are measured anew
	t.weights[g.window] += work / 2
	t.weights[g.window+1] += work / 2
}

// missing is by what share the cycles may be wrong as blocks ended in windows more rarely, or more often, than what windows executed would
// have it: they lay in some phases of the blocks. It counts by how far pieces stray: where all that a block does costs alike, it does not
// matter which part of it windows saw. mean is how many warp instructions a block has.
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

// byChance is how many times the root of their number events may be off by chance.
const byChance = 3
