package boost

import "github.com/keplersim/keplersim/sim/stats"

func init() {
	RegisterGovernor("autoboost", "as high as power and temperature allow (K80)", func() Governor { return autoboost{} })
}

// autoboost raises the clock as far as power and temperature allow, even if the kernel gains nothing. An idle board is at the top.
type autoboost struct{}

func (autoboost) Start(s *State) int { return s.Top() }

func (autoboost) Next(s *State) (int, stats.ThrottleReason) { return climb(s, s.Clocks[0]) }

// climb steps down above the power limit or the target temperature, not below a floor, and up if there is room.
func climb(s *State, floor int) (int, stats.ThrottleReason) {
	switch {
	case s.Over():
		return max(s.Step(-1), floor), stats.ThrottlePowerCap
	case s.Temperature > s.Boost.Target:
		return max(s.Step(-1), floor), stats.ThrottleThermal
	case s.Clock == s.Top():
		return s.Clock, 0
	case s.Room():
		return s.Step(1), stats.ThrottlePowerCap
	}
	return s.Clock, stats.ThrottlePowerCap
}
