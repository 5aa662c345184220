package validation

import "math"

// Correlation is Pearson's coefficient of the pairs (x[i], y[i]), from -1 to 1.
func Correlation(x, y []float64) float64 {
	meanX, meanY := mean(x), mean(y)
	var xx, xy, yy float64
	for i := range x {
		dx, dy := x[i]-meanX, y[i]-meanY
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	return xy / math.Sqrt(xx*yy)
}

func mean(values []float64) (sum float64) {
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}
