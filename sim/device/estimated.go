package device

import (
	"math"
	"time"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/estimate"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// When a grid's cycles are an estimate. A wave is as many blocks as are resident at once.
const (
	// leastWaves is how many waves run in detail at least, behind the first, in which caches are cold and blocks in step.
	leastWaves = 4
	// leastLeft is how many waves are worth leaving out.
	leastLeft = 4
	// closeEnough is half the width of the interval, relative to the cycles, with which no more runs in detail.
	closeEnough = 0.01
	// leastLaunches is how many launches of a kernel with one shape of grid run behind the first, before others are estimated from
	// them, if their interval is as narrow as launchesAlike; every detailedAgain-th runs in detail all the same.
	leastLaunches = 3
	launchesAlike = 0.03
	detailedAgain = 16
	// systematic is a part of what is extrapolated that the interval has in any case: waves do not show how the last one ends, nor
	// what changes slowly.
	systematic = 0.01
)

// estimation follows the grid that runs, and leaves out the timing of what it can estimate.
type estimation struct {
	grid  *Grid
	kind  *launches
	wave  uint64          // blocks
	ratio *estimate.Ratio // of cycles to warp instructions: of the waves of the grid, or of earlier launches
	began time.Time       // on the host; zero without a budget

	from     point     // where the wave under way began, from the second on
	next     uint64    // finished blocks with which it ends
	held     bool      // no further block starts in detail
	fast     bool      // what is left runs without timing
	detail   point     // where that began
	measured behaviour // of what ran in detail, or of an earlier launch
	factor   float64   // of all executed instructions to those in detail
	shares   []*smx.Detail
}

// point is how far a grid has come.
type point struct {
	at       engine.Cycle
	executed uint64 // warp instructions
	finished uint64 // blocks
}

// shape tells launches apart that need not be alike.
type shape struct {
	program    *smx.Program
	dim, block [3]uint32
	shared     int
}

// launches are those of one shape that have run, in detail or in part.
type launches struct {
	ratio    estimate.Ratio
	cold     estimate.Ratio // of the first, which finds the caches cold
	skipped  int            // since the last in detail
	executed uint64
	shares   []*smx.Detail // of the last in detail, nil for SMXs that had nothing of it
	memory   stats.Memory
	behaviour
}

// estimateFrom begins to follow a grid that has the device to itself.
func (d *Device) estimateFrom(g *Grid) {
	d.estimation = nil
	if !d.options.Estimate || d.options.Functional || !g.Alone || g.nested() {
		return
	}
	key := shape{g.Program, g.Dim, g.Block, g.Shared}
	kind := d.launches[key]
	if kind == nil {
		kind = &launches{}
		if d.launches == nil {
			d.launches = map[shape]*launches{}
		}
		d.launches[key] = kind
	}
	wave := uint64(g.Occupancy.Blocks * len(d.smxs))
	e := &estimation{grid: g, kind: kind, wave: wave, next: wave, ratio: new(estimate.Ratio)}
	d.estimation = e
	if d.budget.total > 0 {
		e.began = time.Now()
	}
	if like := kind.like(d.budget.haste(e.began, 0, g.Blocks())); like != nil {
		kind.skipped++
		e.ratio = like
		e.leaveOut(d)
	}
}

// alike reports that the next launch may be estimated from those before.
func (l *launches) alike() bool {
	if l.ratio.Count() < leastLaunches || l.shares == nil || l.skipped >= detailedAgain {
		return false
	}
	cycles, half := l.ratio.Predict(l.ratio.Mean())
	return half <= launchesAlike*cycles
}

// point is how far the grid has come.
func (e *estimation) point(d *Device) point {
	finished, _, executed := d.Progress(e.grid)
	return point{d.now, executed, finished}
}

// look decides after an epoch whether enough of the grid has run in detail.
func (e *estimation) look(d *Device) {
	switch {
	case e.fast:
	case e.held:
		if d.unused(e.grid) && d.memory.Idle() {
			e.leaveOut(d)
		}
	default:
		e.measure(d)
	}
}

// measure notes the ends of waves, and holds back what is left where that can be estimated.
func (e *estimation) measure(d *Device) {
	now := e.point(d)
	left := e.grid.Blocks() - now.finished
	hurry := d.budget.haste(e.began, now.finished, left)
	if now.finished < e.next {
		if hurry == timesLeast {
			e.hurry(now, left)
		}
		return
	}
	if e.from.finished > 0 {
		e.ratio.Add(float64(now.executed-e.from.executed), float64(now.at-e.from.at))
	}
	e.from, e.next = now, now.finished+e.wave
	switch {
	case hurry == timesLeast:
		e.hurry(now, left)
	case hurry == timesAll, e.ratio.Count() < leastWaves, left < (leastLeft+2)*e.wave:
	default:
		rest, half := e.ratio.Predict(float64(now.executed) / float64(now.finished) * float64(left))
		if half <= closeEnough*(float64(now.at-e.grid.Start)+rest) {
			e.hold()
		}
	}
}

// hurry holds back what is left, whatever is known of it, once a block has ended: a wave at least is left out then.
func (e *estimation) hurry(now point, left uint64) {
	if now.finished == 0 || left < 2*e.wave {
		return
	}
	if e.ratio.Count() == 0 {
		e.ratio.Add(float64(now.executed), float64(now.at-e.grid.Start))
	}
	e.hold()
}

// hold lets no further block start in detail, but for the rest of what are not whole waves.
func (e *estimation) hold() {
	e.held = true
	e.grid.dispatch.Hold(e.wave)
}

// leaveOut runs what is left of the grid without timing.
func (e *estimation) leaveOut(d *Device) {
	e.fast, e.detail = true, e.point(d)
	e.detail.at = e.grid.Start
	for _, s := range d.smxs {
		if h := s.Share(e.grid.Grid); h != nil {
			e.detail.at = max(e.detail.at, h.Last)
		}
	}
	if e.measured = e.kind.behaviour; e.held {
		e.measured = e.behaviour(d)
	}
	d.engine = functional{}
	e.grid.dispatch.Release()
}

// Timeless reports that the device runs without timing, always or for a part of a grid.
func (d *Device) Timeless() bool {
	return d.options.Functional || d.estimation != nil && d.estimation.fast
}

// ending is called when the grid has ended, or is given up, and its shares are on the SMXs still. It returns when the grid has ended, 0
// where nothing was left out.
func (e *estimation) ending(d *Device) (end engine.Cycle) {
	if e.fast {
		end = e.extrapolate(d, e.point(d).executed)
	} else {
		e.measured = e.behaviour(d)
	}
	e.shares = make([]*smx.Detail, len(d.smxs))
	for i, s := range d.smxs {
		if h := s.Share(e.grid.Grid); h != nil {
			e.shares[i] = h.Detail()
		}
	}
	return end
}

// extrapolate fills in what has not been timed of the shares, and returns when the grid has ended.
func (e *estimation) extrapolate(d *Device, executed uint64) engine.Cycle {
	cycles, half := e.ratio.Predict(float64(executed - e.detail.executed))
	rest := e.behaviour(d)
	part := e.detail.executed
	of := &stats.Estimate{DetailedBlocks: e.detail.finished, Confidence: estimate.Confidence}
	if e.held {
		rest = rest.without(&e.measured)
	} else {
		part, of.Launches = e.kind.executed, e.ratio.Count()
	}
	if math.IsInf(half, 1) { // one part says nothing of how parts differ
		half = cycles
	}
	of.Half = max(half, systematic*cycles, rest.unlike(&e.measured)*cycles)
	e.grid.Estimate = of
	end := e.detail.at + engine.Cycle(math.Round(cycles))
	e.factor = float64(executed) / float64(max(part, 1))
	for i, s := range d.smxs {
		h := s.Share(e.grid.Grid)
		if h == nil {
			continue
		}
		detail := h.Detail()
		if !e.held {
			detail = e.kind.shares[i]
		}
		h.Extrapolate(detail, e.factor)
		h.Last = end
	}
	return end
}

// ended is called when the counters of the grid's shares and of memory are complete, with what ending returned. The device has timing
// again.
func (e *estimation) ended(d *Device, end engine.Cycle) {
	g := e.grid
	if end > 0 {
		if !e.held {
			g.Memory = e.kind.memory
		}
		stats.Scale(&g.Memory, e.factor)
		g.Samples, g.End = stats.Samples{}, end
		d.engine, d.now = timed{}, max(d.now, g.End)
		for _, s := range d.smxs {
			s.Rest(d.now)
		}
	}
	d.estimation = nil
	if g.dispatch.Left() > 0 || end > 0 && !e.held {
		return
	}
	executed := uint64(0)
	for _, h := range g.Shares {
		if h != nil {
			executed += h.Counters.InstExecuted
		}
	}
	if k := e.kind; executed > 0 {
		ratio := &k.ratio
		if k.shares == nil { // the first finds the caches cold
			ratio = &k.cold
		}
		ratio.Add(float64(executed), float64(g.End-g.Start))
		k.skipped, k.executed, k.shares, k.memory, k.behaviour = 0, executed, e.shares, g.Memory, e.measured
	}
}

// behaviour is what part of a grid has executed.
type behaviour struct {
	operations []float64 // by operation: how often
	lanes      float64
	blocks     float64
}

// behaviour returns what the grid has executed so far.
func (e *estimation) behaviour(d *Device) behaviour {
	b := behaviour{operations: make([]float64, len(e.grid.Program.Machine.Ops))}
	for _, s := range d.smxs {
		if h := s.Share(e.grid.Grid); h != nil {
			h.Executed(b.operations)
			b.lanes += float64(h.Counters.ThreadInstExecuted)
			b.blocks += float64(h.Finished)
		}
	}
	return b
}

// without returns what is left of a behaviour when a part of it is taken away.
func (b behaviour) without(part *behaviour) behaviour {
	rest := behaviour{make([]float64, len(b.operations)), b.lanes - part.lanes, b.blocks - part.blocks}
	for i := range rest.operations {
		rest.operations[i] = b.operations[i] - part.operations[i]
	}
	return rest
}

// unlike tells how far two parts differ, as a share: in what they execute, on how many lanes, and how much a block executes. The
// interval of an estimate is as wide at least: what does otherwise than what was timed may take otherwise long.
func (b *behaviour) unlike(other *behaviour) float64 {
	total := func(b *behaviour) (sum float64) {
		for _, n := range b.operations {
			sum += n
		}
		return sum
	}
	mine, its := total(b), total(other)
	if mine == 0 || its == 0 || b.blocks == 0 || other.blocks == 0 {
		return 0
	}
	mix := 0.0
	for i := range b.operations {
		mix += math.Abs(b.operations[i]/mine-other.operations[i]/its) / 2
	}
	apart := func(x, y float64) float64 { return math.Abs(x-y) / max(x, y) }
	return max(mix, apart(b.lanes/mine, other.lanes/its), apart(mine/b.blocks, its/other.blocks))
}
