package boost

import (
	"slices"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/registry"
	"github.com/keplersim/keplersim/sim/stats"
)

// State is what a governor sees when it decides.
type State struct {
	// Boost are the board's limits.
	Boost *configs.Boost
	// Clocks are the core clocks that there are, the lowest first; Set is the one that was set, or the base clock; Clock is the present
	// one.
	Clocks     []int
	Set, Clock int
	// Watts is the mean power since the last decision, Limit the most that is allowed.
	Watts, Limit float64
	// Temperature is in degrees Celsius.
	Temperature float64
}

// Over reports that the board takes more than it may, Room that it takes so much less that a step up is tried.
func (s *State) Over() bool { return s.Watts > s.Limit }

// Room reports that the clock may rise.
func (s *State) Room() bool { return s.Watts < s.Limit*(1-s.Boost.Margin) }

// Step is the clock so many places above (or, negative, below) the present one in the list, as far as that goes.
func (s *State) Step(places int) int {
	at, _ := slices.BinarySearch(s.Clocks, s.Clock)
	return s.Clocks[min(max(at+places, 0), len(s.Clocks)-1)]
}

// Top is the highest clock.
func (s *State) Top() int { return s.Clocks[len(s.Clocks)-1] }

// Governor chooses the core clock. One belongs to a device and may remember what it has seen; it sees nothing else than its State, so that
// a run is the same with any number of threads.
type Governor interface {
	// Start is the clock of a board that has been idle for long.
	Start(s *State) int
	// Next is the clock until the next decision, one of the list, with the reasons why it is not higher.
	Next(s *State) (megahertz int, reasons stats.ThrottleReason)
}

// governors are the policies.
var governors = registry.NewKind[func() Governor]("clock governor")

// RegisterGovernor makes a policy available to configurations by name. Each policy's file calls it once, in its init.
func RegisterGovernor(name, does string, make func() Governor) { governors.Register(name, does, make) }

// control is a governor with the state that it sees, and what the hardware does by itself.
type control struct {
	governor Governor // nil where the clock never changes
	state    State
	slow     bool // the hardware holds the clock down
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

// cooler is by how much the chip must have cooled before the hardware lets the clock go, in degrees.
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
