package report

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/spill"
	"github.com/keplersim/keplersim/sim/stats"
)

// kept returns a run with all launches and intervals except the first in spill lists, as in a run of thousands.
func kept(r *Run) *Run {
	k := *r
	if len(r.Launches) > 1 {
		k.Launches, k.More = r.Launches[:1], spill.New(0, func(l *stats.Launch) string { return l.Kernel })
		for _, l := range r.Launches[1:] {
			k.More.Append(l)
		}
	}
	if t := r.Timeline; t != nil && len(t.Intervals) > 1 {
		later := *t
		later.Intervals, later.More = t.Intervals[:1], spill.New(0, func(i *stats.Interval) string { return i.Kind })
		for i := range t.Intervals[1:] {
			later.More.Append(&t.Intervals[1+i])
		}
		k.Timeline = &later
	}
	return &k
}

// Reports are the same to the byte whether launches are in memory or in spill lists, in each format, for one run and for several.
func TestReportsOfKeptLaunches(t *testing.T) {
	runs := cases()
	for n := range 40 {
		l := launch()
		l.Kernel, l.Cycles, l.TimeUS = fmt.Sprint("kernel ", n%3), uint64(8000+n%5), float64(8000+n%5)/1000
		many := runs["many"]
		if many == nil {
			many = &Run{Workload: "many", Config: "gk110", Timeline: &Timeline{HostUS: 500, DeviceUS: 600}}
			runs["many"] = many
		}
		many.Launches = append(many.Launches, l)
		for i, kind := range []string{"host", "kernel", "copy", "smx"} {
			start := float64(10*n + 3*i)
			many.Timeline.Intervals = append(many.Timeline.Intervals, stats.Interval{Kind: kind, Name: l.Kernel, Device: i - 1, SMX: i - 3,
				Process: n % 2, Stream: fmt.Sprint(n % 4), Start: start, End: start + 40})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		run := runs[name]
		for _, format := range Formats() {
			for _, metrics := range [][]string{nil, {"ipc", "gld_efficiency"}} {
				one, two := *run, *run
				one.Metrics, two.Metrics, two.Config = metrics, metrics, "k20"
				for _, list := range [][]*Run{{&one}, {&one, &two}} {
					var plain, spilled bytes.Buffer
					require.NoError(t, WriteAll(&plain, format, list))
					var other []*Run
					for _, r := range list {
						other = append(other, kept(r))
					}
					require.NoError(t, WriteAll(&spilled, format, other))
					assert.Equal(t, plain.String(), spilled.String(), "%s as %s", name, format)
					for _, r := range other {
						require.NoError(t, r.Close())
					}
				}
			}
		}
	}
}

// The text's timeline has the same rows as drawings.
func TestDrawnLanes(t *testing.T) {
	line := &Timeline{HostUS: 72, DeviceUS: 72}
	for n, i := range []stats.Interval{
		{Kind: "kernel", Stream: "2", Start: 10, End: 30}, {Kind: "host", Device: -1, End: 4},
		{Kind: "copy", Stream: "1", Start: 5, End: 9},
		{Kind: "copy", Stream: "2", Start: 20, End: 25}, {Kind: "memset", Stream: "2", Start: 9, End: 21}, {Kind: "wait", Stream: "3"},
		{Kind: "kernel", Stream: "4", Start: 40, First: 44, End: 47},
	} {
		i.SMX, i.Name = -1, fmt.Sprint(n)
		line.Intervals = append(line.Intervals, i)
	}
	lanes, commands := line.drawnLanes(72, ganttWidth)
	assert.Equal(t, 5, commands)
	want := []struct{ name, marks string }{
		{"host", "----"}, {"stream 1", "     ===="}, {"stream 2", "         ~##########=====#####"},
		{"stream 4", strings.Repeat(" ", 40) + "....###"},
	}
	require.Len(t, lanes, len(want))
	for i, l := range line.Lanes() {
		assert.Equal(t, want[i].name, l.Name)
		assert.Equal(t, want[i].name, lanes[i].name)
		assert.Equal(t, want[i].marks, string(bytes.TrimRight(lanes[i].marks[:], " ")), l.Name)
	}
}

// Launches that differ only in their times of day share one entry in a comparison.
func TestLikeLaunchesAreSavedOnce(t *testing.T) {
	run := &Run{Workload: "alike", Config: "gk110"}
	for n := range 100 {
		l := launch()
		l.Number, l.StartUS, l.EndUS, l.Cycles = uint64(n), float64(n), float64(n+1), uint64(8000+n%2)
		run.Launches = append(run.Launches, l)
	}
	s := saved(run)
	require.Len(t, s.Launches, 100)
	for n, l := range s.Launches {
		assert.Same(t, s.Launches[n%2], l)
		assert.EqualValues(t, 8000+n%2, l.Cycles)
	}
}
