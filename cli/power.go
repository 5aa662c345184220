package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/draw"
	"github.com/keplersim/keplersim/sim/boost"
)

// powerFlags are the flags for a board's power and its clock governor.
type powerFlags struct {
	on          bool
	boost       string
	autoboost   string
	limit       float64
	temperature float64
	plot        string // a file
	flags       *pflag.FlagSet
}

// add adds the flags to a command.
func (p *powerFlags) add(f *pflag.FlagSet) {
	p.flags = f
	f.BoolVar(&p.on, "power", false, "report the board's power, energy by component, temperature and clocks (docs/boost.md)")
	f.StringVar(&p.boost, "boost", "off",
		"on: the board's governor changes the core clock by power and temperature; off: it stays as it was set")
	f.StringVar(&p.autoboost, "autoboost", "on",
		"off: a board with autoboost (K80) stays at its base clock; with --boost on it holds the set clock")
	f.Float64Var(&p.limit, "power-limit", 0, "the board's power limit in watts (default: the board's own)")
	f.Float64Var(&p.temperature, "temperature", 0,
		"the chip's temperature at the start in degrees Celsius (default: that of an idle board)")
	f.StringVar(&p.plot, "plot-power", "", "draw power by component, clock and temperature over time to this file, .svg, .png or .pdf")
}

// options returns the simulator's options, nil if power was not asked for.
func (p *powerFlags) options() (*boost.Options, error) {
	for _, s := range []struct{ flag, value string }{{"boost", p.boost}, {"autoboost", p.autoboost}} {
		if s.value != "on" && s.value != "off" {
			return nil, fmt.Errorf("--%s %s: choose on or off", s.flag, s.value)
		}
	}
	o := &boost.Options{On: p.boost == "on", NoAutoboost: p.autoboost == "off"}
	asked := p.on || o.On || p.plot != ""
	if p.flags.Changed("power-limit") {
		if o.Limit = p.limit; !o.On {
			return nil, errors.New("--power-limit holds the clock down by the governor: add --boost on")
		}
		if p.limit <= 0 {
			return nil, fmt.Errorf("--power-limit %g: give watts, above 0", p.limit)
		}
	}
	if p.flags.Changed("temperature") {
		o.Temperature = &p.temperature
		if !asked {
			return nil, errors.New("--temperature is the chip's at the start: add --power, or --boost on")
		}
	}
	if !asked {
		return nil, nil
	}
	return o, checkPlots("plot-power", p.plot)
}

// boardClocks returns the clocks for a run's board: those that the user gave, else automatic ones, unless a governor is on or autoboost is
// off.
func (o *runOptions) boardClocks() string {
	if o.clocks != "" || o.power.boost == "on" || o.power.autoboost == "off" {
		return o.clocks
	}
	return configs.AutomaticClocks
}

// plotPower draws the power of the first device's board.
func (o *runOptions) plotPower(r *report.Run) error {
	if len(r.Power) == 0 {
		return nil
	}
	return draw.Power(o.power.plot, fmt.Sprintf("%s on %s", r.Workload, configs.TitleOf(r.Config, r.Overrides)), r.Power[0])
}
