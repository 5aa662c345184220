package memory

import "math/bits"

// divisor divides by a constant by multiplying with its reciprocal, because each request is divided among slices and channels several
// times.
type divisor struct {
	by, reciprocal uint64 // 2^64 / by, rounded up; 0 for 1
}

func newDivisor(by int) divisor { return divisor{uint64(by), ^uint64(0)/uint64(by) + 1} }

// divide is exact for numbers below 2^64 / by: the relative error of the reciprocal is less than by / 2^64.
func (d *divisor) divide(n uint64) (quotient, rest uint64) {
	if d.reciprocal == 0 {
		return n, 0
	}
	quotient, _ = bits.Mul64(n, d.reciprocal)
	return quotient, n - quotient*d.by
}
