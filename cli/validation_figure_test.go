package cli

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/validation"
	"github.com/keplersim/keplersim/validation/programs"
)

// recordedTimes returns the launches of the last validation by others' programs: the times on cards, and ours from the recorded errors.
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

// dark inverts the figure on dark screens.
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

// The first sentences and tables of docs/validation.md agree with the recorded rows: launches, cards, the median and the largest error of
// each program, and the mean and the bias of both halves.
func TestValidationTableIsInStep(t *testing.T) {
	times, recorded := recordedTimes(t)
	rows, err := programs.Rows()
	require.NoError(t, err)
	blind := map[string]bool{}
	for _, r := range rows {
		blind[r.Name] = r.Blind()
	}
	cards, errs, page := map[string]bool{}, map[string][]float64{}, documents(t)["validation.md"]
	for i, e := range recorded {
		cards[times[i].Board] = true
		half := "seen"
		if blind[e.Name] {
			half = "blind"
		}
		names := []string{e.Program, "all", half}
		if e.Program != "gpu-stream" {
			names = append(names, "all but gpu-stream") // its many launches hide the errors of the others
		}
		for _, name := range names {
			errs[name] = append(errs[name], e.Error)
		}
	}
	for name, list := range errs {
		sum, bias := 0.0, 0.0
		off := make([]float64, len(list))
		for i, e := range list {
			off[i] = math.Abs(e)
			sum, bias = sum+off[i], bias+e
		}
		slices.Sort(off)
		n := len(off)
		median, worst := (off[(n-1)/2]+off[n/2])/2, off[n-1]
		row := fmt.Sprintf("(?m)^.*`%s`.*\\| %d \\| %.1f %% \\| %.1f %% \\|$", name, n, median, worst)
		if name == "seen" || name == "blind" {
			row = fmt.Sprintf("(?m)^\\| %s \\| %d \\| %.1f %% \\| %.1f %% \\| %.1f %% \\| \\%+.1f %% \\|",
				name, n, sum/float64(n), median, worst, bias/float64(n))
		}
		assert.Len(t, regexp.MustCompile(row).FindAllString(page, -1), 1, "the page has %s", row)
		if name == "seen" || name == "blind" {
			half := regexp.MustCompile(fmt.Sprintf(`(Those are|the blind ones) %.1f %%`, sum/float64(n)))
			assert.True(t, half.MatchString(unwrapped(documents(t)["model.md"])), "docs/model.md has %s", half)
		}
		nine := off[int(math.Ceil(0.9*float64(n)))-1]
		if strings.HasPrefix(name, "all") {
			said := fmt.Sprintf("within %.0f %%, nine in ten within %.0f %%", median, nine)
			assert.True(t, strings.Contains(unwrapped(documents(t)["model.md"]), said), "docs/model.md: %s: %s", name, said)
		}
		if name == "all" {
			first := fmt.Sprintf("Half of the simulated times are within %.0f %% of the card's, nine in ten within %.0f %%", median, nine)
			assert.True(t, strings.Contains(strings.ReplaceAll(page, "\n", " "), first), first)
		}
	}
	assert.Len(t, cards, 11, "the page says eleven cards")
}

// The page's sample of a run of keplersim validate is from the recorded run.
func TestValidationShowsTheRecordedRun(t *testing.T) {
	recorded, err := os.ReadFile("../validation/recorded.txt")
	require.NoError(t, err)
	_, rest, found := strings.Cut(documents(t)["validation.md"], "```\nGROUP ")
	require.True(t, found)
	groups, _, _ := strings.Cut(rest, "```")
	assert.True(t, strings.Contains(string(recorded), "GROUP "+groups), "the groups are those of validation/recorded.txt")
}

// The page's row of CLTune's product is what report/points.csv says. It has the number of points, their mean error, and the regret: how
// much longer the card takes for the point that is best here than for its own best.
func TestTuningSpaceIsInStep(t *testing.T) {
	text, err := os.ReadFile("../report/points.csv")
	require.NoError(t, err)
	points, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	measured, simulated := slices.Index(points[0], "measured"), slices.Index(points[0], "simulated")
	count, off, fastest, ours, chosen := 0, 0.0, math.Inf(1), math.Inf(1), 0.0
	for _, p := range points {
		if p[1] != "cltune-gemm" {
			continue
		}
		card, err := strconv.ParseFloat(p[measured], 64)
		require.NoError(t, err)
		here, err := strconv.ParseFloat(p[simulated], 64)
		require.NoError(t, err)
		count, off, fastest = count+1, off+math.Abs(here/card-1), min(fastest, card)
		if here < ours {
			ours, chosen = here, card
		}
	}
	row := fmt.Sprintf("| CLTune's products | %d | %.0f %%, at an assumed clock | | 0.96 | %.0f %% |", count, 100*off/float64(count),
		100*(chosen/fastest-1))
	assert.Contains(t, documents(t)["validation.md"], row)
}
