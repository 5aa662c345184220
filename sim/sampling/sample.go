package sampling

import "math"

// Sample sums up numbers: how many there are, their mean, their spread and the greatest.
type Sample struct{ count, sum, squares, most float64 }

// Add takes one more in.
func (s *Sample) Add(x float64) {
	s.count++
	s.sum += x
	s.squares += x * x
	s.most = max(s.most, x)
}

func (s *Sample) mean() float64 { return s.sum / s.count }

// stray is the standard deviation of the numbers, 0 of fewer than two.
func (s *Sample) stray() float64 { return s.sure() * math.Sqrt(s.count) }

// sure is the standard deviation of the mean, 0 of fewer than two numbers.
func (s *Sample) sure() float64 {
	if s.count < 2 {
		return 0
	}
	return math.Sqrt(max(0, s.squares-s.sum*s.sum/s.count) / (s.count - 1) / s.count)
}

// Number is how many there are.
func (s *Sample) Number() uint64 { return uint64(s.count) }

// Enough reports that the warp instructions of blocks that were tried, of so many, tell those of all.
func (s *Sample) Enough(of uint64) bool {
	return s.count >= TriedLeast &&
		(s.sum >= triedMost || s.Number() >= of/triedPart || s.sure() <= triedSure*s.mean())
}
