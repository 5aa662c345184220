package sampling

import (
	"slices"
	"time"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// Sampler decides what is timed of the launches of a device, one at a time. A nil one leaves all alone.
type Sampler struct {
	config    *configs.Config
	timeAlone bool
	budget    budget
	launch    *launch // that runs, nil for none or one that is timed as a whole
	launches  map[shape]*launches
	warmth    warmth
	known     []*launches // kinds whose last launch is known, the one timed longest ago first
}

// New makes a sampler for launches on a chip. timeAlone has it leave out blocks and launches altogether: results are incomplete. What fits
// in a total of host time by a clock (nil is the host's) is timed whole; 0 is no bound, and no more is timed than estimates need.
func New(config *configs.Config, timeAlone bool, total time.Duration, clock func() time.Time) *Sampler {
	return &Sampler{config: config, timeAlone: timeAlone, budget: newBudget(total, clock), launches: map[shape]*launches{}}
}

// Begin follows a launch that begins, and has the device to itself.
func (s *Sampler) Begin(d Device, g *smx.Grid, f *Figures) {
	l := &launch{Figures: f, of: s, device: d, grid: g, kinds: s.kinds(g), wave: uint64(g.Occupancy.Blocks * s.config.SMX.Count)}
	l.little = littlePart * s.config.DRAMPeak() / float64(s.config.Clocks.Core) / stats.SectorBytes
	s.launch = l
	l.sampled.begin(l, warming)
	if s.budget.total > 0 {
		l.began = s.budget.now()
	}
	hurry := s.budget.haste(l.began, 0, g.Blocks())
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

// Leave follows nothing any more: what begins now does not have the device to itself.
func (s *Sampler) Leave() {
	if s != nil {
		s.launch = nil
	}
}

// Follows reports that a launch is followed: the device's memory has to be settled behind each epoch.
func (s *Sampler) Follows() bool { return s != nil && s.launch != nil }

// Untimed reports that the launch runs without timing from its beginning to its end.
func (s *Sampler) Untimed() bool { return s.Follows() && s.launch.from != nil }

// Leaps reports that blocks go forward without timing.
func (s *Sampler) Leaps() bool {
	return s.Follows() && (s.launch.sampled.forward != nil || s.launch.sampled.jump != nil)
}

// Look decides after an epoch how the launch goes on.
func (s *Sampler) Look() {
	if s.Follows() {
		s.launch.look()
	}
}

// Ending is called when the launch has ended, or is given up, and its shares are on the SMXs still. What it returns is called when the
// counters of its shares and of memory are complete; the device has timing again then.
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

// besides is how many cycles a launch takes besides those of its grid, always the same.
func (s *Sampler) besides() float64 {
	l := &s.config.Launch
	return float64(l.DeviceCycles + l.DrainCycles + l.CounterCycles)
}

// mostKnown is of how many kinds the last launch is known in detail.
const mostKnown = 64

// keep has a kind keep what it knows of its last launch, and the one forget it that was timed longest ago.
func (s *Sampler) keep(k *launches) {
	if at := slices.Index(s.known, k); at >= 0 {
		s.known = slices.Delete(s.known, at, at+1)
	} else if len(s.known) == mostKnown {
		s.known[0].last = nil
		s.known = slices.Delete(s.known, 0, 1)
	}
	s.known = append(s.known, k)
}
