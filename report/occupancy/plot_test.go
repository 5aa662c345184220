package occupancy

import (
	"bytes"
	"fmt"
	"image"
	_ "image/png"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/report/plots"
	smx "github.com/keplersim/keplersim/sim/smx/occupancy"
)

// svgTexts returns the texts of a plot.
func svgTexts(t *testing.T, s *Study) (texts []string, source string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plot.svg")
	require.NoError(t, s.WritePlot(path))
	svg, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?s)<text[^>]*>(.*?)</text>`).FindAllStringSubmatch(string(svg), -1) {
		texts = append(texts, strings.TrimSpace(m[1]))
	}
	return texts, string(svg)
}

func TestCurvesHaveAxesLegendAndTheLaunchMarked(t *testing.T) {
	texts, svg := svgTexts(t, newStudy(t, "fermi,gk104,gk210"))
	for _, want := range []string{"threads per block", "registers per thread", "shared memory per block (bytes)", "resident warps per SMX",
		"fermi (cc 2.0)", "gk104 (cc 3.0)", "gk210 (cc 3.7)", "this launch, with its warps",
		"Warps over threads per block (registers 63, shared 0)", "on fermi, gk104, gk210", "512", "48K", "16", "32", "64"} {
		assert.Contains(t, texts, want)
	}
	for i := range 3 {
		r, g, b, _ := chipColor(i).RGBA()
		assert.Contains(t, strings.ToLower(svg), strings.ToLower(webColor(r>>8, g>>8, b>>8)))
	}
}

func webColor(r, g, b uint32) string {
	const digits = "0123456789ABCDEF"
	out := []byte{'#'}
	for _, v := range []uint32{r, g, b} {
		out = append(out, digits[v>>4&15], digits[v&15])
	}
	return string(out)
}

// The curve's points are the spreadsheet's, checked at the steps of the tuning guide's kernel.
func TestCurvePoints(t *testing.T) {
	l := chip(t, "gk110")
	at := map[float64]float64{}
	for _, p := range curve(l, smx.Launch{Threads: 256, Registers: 63}, steps("registers", 1, 255, 1)) {
		at[p.X] = p.Y
	}
	for registers, warps := range map[float64]float64{
		1: 64, 32: 64, 33: 48, 40: 48, 41: 40, 48: 40, 49: 32, 64: 32, 65: 24, 128: 16, 129: 8, 255: 8,
	} {
		assert.Equal(t, warps, at[registers], "%v registers", registers)
	}
}

func TestPlotOfOneSweep(t *testing.T) {
	texts, _ := svgTexts(t, newStudy(t, "gk110", steps("block", 64, 1024, 64)))
	for _, want := range []string{"warps per SMX", "gk110 (cc 3.5)", "threads per block", "64"} {
		assert.Contains(t, texts, want)
	}
	two := newStudy(t, "gk110", steps("block", 64, 1024, 64), steps("registers", 16, 64, 1))
	assert.ErrorContains(t, two.WritePlot("plot.svg"), "one axis at most")
}

func TestPNGIs800PixelsWide(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plot.png")
	require.NoError(t, newStudy(t, "gk110").WritePlot(path))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	picture, _, err := image.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	assert.Equal(t, 800, picture.Bounds().Dx())
	assert.ErrorContains(t, newStudy(t, "gk110").WritePlot("plot.gif"), "one of .svg, .png, .pdf")
	assert.ErrorContains(t, newStudy(t, "gk110").WritePlot("no/such/folder/plot.svg"), "cannot write the plot")
}

// axisStarts returns the x at which the horizontal axes of a picture begin and end; an axis is a line of two points.
func axisStarts(svg string) (starts []string) {
	for _, m := range regexp.MustCompile(`<path d="M([0-9.]+),([0-9.]+)L([0-9.]+),([0-9.]+)"`).FindAllStringSubmatch(svg, -1) {
		if from, to := number(m[1]), number(m[3]); m[2] == m[4] && to-from > 300 {
			starts = append(starts, m[1]+" to "+m[3])
		}
	}
	return starts
}

func number(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

// The diagrams of the three curves have the same values at the same x, though their axis labels have different widths.
func TestPanelsShareTheirX(t *testing.T) {
	_, svg := svgTexts(t, newStudy(t, "gk110"))
	counts := map[string]int{}
	for _, start := range axisStarts(svg) {
		counts[start]++
	}
	assert.Len(t, counts, 1, "axes and grid lines begin and end alike: %v", counts)
}

// Ticks have labels only at the values of the sweep.
func TestTicksAreValuesOfTheSweep(t *testing.T) {
	for sweep, wants := range map[string][]string{
		"block=128": {"128"}, "block=64..256:64": {"64", "128", "192", "256"}, "shared=0..3K:1K": {"0", "1K", "2K", "3K"},
	} {
		axis, err := ParseAxis(sweep)
		require.NoError(t, err)
		var labels []string
		for _, tick := range axis.ticks().Ticks(float64(axis.Values[0])-100, float64(axis.Values[len(axis.Values)-1])+100) {
			labels = append(labels, tick.Label)
		}
		assert.Equal(t, wants, labels)
	}
	many := steps("registers", 16, 255, 1)
	assert.LessOrEqual(t, len(many.ticks().Ticks(0, 300)), 16)
}

// Coinciding lines of chips are drawn inside each other, the first the widest.
func TestCoincidingChipsShow(t *testing.T) {
	_, svg := svgTexts(t, newStudy(t, "gk110,gk104", steps("block", 64, 1024, 64)))
	for i := range 2 {
		r, g, b, _ := chipColor(i).RGBA()
		assert.Regexp(t, fmt.Sprintf(`(?i)stroke:%s[^"]*stroke-width:%g`, webColor(r>>8, g>>8, b>>8), float64(plots.NestedWidth(i, 2))),
			svg)
	}
	assert.Greater(t, plots.NestedWidth(0, 2), plots.NestedWidth(1, 2))
}
