package cli

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/validation"
	"github.com/keplersim/keplersim/validation/programs"
)

// recordedTimes are the launches of the last validation by programs of others: the times on cards, and ours by the recorded errors.
func recordedTimes(t *testing.T) (times []validation.Time, recorded []report.ErrorRow) {
	t.Helper()
	text, err := os.ReadFile("../report/errors.csv")
	require.NoError(t, err)
	recorded, err = report.ReadErrors(bytes.NewReader(text))
	require.NoError(t, err)
	rows, err := programs.Rows()
	require.NoError(t, err)
	named := map[string]*programs.Row{}
	for _, r := range rows {
		named[r.Name] = r
	}
	for _, e := range recorded {
		row := named[e.Name]
		require.NotNil(t, row, "report/errors.csv has a row %s, which is no more", e.Name)
		theirs := row.Measured.Microseconds
		times = append(times, validation.Time{Board: row.Config, Chip: e.Chip, Theirs: theirs, Ours: theirs * (1 + e.Error/100)})
	}
	return times, recorded
}

// dark turns the figure around for readers whose screens are dark.
const dark = "<style>@media (prefers-color-scheme: dark) { svg { filter: invert(0.93) hue-rotate(180deg); } }</style>\n"

// The figure of docs/validation.md is drawn from the recorded rows; make validation-figure draws it anew.
func TestValidationFigureIsInStep(t *testing.T) {
	const shown = "../docs/validation.svg"
	times, _ := recordedTimes(t)
	drawn := filepath.Join(t.TempDir(), "validation.svg")
	require.NoError(t, validation.WriteTimes(drawn, times))
	got, err := os.ReadFile(drawn)
	require.NoError(t, err)
	got = bytes.Replace(got, []byte("<g "), []byte(dark+"<g "), 1)
	if os.Getenv("KEPLERSIM_UPDATE") != "" {
		require.NoError(t, os.WriteFile(shown, got, 0o644))
	}
	want, err := os.ReadFile(shown)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "run: make validation-figure")
	assert.True(t, strings.Contains(documents(t)["validation.md"], "(validation.svg)"), "the page shows the figure")
}

// The first table of docs/validation.md has, for each program, what the recorded rows come to: launches, the median and the largest error.
func TestValidationTableIsInStep(t *testing.T) {
	_, recorded := recordedTimes(t)
	off := map[string][]float64{}
	for _, e := range recorded {
		off[e.Program] = append(off[e.Program], math.Abs(e.Error))
		off["all"] = append(off["all"], math.Abs(e.Error))
	}
	page := documents(t)["validation.md"]
	for program, errs := range off {
		slices.Sort(errs)
		n := len(errs)
		median := (errs[(n-1)/2] + errs[n/2]) / 2
		cells := fmt.Sprintf("| %d | %.1f %% | %.1f %% |", n, median, errs[n-1])
		row := regexp.MustCompile("(?m)^.*`" + program + "`.*" + regexp.QuoteMeta(cells) + "$")
		assert.True(t, row.MatchString(page), "the row of `%s` ends in %s", program, cells)
	}
}
