//go:build alltests

// gonum's linear algebra compiles slowly, so make test leaves this test out.

package validation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat"
)

func TestCorrelationAgainstGonum(t *testing.T) {
	t.Parallel()
	x, y := []float64{1, 2, 4, 8, 9.5}, []float64{3, 2.5, 7, 11, 20}
	assert.InDelta(t, stat.Correlation(x, y, nil), Correlation(x, y), 1e-14)
	assert.InDelta(t, -1, Correlation([]float64{1, 2, 3}, []float64{6, 4, 2}), 1e-14)
}
