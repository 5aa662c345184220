package boost

import (
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Options are a user's choices of power and clocks.
type Options struct {
	// On lets the board's governor change the core clock. Otherwise the set clock stays, and power is only reported.
	On bool
	// NoAutoboost makes a board with autoboost hold the set clock.
	NoAutoboost bool
	// Limit is the power limit in watts, 0 for the board's default.
	Limit float64
	// Temperature is the chip's temperature at the start, in degrees Celsius; nil: that of a board that has been idle for long.
	Temperature *float64
}

// coldest is the lowest temperature at which a run can start.
const coldest = -20

// start returns the temperature at the start, after a check.
func (o *Options) start(config *configs.Config, m *Model, megahertz int) (float64, error) {
	if o.Temperature == nil {
		return m.Rest(megahertz, 0), nil
	}
	if t := *o.Temperature; !(t >= coldest && t < config.Boost.Shutdown) {
		return 0, &TemperatureError{Celsius: t, Config: config.Name, Shutdown: config.Boost.Shutdown}
	}
	return *o.Temperature, nil
}

// Reading is a board's totals since it was switched on.
type Reading struct {
	Seconds   float64
	Joules    Parts
	Cycles    float64 // of the core clock, idle cycles included
	Throttled [reasonCount]float64
	samples   int // completed samples
}

const reasonCount = 4

// Meter measures a device's power while it runs, and decides on its clock. Its owner calls Advance with all activity of the device so far,
// at times that never go back.
type Meter struct {
	config  *configs.Config
	model   *Model
	control *control
	period  engine.Picosecond // between decisions
	next    engine.Picosecond // decision
	now     engine.Picosecond
	seen    stats.Activity

	temperature float64
	reasons     stats.ThrottleReason
	total       Reading
	decided     Reading // at the last decision
	recorder    recorder
}

// NewMeter makes the meter of a board that has been idle. The error is a LimitError or a TemperatureError, or names an unknown governor.
func NewMeter(config *configs.Config, o Options) (*Meter, error) {
	m := &Meter{config: config, model: NewModel(config), period: engine.Picosecond(config.Boost.Sample * 1e6),
		recorder: newRecorder(firstSample)}
	var err error
	if m.control, err = newControl(config, &o); err != nil {
		return nil, err
	}
	m.next = m.period
	if m.temperature, err = o.start(config, m.model, m.Clock()); err != nil {
		return nil, err
	}
	idle := m.model.Static(m.Clock(), m.temperature)
	m.control.state.Clock, m.reasons = m.control.decide(idle.Sum(), m.temperature)
	return m, nil
}

// Clock returns the core clock at which the device must run, in MHz.
func (m *Meter) Clock() int { return m.control.state.Clock }

// Next returns when Advance must be called at the latest, for a sample or a decision.
func (m *Meter) Next() engine.Picosecond { return min(m.next, m.recorder.due) }

// Advance moves time to now. total is the device's activity until then; the clock was Clock. Advance decides on the clock if that is due.
// The error is a Shutdown.
func (m *Meter) Advance(now engine.Picosecond, total *stats.Activity) error {
	if now > m.now {
		done := total.Since(&m.seen)
		m.seen = *total
		m.take(now, &done)
	}
	if m.temperature >= m.config.Boost.Shutdown {
		return &Shutdown{Celsius: m.temperature, Config: m.config.Name, Limit: m.config.Boost.Shutdown}
	}
	if m.now >= m.next {
		m.decide()
	}
	return nil
}

// Idle moves time to now without activity since total.
func (m *Meter) Idle(now engine.Picosecond, total *stats.Activity) {
	for m.now < now {
		done := total.Since(&m.seen)
		m.seen = *total
		m.take(min(now, m.Next()), &done)
		if m.now >= m.next {
			m.decide()
		}
	}
}

// take adds the energy until now.
func (m *Meter) take(now engine.Picosecond, done *stats.Activity) {
	seconds := float64(now-m.now) * 1e-12
	clock := m.Clock()
	cycles := seconds * float64(clock) * 1e6
	joules := m.model.Dynamic(done, clock)
	static, temperature := m.model.heat(seconds, joules.Sum()/seconds, clock, m.temperature)
	joules.add(&static, 1)
	m.temperature = temperature
	m.total.Seconds += seconds
	m.total.Joules.add(&joules, 1)
	m.total.Cycles += cycles
	for i := range m.total.Throttled {
		if m.reasons>>i&1 != 0 {
			m.total.Throttled[i] += seconds
		}
	}
	m.recorder.add(m.now, now, &joules, clock, m.temperature, m.reasons)
	m.now = now
}

// decide lets the governor decide from the power since its last decision.
func (m *Meter) decide() {
	seconds := m.total.Seconds - m.decided.Seconds
	watts := (m.total.Joules.Sum() - m.decided.Joules.Sum()) / seconds
	_, m.reasons = m.control.decide(watts, m.temperature)
	m.decided = m.total
	for m.next <= m.now {
		m.next += m.period
	}
}

// Reading returns the totals so far.
func (m *Meter) Reading() Reading {
	r := m.total
	r.samples = len(m.recorder.list)
	return r
}

// Since returns the power since an earlier reading, without samples.
func (m *Meter) Since(before *Reading) *stats.Power {
	p := m.power(&m.total, before)
	p.Peak, p.Lowest, p.Highest = m.recorder.extremes(engine.Picosecond(before.Seconds*1e12 + 0.5))
	p.Peak = max(p.Peak, p.Average())
	return p
}

// Power returns the power since the start, with samples.
func (m *Meter) Power() *stats.Power {
	p := m.Since(&Reading{})
	p.Samples = m.recorder.samples()
	return p
}

// power computes the difference of two readings.
func (m *Meter) power(now, before *Reading) *stats.Power {
	p := &stats.Power{Seconds: now.Seconds - before.Seconds, Limit: m.control.state.Limit, Temperature: m.temperature}
	for i := range p.Joules {
		p.Joules[i] = now.Joules[i] - before.Joules[i]
	}
	for i := range p.Throttled {
		p.Throttled[i] = now.Throttled[i] - before.Throttled[i]
	}
	if p.Seconds > 0 {
		p.MHz = (now.Cycles - before.Cycles) / p.Seconds / 1e6
	}
	return p
}
