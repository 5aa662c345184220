package device

import (
	"github.com/keplersim/keplersim/sim/boost"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// power is the part of a device that follows what it takes and lets its governor choose the clock; meter is nil where nobody asked.
type power struct {
	meter   *boost.Meter
	retired stats.Activity // of grids that have ended, and of memories before they were made anew
}

// newPower makes the meter that is asked for.
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

// Power is what the board has taken so far; nil where nobody asked.
func (d *Device) Power() *stats.Power {
	if d.power.meter == nil {
		return nil
	}
	return d.power.meter.Power()
}

// activity is all that the device has done.
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

// addMemory adds what the memory has done in the name of grids that run, of copy engines and of nobody.
func (d *Device) addMemory(total *stats.Activity) {
	for _, counters := range d.settled().OpenAccounts() {
		total.AddMemory(&counters, d.config)
	}
}

// measure has the meter take the time until now. The clock may change with it.
func (d *Device) measure() error {
	if d.power.meter == nil {
		return nil
	}
	err := d.power.meter.Advance(d.Time(), d.activity())
	d.followGovernor()
	return err
}

// measureWhenDue is measure where the meter asks for it: between two epochs.
func (d *Device) measureWhenDue() error {
	if d.power.meter == nil || d.Time() < d.power.meter.Next() {
		return nil
	}
	return d.measure()
}

// rest lets time without cycles pass until a time.
func (d *Device) rest(until Time) {
	if d.power.meter != nil {
		d.power.meter.Idle(until, d.activity())
	}
	d.commands.idled += max(0, until-d.Time())
	d.followGovernor()
}

// followGovernor changes the clock to the one that the governor has chosen.
func (d *Device) followGovernor() {
	if d.power.meter == nil {
		return
	}
	if clock := uint64(d.power.meter.Clock()); clock != d.commands.clock.Clock().Megahertz {
		d.commands.clock.Change(d.now, engine.Clock{Megahertz: clock})
		d.settled().SetClock(int(clock), d.now)
	}
}

// beginPower notes what the board has taken when a grid begins.
func (d *Device) beginPower(g *Grid) error {
	if d.power.meter == nil {
		return nil
	}
	err := d.measure()
	g.reading = d.power.meter.Reading()
	return err
}

// endPower completes what the board has taken while a grid ran.
func (d *Device) endPower(g *Grid) error {
	if d.power.meter == nil || g == nil {
		return nil
	}
	err := d.measure()
	g.Power = d.power.meter.Since(&g.reading)
	return err
}
