package sampling

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// confidence is the confidence level of Predict's intervals.
const confidence = 0.95

// ratio estimates the ratio of time to work from parts that behave alike. The zero value has no parts.
type ratio struct {
	count              float64
	work, time         float64 // sums
	workWork, workTime float64 // of products
	timeTime           float64
}

// Add adds a part: its work, which is not 0, and its time.
func (r *ratio) Add(work, time float64) {
	r.count++
	r.work += work
	r.time += time
	r.workWork += work * work
	r.workTime += work * time
	r.timeTime += time * time
}

// Count returns the number of parts.
func (r *ratio) Count() int { return int(r.count) }

// Mean returns the mean work of a part.
func (r *ratio) Mean() float64 { return r.work / r.count }

// Predict returns the time of further work of the same kind, and half the width of the interval around it, infinite for fewer than two
// parts. The estimate is the ratio of sums. The spread of the parts gives its error, and the spread of the predicted time itself (W. G.
// Cochran, Sampling Techniques, 3rd edition, chapter 6), with Student's t for so few.
func (r *ratio) Predict(work float64) (time, half float64) {
	if r.count == 0 {
		return 0, math.Inf(1)
	}
	ratio := r.time / r.work
	if r.count < 2 {
		return ratio * work, math.Inf(1)
	}
	strays := r.timeTime - 2*ratio*r.workTime + ratio*ratio*r.workWork // sum of the parts' squared distances from the ratio
	variance := max(0, strays) / (r.count - 1)
	parts := work / r.Mean()
	t := student(r.Count())
	return ratio * work, t * math.Sqrt(variance*(parts*parts/r.count+parts))
}

// student returns half the width of the interval of confidence around the mean of count values, in standard errors: the quantile of
// Student's t with count-1 degrees of freedom. It is infinite for fewer than two values.
func student(count int) float64 {
	if count < 2 {
		return math.Inf(1)
	}
	freedom := float64(count - 1)
	x := mathext.InvRegIncBeta(freedom/2, 0.5, 1-confidence) // P(|t| > q) = I_x(freedom/2, 1/2) with x = freedom/(freedom+q²)
	return math.Sqrt(freedom * (1 - x) / x)
}
