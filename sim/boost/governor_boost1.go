package boost

import "github.com/keplersim/keplersim/sim/stats"

func init() {
	RegisterGovernor("boost1",
		"GPU Boost 1.0: above the base clock as the power target allows, lower when warm (GTX 680)",
		func() Governor { return boost1{} })
}

// boost1 is GPU Boost 1.0. Power decides, every 100 ms, in steps of 13 MHz with their voltages, never below the base clock. Above the
// target temperature the top is a step lower.
type boost1 struct{}

func (boost1) Start(s *State) int { return s.Top() }

func (boost1) Next(s *State) (int, stats.ThrottleReason) {
	warm := s.Temperature > s.Boost.Target
	top := len(s.Clocks) - 1
	if warm && top > 0 {
		top--
	}
	seen := *s
	seen.Clocks, seen.Temperature = s.Clocks[:top+1], 0
	seen.Clock = min(s.Clock, seen.Top())
	next, reasons := climb(&seen, s.Set)
	if warm && next == seen.Top() {
		reasons |= stats.ThrottleThermal
	}
	return next, reasons
}
