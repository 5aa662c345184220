package boost

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Profile is what a kernel does at a clock.
type Profile struct {
	Seconds  float64
	Activity stats.Activity
}

// ProfileOf is the profile of a launch.
func ProfileOf(l *stats.Launch, config *configs.Config) Profile {
	p := Profile{Seconds: l.TimeUS * 1e-6}
	p.Activity.AddSMX(&l.Total)
	p.Activity.AddMemory(&l.Memory, config)
	return p
}

// Sustained is what becomes of a board on which a kernel is repeated for long.
type Sustained struct {
	// Power is that of the whole time, Settled that of its last quarter.
	Power, Settled *stats.Power
	// Runs is how often the kernel ran in the last quarter, for each second.
	Runs float64
	// Clocks are those that the governor has visited, in the order of their first visits.
	Clocks []int
}

// Sustain repeats a kernel for so many seconds, one run right behind another. profile gives what the kernel does at a clock; it is asked
// once for each that the governor visits. The governor decides at its own pace, and chip and heat sink warm as they do: what a simulation
// of cycles cannot reach, as a board takes a minute to warm and a second is a billion cycles.
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
