package plots

import (
	"bytes"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

func TestWholeTicks(t *testing.T) {
	for _, test := range []struct {
		least, most float64
		want        []float64
	}{
		{0, 1, []float64{0, 1}}, {0, 3.2, []float64{0, 1, 2, 3}}, {0, 550, []float64{0, 100, 200, 300, 400, 500}},
		{0, 12, []float64{0, 2, 4, 6, 8, 10, 12}}, {0, 0, []float64{0}},
	} {
		var got []float64
		for _, tick := range WholeTicks(test.least, test.most) {
			got = append(got, tick.Value)
		}
		assert.Equal(t, test.want, got)
	}
	for most := 1.0; most < 1e12; most *= 1.37 {
		n := len(WholeTicks(0, most))
		assert.True(t, n >= 2 && n <= 13, "%d ticks up to %v", n, most)
	}
}

func TestFiles(t *testing.T) {
	folder := t.TempDir()
	p := New("title <of> it", "x", "y")
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 1}, {X: 2, Y: 3}})
	require.NoError(t, err)
	p.Add(line)
	p.Y.Tick.Marker = plot.TickerFunc(WholeTicks)
	for _, name := range []string{"a.svg", "a.PNG"} {
		require.NoError(t, SavePlot(filepath.Join(folder, name), 300, 200, p))
	}
	svg, err := os.ReadFile(filepath.Join(folder, "a.svg"))
	require.NoError(t, err)
	assert.Contains(t, string(svg), "title &lt;of&gt; it")
	raw, err := os.ReadFile(filepath.Join(folder, "a.PNG"))
	require.NoError(t, err)
	picture, err := png.Decode(bytes.NewReader(raw))
	require.NoError(t, err)
	assert.Equal(t, 400, picture.Bounds().Dx(), "300 points at 96 to the inch")
	assert.ErrorContains(t, CheckFile("a.gif"), "plot a.gif: the file's name must end in one of .svg, .png, .pdf")
	assert.ErrorContains(t, SavePlot("a", 300, 200, p), "must end in one of")
	assert.ErrorContains(t, SavePlot(filepath.Join(folder, "none", "a.svg"), 300, 200, p), "cannot write the plot")
}

// Series have distinct colours, however many there are.
func TestColorsAreDistinct(t *testing.T) {
	seen := map[color.Color]int{}
	for n := range 30 {
		before, there := seen[Color(n)]
		assert.False(t, there, "series %d and %d have one colour", before, n)
		seen[Color(n)] = n
	}
	assert.Equal(t, Colors[5], Color(5))
}
