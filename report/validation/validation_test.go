package validation_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	report "github.com/keplersim/keplersim/report/validation"
	"github.com/keplersim/keplersim/validation"
)

// results returns a made-up row of each status.
func results() []validation.Result {
	row := func(name string, measured float64) *validation.Row {
		return &validation.Row{
			Name: name, Title: "t", Config: "k20", Unit: "cycles", Measured: validation.Exactly(measured), Tolerance: 3, Source: "s",
		}
	}
	compare := func(theirs, ours float64) []validation.Comparison {
		v := validation.Exactly(theirs)
		return []validation.Comparison{{Name: "cycles", Unit: "cycles", Theirs: v, Ours: ours, Error: v.Error(ours)}}
	}
	return []validation.Result{
		{Row: row("latency/a@k20", 10), Status: validation.Met, Comparisons: compare(10, 10.2)},
		{Row: row("latency/b@k20", 20), Status: validation.Missed, Comparisons: compare(20, 15)},
		{Row: row("latency/c@k20", 30), Status: validation.Failed, Reason: "it broke\nin detail"},
		{Row: row("board/d@k20", 40), Status: validation.NotSimulated, Reason: "no copies"},
		{Row: row("board/e@k20", 50), Status: validation.NotRun, Reason: "too much"},
	}
}

func TestTextDropsNoRow(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.WriteText(&out, results()))
	text := out.String()
	for _, want := range []string{
		"a@k20", "+2.0 %", "b@k20", "-25.0 %", "missed", "failed: it broke", "not simulated: no copies", "not run: too much",
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "in detail")
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "latency ") {
			assert.Equal(
				t, []string{"latency", "3", "1", "1", "0", "0", "1", "13.5", "%", "25.0", "%", "latency/b@k20"}, strings.Fields(line),
			)
		}
	}
}

func TestDataHoldsEveryRow(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.WriteCSV(&out, results()))
	lines, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	assert.Len(t, lines, 1+len(results()))
	assert.Equal(t, "-25", lines[2][8])

	out.Reset()
	require.NoError(t, report.WriteJSON(&out, results(), nil))
	var document struct {
		Rows []struct {
			Row, Status string
			Comparisons []struct{ Theirs, Ours, Error float64 }
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &document))
	require.Len(t, document.Rows, len(results()))
	assert.InDelta(t, -25, document.Rows[1].Comparisons[0].Error, 1e-9)
	assert.Equal(t, "not simulated", document.Rows[3].Status)
}

func TestPlots(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.svg", "a.png"} {
		path := filepath.Join(dir, name)
		require.NoError(t, report.WritePlot(path, results()))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Positive(t, info.Size())
	}
	steps := []validation.Step{{Footprint: 1 << 20, Stride: 128 << 10, Cycles: 160}, {Footprint: 64 << 20, Stride: 128 << 10, Cycles: 230}}
	require.NoError(t, report.WriteStaircase(filepath.Join(dir, "s.svg"), "k80", steps))
	require.ErrorContains(t, report.WritePlot(filepath.Join(dir, "a.gif"), results()), ".svg")
	require.ErrorContains(t, report.WritePlot(filepath.Join(dir, "a.svg"), nil), "no row ran")
}

// The panel of ratios shows errors, with the names of rows beyond their tolerance; the titles name the boards.
func TestPlotShowsErrorsAndBoards(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	require.NoError(t, report.WritePlot(path, append(results(), results()[0])))
	svg, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, want := range []string{">Ours against theirs: 3 rows on k20<", ">ours / theirs<", ">b@k20<", ">k20 (3)<",
		">latency, mean error 9.7 %<", ">0.8<", ">marks around each other: rows of equal figures, as of several boards<"} {
		assert.Contains(t, string(svg), want)
	}
	assert.NotContains(t, string(svg), ">a@k20<", "within its tolerance")
	path = filepath.Join(t.TempDir(), "s.svg")
	require.NoError(
		t, report.WriteStaircase(path, "k80", []validation.Step{{Footprint: 1 << 20, Cycles: 160}, {Footprint: 64 << 20, Cycles: 230}}),
	)
	svg, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(svg), ">Latency of a load by footprint, on k80<")
}

func TestTimesAreDrawn(t *testing.T) {
	times := []report.Time{
		{Board: "k80", Chip: "GK210", Theirs: 10, Ours: 11}, {Board: "k20", Chip: "GK110", Theirs: 1000, Ours: 700},
		{Board: "k80", Chip: "GK210", Theirs: 20, Ours: 20},
	}
	path := filepath.Join(t.TempDir(), "times.svg")
	require.NoError(t, report.WriteTimes(path, times))
	svg, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, want := range []string{
		"3 launches", ">k20<", ">k80<", "GK210", "half of the launches are within 10 %", "9 in 10 launches are within 30 %",
	} {
		assert.Contains(t, string(svg), want)
	}
	assert.ErrorContains(t, report.WriteTimes(path, nil), "nothing to plot")
	assert.ErrorContains(t, report.WriteTimes("times.txt", times), ".svg")
}
