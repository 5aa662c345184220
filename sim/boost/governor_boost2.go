package boost

import "github.com/keplersim/keplersim/sim/stats"

func init() {
	RegisterGovernor("boost2",
		"GPU Boost 2.0: the top clock up to the target temperature, then the base clock (GTX TITAN, GTX 780)",
		func() Governor { return &boost2{} })
}

// boost2 is GPU Boost 2.0, as observed on a TITAN: the top clock at once and until the target temperature, then quickly down. When the chip
// has cooled it tries once more, and then settles at the base clock. The power limit also holds.
type boost2 struct {
	hot   bool // going down, or down
	tries int
}

const (
	boost2Places = 4 // list entries of a step down
	boost2Cooler = 2 // degrees below the target at which it tries again
	boost2Tries  = 1
)

func (*boost2) Start(s *State) int { return s.Top() }

func (b *boost2) Next(s *State) (int, stats.ThrottleReason) {
	if !b.hot && s.Temperature > s.Boost.Target {
		b.hot = true
	}
	if b.hot && b.tries < boost2Tries && s.Temperature < s.Boost.Target-boost2Cooler {
		b.hot, b.tries = false, b.tries+1
		return s.Top(), 0
	}
	if b.hot {
		return max(s.Step(-boost2Places), s.Set), stats.ThrottleThermal
	}
	seen := *s
	seen.Temperature = 0
	return climb(&seen, s.Set)
}
