package device

import (
	"math"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/estimate"
)

// A launch is sampled in windows of time that lie over its whole run. Between two of them it goes forward without timing, at the speed of
// the window before; see forward. What comes first after that fills the pipelines and L2, and does not count.

// How a launch is sampled. Cycles are of the core's clock.
const (
	// pieceCycles is how long the pieces are that the costs of a warp instruction are followed by.
	pieceCycles = 1_000
	// firstWaves and firstLeast, but no more than firstCycles, run in detail before the first window, which ends at firstMost at latest:
	// blocks begin in step and caches cold. A wave is as many blocks as are resident at once.
	firstWaves  = 1
	firstLeast  = 4_000
	firstCycles = 11_000
	firstMost   = 16_000
	// A window is as long as it takes for its cost not to stray further than windowStray, as a share, by what its pieces do.
	windowLeast = 4_000
	windowMost  = 8_000
	windowStray = 0.02
	// quiet is how far pieces stray of a launch of which half as long a window is enough.
	quiet = 0.01
	// pieceShare is the part of what pieces stray that windows do, if pieces were independent: bursts of requests make neighbours differ.
	pieceShare = 0.3
	// shortWave is how many cycles a wave of short blocks takes at most: see leapBlocks.
	shortWave = 16_384
	// warmCycles are between a gap and the next window at least, and up to warmMost until L2 has as many of what is asked for as in the
	// windows before, but for hitsApart.
	warmCycles = 1_000
	warmMost   = 8_192
	hitsApart  = 0.02
	// leastWindows is how many windows a launch has at least, mostWindows at most. In between there are as many as an interval of
	// closeEnough, relative to the cycles, takes, or, where these take more than windowsPart of the cycles, one of barelyClose.
	leastWindows = 3
	mostWindows  = 24
	closeEnough  = 0.03
	barelyClose  = 0.06
	windowsPart  = 0.015
	// leastGap is how long a gap is at least, in windows with what comes before them; a shorter one is not worth the trouble.
	leastGap = 2
	// worth is how much has to be left at the end of the first window, relative to what was timed, for gaps to be worth their error: less
	// is timed to the end.
	worth = 2
	// growth is a gap's length, relative to what lies behind, while nobody knows how much is to come.
	growth = 1
	// growthOne is the same where all blocks are resident: the end is not to lie far within a gap.
	growthOne = 0.3
	// lastPart is by what part of a block's time a gap may be wrong in which the last blocks begin, since it decides which end last. One in
	// which they end as well may be by all of it.
	lastPart = 0.25
	// slowly is a part of what is extrapolated that the interval has in any case: what takes longer than all windows together does not show
	// in them, as L2 fills with what was written, and begins to write it back.
	slowly = 0.015
	// tailGap is a gap's length, relative to what is left, when all blocks have begun.
	tailGap = 0.5
	// smallWave is the part of a grid that a wave is at most whose last blocks go forward without timing to their ends.
	smallWave = 0.02
	// leftWaves is how many waves run without timing before the next window where blocks are left out altogether: resident blocks are
	// elsewhere on their way then.
	leftWaves = 0.4
	// Where others are left out, blocks of a gap are tried to know how many warp instructions they have: triedLeast, and more until the
	// mean is as sure as triedSure, as a share, or triedMost warp instructions have been executed, or a triedPart-th of the blocks.
	triedLeast = 32
	triedSure  = 0.003
	triedMost  = 24 << 20
	triedPart  = 4
	// variedBlocks is how far blocks stray from each other that are not alike, as a share.
	variedBlocks = 0.05
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
	from    point    // where the stage began
	before  []uint64 // warp instructions of each SMX then
	forward *forward
	jump    *jump
	ahead   float64 // cycles to go forward by behind a jump
	keep    uint64  // blocks that a gap leaves, for the window behind it
	pieces  []piece // of the stage, the first is its beginning
	noise   noise   // of the pieces of windows
	demand  demand  // of the atomics units
	hits    sample  // shares of L2's reads that hit, of the pieces of windows
	block   float64 // cycles that a block takes, 0 while that is not known
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
	if e.from != nil || s.stage == detailed {
		return
	}
	now := e.point(d)
	hurry := d.budget.haste(e.began, now.finished, e.grid.Blocks()-now.finished)
	if now.finished == 0 { // the end of a block may cost many times what its beginning does
		hurry = min(hurry, timesSample)
	}
	switch s.stage {
	case warming:
		switch ended := s.piece(d, e, now); {
		case len(s.windows) == 0 && hurry == timesLeast && now.executed > s.from.executed && now.at-s.from.at >= firstLeast:
			s.endWindow(d, e, now, hurry)
		case !ended:
		case len(s.windows) > 0 && (hurry == timesLeast || s.warm()): // what fills the pipelines never counts
			s.begin(d, e, measuring)
		case len(s.windows) == 0 && s.settle(e, now):
			s.endWindow(d, e, now, hurry)
		}
	case measuring:
		if s.piece(d, e, now); float64(now.at-s.from.at) >= s.windowLength() && now.executed > s.from.executed {
			s.endWindow(d, e, now, hurry)
		}
	case draining:
		switch g := &s.gaps[len(s.gaps)-1]; {
		case !d.drained():
		case d.unused(e.grid): // the last blocks have ended meanwhile, as they would have or not
			s.stage = detailed
			s.nothingLeft(d, e, g, now)
			for _, x := range d.smxs {
				x.Rest(d.now)
			}
		case s.ahead > 0:
			g.drained.at = now.at
			s.goForward(d, e)
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
			g := &s.gaps[len(s.gaps)-1]
			g.tried = s.jump.tried
			g.skipped -= uint64(s.jump.tried.count)
			s.jump = nil
			s.jumped(d, e)
		}
	}
}

// nothingLeft makes a gap empty: the last blocks have ended meanwhile.
func (s *sampling) nothingLeft(d *Device, e *estimation, g *gap, now point) {
	g.from, g.drained = now, now
	s.demand.beginUntimed(d, e)
}

// jumped decides what follows a jump: what is resident goes forward where it has been stopped for that, or where it comes from before the
// gap and other blocks than those at hand are to be measured.
func (s *sampling) jumped(d *Device, e *estimation) {
	most, varied := s.longest()
	switch {
	case s.ahead > 0:
		s.goForward(d, e)
	case varied && e.grid.dispatch.Left() > 0 && !e.grid.Program.Fences():
		s.ahead = most * float64(e.wave) * s.windows[len(s.windows)-1].cost()
		s.drain(d)
	default:
		s.land(d, e)
	}
}

// drain lets what is in flight come home.
func (s *sampling) drain(d *Device) {
	d.engine, s.stage = timed{}, draining
	for _, x := range d.smxs {
		x.Pause()
	}
}

// leaps reports that blocks go forward without timing.
func (e *estimation) leaps() bool {
	return e != nil && (e.sampling.forward != nil || e.sampling.jump != nil)
}

// begin begins a stage.
func (s *sampling) begin(d *Device, e *estimation, stage stage) {
	s.stage, s.from, s.before = stage, e.point(d), e.executed(d)
	s.pieces = append(s.pieces[:0], e.piece(d, s.from))
}

// executed is how many warp instructions each SMX has executed.
func (e *estimation) executed(d *Device) []uint64 {
	list := make([]uint64, len(d.smxs))
	for i, x := range d.smxs {
		if h := x.GridState(e.grid.Grid); h != nil {
			list[i] = h.Counters.InstExecuted
		}
	}
	return list
}

// endWindow ends a window, and decides what follows.
func (s *sampling) endWindow(d *Device, e *estimation, now point, hurry haste) {
	s.measure(e.executed(d), now, e.grid.dispatch.Left() == 0)
	s.next(d, e, now, hurry)
}

// measure adds a window that ends. ending tells that no block is to come.
func (s *sampling) measure(executed []uint64, now point, ending bool) {
	w := window{from: s.from, to: now, rates: make([]float64, len(executed)), ending: ending}
	for i := range executed {
		w.rates[i] = float64(executed[i]-s.before[i]) / float64(now.at-s.from.at)
	}
	s.windows = append(s.windows, w)
	if count := len(s.pieces) - 1; count > 1 && !s.atEnd(&w) {
		for i := 1; i <= count; i++ {
			s.noise.squares += math.Pow(s.cost(i)/w.cost()-1, 2)
			if share, ok := s.hitShare(i); ok {
				s.hits.add(share)
			}
		}
		s.noise.freedom += float64(count - 1)
	}
}

// next decides what follows a window.
func (s *sampling) next(d *Device, e *estimation, now point, hurry haste) {
	length := math.Inf(1)
	least := leastGap * (s.windowLength() + warmCycles)
	switch {
	case e.grid.tree != nil: // what its children do belongs to it
		s.stage = detailed
		return
	case hurry == timesAll:
		length = 0
	case hurry == timesSample:
		length = s.length(e, now, least)
	}
	if per, ok := s.perBlock(e, now); ok {
		s.block = per * float64(e.wave) * s.windows[len(s.windows)-1].cost()
	}
	if length < least {
		s.begin(d, e, measuring)
		return
	}
	if s.leapBlocks(d, e, now, length) {
		return
	}
	s.gaps = append(s.gaps, gap{window: len(s.windows) - 1, from: now, length: length})
	s.drain(d)
}

// length is how long the next gap is, in cycles; least is how long it is worth the trouble.
func (s *sampling) length(e *estimation, now point, least float64) float64 {
	last := &s.windows[len(s.windows)-1]
	per, ok := s.perBlock(e, now)
	s.keep = 0
	switch {
	case !ok && e.grid.dispatch.Left() == 0 && len(s.windows) < leastWindows:
		return 0 // the end may be near
	case !ok && e.grid.dispatch.Left() == 0:
		return growthOne * float64(now.at-e.grid.Start)
	case !ok:
		return growth * float64(now.at-e.grid.Start)
	}
	left := float64(e.grid.dispatch.Left())
	rest := max(0, per*float64(e.grid.Blocks()-s.skipped())-float64(now.executed)) * last.cost()
	if len(s.gaps) == 0 && rest < worth*float64(now.at-e.grid.Start) {
		return 0
	}
	begins := left * per * last.cost() // until all have begun
	window := s.windowLength() + warmCycles
	if begins < window+least {
		if _, varied := s.longest(); !varied && float64(e.wave) <= smallWave*float64(e.grid.Blocks()) && len(s.windows) >= leastWindows {
			return 2 * (rest + begins) // more than is left
		}
		return tailGap * rest
	}
	affordable := int(windowsPart * (float64(now.at-e.grid.Start) + begins) / window)
	s.keep = uint64(window / (per * last.cost()))
	wanted := min(s.wanted(closeEnough), max(affordable, s.wanted(barelyClose)))
	windows := float64(max(wanted-len(s.windows), 1))
	return min(max(begins/windows-window, least), begins) // the last window ends before the last blocks begin
}

// perBlock is how many warp instructions a block has, if enough have ended to tell.
func (s *sampling) perBlock(e *estimation, now point) (mean float64, ok bool) {
	if now.finished < e.wave/2+1 {
		return 0, false
	}
	resident := float64(min(e.wave, e.grid.Blocks()-s.skipped()-now.finished-e.grid.dispatch.Left()))
	return float64(now.executed) / (float64(now.finished) + resident/2), true
}

// longest is how many warp instructions the longest block that was tried has, and whether blocks differ in that.
func (s *sampling) longest() (most float64, varied bool) {
	for i := range s.gaps {
		t := &s.gaps[i].tried
		most, varied = max(most, t.most), varied || t.stray() > variedBlocks*t.mean()
	}
	return most, varied
}

// skipped is how many blocks have been left out.
func (s *sampling) skipped() (blocks uint64) {
	for i := range s.gaps {
		blocks += s.gaps[i].skipped
	}
	return blocks
}

// atEnd reports that in a window blocks end and none begin, though some began in the first.
func (s *sampling) atEnd(w *window) bool { return w.ending && !s.windows[0].ending }

// wanted is how many windows make the interval as narrow as a share of the cycles.
func (s *sampling) wanted(close float64) int {
	stray, mean, _ := s.stray()
	for n := leastWindows; n < mostWindows; n++ {
		if estimate.Student(n)*stray/mean <= close*math.Sqrt(float64(n)) {
			return n
		}
	}
	return mostWindows
}

// stray is how far the costs of single windows stray from their mean: from what differs between neighbours, so that what changes slowly
// over a launch does not count, and at least from what pieces of windows do. Windows in which blocks end and none begin are left out: they
// are for the end alone.
func (s *sampling) stray() (stray, mean float64, counted int) {
	last, squares, pairs := -1.0, 0.0, 0.0
	for i := range s.windows {
		cost := s.windows[i].cost()
		if s.atEnd(&s.windows[i]) {
			break
		}
		if last >= 0 {
			squares += (cost - last) * (cost - last) / 2
			pairs++
		}
		last, mean, counted = cost, mean+cost, counted+1
	}
	mean /= float64(max(1, counted))
	within := pieceShare * s.noise.share() * math.Sqrt(pieceCycles/s.windowLength())
	return max(math.Sqrt(squares/max(1, pairs)), within*mean), mean, counted
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
	s.ahead = g.length
	s.demand.beginUntimed(d, e)
	if per, ok := s.perBlock(e, e.point(d)); ok && d.options.TimeAlone && !e.grid.Program.Fences() {
		left := leftWaves * per
		if most, varied := s.longest(); varied { // those from before the gap are over behind it
			left = max(left, most)
		}
		left *= float64(e.wave) * last.cost()
		blocks := uint64(max(0, min((g.length-left)/(per*last.cost()), float64(e.grid.dispatch.Fresh()))))
		if blocks -= blocks % e.wave; blocks > 0 {
			s.ahead -= float64(blocks) * per * last.cost()
			s.try(d, e, blocks)
			return
		}
	}
	s.goForward(d, e)
}

// goForward has what is resident go forward.
func (s *sampling) goForward(d *Device, e *estimation) {
	g, last := &s.gaps[len(s.gaps)-1], &s.windows[len(s.windows)-1]
	s.stage = leaping
	s.forward = newForward(d, e.grid, last.rates, s.ahead)
	s.forward.keep = s.keep
	d.engine, s.ahead = s.forward, 0
	if _, ok := s.perBlock(e, e.point(d)); !ok {
		g.unsure = s.forward.uneven
	}
}

// try leaves so many blocks out, or runs them all where their results are wanted, beside what is resident.
func (s *sampling) try(d *Device, e *estimation, blocks uint64) {
	s.gaps[len(s.gaps)-1].skipped = blocks
	s.stage, s.jump = jumping, newJump(d, e.grid, e.grid.dispatch.Skip(blocks), blocks, d.options.TimeAlone)
	d.engine = s.jump
}

// leapBlocks has blocks that have not begun run without timing, or not at all, while those that are resident stand still. It reports
// whether this is as good as to have them all go forward: where blocks are short and alike, and do not wait for each other.
func (s *sampling) leapBlocks(d *Device, e *estimation, now point, length float64) bool {
	per, ok := s.perBlock(e, now)
	last := &s.windows[len(s.windows)-1]
	_, varied := s.longest()
	if !ok || per*float64(e.wave)*last.cost() > shortWave || varied || e.grid.Program.Fences() || math.IsInf(length, 1) {
		return false
	}
	count := uint64(min(length/(per*last.cost()), float64(e.grid.dispatch.Fresh())))
	count -= count % e.wave // so that the last wave is as full as the grid's
	if count == 0 {
		return false
	}
	s.gaps = append(s.gaps, gap{window: len(s.windows) - 1, from: now, drained: now, length: length})
	s.demand.beginUntimed(d, e)
	s.try(d, e, count)
	return true
}

// land goes on in detail behind a gap.
func (s *sampling) land(d *Device, e *estimation) {
	now, g := e.point(d), &s.gaps[len(s.gaps)-1]
	s.demand.endUntimed(d, e)
	g.untimed, g.went = now.executed-g.drained.executed, float64(now.at-g.drained.at)
	d.engine = timed{}
	s.begin(d, e, warming)
}

// total returns by how many cycles the launch took longer than the device went, how many warp instructions were left out altogether, and
// half the width of the interval around the cycles. start is when the launch began, finished how far it came, wave how many blocks were
// resident.
func (s *sampling) total(start engine.Cycle, finished point, wave float64) (late, left, half float64) {
	stray, usual, counted := s.stray()
	// apart is by how much a window that alone says what a gap costs differs from the others.
	apart := func(w *window) float64 { return w.cost() - usual }
	weights := make([]float64, len(s.windows))
	extrapolated, varying := 0.0, 0.0
	unsure := 0.0
	skipping := 0.0 // of what was left out altogether
	all := 0.0      // warp instructions that were extrapolated
	mean := float64(finished.executed) / float64(max(1, finished.finished))
	for i := range s.gaps {
		g := &s.gaps[i]
		before := &s.windows[g.window]
		per := mean
		if g.tried.count > 0 {
			per = g.tried.mean()
		}
		late -= float64(g.drained.at - g.from.at)
		left += float64(g.skipped) * per
		skipping += math.Pow(float64(g.skipped)*g.tried.sure()*before.cost(), 2)
		if g.window+1 == len(s.windows) { // the end came with it, or in detail behind it
			work := float64(g.skipped)*per + float64(g.untimed)
			cycles := work * before.cost()
			if g.went > 0 { // at the end not all places had a block
				cycles = (float64(g.skipped)*per+g.tried.sum)*before.cost() + g.went
			}
			late += cycles - g.went
			extrapolated += cycles
			weights[g.window] += work
			whole := float64(s.gaps[0].from.at-start) / float64(s.gaps[0].from.executed)
			unsure += math.Pow(g.unsure*cycles, 2) + math.Pow(max(math.Abs(apart(before)), math.Abs(before.cost()-whole))*work, 2)
			if !s.windows[0].ending {
				unsure += math.Pow(min(mean*wave*before.cost(), cycles), 2)
			}
			continue
		}
		after := &s.windows[g.window+1]
		work := float64(g.skipped)*per + float64(after.from.executed-g.from.executed)
		cycles := work * (before.cost() + after.cost()) / 2
		if s.atEnd(after) { // what few blocks cost in it says nothing of the gap
			cycles = work * before.cost()
			unsure += math.Pow(apart(before)*work, 2)
			if g.went > 0 {
				unsure += math.Pow(lastPart*mean*wave*before.cost(), 2)
			}
		}
		if after.ending && g.went > 0 { // blocks end, and none begin: when, their own speeds say
			cycles = (float64(g.skipped)*per+g.tried.sum)*before.cost() + float64(after.from.at-g.drained.at)
		}
		late += cycles - float64(after.from.at-g.drained.at)
		extrapolated += cycles
		unsure += math.Pow(g.unsure*cycles, 2) // of each gap speeds are measured anew
		weights[g.window] += work / 2
		weights[g.window+1] += work / 2
	}
	for _, w := range weights {
		varying += w * w
		all += w
	}
	// Behind a gap the pipelines fill anew, and where blocks queue for memory they may do so otherwise than before the first.
	unsure += float64(len(s.gaps))*warmCycles*warmCycles + math.Pow(apart(&s.windows[0])*all, 2)
	half = estimate.Student(counted) * math.Sqrt(stray*stray*varying+skipping)
	if math.IsNaN(half) || math.IsInf(half, 1) { // one window says nothing of how they differ
		half = 2 * extrapolated
	}
	return late, left, max(half+math.Sqrt(unsure), slowly*extrapolated, s.missing(mean)*extrapolated)
}

// missing is by what share the cycles may be wrong as blocks ended in windows more rarely, or more often, than what windows executed would
// have it: they lay in some phases of the blocks. It counts by how far pieces stray: where all that a block does costs alike, it does not
// matter which part of it windows saw. mean is how many warp instructions a block has.
func (s *sampling) missing(mean float64) float64 {
	executed, ended := 0.0, 0.0
	for i := range s.windows {
		if w := &s.windows[i]; !w.ending {
			executed += float64(w.to.executed - w.from.executed)
			ended += float64(w.to.finished - w.from.finished)
		}
	}
	expected := executed / max(1, mean)
	apart, chance := math.Abs(ended-expected), byChance*math.Sqrt(expected)
	if apart <= chance {
		return 0
	}
	return min(1, 2*s.noise.share()*apart/(min(ended, expected)+chance))
}

// byChance is how many times the root of their number events may be off by chance.
const byChance = 3
