package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
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

// shows checks rows of tables in a page of docs; each row is found by its beginning. KEPLERSIM_UPDATE=1 writes them anew.
func shows(t *testing.T, name string, rows map[string]string) {
	t.Helper()
	file := filepath.Join("..", "docs", name)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	updated := string(text)
	for begin, row := range rows {
		line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(begin) + `.*$`)
		require.Len(t, line.FindAllString(updated, -1), 1, "%s: %s", name, begin)
		updated = line.ReplaceAllLiteralString(updated, row)
	}
	if os.Getenv("KEPLERSIM_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(updated), 0o644))
		return
	}
	assert.Equal(t, updated, string(text), "%s: KEPLERSIM_UPDATE=1 go test ./cli -run Tutorial writes it anew", name)
}

// The times in docs/find-the-bottleneck.md are those of the three versions.
func TestBottleneckTutorialHasTheTimes(t *testing.T) {
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
	rows := map[string]string{}
	for i, limit := range []string{"stores that touch 32 lines each", "bank conflicts: 16 passes an access", "nothing alone"} {
		k := run.Kernels[i]
		rows["| `"+k.Symbol+"` |"] = fmt.Sprintf("| `%s` | %.1f µs | %.1f times | %s |", k.Symbol, k.Time, run.Kernels[0].Time/k.Time,
			limit)
	}
	shows(t, "find-the-bottleneck.md", rows)

	folder := t.TempDir()
	reports := []string{filepath.Join(folder, "tiled.json"), filepath.Join(folder, "padded.json")}
	for i, version := range []string{"transpose_tiled", "transpose_padded"} {
		code, _, errOut := keplersim(t, "run", "--kernel", version, "--format", "json", "-o", reports[i],
			"../workloads/transpose/transpose.yaml")
		require.Equal(t, exitRan, code, errOut)
	}
	code, out, errOut = keplersim(t, "compare", reports[0], reports[1])
	require.Equal(t, exitRan, code, errOut)
	_, answer, found := strings.Cut(out, "\n  padded is ")
	require.True(t, found, out)
	shown := "```\n  padded is " + strings.TrimSpace(answer) + "\n```"
	assert.Contains(t, documents(t)["find-the-bottleneck.md"], shown, "what compare ends with")
}

// The cycles in docs/occupancy-study.md are those of its commands.
func TestOccupancyTutorialHasTheCycles(t *testing.T) {
	page := documents(t)["occupancy-study.md"]
	if testing.Short() {
		t.Skip("runs twelve points")
	}
	store := t.TempDir()
	study := func(name string) (rows [][]string, of func(row []string, name string) string) {
		file := "examples/studies/" + name
		assert.Contains(t, page, "keplersim sweep "+file)
		code, out, errOut := keplersim(t, "sweep", "../"+file, "--store", store)
		require.Equal(t, exitRan, code, errOut)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		require.NoError(t, err)
		require.Len(t, rows, 7)
		head := rows[0]
		return rows[1:], func(row []string, name string) string { return row[slices.Index(head, name)] }
	}
	rows, of := study("blocks.yaml")
	number := func(row []string, name string) float64 {
		n, err := strconv.ParseFloat(of(row, name), 64)
		require.NoError(t, err, row)
		return n
	}
	table := map[string]string{}
	for _, row := range rows {
		begin := "| " + of(row, "block") + " | "
		table[begin] = begin + fmt.Sprintf("%.0f %% | %.0f %% | %s |", 100*number(row, "theoretical_occupancy"),
			100*number(row, "achieved_occupancy"), grouped(uint64(number(row, "cycles"))))
	}
	shows(t, "occupancy-study.md", table)
	rows, of = study("registers.yaml")
	for _, row := range rows[1:3] {
		assert.Contains(t, page, "With "+of(row, "maxrregcount")+" registers allowed it takes "+grouped(uint64(number(row, "cycles"))))
	}
}

// The lesson in docs/first-lesson.md accepts its model answer, and rejects the wrong one.
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
