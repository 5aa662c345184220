package sampling

import (
	"math"
	"time"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// launch is a launch whose timing may be left out.
type launch struct {
	*Figures
	of     *Sampler
	device Device
	grid   *smx.Grid

	kinds []*launches // its kinds, the narrowest first; see kinds
	wave  uint64      // blocks
	began time.Time   // host time; zero without a budget
	// little is a rate of written sectors a cycle that hardly loads device memory.
	little float64

	sampled  sampled
	from     *launches // launches that it is estimated from; nil if a part of it is timed
	ratio    *ratio
	measured behaviour // of its timed part
	factor   float64   // ratio of all executed instructions to those in detail
	shares   []*smx.Detail
}

// ending completes the states of the launch and returns its end, 0 if nothing was left out.
func (l *launch) ending() (end engine.Cycle) {
	if l.sampled.forward != nil {
		l.sampled.forward.End()
	}
	if l.from != nil {
		return l.fromLaunches() // it must not be a basis for other estimates
	}
	l.measured = l.behaviour()
	if len(l.sampled.gaps) > 0 {
		end = l.fromWindows()
	}
	l.shares = details(l.device.States())
	return end
}

// details returns the counters of states, nil for nil.
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

// work returns the work that determines the launch's time, given its warp instructions: a grid smaller than a wave takes as long as a wave.
func (l *launch) work(executed float64) float64 {
	return executed * max(1, float64(l.wave)/float64(l.grid.Blocks()))
}

// fromLaunches estimates a launch that ran without timing, or not at all, and returns its end. If it ran, its executed instructions are
// known. Otherwise a block counts as much as in the last launch that it is estimated from.
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
	case math.IsInf(half, 1): // one launch does not show their spread
		half = least
	case other:
		half = max(half, least)
	}
	l.Estimate = &stats.Estimate{Launches: l.ratio.Count(), OtherGrids: other,
		Confidence: confidence, Partial: l.of.timeAlone, Half: half}
	l.factor = executed / max(last.executed, 1)
	return l.extrapolate(l.Start+engine.Cycle(math.Round(cycles)), last.shares, 1)
}

// fromWindows does the same for a launch timed in windows.
func (l *launch) fromWindows() engine.Cycle {
	s, now := &l.sampled, l.device.Progress()
	end := l.Start
	for _, h := range l.device.States() {
		if h != nil {
			end = max(end, h.Last)
		}
	}
	switch last := &s.gaps[len(s.gaps)-1]; {
	case s.stage == leaping || s.stage == jumping: // the launch ended there
		s.demand.endUntimed(l)
	case s.stage == draining && s.ahead == 0: // it ended while requests in flight completed, before the gap
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

// extrapolate scales the counters of the states to the whole launch. Those of time and memory come from its timed part. If blocks were left
// out, the rest is multiplied by whole.
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

// ended completes the figures of the launch, and records them for similar launches.
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
	cold := l.kinds[ofGrid].none() // the first launch finds cold caches
	for _, k := range l.kinds {
		k.note(last, cold)
		l.of.keep(k)
	}
}
