package draw_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/report/draw"
)

// A figure of changes has each row's name and its change in percent; impossible figures are errors.
func TestBeforeAfter(t *testing.T) {
	changes := &draw.Changes{Title: "t", Axis: "µs", States: []string{"before", "after", "later"}, Rows: []draw.Change{
		{Name: "halved", Values: []float64{40000, 30000, 20000}}, {Name: "gone", Values: []float64{10000, math.NaN(), math.NaN()}},
	}}
	for _, extension := range []string{"svg", "png", "pdf"} {
		file := filepath.Join(t.TempDir(), "x."+extension)
		require.NoError(t, draw.BeforeAfter(file, changes))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if extension == "svg" {
			for _, word := range []string{"halved", "gone", "-50.0 %", "20,000", "before", "later", "µs"} {
				assert.Contains(t, string(text), ">"+word+"<")
			}
		}
	}
	file := filepath.Join(t.TempDir(), "x.svg")
	assert.ErrorContains(t, draw.BeforeAfter(file, &draw.Changes{}), "nothing to plot")
	for _, v := range []float64{-1, math.Inf(1), 0} {
		bad := &draw.Changes{States: []string{"a"}, Rows: []draw.Change{{Name: "x", Values: []float64{v}}}}
		assert.Error(t, draw.BeforeAfter(file, bad))
	}
	assert.NoFileExists(t, file)
}
