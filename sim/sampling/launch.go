package sampling

import (
	"math"
	"time"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// launch is one whose timing is left out where it can be estimated.
type launch struct {
	*Figures
	of     *Sampler
	device Device
	grid   *smx.Grid

	kinds []*launches // those that it belongs to, the narrowest first; see kinds
	wave  uint64      // blocks
	began time.Time   // on the host; zero without a budget
	// little are so few sectors a cycle that it does not matter to device memory whether they are written.
	little float64

	sampled  sampled
	from     *launches // launches that it is estimated from, by their last; nil where a part of it is timed
	ratio    *ratio
	measured behaviour // of what was timed of the launch
	factor   float64   // of all executed instructions to those in detail
	shares   []*smx.Detail
}

// ending completes the shares of the launch and returns its end, 0 where nothing was left out.
func (l *launch) ending() (end engine.Cycle) {
	if l.sampled.forward != nil {
		l.sampled.forward.End()
	}
	if l.from != nil {
		return l.fromLaunches() // from it no other is estimated
	}
	l.measured = l.behaviour()
	if len(l.sampled.gaps) > 0 {
		end = l.fromWindows()
	}
	l.shares = details(l.device.States())
	return end
}

// details are what shares have counted, nil for those that are none.
func details(states []*smx.GridState) []*smx.Detail {
	list := make([]*smx.Detail, len(states))
	for i, h := range states {
		if h != nil {
			list[i] = h.Detail()
		}
	}
	return list
}

// leaveOut runs the launch without timing, or not at all.
func (l *launch) leaveOut() {
	if l.from.skipped++; l.of.timeAlone {
		l.device.Skip(l.from.last.shares)
	} else {
		l.device.Untimed()
	}
}

// work is what the launch takes time for that executes so many warp instructions: a grid of less than a wave takes as long as a wave.
func (l *launch) work(executed float64) float64 {
	return executed * max(1, float64(l.wave)/float64(l.grid.Blocks()))
}

// fromLaunches fills in what has not been timed of the shares of a launch that ran without timing, or not at all, and returns when it has
// ended. Where it ran, what it executed is known; else it is taken for as much a block as the last of those that it is estimated from.
func (l *launch) fromLaunches() engine.Cycle {
	last := l.from.last
	executed, unlike := last.executed*float64(l.grid.Blocks())/last.blocks, 0.0
	if !l.of.timeAlone {
		does := l.behaviour()
		executed, unlike = does.total(), does.unlike(&last.behaviour)
	}
	cycles, half := l.ratio.Predict(l.work(executed))
	half = max(half, last.unsure*cycles, unlike*cycles, systematic*cycles)
	other := l.from == l.kinds[ofKernel]
	switch least := (1 + last.unsure) * cycles; {
	case math.IsInf(half, 1): // one launch says nothing of how launches differ
		half = least
	case other:
		half = max(half, least)
	}
	l.Estimate = &stats.Estimate{Launches: l.ratio.Count(), OtherGrids: other,
		Confidence: confidence, Partial: l.of.timeAlone, Half: half}
	l.factor = executed / max(last.executed, 1)
	return l.extrapolate(l.Start+engine.Cycle(math.Round(cycles)), last.shares, 1)
}

// fromWindows does the same for a launch that was timed in windows.
func (l *launch) fromWindows() engine.Cycle {
	s, now := &l.sampled, l.device.Progress()
	end := l.Start
	for _, h := range l.device.States() {
		if h != nil {
			end = max(end, h.Last)
		}
	}
	switch last := &s.gaps[len(s.gaps)-1]; {
	case s.stage == leaping || s.stage == jumping: // the end came there
		s.demand.endUntimed(l)
	case s.stage == draining && s.ahead == 0: // it came while what was in flight came home, before the gap
		s.nothingLeft(l, last, now)
	}
	gaps, half := s.total(l.Start, now, float64(l.wave))
	late, whole := gaps.late, 1+gaps.left/float64(max(now.Executed, 1))
	if lacking := s.demand.least(l, whole) - float64(end-l.Start) - late; lacking > 0 {
		late, half = late+lacking, max(half, lacking)
	}
	part := float64(max(s.timed(now), 1))
	l.Estimate = &stats.Estimate{Windows: len(s.windows), Detailed: part / (float64(now.Executed) + gaps.left), Half: half,
		Confidence: confidence, Partial: l.of.timeAlone}
	l.factor = (float64(now.Executed) + gaps.left) / part
	return l.extrapolate(max(l.Start, end+engine.Cycle(math.Round(late))), details(l.device.States()), whole)
}

// extrapolate makes the counters of the shares those of the launch that ends at a cycle: what they count of time and memory from what
// was timed, and the rest, where blocks were left out, whole times what was executed.
func (l *launch) extrapolate(end engine.Cycle, detail []*smx.Detail, whole float64) engine.Cycle {
	for i, h := range l.device.States() {
		switch {
		case h == nil:
			continue
		case l.from != nil && l.of.timeAlone:
			h.Assume(detail[i], l.factor)
		default:
			h.Extrapolate(detail[i], l.factor, whole)
		}
		h.Last = end
		h.Within(uint64(end - l.Start))
	}
	return end
}

// ended completes the figures of the launch, and notes them for launches like it.
func (l *launch) ended(end engine.Cycle) {
	l.device.Resume()
	if end > 0 {
		if l.from != nil {
			l.Memory = l.from.last.memory
		}
		stats.Scale(&l.Memory, l.factor)
		l.Samples, l.End = stats.Samples{}, end
		l.device.Rest(end)
	}
	if l.from != nil {
		l.of.warmth.untimed()
	}
	if l.from != nil || l.device.Progress().Left > 0 {
		return
	}
	executed := 0.0
	for _, h := range l.States {
		if h != nil {
			executed += float64(h.Counters.InstExecuted)
		}
	}
	if executed == 0 {
		return
	}
	last := &detail{executed: executed, work: l.work(executed), blocks: float64(l.grid.Blocks()), cycles: float64(l.End - l.Start),
		shares: l.shares, memory: l.Memory, behaviour: l.measured}
	if l.Estimate != nil {
		last.unsure = l.Estimate.Half / last.cycles
	}
	if !l.of.warmth.timed(l.kinds[ofKernel], &l.Memory, float64(l.of.config.L2.Bytes)) {
		if l.Estimate == nil {
			l.Estimate = &stats.Estimate{Detailed: 1, Confidence: confidence}
		}
		l.Estimate.Half = max(l.Estimate.Half, coldApart*last.cycles, systematic*(last.cycles+l.of.besides()))
		return
	}
	cold := l.kinds[ofGrid].none() // the first finds the caches so
	for _, k := range l.kinds {
		k.note(last, cold)
		l.of.keep(k)
	}
}
