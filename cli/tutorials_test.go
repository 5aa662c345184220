package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// mostDrift is how far the figures of tutorials may be from those of today's model, as a part: readers compare versions by them.
const mostDrift = 0.1

// The times of docs/find-the-bottleneck.md are those of the three versions.
func TestBottleneckTutorialHasTheTimes(t *testing.T) {
	page := documents(t)["find-the-bottleneck.md"]
	code, out, errOut := keplersim(t, "run", "--format", "json", "../workloads/transpose/transpose.yaml")
	require.Equal(t, exitRan, code, errOut)
	var run struct {
		Kernels []struct {
			Symbol string  `json:"symbol"`
			Time   float64 `json:"time_us"`
		} `json:"kernels"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &run))
	require.Len(t, run.Kernels, 3)
	for _, k := range run.Kernels {
		shown := regexp.MustCompile(`\| ` + "`" + k.Symbol + "`" + ` \| ([\d.]+) µs`).FindStringSubmatch(page)
		require.NotNil(t, shown, k.Symbol)
		number, err := strconv.ParseFloat(shown[1], 64)
		require.NoError(t, err)
		assert.InEpsilon(t, number, k.Time, mostDrift, k.Symbol)
	}
}

// The cycles of docs/occupancy-study.md are those of its command.
func TestOccupancyTutorialHasTheCycles(t *testing.T) {
	const command = "keplersim sweep examples/studies/blocks.yaml"
	page := documents(t)["occupancy-study.md"]
	assert.Contains(t, page, command)
	if testing.Short() {
		t.Skip("runs six points")
	}
	args := strings.Fields(strings.Replace(command, " examples", " ../examples", 1))[1:]
	code, out, errOut := keplersim(t, append(args, "--store", t.TempDir())...)
	require.Equal(t, exitRan, code, errOut)
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 7)
	of := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	for _, row := range rows[1:] {
		block := of(row, "block")
		shown := regexp.MustCompile(`(?m)^\| ` + block + ` \|.*\| ([\d,]+) \|$`).FindStringSubmatch(page)
		require.NotNil(t, shown, block)
		number, err := strconv.ParseFloat(strings.ReplaceAll(shown[1], ",", ""), 64)
		require.NoError(t, err)
		cycles, err := strconv.ParseFloat(of(row, "cycles"), 64)
		require.NoError(t, err, row)
		assert.InEpsilon(t, number, cycles, mostDrift, block)
	}
}

// The lesson of docs/first-lesson.md takes its model answer, and refuses the wrong one.
func TestFirstLessonGrades(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the lesson's kernels")
	}
	need.Clang(t)
	folder := t.TempDir()
	page := documents(t)
	lesson := filepath.Join(folder, "01-stride.md")
	require.NoError(t, os.WriteFile(lesson, []byte(firstLesson(t, page)), 0o644))
	for block, want := range map[string]int{"cuda answer=dense": exitRan, "cuda wrong=dense": exitFailed, "cuda cell=stride": exitFailed} {
		answer := filepath.Join(folder, "answer.cu")
		require.NoError(t, os.WriteFile(answer, []byte(blockOf(t, page["first-lesson.md"], block)), 0o644))
		code, out, errOut := keplersim(t, "grade", lesson, answer)
		assert.Equal(t, want, code, "%s: %s%s", block, out, errOut)
	}
}
