package sampling

import "math"

// Sample has statistics of numbers: their count, mean, spread and maximum.
type Sample struct{ count, sum, squares, most float64 }

// Add adds a number.
func (s *Sample) Add(x float64) {
	s.count++
	s.sum += x
	s.squares += x * x
	s.most = max(s.most, x)
}

func (s *Sample) mean() float64 { return s.sum / s.count }

// stddev returns the standard deviation of the numbers, 0 for fewer than two.
func (s *Sample) stddev() float64 { return s.stderr() * math.Sqrt(s.count) }

// stderr returns the standard deviation of the mean, 0 for fewer than two numbers.
func (s *Sample) stderr() float64 {
	if s.count < 2 {
		return 0
	}
	return math.Sqrt(max(0, s.squares-s.sum*s.sum/s.count) / (s.count - 1) / s.count)
}

// Number returns the count.
func (s *Sample) Number() uint64 { return uint64(s.count) }

// Enough reports whether the tried blocks' warp instructions suffice to estimate those of that many blocks.
func (s *Sample) Enough(of uint64) bool {
	return s.count >= TriedLeast &&
		(s.sum >= triedMost || s.Number() >= of/triedPart || s.stderr() <= triedSure*s.mean())
}
