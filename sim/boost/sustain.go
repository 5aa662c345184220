package boost

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Profile is a kernel's activity at a clock.
type Profile struct {
	Seconds  float64
	Activity stats.Activity
}

// ProfileOf returns the profile of a launch.
func ProfileOf(l *stats.Launch, config *configs.Config) Profile {
	p := Profile{Seconds: l.TimeUS * 1e-6}
	p.Activity.AddSMX(&l.Total)
	p.Activity.AddMemory(&l.Memory, config)
	return p
}

// Sustained is a board's state while a kernel is repeated for long.
type Sustained struct {
	// Power covers the whole time, Settled the last quarter.
	Power, Settled *stats.Power
	// Runs is how many times a second the kernel ran in the last quarter.
	Runs float64
	// Clocks are the clocks that the governor visited, in the order of first visits.
	Clocks []int
}

// Sustain repeats a kernel for some seconds, back to back. It calls profile once for each clock that the governor visits. The governor
// decides at its own pace, and chip and heat sink warm up. Simulation of cycles could not reach that: a board takes a minute to warm, and a
// second is a billion cycles.
func Sustain(config *configs.Config, o Options, seconds float64, profile func(megahertz int) (Profile, error)) (*Sustained, error) {
	m, err := NewMeter(config, o)
	if err != nil {
		return nil, err
	}
	m.recorder = newRecorder(m.period)
	result, known := &Sustained{}, map[int]Profile{}
	end := engine.Picosecond(seconds * 1e12)
	var settled Reading
	runs := 0.0
	for m.now < end {
		clock := m.Clock()
		p, ok := known[clock]
		if !ok {
			if p, err = profile(clock); err != nil {
				return nil, err
			}
			known[clock] = p
			result.Clocks = append(result.Clocks, clock)
		}
		if m.now >= end/4*3 && settled.Seconds == 0 {
			settled, runs = m.Reading(), 0
		}
		until := min(end, m.next)
		part := float64(until-m.now) * 1e-12 / p.Seconds
		runs += part
		total := m.seen
		some := p.Activity.Scaled(part)
		total.Add(&some)
		if err := m.Advance(until, &total); err != nil {
			return nil, err
		}
	}
	result.Power, result.Settled = m.Power(), m.Since(&settled)
	result.Runs = runs / result.Settled.Seconds
	return result, nil
}
