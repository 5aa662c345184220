package sampling

import "math"

// A launch is sampled in windows over its whole run. Between two windows it runs without timing, at the speed of the earlier window; see
// forward. The cycles before the next window fill the pipelines and L2, and do not count.

// Parameters of sampling. Cycles are of the core clock.
const (
	// pieceCycles is the length of pieces, for which the cost of a warp instruction is measured.
	pieceCycles = 1_000
	// firstWaves and firstLeast, but no more than firstCycles, run in detail before the first window, because blocks begin in step and
	// caches cold. The first window ends at firstMost at the latest. A wave is the number of resident blocks.
	firstWaves  = 1
	firstLeast  = 4_000
	firstCycles = 11_000
	firstMost   = 16_000
	// A window is long enough for the spread of its pieces to change its cost by at most windowStray, relatively.
	WindowLeast = 4_000
	WindowMost  = 8_000
	windowStray = 0.02
	// Below quiet, the relative spread of a launch's pieces, half a window is enough.
	quiet = 0.01
	// pieceShare is the spread of windows relative to that from independent pieces. Bursts of requests make neighbouring pieces differ.
	pieceShare = 0.3
	// shortWave is the most cycles of a wave of short blocks: see leapBlocks.
	shortWave = 16_384
	// warmCycles is the least time between a gap and the next window. It is extended up to warmMost until L2's hit rate is within hitsApart
	// of that in earlier windows.
	warmCycles = 1_000
	warmMost   = 8_192
	hitsApart  = 0.02
	// A launch has from leastWindows to mostWindows windows: as many as an interval of closeEnough takes, relative to the cycles. If these
	// take more than windowsPart of the cycles, barelyClose is enough.
	leastWindows = 3
	mostWindows  = 24
	closeEnough  = 0.03
	barelyClose  = 0.06
	windowsPart  = 0.015
	// leastGap is the shortest gap, in windows with their warm-up. A shorter one is not worth the trouble.
	leastGap = 2
	// worth is the least work left after the first window, relative to the work timed, for gaps to be worth their error. Less is timed to
	// the end.
	worth = 2
	// growth is a gap's length, relative to the run so far, while the rest is unknown.
	growth = 1
	// growthOne is the same if all blocks are resident: the end must not be far inside a gap.
	growthOne = 0.3
	// lastPart is the error, in block times, of a gap in which the last blocks begin, because it decides which end last. If they also end
	// in it, the error may be a whole block time.
	lastPart = 0.25
	// slowly is the least half-width of the interval as a fraction of what is extrapolated. Windows do not show changes that take longer
	// than all of them together, such as L2 filling with writes before it begins to write back.
	slowly = 0.015
	// tailGap is a gap's length, relative to the work left, after all blocks have begun.
	tailGap = 0.5
	// smallWave: a wave of at most this fraction of the grid may run its last blocks without timing to their ends.
	smallWave = 0.02
	// leftWaves is how many waves run without timing before the next window if blocks are left out altogether, because the resident blocks
	// would have progressed meanwhile.
	leftWaves = 0.4
	// If blocks are left out, some are tried to estimate their warp instructions: TriedLeast, and then more. Trying stops when the relative
	// error of the mean is below triedSure, after triedMost warp instructions, or after a triedPart-th of the blocks.
	TriedLeast = 32
	triedSure  = 0.003
	triedMost  = 24 << 20
	triedPart  = 4
	// variedBlocks is the relative spread from which blocks count as different.
	variedBlocks = 0.05
)

// stage is the state of a sampled launch.
type stage uint8

const (
	warming   stage = iota // in detail, before a window
	measuring              // in a window
	draining               // requests in flight complete, before a gap
	leaping                // in a gap that runs resident blocks, too
	jumping                // in a gap that only runs other blocks
	detailed               // in detail to its end
)

// measurements has the results of a launch's windows.
type measurements struct {
	windows []window
	gaps    []gap
	noise   noise   // of windows' pieces
	hits    Sample  // L2 hit rates of those pieces
	block   float64 // cycles of a block, 0 while unknown
}

// sampled is a launch that is timed in windows.
type sampled struct {
	measurements
	stage   stage
	from    Progress // at the stage's start
	before  []uint64 // warp instructions of each SMX at that time
	forward Forward  // in progress, nil for none
	jump    Jump
	ahead   float64 // cycles to run without timing after a jump
	keep    uint64  // blocks that a gap leaves for the window after it
	pieces  []piece // pieces of the stage; the first is its beginning
	demand  demand  // on the atomics units
}

// window is one measurement.
type window struct {
	from, to Progress
	rates    []float64 // warp instructions a cycle of each SMX
	ending   bool      // all blocks had begun
}

// cost returns the cycles a warp instruction.
func (w *window) cost() float64 {
	return float64(w.to.At-w.from.At) / float64(w.to.Executed-w.from.Executed)
}

// gap is the time between two windows.
type gap struct {
	window  int      // the one before it
	from    Progress // the end of that window
	drained Progress // when nothing was in flight any more
	length  float64
	skipped uint64  // blocks left out altogether
	untimed uint64  // warp instructions that ran without timing
	tried   Sample  // warp instructions of blocks tried for those left out
	unsure  float64 // relative error due to blocks of different speed, before any has ended
	went    float64 // cycles of the device's time in it
}

// look decides after an epoch how the launch continues.
func (l *launch) look() {
	s := &l.sampled
	if l.from != nil || s.stage == detailed {
		return
	}
	now := l.device.Progress()
	hurry := l.of.budget.timingPolicy(l.began, now.Finished, l.grid.Blocks()-now.Finished)
	if now.Finished == 0 { // the end of a block may cost many times its beginning
		hurry = min(hurry, timesSample)
	}
	switch s.stage {
	case warming:
		switch ended := s.piece(l, now); {
		case len(s.windows) == 0 && hurry == timesLeast && now.Executed > s.from.Executed && now.At-s.from.At >= firstLeast:
			s.endWindow(l, now, hurry)
		case !ended:
		case len(s.windows) > 0 && (hurry == timesLeast || s.warm()): // filling the pipelines never counts
			s.begin(l, measuring)
		case len(s.windows) == 0 && s.settle(l, now):
			s.endWindow(l, now, hurry)
		}
	case measuring:
		if s.piece(l, now); float64(now.At-s.from.At) >= s.windowLength() && now.Executed > s.from.Executed {
			s.endWindow(l, now, hurry)
		}
	case draining:
		switch g := &s.gaps[len(s.gaps)-1]; {
		case !l.device.Paused():
		case l.device.Over(): // the last blocks have ended meanwhile, perhaps out of order
			s.stage = detailed
			s.nothingLeft(l, g, now)
			l.device.Rest(now.At)
		case s.ahead > 0:
			g.drained.At = now.At
			s.goForward(l)
		default:
			g.drained = now
			s.leap(l)
		}
	case leaping:
		if s.forward.Done() {
			s.forward.End()
			s.forward = nil
			s.land(l)
		}
	case jumping:
		if s.jump.Done() {
			g := &s.gaps[len(s.gaps)-1]
			g.tried = *s.jump.Tried()
			g.skipped -= uint64(g.tried.count)
			s.jump = nil
			s.jumped(l, now)
		}
	}
}

// nothingLeft makes a gap empty because the last blocks have ended before it.
func (s *sampled) nothingLeft(l *launch, g *gap, now Progress) {
	g.from, g.drained = now, now
	s.demand.beginUntimed(l)
}

// jumped decides what follows a jump. The resident blocks run without timing if they were paused for that. They also do if blocks differ,
// so that the next window measures other blocks than those from before the gap.
func (s *sampled) jumped(l *launch, now Progress) {
	most, varied := s.longest()
	switch {
	case s.ahead > 0:
		s.goForward(l)
	case varied && now.Left > 0 && !l.grid.Program.Fences():
		s.ahead = most * float64(l.wave) * s.windows[len(s.windows)-1].cost()
		s.drain(l)
	default:
		s.land(l)
	}
}

// drain lets requests in flight complete.
func (s *sampled) drain(l *launch) {
	s.stage = draining
	l.device.Pause()
}

// begin begins a stage.
func (s *sampled) begin(l *launch, stage stage) {
	s.stage, s.from, s.before = stage, l.device.Progress(), l.executed()
	s.pieces = append(s.pieces[:0], l.piece(s.from))
}

// executed returns how many warp instructions each SMX has executed.
func (l *launch) executed() []uint64 {
	states := l.device.States()
	list := make([]uint64, len(states))
	for i, h := range states {
		if h != nil {
			list[i] = h.Counters.InstExecuted
		}
	}
	return list
}

// endWindow ends a window, and decides what follows.
func (s *sampled) endWindow(l *launch, now Progress, hurry timingPolicy) {
	s.measure(l.executed(), now, now.Left == 0)
	s.next(l, now, hurry)
}

// measure adds a window that ends. ending: all blocks have begun.
func (s *sampled) measure(executed []uint64, now Progress, ending bool) {
	w := window{from: s.from, to: now, rates: make([]float64, len(executed)), ending: ending}
	for i := range executed {
		w.rates[i] = float64(executed[i]-s.before[i]) / float64(now.At-s.from.At)
	}
	s.windows = append(s.windows, w)
	if count := len(s.pieces) - 1; count > 1 && !s.atEnd(&w) {
		for i := 1; i <= count; i++ {
			s.noise.squares += math.Pow(s.cost(i)/w.cost()-1, 2)
			if share, ok := s.hitShare(i); ok {
				s.hits.Add(share)
			}
		}
		s.noise.freedom += float64(count - 1)
	}
}

// next decides what follows a window.
func (s *sampled) next(l *launch, now Progress, hurry timingPolicy) {
	length := math.Inf(1)
	least := leastGap * (s.windowLength() + warmCycles)
	switch {
	case now.Nests: // its children's work belongs to it
		s.stage = detailed
		return
	case hurry == timesAll:
		length = 0
	case hurry == timesSample:
		length = s.length(l, now, least)
	}
	if per, ok := s.perBlock(l, now); ok {
		s.block = per * float64(l.wave) * s.windows[len(s.windows)-1].cost()
	}
	if length < least {
		s.begin(l, measuring)
		return
	}
	if s.leapBlocks(l, now, length) {
		return
	}
	s.gaps = append(s.gaps, gap{window: len(s.windows) - 1, from: now, length: length})
	s.drain(l)
}

// length returns the cycles of the next gap, 0 for none. least is the shortest that is worth the trouble.
func (s *sampled) length(l *launch, now Progress, least float64) float64 {
	last := &s.windows[len(s.windows)-1]
	per, ok := s.perBlock(l, now)
	s.keep = 0
	switch {
	case !ok && now.Left == 0 && len(s.windows) < leastWindows:
		return 0 // the end may be near
	case !ok && now.Left == 0:
		return growthOne * float64(now.At-l.Start)
	case !ok:
		return growth * float64(now.At-l.Start)
	}
	left := float64(now.Left)
	rest := max(0, per*float64(l.grid.Blocks()-s.skipped())-float64(now.Executed)) * last.cost()
	if len(s.gaps) == 0 && rest < worth*float64(now.At-l.Start) {
		return 0
	}
	begins := left * per * last.cost() // cycles until all blocks have begun
	window := s.windowLength() + warmCycles
	if begins < window+least {
		if _, varied := s.longest(); !varied && float64(l.wave) <= smallWave*float64(l.grid.Blocks()) && len(s.windows) >= leastWindows {
			return 2 * (rest + begins) // more than the rest
		}
		return tailGap * rest
	}
	affordable := int(windowsPart * (float64(now.At-l.Start) + begins) / window)
	s.keep = uint64(window / (per * last.cost()))
	wanted := min(s.wanted(closeEnough), max(affordable, s.wanted(barelyClose)))
	windows := float64(max(wanted-len(s.windows), 1))
	return min(max(begins/windows-window, least), begins) // the last window ends before the last blocks begin
}

// perBlock returns the warp instructions of a block, if enough have ended.
func (s *sampled) perBlock(l *launch, now Progress) (mean float64, ok bool) {
	if now.Finished < l.wave/2+1 {
		return 0, false
	}
	resident := float64(min(l.wave, l.grid.Blocks()-s.skipped()-now.Finished-now.Left))
	return float64(now.Executed) / (float64(now.Finished) + resident/2), true
}

// leap begins a gap that runs the resident blocks.
func (s *sampled) leap(l *launch) {
	g, last := &s.gaps[len(s.gaps)-1], &s.windows[len(s.windows)-1]
	s.ahead = g.length
	s.demand.beginUntimed(l)
	now := l.device.Progress()
	if per, ok := s.perBlock(l, now); ok && l.of.timeAlone && !l.grid.Program.Fences() {
		left := leftWaves * per
		if most, varied := s.longest(); varied { // blocks from before the gap have ended after it
			left = max(left, most)
		}
		left *= float64(l.wave) * last.cost()
		blocks := uint64(max(0, min((g.length-left)/(per*last.cost()), float64(now.Fresh))))
		if blocks -= blocks % l.wave; blocks > 0 {
			s.ahead -= float64(blocks) * per * last.cost()
			s.try(l, blocks)
			return
		}
	}
	s.goForward(l)
}

// goForward runs the resident blocks without timing.
func (s *sampled) goForward(l *launch) {
	g, last := &s.gaps[len(s.gaps)-1], &s.windows[len(s.windows)-1]
	s.stage = leaping
	s.forward, s.ahead = l.device.Forward(last.rates, s.ahead, s.keep), 0
	if _, ok := s.perBlock(l, l.device.Progress()); !ok {
		g.unsure = s.forward.Uneven()
	}
}

// try leaves blocks out, or runs them all if their results are wanted, while the resident ones wait.
func (s *sampled) try(l *launch, blocks uint64) {
	s.gaps[len(s.gaps)-1].skipped = blocks
	s.stage, s.jump = jumping, l.device.Jump(blocks, l.of.timeAlone)
}

// leapBlocks leaves out blocks that have not begun, or runs them without timing, while the resident ones wait. It reports whether that is
// as good as running all without timing: blocks must be short and alike, and not wait for each other.
func (s *sampled) leapBlocks(l *launch, now Progress, length float64) bool {
	per, ok := s.perBlock(l, now)
	last := &s.windows[len(s.windows)-1]
	_, varied := s.longest()
	if !ok || per*float64(l.wave)*last.cost() > shortWave || varied || l.grid.Program.Fences() || math.IsInf(length, 1) {
		return false
	}
	count := uint64(min(length/(per*last.cost()), float64(now.Fresh)))
	count -= count % l.wave // so that the last wave is as full as the grid's
	if count == 0 {
		return false
	}
	s.gaps = append(s.gaps, gap{window: len(s.windows) - 1, from: now, drained: now, length: length})
	s.demand.beginUntimed(l)
	s.try(l, count)
	return true
}

// land resumes timing after a gap.
func (s *sampled) land(l *launch) {
	now, g := l.device.Progress(), &s.gaps[len(s.gaps)-1]
	s.demand.endUntimed(l)
	g.untimed, g.went = now.Executed-g.drained.Executed, float64(now.At-g.drained.At)
	l.device.Resume()
	s.begin(l, warming)
}
