package sampling

import "math"

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
	WindowLeast = 4_000
	WindowMost  = 8_000
	windowStray = 0.02
	// Below quiet, as the spread of a launch's pieces, half a window is enough.
	quiet = 0.01
	// pieceShare is the part of what pieces stray that windows do, if pieces were independent: bursts of requests make neighbours differ.
	pieceShare = 0.3
	// shortWave is how many cycles a wave of short blocks takes at most: see leapBlocks.
	shortWave = 16_384
	// warmCycles are between a gap and the next window at least, and up to warmMost until L2 has as many of what is asked for as in the
	// windows before, within hitsApart.
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
	// growth is a gap's length, relative to what has run, while the rest is not known.
	growth = 1
	// growthOne is the same where all blocks are resident: the end is not to lie far within a gap.
	growthOne = 0.3
	// lastPart is the error, in block times, of a gap in which the last blocks begin: it decides which end last. A gap in which they end,
	// too, may be wrong by a whole one.
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
	// Where others are left out, blocks of a gap are tried to know how many warp instructions they have: TriedLeast, and more until the
	// mean is as sure as triedSure, as a share, or triedMost warp instructions have been executed, or a triedPart-th of the blocks.
	TriedLeast = 32
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

// measurements are what is known of a launch from its windows.
type measurements struct {
	windows []window
	gaps    []gap
	noise   noise   // of the pieces of windows
	hits    Sample  // shares of L2's reads that hit, of those pieces
	block   float64 // cycles that a block takes, 0 while that is not known
}

// sampled is a launch that is timed in windows.
type sampled struct {
	measurements
	stage   stage
	from    Progress // where the stage began
	before  []uint64 // warp instructions of each SMX then
	forward Forward  // under way, nil for none
	jump    Jump
	ahead   float64 // cycles to go forward by behind a jump
	keep    uint64  // blocks that a gap leaves, for the window behind it
	pieces  []piece // of the stage, the first is its beginning
	demand  demand  // of the atomics units
}

// window is a measurement.
type window struct {
	from, to Progress
	rates    []float64 // warp instructions a cycle of each SMX
	ending   bool      // all blocks had begun
}

// cost is how many cycles a warp instruction takes.
func (w *window) cost() float64 {
	return float64(w.to.At-w.from.At) / float64(w.to.Executed-w.from.Executed)
}

// gap is what lies between two windows.
type gap struct {
	window  int      // the one before it
	from    Progress // where that ended
	drained Progress // and when nothing was in flight any more
	length  float64
	skipped uint64  // blocks left out altogether
	untimed uint64  // warp instructions that ran without timing
	tried   Sample  // warp instructions of blocks that ran without timing, as others that were left out
	unsure  float64 // share by which it may be wrong since blocks differ in speed, and none has ended yet to tell how they end
	went    float64 // cycles by which the device's time went on meanwhile
}

// look decides after an epoch how the launch goes on.
func (l *launch) look() {
	s := &l.sampled
	if l.from != nil || s.stage == detailed {
		return
	}
	now := l.device.Progress()
	hurry := l.of.budget.haste(l.began, now.Finished, l.grid.Blocks()-now.Finished)
	if now.Finished == 0 { // the end of a block may cost many times what its beginning does
		hurry = min(hurry, timesSample)
	}
	switch s.stage {
	case warming:
		switch ended := s.piece(l, now); {
		case len(s.windows) == 0 && hurry == timesLeast && now.Executed > s.from.Executed && now.At-s.from.At >= firstLeast:
			s.endWindow(l, now, hurry)
		case !ended:
		case len(s.windows) > 0 && (hurry == timesLeast || s.warm()): // what fills the pipelines never counts
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
		case l.device.Over(): // the last blocks have ended meanwhile, as they would have or not
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

// nothingLeft makes a gap empty: the last blocks have ended meanwhile.
func (s *sampled) nothingLeft(l *launch, g *gap, now Progress) {
	g.from, g.drained = now, now
	s.demand.beginUntimed(l)
}

// jumped decides what follows a jump: what is resident goes forward where it has been stopped for that, or where it comes from before the
// gap and other blocks than those at hand are to be measured.
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

// drain lets what is in flight come home.
func (s *sampled) drain(l *launch) {
	s.stage = draining
	l.device.Pause()
}

// begin begins a stage.
func (s *sampled) begin(l *launch, stage stage) {
	s.stage, s.from, s.before = stage, l.device.Progress(), l.executed()
	s.pieces = append(s.pieces[:0], l.piece(s.from))
}

// executed is how many warp instructions each SMX has executed.
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
func (s *sampled) endWindow(l *launch, now Progress, hurry haste) {
	s.measure(l.executed(), now, now.Left == 0)
	s.next(l, now, hurry)
}

// measure adds a window that ends. ending tells that no block is to come.
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
func (s *sampled) next(l *launch, now Progress, hurry haste) {
	length := math.Inf(1)
	least := leastGap * (s.windowLength() + warmCycles)
	switch {
	case now.Nests: // what its children do belongs to it
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

// length is how long the next gap is, in cycles; least is how long it is worth the trouble.
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
	begins := left * per * last.cost() // until all have begun
	window := s.windowLength() + warmCycles
	if begins < window+least {
		if _, varied := s.longest(); !varied && float64(l.wave) <= smallWave*float64(l.grid.Blocks()) && len(s.windows) >= leastWindows {
			return 2 * (rest + begins) // more than is left
		}
		return tailGap * rest
	}
	affordable := int(windowsPart * (float64(now.At-l.Start) + begins) / window)
	s.keep = uint64(window / (per * last.cost()))
	wanted := min(s.wanted(closeEnough), max(affordable, s.wanted(barelyClose)))
	windows := float64(max(wanted-len(s.windows), 1))
	return min(max(begins/windows-window, least), begins) // the last window ends before the last blocks begin
}

// perBlock is how many warp instructions a block has, if enough have ended to tell.
func (s *sampled) perBlock(l *launch, now Progress) (mean float64, ok bool) {
	if now.Finished < l.wave/2+1 {
		return 0, false
	}
	resident := float64(min(l.wave, l.grid.Blocks()-s.skipped()-now.Finished-now.Left))
	return float64(now.Executed) / (float64(now.Finished) + resident/2), true
}

// leap begins to go forward with what is resident.
func (s *sampled) leap(l *launch) {
	g, last := &s.gaps[len(s.gaps)-1], &s.windows[len(s.windows)-1]
	s.ahead = g.length
	s.demand.beginUntimed(l)
	now := l.device.Progress()
	if per, ok := s.perBlock(l, now); ok && l.of.timeAlone && !l.grid.Program.Fences() {
		left := leftWaves * per
		if most, varied := s.longest(); varied { // those from before the gap are over behind it
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

// goForward has what is resident go forward.
func (s *sampled) goForward(l *launch) {
	g, last := &s.gaps[len(s.gaps)-1], &s.windows[len(s.windows)-1]
	s.stage = leaping
	s.forward, s.ahead = l.device.Forward(last.rates, s.ahead, s.keep), 0
	if _, ok := s.perBlock(l, l.device.Progress()); !ok {
		g.unsure = s.forward.Uneven()
	}
}

// try leaves so many blocks out, or runs them all where their results are wanted, beside what is resident.
func (s *sampled) try(l *launch, blocks uint64) {
	s.gaps[len(s.gaps)-1].skipped = blocks
	s.stage, s.jump = jumping, l.device.Jump(blocks, l.of.timeAlone)
}

// leapBlocks has blocks that have not begun run without timing, or not at all, while those that are resident stand still. It reports
// whether this is as good as to have them all go forward: where blocks are short and alike, and do not wait for each other.
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

// land goes on in detail behind a gap.
func (s *sampled) land(l *launch) {
	now, g := l.device.Progress(), &s.gaps[len(s.gaps)-1]
	s.demand.endUntimed(l)
	g.untimed, g.went = now.Executed-g.drained.Executed, float64(now.At-g.drained.At)
	l.device.Resume()
	s.begin(l, warming)
}
