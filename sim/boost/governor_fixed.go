package boost

import "github.com/keplersim/keplersim/sim/stats"

func init() {
	RegisterGovernor("fixed", "the set clock, whatever the power",
		func() Governor { return fixed{} })
}

// fixed holds the set clock. Only the hardware's slowdown at high temperature changes it.
type fixed struct{}

func (fixed) Start(s *State) int { return s.Set }

func (fixed) Next(s *State) (int, stats.ThrottleReason) {
	return s.Set, stats.ThrottleApplicationClocks
}
