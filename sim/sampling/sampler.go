package sampling

import (
	"slices"
	"time"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// Sampler decides what to time of the launches of a device, one at a time. A nil Sampler times everything.
type Sampler struct {
	config    *configs.Config
	timeAlone bool
	budget    budget
	launch    *launch // the running launch, nil for none or one timed in full
	launches  map[shape]*launches
	warmth    warmth
	known     []*launches // kinds with details of their last launch, the one timed longest ago first
}

// New makes a sampler for launches on a chip. timeAlone makes it leave out blocks and launches altogether: results are incomplete. As much
// as fits in a total of host time by a clock (nil: the host's) is timed in full. With 0, no more is timed than estimates need.
func New(config *configs.Config, timeAlone bool, total time.Duration, clock func() time.Time) *Sampler {
	return &Sampler{config: config, timeAlone: timeAlone, budget: newBudget(total, clock), launches: map[shape]*launches{}}
}

// Begin follows a launch that begins and has the device to itself.
func (s *Sampler) Begin(d Device, g *smx.Grid, f *Figures) {
	l := &launch{Figures: f, of: s, device: d, grid: g, kinds: s.kinds(g), wave: uint64(g.Occupancy.Blocks * s.config.SMX.Count)}
	l.little = littlePart * s.config.DRAMPeak() / float64(s.config.Clocks.Core) / stats.SectorBytes
	s.launch = l
	l.sampled.begin(l, warming)
	if s.budget.total > 0 {
		l.began = s.budget.now()
	}
	hurry := s.budget.timingPolicy(l.began, 0, g.Blocks())
	if s.warmth.timing != nil && hurry != timesLeast {
		return
	}
	for i, k := range l.kinds {
		if i == ofKernel && hurry != timesLeast {
			break
		}
		if ratio := k.like(hurry); ratio != nil {
			l.from, l.ratio = k, ratio
			l.leaveOut()
			break
		}
	}
}

// Leave stops following: a launch begins that does not have the device to itself.
func (s *Sampler) Leave() {
	if s != nil {
		s.launch = nil
	}
}

// Follows reports that a launch is followed: the device's memory must be settled after each epoch.
func (s *Sampler) Follows() bool { return s != nil && s.launch != nil }

// Untimed reports that the whole launch runs without timing.
func (s *Sampler) Untimed() bool { return s.Follows() && s.launch.from != nil }

// Leaps reports that blocks run without timing in a gap.
func (s *Sampler) Leaps() bool {
	return s.Follows() && (s.launch.sampled.forward != nil || s.launch.sampled.jump != nil)
}

// Look decides after an epoch how the launch continues.
func (s *Sampler) Look() {
	if s.Follows() {
		s.launch.look()
	}
}

// Ending is called when the launch has ended or is abandoned, while its states are still on the SMXs. Call its result when the counters of
// the states and of memory are complete. The device then resumes timing.
func (s *Sampler) Ending() (ended func()) {
	if !s.Follows() {
		return func() {}
	}
	l := s.launch
	end := l.ending()
	return func() {
		s.launch = nil
		l.ended(end)
	}
}

// besides returns the constant cycles of a launch besides those of its grid.
func (s *Sampler) besides() float64 {
	l := &s.config.Launch
	return float64(l.DeviceCycles + l.DrainCycles + l.CounterCycles)
}

// mostKnown is how many kinds keep details of their last launch.
const mostKnown = 64

// keep lets a kind keep details of its last launch, and makes the kind timed longest ago drop its own.
func (s *Sampler) keep(k *launches) {
	if at := slices.Index(s.known, k); at >= 0 {
		s.known = slices.Delete(s.known, at, at+1)
	} else if len(s.known) == mostKnown {
		s.known[0].last = nil
		s.known = slices.Delete(s.known, 0, 1)
	}
	s.known = append(s.known, k)
}
