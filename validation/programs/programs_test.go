package programs

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/stats"
	"github.com/keplersim/keplersim/testkit/need"
)

func TestRows(t *testing.T) {
	rows, err := Rows()
	require.NoError(t, err)
	halved, blind := 0, 0
	for _, r := range rows {
		assert.Len(t, r.Program.Commit, 40, r.Name)
		assert.NotEmpty(t, r.Program.Source, r.Name)
		if r.Program.Split != "" {
			continue
		}
		halved++
		if r.Blind() {
			blind++
		}
	}
	// For fair coins, a count outside these bounds has a probability of 1 in 10,000.
	assert.InDelta(t, float64(halved)/2, float64(blind), 0.2*float64(halved), "half of the rows are blind")
}

// A file's split gives all rows of an application on a card the same half, or keeps none blind.
func TestSplits(t *testing.T) {
	row := func(split, name, application string) *Row {
		return &Row{Name: name, Config: "k20", Program: &Program{Split: split}, Kernel: &Kernel{Application: application}}
	}
	blind := map[bool]int{}
	for i := range 64 {
		name := fmt.Sprint(i)
		assert.False(t, row("seen", name, "one").Blind())
		assert.Equal(t, row("program", "first", name).Blind(), row("program", "second", name).Blind())
		blind[row("program", "", name).Blind()]++
	}
	assert.Greater(t, min(blind[true], blind[false]), 16)
	_, err := Parse("rows.yaml", []byte("split: halves\n"))
	assert.ErrorContains(t, err, "halves")
}

// Rows with ranks only count as points of their space, but their errors do not count.
func TestRanksAloneLeaveErrorsOut(t *testing.T) {
	var results []Result
	for i, us := range []float64{30, 10, 20} {
		row := &Row{Name: fmt.Sprint(i), Part: 1, Space: "space", Program: &Program{}, Kernel: &Kernel{Ranks: true}}
		row.Measured.Microseconds = 7 * us
		results = append(results, Result{Row: row, Status: Ran, Launch: &stats.Launch{TimeUS: us}})
	}
	s := Summarise("all", results, nil)
	assert.Zero(t, s.Mean)
	require.Len(t, s.Spaces, 1)
	assert.InDelta(t, 1, s.Spaces[0].RankCorrelation, 1e-9)
	assert.Zero(t, s.Spaces[0].Regret)
}

// The test's own program: a kernel whose result shows which definitions, lines and arguments reached it.
const rowText = `
program: mine
repository: nobody/mine
commit: 0123456789012345678901234567890123456789
source: "measured: made up"
method: none
files:
  scale.cu: %x
kernels:
  scale:
    files: [scale.cu]
    entry: scale<float>
    kind: memory
    append: ["template __global__ void scale<float>(float *);"]
    buffers: {x: {type: f32, count: 2048, init: {fill: 1}}}
    args: [x]
rows:
  - {name: scale, kernel: scale, config: k20, defines: ["FACTOR=3"], grid: [8], block: [256], part: 0.5, work: 0.01, measured: {us: 100, registers: 8, local: 0}}
`

const scaleSource = "template <class T> __global__ void scale(T *x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= FACTOR; }\n"

func TestRegisterRows(t *testing.T) {
	rows, err := RegisterRows()
	require.NoError(t, err)
	timed, err := Rows()
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, r := range append(timed, rows...) {
		assert.False(t, seen[r.Name], r.Name)
		seen[r.Name] = true
	}
	for _, r := range rows {
		assert.False(t, r.Timed(), r.Name)
		assert.Regexp(t, "^[0-9a-f]{40}$", r.Program.Commit, r.Name)
		assert.NotEmpty(t, r.Program.Source, r.Name)
		assert.NotEmpty(t, r.Program.Method, r.Name)
		assert.LessOrEqual(t, r.Measured.Registers, 255.0, r.Name)
		for file, sum := range r.Program.Files {
			assert.Regexp(t, "^[0-9a-f]{64}$", sum, file)
		}
	}
}

func TestParseBuildLogRefuses(t *testing.T) {
	const whole = "program: mine\nfiles: {a.cu: %s}\nkernels:\n" +
		"  - {name: a, file: a.cu, entry: a, config: k20, registers: 8, frame: 0, spill_stores: 0}\n"
	text := fmt.Sprintf(whole, strings.Repeat("a", 64))
	rows, err := ParseBuildLog("mine.yaml", []byte(text))
	require.NoError(t, err)
	require.Len(t, rows, 1)
	assert.Equal(t, "mine/a@k20", rows[0].Name)
	for _, c := range []struct{ from, to, message string }{
		{"registers: 8", "registers: 0", "registers"},
		{"file: a.cu", "file: b.cu", "b.cu"},
		{"config: k20", "config: k99", "k99"},
		{"frame: 0, ", "", "frame"},
		{"entry: a", "enter: a", "enter"},
	} {
		_, err := ParseBuildLog("mine.yaml", []byte(strings.Replace(text, c.from, c.to, 1)))
		require.Error(t, err, c.to)
		assert.Contains(t, err.Error(), c.message)
		assert.Contains(t, err.Error(), "mine.yaml")
	}
}

func TestRun(t *testing.T) {
	sources := t.TempDir()
	folder := filepath.Join(sources, "nobody", "mine")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	file := filepath.Join(folder, "scale.cu")
	rows, err := Parse("mine.yaml", []byte(fmt.Sprintf(rowText, sha256.Sum256([]byte(scaleSource)))))
	require.NoError(t, err)

	result := Run(context.Background(), rows, Options{Sources: sources})[0]
	assert.Equal(t, NotRun, result.Status, "the file is not there")
	assert.Contains(t, result.Reason, "scale.cu")

	require.NoError(t, os.WriteFile(file, []byte(scaleSource+"\n"), 0o600))
	result = Run(context.Background(), rows, Options{Sources: sources})[0]
	assert.Equal(t, Failed, result.Status, "the file is another version")
	assert.Contains(t, result.Reason, "SHA-256")

	require.NoError(t, os.WriteFile(file, []byte(scaleSource), 0o600))
	result = Run(context.Background(), rows, Options{Sources: sources, Budget: 1000})[0]
	assert.Equal(t, NotRun, result.Status, "5,000 warp instructions for a budget of 1,000")

	need.Clang(t)
	result = Run(context.Background(), rows, Options{Sources: sources})[0]
	require.Equal(t, Ran, result.Status, result.Reason)
	assert.Equal(t, "mine/scale@k20", result.Row.Name)
	assert.EqualValues(t, 64, result.Launch.Total.WarpsLaunched)
	assert.InDelta(t, 2*result.Launch.TimeUS, result.Microseconds(), 1e-9, "half of the measured launch was simulated")

	compiled := Compile(context.Background(), rows, sources)
	require.Len(t, compiled, 1)
	require.Equal(t, Ran, compiled[0].Status, compiled[0].Reason)
	assert.Equal(t, result.Launch.Registers, compiled[0].Registers)
	assert.True(t, compiled[0].SpillsAlike(), "neither has local memory")
}

func TestParseRefuses(t *testing.T) {
	whole := fmt.Sprintf(rowText, sha256.Sum256(nil))
	for _, c := range []struct{ from, to, message string }{
		{"kind: memory", "kind: heavy", "kind"},
		{"part: 0.5", "part: 2", "part 2"},
		{"config: k20", "config: k99", "k99"},
		{"us: 100", "us: 0", "measured time"},
		{"work: 0.01, ", "", "instructions"},
		{"kernel: scale, config", "kernel: other, config", "other"},
		{"grid: [8]", "grid: []", "grid"},
		{"files: [scale.cu]", "files: [other.cu]", "other.cu"},
		{"method: none", "metod: none", "metod"},
	} {
		require.Contains(t, whole, c.from)
		_, err := Parse("mine.yaml", []byte(strings.Replace(whole, c.from, c.to, 1)))
		require.Error(t, err, c.to)
		assert.Contains(t, err.Error(), c.message)
		assert.Contains(t, err.Error(), "mine.yaml")
	}
}

// made is a result with given times.
func made(name, space string, theirs, ours float64) Result {
	return Result{Status: Ran, Launch: &stats.Launch{TimeUS: ours}, Row: &Row{
		Name: name, Space: space, Part: 1, Program: &Program{}, Kernel: &Kernel{Kind: "memory"}, Measured: Measured{Microseconds: theirs},
	}}
}

func TestSummary(t *testing.T) {
	results := []Result{
		made("a", "s", 100, 110), made("b", "s", 200, 100), made("c", "s", 400, 480), {Status: Failed, Row: &Row{Kernel: &Kernel{}}},
	}
	s := Summarise("all", results, nil)
	assert.Equal(t, 4, s.Rows)
	assert.Equal(t, 1, s.Failed)
	assert.InDelta(t, (10+50+20)/3.0, s.Mean, 1e-9)
	assert.InDelta(t, 20, s.Median, 1e-9)
	assert.InDelta(t, 50, s.Worst, 1e-9)
	assert.Equal(t, "b", s.WorstRow)
	assert.InDelta(t, (10-50+20)/3.0, s.Bias, 1e-9)
	require.Len(t, s.Spaces, 1)
	// The simulator's best point is b, for which the card takes twice as long as for a. Ranks 2, 1, 3 and 1, 2, 3 correlate by 1 - 6·2/24.
	assert.InDelta(t, 100, s.Spaces[0].Regret, 1e-9)
	assert.InDelta(t, 0.5, s.Spaces[0].RankCorrelation, 1e-9)
}

func TestRanks(t *testing.T) {
	assert.Equal(t, []float64{3.5, 1, 2, 3.5}, ranks([]float64{9, 1, 5, 9}))
}

// Each program counts once, by the mean of its rows. Programs above a quarter are listed, the worst first.
func TestWeighedByProgram(t *testing.T) {
	p := &Program{Name: "p"}
	results := []Result{{Row: &Row{Name: "left out", Program: p, Kernel: &Kernel{Application: "d"}, Part: 1}, Status: NotRun}}
	for n, c := range []struct {
		application string
		ours        float64
	}{{"a", 110}, {"a", 90}, {"a", 100}, {"b", 70}, {"b", 60}, {"c", 140}} {
		name := ""
		for k := 0; name == "" || blind(name); k++ {
			name = fmt.Sprint(n, "/", k)
		}
		results = append(results, Result{
			Row: &Row{Name: name, Program: p, Kernel: &Kernel{Application: c.application}, Part: 1,
				Measured: Measured{Microseconds: 100}},
			Status: Ran, Launch: &stats.Launch{TimeUS: c.ours},
		})
	}
	w := Weigh("seen", results, false)
	assert.Equal(t, 3, w.Programs)
	assert.InDelta(t, (20.0/3+35+40)/3, w.Mean, 1e-9)
	assert.InDelta(t, (0.0-35+40)/3, w.Bias, 1e-9)
	require.Len(t, w.Above, 2)
	assert.Equal(t, []string{"c", "b"}, []string{w.Above[0].Name, w.Above[1].Name})
	assert.Zero(t, Weigh("blind", results, true).Programs)
}

// At its row's clock and a pass a cycle, shared memory can serve sgemm-2's accesses in the measured time. For four steps in k a warp loads
// 16 bytes a lane from B's tile, 128 bytes apart: 64 words of 8 bytes in four of the 32 banks, 16 passes. It loads as much from A's for all
// lanes at once. In every eight such steps it stores to each tile once, to B's in 16 passes.
func TestClockOfProductsServesTheirPasses(t *testing.T) {
	rows, err := Rows()
	require.NoError(t, err)
	n := slices.IndexFunc(rows, func(r *Row) bool { return r.Name == "sgemm/sgemm-2@k40c" })
	require.NotEqual(t, -1, n)
	row := rows[n]
	cfg, err := configs.Load(row.Config, row.Overrides)
	require.NoError(t, err)
	const warpSteps = 4096 * 4096 / 32 * 4096 / 4
	passes := warpSteps * (16 + 1 + (16+1)/8.0) / float64(cfg.SMX.Count)
	assert.Greater(t, row.Measured.Microseconds*float64(cfg.Clocks.Core), passes)
}
