package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/workload"
)

// comparisonOf writes runs as JSON, reads them back and compares them.
func comparisonOf(t *testing.T, runs ...*Run) (*Comparison, string) {
	t.Helper()
	var reports []Saved
	for i, run := range runs {
		var text, out strings.Builder
		require.NoError(t, JSON(&text, run))
		saved, err := readSaved(strings.NewReader(text.String()))
		require.NoError(t, err, out.String())
		saved.Name = string(rune('a' + i))
		reports = append(reports, saved)
	}
	c := Compare(reports, nil)
	var out strings.Builder
	require.NoError(t, WriteComparison(&out, "text", c))
	return c, strings.Join(strings.Fields(out.String()), " ")
}

// working returns a launch that stores.
func working(executed uint64) *stats.Launch {
	l := small("add", 20, 16, executed)
	l.SMXs[0].GlobalStore.Bytes = 1000
	l.Sum()
	return l
}

func TestComparisonSaysWhatFailed(t *testing.T) {
	good := &Run{Launches: []*stats.Launch{working(100)}}
	for name, test := range map[string]struct {
		run  *Run
		want string
	}{
		"stopped": {&Run{Launches: []*stats.Launch{working(50)}, Failure: "launch of add: no such address\n  at add.ptx:3"},
			"b: the run ended early: launch of add: no such address"},
		"checks": {&Run{Launches: []*stats.Launch{working(100)},
			Checks: []Check{{Buffer: "x"}, {Buffer: "y", Mismatch: &workload.Mismatch{Buffer: "y", Differing: 3, Compared: 1000}}}},
			"b: y is not as expected in 3 of 1,000 elements"},
		"hash": {
			&Run{Launches: []*stats.Launch{working(100)},
				Checks: []Check{{Buffer: "y", Mismatch: &workload.Mismatch{Buffer: "y", WantSHA256: "0", FoundSHA256: "1"}}}},
			"b: y is not as expected",
		},
		"races": {&Run{Launches: []*stats.Launch{working(100)}, Checked: finding.All,
			Mistakes: []*finding.Finding{{Rule: finding.RaceBlock}, {Rule: finding.UnsetMemory}, {Rule: finding.WarpSynchronous}}},
			"b: --check found mistakes at 2 places"},
	} {
		c, text := comparisonOf(t, good, test.run)
		assert.Equal(t, []string{test.want}, c.Failures, name)
		assert.Contains(t, text, "FAILED: "+test.want, name)
		assert.NotContains(t, text, "as fast as", "the time of a failed run says nothing")
		assert.NotContains(t, text, "as long as", name)
	}
	c, text := comparisonOf(t, good, good)
	assert.Empty(t, c.Failures)
	assert.Empty(t, c.Differences)
	assert.Contains(t, text, "b is as fast as a")
	assert.NotContains(t, text, "other work")
}

func TestComparisonSaysWhatWorkDiffers(t *testing.T) {
	base := &Run{Launches: []*stats.Launch{working(1000)}, Results: []Result{{"x", 4, "11"}, {"y", 4, "22"}}}
	more := working(1100)
	more.SMXs[0].GlobalStore.Bytes, more.SMXs[0].GlobalLoad.Bytes = 3000, 64
	more.Sum()
	c, text := comparisonOf(t, base, &Run{Launches: []*stats.Launch{more}, Results: []Result{{"x", 4, "11"}, {"y", 4, "33"}}})
	assert.Equal(t, []string{"a and b end with other contents of y"}, c.Differences)
	assert.Equal(t, []string{"17,600 thread instructions (+10.0 %), 64 bytes loaded (not 0), 3,000 bytes stored (3.00 times as many)"},
		c.Kernels[0].Work)
	assert.Contains(t, text, "b does other work than a: 17,600 thread instructions (+10.0 %)")

	idle := small("add", 20, 16, 10)
	c, _ = comparisonOf(t, &Run{Launches: []*stats.Launch{idle}}, &Run{Launches: []*stats.Launch{idle}})
	assert.Equal(
		t, []string{"a stores nothing to global memory: its kernels may have done " +
			"nothing", "b stores nothing to global memory: its kernels may have done nothing"}, c.Differences,
	)

	other := working(1000)
	c, _ = comparisonOf(t, &Run{Launches: []*stats.Launch{working(1), small("scan", 1, 1, 1)}}, &Run{Launches: []*stats.Launch{other}})
	assert.Equal(t, []string{"b launches no kernel to compare with scan"}, c.Differences)
	c, _ = comparisonOf(t, &Run{Launches: []*stats.Launch{working(1)}}, &Run{Launches: []*stats.Launch{other, small("scan", 1, 1, 1)}})
	assert.Equal(t, []string{"b launches scan too, which is left out"}, c.Differences)
}

// Busy times are compared only for the same unit.
func TestComparisonComparesEachUnitWithItself(t *testing.T) {
	saved := func(units ...jsonUnit) Saved {
		return Saved{Launches: []*SavedLaunch{{jsonLaunch: jsonLaunch{Name: "add", Symbol: "add", Units: units}}}}
	}
	c := Compare([]Saved{saved(jsonUnit{"L2", 0.5}, jsonUnit{"the issue slots", 0.25}), saved(jsonUnit{"the issue slots", 0.75})}, nil)
	assert.Equal(t, []float64{50, 0}, numbers(t, rowOf(t, c.Kernels[0], "  L2 busy")))
	assert.Equal(t, []float64{25, 75}, numbers(t, rowOf(t, c.Kernels[0], "  the issue slots busy")))
	unit := rowOf(t, c.Kernels[0], "busiest unit")
	assert.Equal(t, []ComparedValue{{Text: "L2"}, {Text: "the issue slots"}}, unit.Values)
}

// Overrides of the configuration are shown wherever its name is.
func TestOverridesAreTold(t *testing.T) {
	l := working(100)
	l.Chip.Overrides = []string{"smx.count=13", "l2.latency=70"}
	run := &Run{Workload: "w", Config: "gk110", Overrides: l.Chip.Overrides, Launches: []*stats.Launch{l, l}}
	var out strings.Builder
	require.NoError(t, Text(&out, run))
	assert.Contains(t, out.String(), "w on gk110 with smx.count=13 and l2.latency=70: 2 launches")
	assert.Contains(t, out.String(), "add on gk110 with smx.count=13 and l2.latency=70 (its longest launch)\n")
	out.Reset()
	require.NoError(t, CSV(&out, run))
	assert.Contains(t, out.String(), "add,gk110,smx.count=13 l2.latency=70,2,")
	run.Metrics = []string{"ipc"}
	out.Reset()
	require.NoError(t, Text(&out, run))
	assert.Contains(t, out.String(), "add on gk110 with smx.count=13 and l2.latency=70, 2 launches")

	c, text := comparisonOf(t, &Run{Launches: []*stats.Launch{working(100)}}, run)
	assert.Equal(t, []ComparedValue{{}, {Text: "smx.count=13 l2.latency=70"}}, rowOf(t, c.Kernels[0], "overrides").Values)
	assert.Contains(t, text, "overrides - smx.count=13 l2.latency=70")
}
