package device

import (
	"github.com/keplersim/keplersim/sim/boost"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// power tracks the device's power and lets its governor choose the clock; meter is nil if not asked for.
type power struct {
	meter   *boost.Meter
	retired stats.Activity // of completed grids, and of memories that were replaced
}

// newPower makes the meter, if asked for.
func (d *Device) newPower() error {
	if d.options.Power == nil || d.options.Functional {
		return nil
	}
	var err error
	if d.power.meter, err = boost.NewMeter(d.config, *d.options.Power); err != nil {
		return err
	}
	if clock := d.power.meter.Clock(); clock != d.config.Clocks.Core {
		d.commands.clock.Change(0, engine.Clock{Megahertz: uint64(clock)})
	}
	return nil
}

// Power returns the board's power so far; nil if not tracked.
func (d *Device) Power() *stats.Power {
	if d.power.meter == nil {
		return nil
	}
	return d.power.meter.Power()
}

// activity returns all activity of the device.
func (d *Device) activity() *stats.Activity {
	total := d.power.retired
	for _, g := range d.grids {
		for _, s := range d.smxs {
			if h := s.GridState(g.Grid); h != nil {
				h.AddActivity(&total)
			}
		}
	}
	d.addMemory(&total)
	return &total
}

// addMemory adds the activity of all open accounts: of running grids, of copy engines, and account 0.
func (d *Device) addMemory(total *stats.Activity) {
	for _, counters := range d.settled().OpenAccounts() {
		total.AddMemory(&counters, d.config)
	}
}

// measure advances the meter until now. The clock may change with it.
func (d *Device) measure() error {
	if d.power.meter == nil {
		return nil
	}
	err := d.power.meter.Advance(d.Time(), d.activity())
	d.followGovernor()
	return err
}

// measureWhenDue is measure, if due, between two epochs.
func (d *Device) measureWhenDue() error {
	if d.power.meter == nil || d.Time() < d.power.meter.Next() {
		return nil
	}
	return d.measure()
}

// rest lets time pass until a time, without cycles.
func (d *Device) rest(until Time) {
	if d.power.meter != nil {
		d.power.meter.Idle(until, d.activity())
	}
	d.commands.idled += max(0, until-d.Time())
	d.followGovernor()
}

// followGovernor sets the clock that the governor has chosen.
func (d *Device) followGovernor() {
	if d.power.meter == nil {
		return
	}
	if clock := uint64(d.power.meter.Clock()); clock != d.commands.clock.Clock().Megahertz {
		d.commands.clock.Change(d.now, engine.Clock{Megahertz: clock})
		d.settled().SetClock(int(clock), d.now)
	}
}

// beginPower reads the meter when a grid begins.
func (d *Device) beginPower(g *Grid) error {
	if d.power.meter == nil {
		return nil
	}
	err := d.measure()
	g.reading = d.power.meter.Reading()
	return err
}

// endPower computes the power of the time in which a grid ran.
func (d *Device) endPower(g *Grid) error {
	if d.power.meter == nil || g == nil {
		return nil
	}
	err := d.measure()
	g.Power = d.power.meter.Since(&g.reading)
	return err
}
