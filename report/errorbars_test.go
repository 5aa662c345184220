package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// The kinds of launches whose busiest unit is known.
func TestKindsOfLaunches(t *testing.T) {
	of := func(change func(*stats.Launch)) Kind {
		l := roofed()
		l.SMXs[0].ActiveCycles, l.SMXs[0].SchedulerCycles = 1000, 4000
		l.SMXs[0].InstExecuted, l.SMXs[0].ThreadInstExecuted = 100, 3200
		change(l)
		l.Sum()
		return KindOf(l)
	}
	for _, c := range []struct {
		want   Kind
		change func(*stats.Launch)
	}{
		{ComputeBound, func(l *stats.Launch) { l.SMXs[0].IssuedSingle = 3900 }},
		{MemoryBound, func(l *stats.Launch) { l.SMXs[0].LoadStoreCycles[isa.ClassGlobal] = 950 }},
		{SharedBound, func(l *stats.Launch) { l.SMXs[0].LoadStoreCycles[isa.ClassShared] = 950 }},
		{Divergent, func(l *stats.Launch) { l.SMXs[0].IssuedSingle, l.SMXs[0].ThreadInstExecuted = 3900, 1000 }},
		{Spilling, func(l *stats.Launch) { l.SMXs[0].LoadStoreCycles[isa.ClassLocal], l.SpillBytes = 950, 16 }},
	} {
		assert.Equal(t, c.want, of(c.change))
	}
}

// Bars are worked out by hand.
func TestErrorBars(t *testing.T) {
	rows := []ErrorRow{{"a", MemoryBound, 10}, {"b", MemoryBound, -20}, {"c", ComputeBound, 30}}
	assert.Equal(t, ErrorBar{Kind: MemoryBound, Rows: 2, Mean: 15, Worst: 20, Bias: -5}, barOf(rows, MemoryBound))
	assert.Equal(t, ErrorBar{Rows: 3, Mean: 20, Worst: 30, Bias: 20.0 / 3}, barOf(rows, ""))
	var out bytes.Buffer
	require.NoError(t, WriteErrors(&out, []ErrorRow{rows[2], rows[0]}))
	assert.Equal(t, "row,kind,error_percent\na,memory,10.0\nc,compute,30.0\n", out.String())
	_, err := ReadErrors(strings.NewReader("row,kind,error_percent\na,heavy,1\n"))
	require.ErrorContains(t, err, "line 2")
}

// The rows that reports quote are there, and no kind is unknown.
func TestErrorsOfValidationAreThere(t *testing.T) {
	assert.Greater(t, len(errorRows()), 20)
	l := roofed()
	bar, ok := ErrorBarOf(l)
	require.True(t, ok)
	assert.GreaterOrEqual(t, bar.Rows, fewestRows)
	l.Functional = true
	_, ok = ErrorBarOf(l)
	assert.False(t, ok)
}
