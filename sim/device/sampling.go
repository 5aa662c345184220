package device

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/keplersim/keplersim/sim/estimate"
	"github.com/keplersim/keplersim/sim/memory"
)

// A launch is sampled in windows of time that lie over its whole run. Between two of them it goes forward without timing, at the speed of
// the window before; see forward. What comes first after that fills the pipelines and L2, and does not count.

// How a launch is sampled. Cycles are of the core's clock.
const (
	// firstWaves, or firstCycles if these pass before, run in detail before the first window: blocks begin in step and caches cold. A wave
	// is as many blocks as are resident at once.
	firstWaves  = 5
	firstCycles = 16_000
	// windowCycles is a window's least length; where blocks are short it has a wave, up to windowMost.
	windowCycles = 6_144
	windowMost   = 8_192
	// shortWave is how many cycles a wave of short blocks takes at most: see leapBlocks.
	shortWave = 16_384
	// warmCycles are between a gap and the next window at least. L2 has as much time as it takes to be filled anew, up to warmMost.
	warmCycles = 1_500
	warmMost   = 8_192
	// lastingFill is how many times warmMost L2 takes to be filled anew where it is not waited for.
	lastingFill = 4
	// leastWindows is how many windows a launch has at least, mostWindows at most. In between there are as many as an interval of
	// closeEnough, relative to the cycles, takes.
	leastWindows = 5
	mostWindows  = 40
	closeEnough  = 0.008
	// leastGap is how long a gap is at least, in windows with what comes before them; a shorter one is not worth the trouble.
	leastGap = 2
	// growth is a gap's length, relative to what lies behind, while nobody knows how much is to come.
	growth = 0.3
	// tailGap is a gap's length, relative to what is left, when all blocks have begun.
	tailGap = 0.35
	// leftWaves is how many waves run without timing before the next window where blocks are left out altogether: those that are resident
	// then come from there.
	leftWaves = 1.25
	// triedBlocks is of how many blocks of a gap the warp instructions are counted where others are left out: evenly spread.
	triedBlocks = 64
)

// stage is what a sampled launch is doing.
type stage uint8

const (
	warming   stage = iota // in detail, before a window
	measuring              // in a window
	draining               // what is in flight comes home, before a gap
	leaping                // in a gap, the resident blocks too
	jumping                // in a gap of further blocks alone
	detailed               // in detail to its end
)

// sampling is the sample of the launch that runs.
type sampling struct {
	stage   stage
	windows []window
	gaps    []gap
	window  float64  // a window's length, 0 before the first
	from    point    // where the stage began
	before  []uint64 // warp instructions of each SMX then
	moved   uint64   // sectors that DRAM had moved then
	forward *forward
	jump    *jump
}

// window is a measurement.
type window struct {
	from, to point
	rates    []float64 // warp instructions a cycle of each SMX
	ending   bool      // all blocks had begun
}

// cost is how many cycles a warp instruction takes.
func (w *window) cost() float64 {
	return float64(w.to.at-w.from.at) / float64(w.to.executed-w.from.executed)
}

// gap is what lies between two windows.
type gap struct {
	window  int   // the one before it
	from    point // where that ended
	drained point // and when nothing was in flight any more
	length  float64
	skipped uint64  // blocks left out altogether
	untimed uint64  // warp instructions that ran without timing
	tried   sample  // warp instructions of blocks that ran without timing, as others that were left out
	unsure  float64 // share by which it may be wrong since blocks differ in speed, and none has ended yet to tell how they end
	went    float64 // cycles by which the device's time went on meanwhile
}

// look decides after an epoch how the launch goes on.
func (e *estimation) look(d *Device) {
	s := &e.sampling
	if e.fast || s.stage == detailed {
		return
	}
	now := e.point(d)
	hurry := d.budget.haste(e.began, now.finished, e.grid.Blocks()-now.finished)
	switch s.stage {
	case warming:
		if hurry == timesLeast && now.executed > s.from.executed && now.at-s.from.at >= warmCycles {
			s.measure(e.executed(d), now, e.grid.dispatch.Left() == 0)
			s.next(d, e, now, hurry)
		} else if s.warm(d, e, now) {
			s.begin(d, e, measuring)
		}
	case measuring:
		if float64(now.at-s.from.at) >= e.windowLength(d) && now.executed > s.from.executed {
			s.measure(e.executed(d), now, e.grid.dispatch.Left() == 0)
			s.next(d, e, now, hurry)
		}
	case draining:
		switch g := &s.gaps[len(s.gaps)-1]; {
		case !d.drained():
		case d.unused(e.grid): // the last blocks have ended meanwhile
			s.gaps, s.stage = s.gaps[:len(s.gaps)-1], detailed
			for _, x := range d.smxs {
				x.Rest(d.now)
			}
		default:
			g.drained = now
			s.leap(d, e)
		}
	case leaping:
		if s.forward.done() {
			s.forward.end(d)
			s.forward = nil
			s.land(d, e)
		}
	case jumping:
		if s.jump.done() {
			s.gaps[len(s.gaps)-1].tried = s.jump.tried
			s.jump = nil
			s.land(d, e)
		}
	}
}

// begin begins a stage.
func (s *sampling) begin(d *Device, e *estimation, stage stage) {
	s.stage, s.from, s.before = stage, e.point(d), e.executed(d)
	s.moved = moved(d, e)
}

// moved is how many sectors DRAM has moved for the grid.
func moved(d *Device, e *estimation) uint64 {
	m := d.settled().Peek(e.grid.Account)
	return m.DRAMReadSectors + m.DRAMWriteSectors
}

// executed is how many warp instructions each SMX has executed.
func (e *estimation) executed(d *Device) []uint64 {
	list := make([]uint64, len(d.smxs))
	for i, x := range d.smxs {
		if h := x.Share(e.grid.Grid); h != nil {
			list[i] = h.Counters.InstExecuted
		}
	}
	return list
}

// warm reports that a window may begin.
func (s *sampling) warm(d *Device, e *estimation, now point) bool {
	if len(s.windows) == 0 {
		return now.finished >= firstWaves*e.wave || now.at-e.grid.Start >= firstCycles
	}
	passed, bytes := float64(now.at-s.from.at), float64(moved(d, e)-s.moved)*memory.SectorBytes
	fill := float64(d.config.L2.Bytes)
	if bytes*lastingFill*warmMost < fill*passed { // hardly anything goes through it
		fill = 0
	}
	return passed >= warmCycles && bytes >= fill || passed >= warmMost
}

// windowLength is how many cycles a window has: a wave, from how long those before the first window took.
func (e *estimation) windowLength(d *Device) float64 {
	s := &e.sampling
	if s.window == 0 {
		s.window = windowCycles
		if now := e.point(d); now.finished >= e.wave {
			s.window = min(max(windowCycles, float64(now.at-e.grid.Start)*float64(e.wave)/float64(now.finished)), windowMost)
		}
	}
	return s.window
}

// measure ends a window. ending tells that no block is to come.
func (s *sampling) measure(executed []uint64, now point, ending bool) {
	w := window{from: s.from, to: now, rates: make([]float64, len(executed)), ending: ending}
	for i := range executed {
		w.rates[i] = float64(executed[i]-s.before[i]) / float64(now.at-s.from.at)
	}
	s.windows = append(s.windows, w)
}

// next decides what follows a window.
func (s *sampling) next(d *Device, e *estimation, now point, hurry haste) {
	length := math.Inf(1)
	least := leastGap * (e.windowLength(d) + warmMost)
	switch {
	case e.grid.tree != nil: // what its children do belongs to it
		s.stage = detailed
		return
	case hurry == timesAll:
		length = 0
	case hurry == timesSample:
		length = s.length(e, now, least)
	}
	if length < least {
		s.begin(d, e, measuring)
		return
	}
	if s.leapBlocks(d, e, now, length) {
		return
	}
	s.gaps = append(s.gaps, gap{window: len(s.windows) - 1, from: now, length: length})
	s.begin(d, e, draining)
	for _, x := range d.smxs {
		x.Pause()
	}
}

// length is how long the next gap is, in cycles; least is how long it is worth the trouble.
func (s *sampling) length(e *estimation, now point, least float64) float64 {
	last := &s.windows[len(s.windows)-1]
	per, ok := s.perBlock(e, now)
	switch {
	case !ok && e.grid.dispatch.Left() == 0: // one wave: how unevenly its blocks come forward decides when it ends
		return 0
	case !ok:
		return growth * float64(now.at-e.grid.Start)
	}
	left := float64(e.grid.dispatch.Left())
	rest := max(0, per*float64(e.grid.Blocks()-s.skipped())-float64(now.executed)) * last.cost()
	begins := left * per * last.cost() // until all have begun
	if begins < float64(windowCycles) {
		return tailGap * rest
	}
	windows := max(s.wanted()-len(s.windows), 1)
	return min(max(rest/float64(windows), least), begins) // a short launch has fewer windows
}

// perBlock is how many warp instructions a block has, if enough have ended to tell.
func (s *sampling) perBlock(e *estimation, now point) (mean float64, ok bool) {
	if now.finished < e.wave/2+1 {
		return 0, false
	}
	resident := float64(min(e.wave, e.grid.Blocks()-s.skipped()-now.finished-e.grid.dispatch.Left()))
	return float64(now.executed) / (float64(now.finished) + resident/2), true
}

// skipped is how many blocks have been left out.
func (s *sampling) skipped() (blocks uint64) {
	for i := range s.gaps {
		blocks += s.gaps[i].skipped
	}
	return blocks
}

// wanted is how many windows make the interval as narrow as it shall be.
func (s *sampling) wanted() int {
	stray, mean := s.stray()
	return min(max(int(math.Ceil(math.Pow(2.2*stray/mean/closeEnough, 2))), leastWindows), mostWindows)
}

// stray is how far the costs of single windows stray from their mean: from what differs between neighbours, so that what changes slowly
// over a launch does not count. Windows in which blocks end and none begin are left out: they are for the end alone.
func (s *sampling) stray() (stray, mean float64) {
	last, squares, pairs, windows := -1.0, 0.0, 0.0, 0.0
	for i := range s.windows {
		cost := s.windows[i].cost()
		if s.windows[i].ending && last >= 0 {
			break
		}
		if last >= 0 {
			squares += (cost - last) * (cost - last) / 2
			pairs++
		}
		last, mean, windows = cost, mean+cost, windows+1
	}
	return math.Sqrt(squares / max(1, pairs)), mean / max(1, windows)
}

// timed is how many warp instructions ran with timing, of those that have run.
func (s *sampling) timed(now point) uint64 {
	for i := range s.gaps {
		now.executed -= s.gaps[i].untimed
	}
	return now.executed
}

// drained reports that nothing is in flight on a paused device.
func (d *Device) drained() bool {
	for _, s := range d.smxs {
		if !s.Drained() {
			return false
		}
	}
	return d.settled().Idle()
}

// leap begins to go forward with what is resident.
func (s *sampling) leap(d *Device, e *estimation) {
	g, last := &s.gaps[len(s.gaps)-1], &s.windows[len(s.windows)-1]
	length := g.length
	if per, ok := s.perBlock(e, e.point(d)); ok && d.options.TimeAlone && !e.grid.Program.Fences() {
		wave := per * float64(e.wave) * last.cost()
		blocks := math.Floor(min((length-leftWaves*wave)/(per*last.cost()), float64(e.grid.dispatch.Fresh())))
		if blocks > 0 {
			g.skipped = uint64(blocks)
			e.grid.dispatch.Skip(g.skipped)
			length -= blocks * per * last.cost()
		}
	}
	s.stage = leaping
	s.forward = newForward(d, e.grid, last.rates, length)
	d.engine = s.forward
	if _, ok := s.perBlock(e, e.point(d)); !ok {
		g.unsure = s.forward.uneven
	}
}

// leapBlocks has blocks that have not begun run without timing, or not at all, while those that are resident stand still. It reports
// whether this is as good as to have them all go forward: where blocks are short, and do not wait for each other.
func (s *sampling) leapBlocks(d *Device, e *estimation, now point, length float64) bool {
	per, ok := s.perBlock(e, now)
	last := &s.windows[len(s.windows)-1]
	if !ok || per*float64(e.wave)*last.cost() > shortWave || e.grid.Program.Fences() || math.IsInf(length, 1) {
		return false
	}
	count := uint64(min(length/(per*last.cost()), float64(e.grid.dispatch.Fresh())))
	count -= count % e.wave // so that the last wave is as full as the grid's
	if count == 0 {
		return false
	}
	s.gaps = append(s.gaps, gap{window: len(s.windows) - 1, from: now, drained: now, length: length})
	g := &s.gaps[len(s.gaps)-1]
	first, step := e.grid.dispatch.Skip(count), uint64(1)
	if d.options.TimeAlone {
		step = max(1, count/triedBlocks)
	}
	s.stage, s.jump = jumping, newJump(d, e.grid, first, count, step)
	g.skipped = count - s.jump.count
	d.engine = s.jump
	return true
}

// land goes on in detail behind a gap.
func (s *sampling) land(d *Device, e *estimation) {
	now, g := e.point(d), &s.gaps[len(s.gaps)-1]
	g.untimed, g.went = now.executed-g.drained.executed, float64(now.at-g.drained.at)
	d.engine = timed{}
	s.begin(d, e, warming)
}

// total returns by how many cycles the launch took longer than the device went, how many warp instructions were left out altogether, and
// half the width of the interval around the cycles. finished is how far the launch came.
func (s *sampling) total(finished point) (late, left, half float64) {
	stray, _ := s.stray()
	weights := make([]float64, len(s.windows))
	extrapolated, varying := 0.0, 0.0
	unsure, apart := 0.0, 0.0
	skipping := 0.0 // of what was left out altogether
	mean := float64(finished.executed) / float64(max(1, finished.finished))
	for i := range s.gaps {
		g := &s.gaps[i]
		before := &s.windows[g.window]
		per := mean
		if g.tried.count > 0 {
			per = g.tried.mean()
			apart += math.Abs(per-mean) * (float64(g.skipped) + g.tried.count) * before.cost()
		}
		late -= float64(g.drained.at - g.from.at)
		left += float64(g.skipped) * per
		skipping += math.Pow(float64(g.skipped)*g.tried.sure()*before.cost(), 2)
		if g.window+1 == len(s.windows) { // the end came with it, or in detail behind it
			work := float64(g.skipped)*per + float64(g.untimed)
			cycles := work * before.cost()
			if g.went > 0 { // at the end not all places had a block
				cycles = float64(g.skipped)*per*before.cost() + g.went
			}
			late += cycles - g.went
			extrapolated += cycles
			weights[g.window] += work
			unsure += g.unsure * cycles
			continue
		}
		after := &s.windows[g.window+1]
		work := float64(g.skipped)*per + float64(after.from.executed-g.from.executed)
		cycles := work * (before.cost() + after.cost()) / 2
		late += cycles - float64(after.from.at-g.drained.at)
		extrapolated += cycles
		unsure += g.unsure * cycles
		weights[g.window] += work / 2
		weights[g.window+1] += work / 2
	}
	for _, w := range weights {
		varying += w * w
	}
	t := math.Inf(1)
	if n := float64(len(s.windows)); n > 1 {
		t = distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1 + estimate.Confidence) / 2)
	}
	half = t * math.Sqrt(stray*stray*varying+skipping)
	if math.IsNaN(half) || math.IsInf(half, 1) { // one window says nothing of how they differ
		half = extrapolated
	}
	return late, left, max(half+unsure, apart, systematic*extrapolated)
}
