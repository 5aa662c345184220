package report

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/stats"
)

// saveReport writes a JSON report of launches to a file in a folder, and returns its path.
func saveReport(t *testing.T, folder, name string, launches ...*stats.Launch) string {
	t.Helper()
	file := filepath.Join(folder, name)
	var out strings.Builder
	require.NoError(t, JSON(&out, &Run{Workload: "w", Config: "gk110", Launches: launches}))
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
	return file
}

// small returns a launch with round numbers.
func small(kernel string, us float64, registers int, executed uint64) *stats.Launch {
	l := &stats.Launch{Kernel: kernel, Name: kernel, Chip: stats.Chip{Config: "gk110", WarpsPerSMX: 64, SMXs: 1, CoreMHz: 100},
		Grid: [3]int{2, 1, 1}, Block: [3]int{64, 1, 1},
		Registers: registers, Cycles: uint64(us * 100), TimeUS: us, Occupancy: stats.Occupancy{
			Warps: 32, Limiters: []string{"shared_memory"},
		}}
	l.SMXs = []stats.SMX{
		{InstExecuted: executed, ThreadInstExecuted: 16 * executed, ActiveCycles: 100, ActiveWarpCycles: 1600, ElapsedCycles: 100},
	}
	l.SMXs[0].Stalls[stats.StallSync], l.SMXs[0].Stalls[stats.StallMemoryDependency] = 30, 70
	l.Sum()
	return l
}

// rowOf finds a quantity of a kernel.
func rowOf(t *testing.T, k ComparedKernel, name string) ComparedRow {
	t.Helper()
	for _, row := range k.Rows {
		if row.Name == name {
			return row
		}
	}
	require.Fail(t, "no row "+name)
	return ComparedRow{}
}

func numbers(t *testing.T, row ComparedRow) (all []float64) {
	t.Helper()
	for _, v := range row.Values {
		require.NotNil(t, v.Number, row.Name)
		all = append(all, *v.Number)
	}
	return all
}

func TestCompare(t *testing.T) {
	folder := t.TempDir()
	faster := small("add", 10, 24, 300)
	faster.SMXs[0].Stalls[stats.StallSync], faster.SMXs[0].Stalls[stats.StallMemoryDependency] = 0, 50
	faster.Sum()
	files := []string{
		saveReport(t, folder, "before.json", small("add", 20, 16, 200), small("add", 20, 16, 400), small("only", 5, 10, 1)),
		saveReport(t, folder, "after.json", faster),
		saveReport(t, folder, "renamed.json", small("add_tiled", 80, 16, 300)),
	}
	reports, err := ReadSaved(files)
	require.NoError(t, err)
	c := Compare(reports, nil)
	require.Len(t, c.Kernels, 2)
	k := c.Kernels[0]
	assert.Equal(t, "add; add_tiled", k.Name)
	assert.Equal(t, []float64{40, 10, 80}, numbers(t, rowOf(t, k, "time")), "launches add up")
	assert.Equal(t, []float64{2, 1, 1}, numbers(t, rowOf(t, k, "launches")))
	assert.Equal(t, []float64{300, 300, 300}, numbers(t, rowOf(t, k, "inst_executed")), "metrics are averages")
	assert.Equal(t, []float64{16, 24, 16}, numbers(t, rowOf(t, k, "registers a thread")))
	assert.Equal(t, []float64{25, 25, 25}, numbers(t, rowOf(t, k, "achieved occupancy")))
	assert.Equal(t, []float64{30, 0, 30}, numbers(t, rowOf(t, k, "stall_sync")))
	for _, row := range k.Rows {
		assert.NotEqual(t, "stall_texture", row.Name, "nothing in every report")
		assert.NotEqual(t, "local memory a thread", row.Name)
	}
	lonely := rowOf(t, c.Kernels[1], "time")
	assert.Nil(t, lonely.Values[1].Number, "after.json has no kernel for it")

	var out strings.Builder
	require.NoError(t, WriteComparison(&out, "text", c))
	assert.Regexp(t, `(?m)^ +before +after +renamed$`, out.String())
	assert.Regexp(t, `(?m)^  time +µs +40\.0 +10\.0 +-75\.0 % +80\.0 +\+100\.0 %$`, out.String())
	assert.Regexp(t, `(?m)^  registers a thread +16 +24 +\+8 +16$`, out.String())
	assert.Regexp(t, `(?m)^  stall_sync +% +30\.0 +0\.0 +-30\.0 points +30\.0$`, out.String())
	assert.Contains(t, out.String(), "limited by")
	said := strings.Join(strings.Fields(out.String()), " ")
	assert.Contains(t, said, "after is 4.00 times as fast as before "+VariantChange.Judge(4)+" renamed takes 2.00 times as long as before "+
		VariantChange.Judge(2))

	out.Reset()
	require.NoError(t, WriteComparison(&out, "csv", c))
	lines, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"kernel", "quantity", "unit", "before", "after", "renamed"}, lines[0])
	assert.Contains(t, lines, []string{"add; add_tiled", "time", "µs", "40", "10", "80"})
	assert.Contains(t, lines, []string{"only", "time", "µs", "5", "", ""})

	out.Reset()
	require.NoError(t, WriteComparison(&out, "json", c))
	var got struct {
		Reports []string
		Kernels []struct {
			Rows []struct {
				Quantity string
				Values   []any
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out.String()), &got))
	assert.Equal(t, []string{"before", "after", "renamed"}, got.Reports)
	assert.Equal(t, "chip", got.Kernels[0].Rows[0].Quantity)
	assert.Equal(t, []any{"gk110", nil, nil}, got.Kernels[1].Rows[0].Values)
}

// Chosen metrics replace the default ones in a comparison; a functional run has no times.
func TestCompareChosenMetricsOfAFunctionalRun(t *testing.T) {
	folder := t.TempDir()
	functional := small("add", 0, 16, 200)
	functional.Functional, functional.Cycles = true, 0
	reports, err := ReadSaved(
		[]string{saveReport(t, folder, "a/run.json", small("add", 20, 16, 100)), saveReport(t, folder, "b/run.json", functional)},
	)
	require.NoError(t, err)
	assert.Equal(t, folder+"/a/run.json", reports[0].Name, "two files of one name")
	k := Compare(reports, []string{"warps_launched", "thread_inst_executed", "ipc"}).Kernels[0]
	assert.Equal(t, []float64{1600, 3200}, numbers(t, rowOf(t, k, "thread_inst_executed")))
	for _, name := range []string{"time", "cycles", "ipc", "achieved occupancy"} {
		row := rowOf(t, k, name)
		assert.NotNil(t, row.Values[0].Number, name)
		assert.Nil(t, row.Values[1].Number, name)
	}
	for _, row := range k.Rows {
		assert.NotEqual(t, "inst_executed", row.Name)
	}
}

func TestCompareRefusesOtherFiles(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"text.json": "vectoradd on gk110", "workload.json": `{"buffers": {}, "steps": []}`, "empty.json": "",
	} {
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		_, err := ReadSaved([]string{file})
		require.ErrorIs(t, err, errNoReport)
		assert.Contains(t, err.Error(), name)
	}
	_, err := ReadSaved([]string{saveReport(t, folder, "nothing.json")})
	require.ErrorContains(t, err, "nothing.json has no launch")
	_, err = ReadSaved([]string{filepath.Join(folder, "missing.json")})
	require.ErrorContains(t, err, "missing.json")
}
