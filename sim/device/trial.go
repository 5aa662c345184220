package device

import (
	"math"

	"github.com/keplersim/keplersim/sim/estimate"
	"github.com/keplersim/keplersim/sim/smx"
)

// guess is what is expected of a launch.
type guess struct {
	cycles, half float64
	said         float64   // half by the surface alone
	executed     float64   // warp instructions
	launches     int       // that it is from
	signature    bool      // they differ from it
	at           []float64 // its own
	from         *detail   // whose counters of time and memory it gets
}

// fromKind is what launches of one shape say of one that executes so many warp instructions.
func (e *estimation) fromKind(executed float64) *guess {
	cycles, half := e.ratio.Predict(executed)
	return &guess{cycles: cycles, half: max(half, e.kind.last.unsure*cycles), executed: executed, launches: e.ratio.Count(),
		from: e.kind.last}
}

// fromVariants is what other variants say of a launch with such a signature.
func (e *estimation) fromVariants(d *Device, at []float64, executed float64) *guess {
	f := e.variants
	g := &guess{executed: executed, launches: f.surface.Count(), signature: true, from: f.last}
	for _, k := range e.kinds {
		if k.last != nil { // of the same shape
			g.from = k.last
			break
		}
	}
	g.cycles, g.half = f.surface.Predict(at)
	g.said = g.half
	g.half = max(g.half*f.off(), f.unseen()*(g.cycles+d.besides()))
	return g
}

// known is what is known of a launch before it is timed.
type known struct {
	does      behaviour
	signature []float64
	executed  float64 // warp instructions
	unsure    float64 // half the width of the interval of these, as a share
}

// know returns what is known of a launch of which so many blocks have executed something, and stray as far from each other.
func (e *estimation) know(d *Device, shares []*smx.Share, blocks, stray float64) *known {
	k := &known{does: e.behaviourOf(shares), signature: e.signature(d, shares, blocks, stray)}
	k.executed = k.does.total() * float64(e.grid.Blocks()) / blocks
	return k
}

// guessBy is what is expected of a launch of which something is known.
func (e *estimation) guessBy(d *Device, known *known) *guess {
	g := e.fromAlike(known)
	if g == nil {
		g = e.fromVariants(d, known.signature, known.executed)
	}
	g.at = known.signature
	g.half += known.unsure * g.cycles
	return g
}

// fromAlike is what launches of its shape say of a launch that does as the last of them did, nil where it does not, or nothing else is
// known than what they say.
func (e *estimation) fromAlike(known *known) *guess {
	if e.kind == nil {
		return nil
	}
	last := e.kind.last
	apart := known.does.unlike(&last.behaviour)
	sectors := math.Abs(known.signature[signatureSectors] - last.signature[signatureSectors])
	if same := apart <= asBefore && sectors <= sectorsAsBefore; !same && e.variants.surface.Count() >= leastVariants {
		return nil
	}
	g := e.fromKind(known.executed)
	g.half = max(g.half, apart*g.cycles)
	return g
}

// close reports that a guess is near enough to do without timing.
func (e *estimation) close(d *Device, g *guess) bool {
	return e.hurry == timesLeast || g.half <= launchesClose*(g.cycles+d.besides())
}

// besides is how many cycles a launch takes besides those of its grid, always the same.
func (d *Device) besides() float64 {
	l := &d.config.Launch
	return float64(l.DeviceCycles + l.DrainCycles + l.CounterCycles)
}

// fromBefore is what is expected of a launch of which blocks have run without timing.
func (e *estimation) fromBefore(d *Device) *guess {
	here := e.here(d)
	return e.guessBy(d, e.know(d, here, float64(e.grid.Blocks()), strayOf(here)))
}

// count notes what a launch is estimated from, nil where it is timed after all.
func (e *estimation) count(g *guess) {
	switch {
	case g == nil:
		e.variants.tried(false)
	case g.signature:
		e.variants.tried(true)
		e.variants.skipped++
	default:
		e.kind.skipped++
	}
}

// takenBack takes a launch back that has run without timing, where it is not known how long that takes: it begins anew, and is timed.
func (e *estimation) takenBack(d *Device) bool {
	if e == nil || !e.fast || e.guess != nil || d.options.TimeAlone {
		return false
	}
	e.endShapes(d)
	e.guess = e.fromBefore(d)
	close, undone := e.close(d, e.guess) && !e.checks, false
	if d.global.Journaling() {
		undone = d.global.CloseJournal(!close)
		e.variants.takesBack = close || undone
	}
	if !undone {
		e.count(e.guess)
		return false
	}
	e.timeAll()
	g := e.grid
	d.blocks.Remove(g.dispatch)
	g.dispatch = d.blocks.Add(g.Grid, g.Command.Stream.Priority)
	for _, s := range d.smxs {
		if h := s.Share(g.Grid); h != nil {
			s.Leave(h)
		}
		s.Rest(d.now)
	}
	e.time(d)
	return true
}

// timeAll notes that a launch is timed after all, and what was expected of it.
func (e *estimation) timeAll() {
	if !e.checks {
		e.count(nil)
	}
	e.expected = e.guess
}

// time has the grid run with timing.
func (e *estimation) time(d *Device) {
	e.fast, e.kind, e.ratio, e.guess = false, nil, nil, nil
	d.engine = timed{}
	e.sampling.begin(d, e, warming)
}

// endShapes ends the counting of the shape of accesses.
func (e *estimation) endShapes(d *Device) {
	for _, s := range d.smxs {
		s.Shape(0, 0)
	}
}

// oneShaped is one of how many blocks, of so many, has the shape of its accesses counted, which takes longer: so many that their warp
// instructions are shapedWork, and fewShaped, but no more than one of a number.
func (e *estimation) oneShaped(blocks, most uint64) uint64 {
	each := 1.0
	if last := e.variants.last; last != nil {
		each = max(each, last.executed/last.of)
	}
	return min(max(most, blocks/min(blocks, fewShaped+uint64(shapedWork/each))), blocks)
}

const (
	shapedWork = 16 << 10
	fewShaped  = 4
	mostShaped = 8
)

// try tells what a launch does by some of its blocks, for time alone, and how it goes on. One with the same parameters does the same.
func (e *estimation) try(d *Device) {
	if own := e.own(); own != nil && own.known != nil {
		e.goOn(d, own.known)
		return
	}
	e.trial = newJump(d, e.grid, 0, e.grid.Blocks(), true)
	e.trial.apart = smx.NewShare(e.grid.Grid, 0)
	d.spare.Shape(e.oneShaped(min(e.grid.Blocks(), triedLeast), 1), 0)
	d.engine = e.trial
	d.global.OpenJournal()
}

// own are the launches with the same parameters, nil where it is not known which these are.
func (e *estimation) own() *launches {
	if len(e.kinds) < 2 {
		return nil
	}
	return e.kinds[0]
}

// lookAtTrial ends the trial when enough blocks have run.
func (e *estimation) lookAtTrial(d *Device) {
	t := e.trial
	if !t.done() {
		return
	}
	d.spare.Shape(0, 0)
	e.trial = nil
	e.variants.takesBack = d.global.CloseJournal(true)
	known := e.know(d, []*smx.Share{t.apart}, t.tried.count, t.tried.stray()/t.tried.mean())
	known.unsure = estimate.Deviations * t.tried.sure() / t.tried.mean()
	if own := e.own(); own != nil {
		own.known = known
	}
	e.goOn(d, known)
}

// goOn decides how a launch goes on of which something is known.
func (e *estimation) goOn(d *Device, known *known) {
	e.guess = e.guessBy(d, known)
	if e.checks || !e.close(d, e.guess) {
		e.timeAll()
		e.time(d)
		return
	}
	e.count(e.guess)
	e.leaveOut(d)
}
