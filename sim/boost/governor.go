package boost

import (
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
	"github.com/keplersim/keplersim/sim/stats"
)

// State is the input of a governor's decision.
type State struct {
	// Boost are the board's limits.
	Boost *configs.Boost
	// Clocks are the possible core clocks, lowest first. Set is the clock that was set, or the base clock. Clock is the present clock.
	Clocks     []int
	Set, Clock int
	// Watts is the mean power since the last decision, Limit the highest allowed.
	Watts, Limit float64
	// Temperature is in degrees Celsius.
	Temperature float64
}

// Over reports that the power is above the limit.
func (s *State) Over() bool { return s.Watts > s.Limit }

// Room reports that the power is low enough for a step up.
func (s *State) Room() bool { return s.Watts < s.Limit*(1-s.Boost.Margin) }

// Step returns the clock some places above (or, negative, below) the present one in the list, up to its ends.
func (s *State) Step(places int) int {
	at, _ := slices.BinarySearch(s.Clocks, s.Clock)
	return s.Clocks[min(max(at+places, 0), len(s.Clocks)-1)]
}

// Top returns the highest clock.
func (s *State) Top() int { return s.Clocks[len(s.Clocks)-1] }

// Governor chooses the core clock. Each device has one, which may keep state. It sees only State, so a run is the same with any number of
// threads.
type Governor interface {
	// Start returns the clock of a board that has been idle for long.
	Start(s *State) int
	// Next returns the clock until the next decision, one of the list, and the reasons why it is not higher.
	Next(s *State) (megahertz int, reasons stats.ThrottleReason)
}

// governors has the registered policies.
var governors = registry.NewKind[func() Governor]("clock governor")

// RegisterGovernor registers a policy under the name that configurations use. The file of each policy calls it once, in init.
func RegisterGovernor(name, does string, make func() Governor) { governors.Register(name, does, make) }

// control is a governor, its state, and what the hardware does by itself.
type control struct {
	governor Governor // nil if the clock never changes
	state    State
	slow     bool // the hardware slows the clock down
}

// newControl makes the control of a board.
func newControl(config *configs.Config, o *Options) (*control, error) {
	b := &config.Boost
	c := &control{state: State{Boost: b, Set: config.Clocks.Core, Clock: config.Clocks.Core, Limit: b.PowerLimit}}
	if o.Limit != 0 {
		c.state.Limit = o.Limit
	}
	if c.state.Limit < b.PowerLimitMin || c.state.Limit > b.PowerLimitMax {
		return nil, &LimitError{Watts: c.state.Limit, Config: config.Name, Least: b.PowerLimitMin, Most: b.PowerLimitMax}
	}
	c.state.Clocks = config.Clocks.CoreClocks(config.Clocks.Memory)
	if at, found := slices.BinarySearch(c.state.Clocks, c.state.Set); !found {
		c.state.Clocks = slices.Insert(c.state.Clocks, at, c.state.Set)
	}
	if !o.On {
		return c, nil
	}
	name := b.Governor
	if o.NoAutoboost && name == "autoboost" {
		name = "application"
	}
	make, err := governors.Find(name)
	if err != nil {
		return nil, err
	}
	c.governor = make()
	c.state.Clock = c.governor.Start(&c.state)
	return c, nil
}

// cooler is how many degrees below the slowdown temperature the hardware restores the clock.
const cooler = 5

// decide chooses the clock from the mean power since the last decision and the temperature.
func (c *control) decide(watts, temperature float64) (megahertz int, reasons stats.ThrottleReason) {
	s := &c.state
	if c.governor == nil {
		return s.Clock, stats.ThrottleApplicationClocks
	}
	s.Watts, s.Temperature = watts, temperature
	c.slow = temperature >= s.Boost.Slowdown || c.slow && temperature > s.Boost.Slowdown-cooler
	if c.slow {
		at, _ := slices.BinarySearch(s.Clocks, s.Set/2+1)
		s.Clock = s.Set / 2
		if at > 0 {
			s.Clock = s.Clocks[at-1]
		}
		return s.Clock, stats.ThrottleHardware
	}
	s.Clock, reasons = c.governor.Next(s)
	return s.Clock, reasons
}
