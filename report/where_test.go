package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// A finding names the line to blame most, and quotes it once.
func TestFindingsNameLines(t *testing.T) {
	l := launch()
	l.Total.LoadStoreCycles[isa.ClassGlobal] = 11700
	l.Total.GlobalStore.Sectors = 1280
	l.Block = [3]int{256, 1, 1}
	found := Findings(l)
	// The store touches 640 of 960 lines, a load on another source line the rest.
	assert.Contains(t, found[0], "The limit is the load/store unit")
	assert.Contains(t, found[0], "100.0 % of those lines are at v.cu:8: `c[i] = add(a[i], b[i]);`, and at 3.")
	rest := ""
	for _, f := range found[1:] {
		rest += f + "\n"
		assert.NotContains(t, f, "`", "the line has been quoted")
	}
	assert.Contains(t, rest, "of the bytes too many are at v.cu:8.")
}

func TestWhere(t *testing.T) {
	line := func(n int, executed uint64) stats.SourceCount {
		return stats.SourceCount{Place: stats.Place{File: "a.cu", Line: n}, OperationCount: stats.OperationCount{Executed: executed}}
	}
	executed := measure{"the work is", func(s *stats.SourceCount) uint64 { return s.Executed }}
	nowhere := line(0, 90)
	nowhere.Place = stats.Place{}
	for _, test := range []struct {
		name  string
		lines []stats.SourceCount
		want  string
	}{
		{"nothing", nil, ""},
		{"one", []stats.SourceCount{line(3, 1)}, "100.0 % of the work is at a.cu:3."},
		{"a line that is inlined twice", []stats.SourceCount{line(1, 3), line(3, 3), line(3, 4)}, "70.0 % of the work is at a.cu:3."},
		{"equal lines", []stats.SourceCount{line(7, 5), line(3, 5)}, "100.0 % of the work is at a.cu:3, and at 7."},
		{"three lines and little else", []stats.SourceCount{line(9, 30), line(1, 4), line(5, 31), line(7, 32)},
			"95.9 % of the work is at a.cu:7, and at 5 and 9."},
		{"one line and half of it", []stats.SourceCount{line(2, 49), line(1, 24), line(3, 2)}, "65.3 % of the work is at a.cu:2."},
		{"a flat profile", []stats.SourceCount{line(1, 1), line(2, 1), line(3, 1), line(4, 1), line(5, 1), line(6, 1)}, ""},
		{"the compiler's own", []stats.SourceCount{nowhere, line(3, 5)}, ""},
		{"nothing of it", []stats.SourceCount{line(3, 0)}, ""},
	} {
		assert.Equal(t, test.want, executed.where(&stats.Launch{Source: test.lines}, map[stats.Place]bool{}), test.name)
	}
	assert.Empty(t, measure{}.where(launch(), nil))
}

// Waiting at a warp's end names the store that the warp waits for.
func TestWaitingAtTheEndNamesTheStore(t *testing.T) {
	l := launch()
	l.Total.Stalls = stats.StallCycles{stats.StallExit: 1000}
	l.Source[2].Stalls = stats.StallCycles{stats.StallExit: 1000}
	assert.Contains(t, Findings(l)[0], "100.0 % of that waiting is at v.cu:8: `c[i] = add(a[i], b[i]);`.")
}
