package boost

import "github.com/keplersim/keplersim/sim/stats"

func init() {
	RegisterGovernor("application",
		"the set clock, or steps below it to obey the power limit (K20, K20X, K40, K80 without autoboost)",
		func() Governor { return application{} })
}

// application holds the application clock. Above the power limit it steps down the list, and up again when there is room.
type application struct{}

func (application) Start(s *State) int { return s.Set }

func (application) Next(s *State) (int, stats.ThrottleReason) {
	switch {
	case s.Over():
		return s.Step(-1), stats.ThrottlePowerCap
	case s.Clock >= s.Set:
		return s.Set, stats.ThrottleApplicationClocks
	case s.Room():
		return min(s.Step(1), s.Set), stats.ThrottlePowerCap
	}
	return s.Clock, stats.ThrottlePowerCap
}
