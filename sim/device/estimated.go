package device

import (
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/estimate"
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

// estimation follows the grid that runs, and leaves out the timing of what it can estimate.
type estimation struct {
	grid  *Grid
	kinds []*launches // those that it belongs to, the narrowest first; see kinds
	wave  uint64      // blocks
	began time.Time   // on the host; zero without a budget
	// little are so few sectors a cycle that it does not matter to device memory whether they are written.
	little float64

	sampling sampling
	from     *launches // launches that it is estimated from, by their last; nil where a part of it is timed
	ratio    *estimate.Ratio
	measured behaviour // of what was timed of the launch
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
	dim, block [3]uint32 // of 0 for any
	shared     int
	parameters uint64 // a hash of them; 0 for any
}

// mostKinds bounds how many shapes are told apart.
const mostKinds = 1024

// launches are those of one shape that have run, in detail or in part.
type launches struct {
	ratio   estimate.Ratio // of cycles to warp instructions
	cold    estimate.Ratio // of the first, which finds the caches cold
	skipped int            // since the last in detail
	again   int            // how many are before the next
	last    *detail        // nil before the first, and where others have come since
	gaps    uint64         // how many launches of the device had run without timing when the last was timed
}

// detail is what a launch was that was timed, in whole or in part.
type detail struct {
	executed float64 // warp instructions
	work     float64 // the same, as estimation.work counts it
	blocks   float64
	cycles   float64
	unsure   float64       // by what share the cycles may be wrong themselves
	shares   []*smx.Detail // nil for SMXs that had nothing of it
	memory   stats.Memory
	behaviour
}

// estimateFrom begins to follow a grid that has the device to itself.
func (d *Device) estimateFrom(g *Grid) {
	d.estimation = nil
	if !d.options.Estimate || d.options.Functional || !g.Alone || g.nested() {
		return
	}
	e := &estimation{grid: g, kinds: d.kinds(g), wave: uint64(g.Occupancy.Blocks * len(d.smxs))}
	e.little = littlePart * d.config.DRAMPeak() / float64(d.config.Clocks.Core) / stats.SectorBytes
	d.estimation = e
	e.sampling.begin(d, e, warming)
	if d.budget.total > 0 {
		e.began = d.budget.now()
	}
	hurry := d.budget.haste(e.began, 0, g.Blocks())
	if d.warmth.timing != nil && hurry != timesLeast {
		return
	}
	for i, k := range e.kinds {
		if i == ofKernel && hurry != timesLeast {
			break
		}
		if ratio := k.like(hurry); ratio != nil {
			e.from, e.ratio = k, ratio
			e.leaveOut(d)
			break
		}
	}
}

// The kinds that a launch belongs to: the launches of its kernel with its grid and its parameters, with its grid, and all. The last tell
// how long it takes where a budget is spent, and nothing else does.
const (
	ofParameters = iota
	ofGrid
	ofKernel
)

// kinds are the launches that a grid is one of, by the constants above.
func (d *Device) kinds(g *Grid) []*launches {
	if d.launches == nil {
		d.launches = map[shape]*launches{}
	}
	hash := fnv.New64a()
	hash.Write(g.Launch.Bank0)
	grid := shape{program: g.Program, dim: g.Dim, block: g.Block, shared: g.Shared}
	parameters := grid
	parameters.parameters = hash.Sum64() | 1
	list := make([]*launches, 0, ofKernel+1)
	for _, key := range []shape{parameters, grid, {program: g.Program}} {
		k := d.launches[key]
		if k == nil {
			k = &launches{}
			if len(d.launches) < mostKinds { // others are forgotten at once
				d.launches[key] = k
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

// point is how far the grid has come.
func (e *estimation) point(d *Device) point {
	finished, _, executed := d.Progress(e.grid)
	return point{d.now, executed, finished}
}

// leaveOut runs the grid without timing, or not at all.
func (e *estimation) leaveOut(d *Device) {
	e.from.skipped++
	d.engine = functional{}
	if !d.options.TimeAlone {
		return
	}
	e.grid.dispatch.Skip(e.grid.Blocks())
	for i, s := range d.smxs {
		if e.from.last.shares[i] != nil {
			s.Join(e.grid.Grid)
		}
	}
}

// Timeless reports that the device runs without timing, always or for a part of a grid.
func (d *Device) Timeless() bool {
	return d.options.Functional || d.estimation != nil && d.estimation.from != nil
}

// ending is called when the grid has ended, or is given up, and its shares are on the SMXs still. It returns when the grid has ended, 0
// where nothing was left out.
func (e *estimation) ending(d *Device) (end engine.Cycle) {
	if e.sampling.forward != nil {
		e.sampling.forward.end(d)
	}
	if e.from != nil {
		return e.fromLaunches(d) // from it no other is estimated
	}
	e.measured = e.behaviour(d)
	if len(e.sampling.gaps) > 0 {
		end = e.fromWindows(d)
	}
	e.shares = make([]*smx.Detail, len(d.smxs))
	for i, s := range d.smxs {
		if h := s.GridState(e.grid.Grid); h != nil {
			e.shares[i] = h.Detail()
		}
	}
	return end
}

// work is what the launch takes time for that executes so many warp instructions: a grid of less than a wave takes as long as a wave.
func (e *estimation) work(executed float64) float64 {
	return executed * max(1, float64(e.wave)/float64(e.grid.Blocks()))
}

// fromLaunches fills in what has not been timed of the shares of a launch that ran without timing, or not at all, and returns when it has
// ended. Where it ran, what it executed is known; else it is taken for as much a block as the last of those that it is estimated from.
func (e *estimation) fromLaunches(d *Device) engine.Cycle {
	last := e.from.last
	executed, unlike := last.executed*float64(e.grid.Blocks())/last.blocks, 0.0
	if !d.options.TimeAlone {
		does := e.behaviour(d)
		executed, unlike = does.total(), does.unlike(&last.behaviour)
	}
	cycles, half := e.ratio.Predict(e.work(executed))
	half = max(half, last.unsure*cycles, unlike*cycles, systematic*cycles)
	other := e.from == e.kinds[ofKernel]
	switch least := (1 + last.unsure) * cycles; {
	case math.IsInf(half, 1): // one launch says nothing of how launches differ
		half = least
	case other:
		half = max(half, least)
	}
	e.grid.Estimate = &stats.Estimate{Launches: e.ratio.Count(), OtherGrids: other,
		Confidence: estimate.Confidence, Partial: d.options.TimeAlone, Half: half}
	e.factor = executed / max(last.executed, 1)
	return e.extrapolate(d, e.grid.Start+engine.Cycle(math.Round(cycles)), func(i int) *smx.Detail { return last.shares[i] }, 1)
}

// fromWindows does the same for a launch of which windows were timed.
func (e *estimation) fromWindows(d *Device) engine.Cycle {
	s, now := &e.sampling, e.point(d)
	end := e.grid.Start
	for _, x := range d.smxs {
		if h := x.GridState(e.grid.Grid); h != nil {
			end = max(end, h.Last)
		}
	}
	switch last := &s.gaps[len(s.gaps)-1]; {
	case s.stage == leaping || s.stage == jumping: // the end came there
		s.demand.endUntimed(d, e)
	case s.stage == draining && s.ahead == 0: // it came while what was in flight came home, before the gap
		s.nothingLeft(d, e, last, now)
	}
	late, left, half := s.total(e.grid.Start, now, float64(e.wave))
	whole := 1 + left/float64(max(now.executed, 1))
	if lacking := s.demand.least(d, e, whole) - float64(end-e.grid.Start) - late; lacking > 0 {
		late, half = late+lacking, max(half, lacking)
	}
	part := float64(max(s.timed(now), 1))
	e.grid.Estimate = &stats.Estimate{Windows: len(s.windows), Detailed: part / (float64(now.executed) + left), Half: half,
		Confidence: estimate.Confidence, Partial: d.options.TimeAlone}
	e.factor = (float64(now.executed) + left) / part
	return e.extrapolate(d, max(e.grid.Start, end+engine.Cycle(math.Round(late))), func(i int) *smx.Detail {
		if h := d.smxs[i].GridState(e.grid.Grid); h != nil {
			return h.Detail()
		}
		return nil
	}, whole)
}

// extrapolate makes the counters of the shares those of the launch that ends at a cycle: what they count of time and memory from what
// was timed, and the rest, where blocks were left out, whole times what was executed.
func (e *estimation) extrapolate(d *Device, end engine.Cycle, detail func(int) *smx.Detail, whole float64) engine.Cycle {
	for i, s := range d.smxs {
		h := s.GridState(e.grid.Grid)
		switch {
		case h == nil:
			continue
		case e.from != nil && d.options.TimeAlone:
			h.Assume(detail(i), e.factor)
		default:
			h.Extrapolate(detail(i), e.factor, whole)
		}
		h.Last = end
		h.Within(uint64(end - e.grid.Start))
	}
	return end
}

// ended is called when the counters of the grid's shares and of memory are complete, with what ending returned. The device has timing
// again.
func (e *estimation) ended(d *Device, end engine.Cycle) {
	g := e.grid
	d.engine, d.estimation = timed{}, nil
	if end > 0 {
		if e.from != nil {
			g.Memory = e.from.last.memory
		}
		stats.Scale(&g.Memory, e.factor)
		g.Samples, g.End = stats.Samples{}, end
		d.now = max(d.now, g.End)
		for _, s := range d.smxs {
			s.Rest(d.now)
		}
	}
	if e.from != nil {
		d.warmth.untimed()
	}
	if g.dispatch.Left() > 0 || e.from != nil {
		return
	}
	executed := 0.0
	for _, h := range g.States {
		if h != nil {
			executed += float64(h.Counters.InstExecuted)
		}
	}
	if executed == 0 {
		return
	}
	last := &detail{executed: executed, work: e.work(executed), blocks: float64(g.Blocks()), cycles: float64(g.End - g.Start),
		shares: e.shares, memory: g.Memory, behaviour: e.measured}
	if g.Estimate != nil {
		last.unsure = g.Estimate.Half / last.cycles
	}
	if !d.warmth.timed(e.kinds[ofKernel], &g.Memory, float64(d.config.L2.Bytes)) {
		if g.Estimate == nil {
			g.Estimate = &stats.Estimate{Detailed: 1, Confidence: estimate.Confidence}
		}
		g.Estimate.Half = max(g.Estimate.Half, coldApart*last.cycles, systematic*(last.cycles+d.besides()))
		return
	}
	cold := e.kinds[ofGrid].none() // the first finds the caches so
	for _, k := range e.kinds {
		k.note(last, cold)
		d.keepLast(k)
	}
}

// besides is how many cycles a launch takes besides those of its grid, always the same.
func (d *Device) besides() float64 {
	l := &d.config.Launch
	return float64(l.DeviceCycles + l.DrainCycles + l.CounterCycles)
}

// none reports that none has been timed.
func (l *launches) none() bool { return l.ratio.Count()+l.cold.Count() == 0 }

// keepLast has a kind keep what it knows of its last launch, and the one forget it that was timed longest ago.
func (d *Device) keepLast(k *launches) {
	if at := slices.Index(d.detailed, k); at >= 0 {
		d.detailed = slices.Delete(d.detailed, at, at+1)
	} else if len(d.detailed) == mostDetailed {
		d.detailed[0].last = nil
		d.detailed = slices.Delete(d.detailed, 0, 1)
	}
	d.detailed = append(d.detailed, k)
}

// mostDetailed is of how many kinds it is known in detail what the last launch was.
const mostDetailed = 64

// note takes in a launch of which a part at least ran in detail, with the caches cold or not.
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

// behaviour is what part of a grid has executed.
type behaviour struct {
	operations []float64 // by operation: how often
	lanes      float64
	blocks     float64
}

// behaviour returns what the grid has executed so far.
func (e *estimation) behaviour(d *Device) behaviour { return e.behaviourOf(e.here(d)) }

// here are the shares of the grid that are on the SMXs.
func (e *estimation) here(d *Device) (list []*smx.GridState) {
	for _, s := range d.smxs {
		if h := s.GridState(e.grid.Grid); h != nil {
			list = append(list, h)
		}
	}
	return list
}

// behaviourOf returns what shares of the grid have executed.
func (e *estimation) behaviourOf(shares []*smx.GridState) behaviour {
	b := behaviour{operations: make([]float64, len(e.grid.Program.Machine.Ops))}
	for _, h := range shares {
		h.Executed(b.operations)
		b.lanes += float64(h.Counters.ThreadInstExecuted)
		b.blocks += float64(h.Finished)
	}
	return b
}

// total is how many warp instructions it is.
func (b *behaviour) total() (sum float64) {
	for _, n := range b.operations {
		sum += n
	}
	return sum
}

// unlike tells how far two parts differ, as a share: in what they execute, on how many lanes, and how much a block executes. The
// interval of an estimate is as wide at least: what does otherwise than what was timed may take otherwise long.
func (b *behaviour) unlike(other *behaviour) float64 {
	mine, its := b.total(), other.total()
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
