package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each of several boards gives a report, in every format, and the text compares them.
func TestRunOnSeveralBoards(t *testing.T) {
	run := func(format string, more ...string) string {
		code, out, errOut := keplersim(
			t, append([]string{"run", "testdata/add-right.yaml", "--config", "k20,k40", "--format", format}, more...)...,
		)
		require.Equal(t, exitRan, code, errOut)
		return out
	}
	text := run("text")
	assert.True(t, strings.HasPrefix(text, "add on k20\n"))
	assert.Contains(t, text, "\nadd on k40\n")
	assert.Regexp(t, `(?m)^ +k20 +k40$`, text, "and in the end beside each other")
	assert.NotContains(t, run("text", "--functional"), "times as fast", "there is no time to compare")

	var reports []struct {
		Config  string
		Kernels []struct{ Cycles uint64 }
	}
	require.NoError(t, json.Unmarshal([]byte(run("json")), &reports))
	require.Len(t, reports, 2)
	assert.Equal(t, "k20", reports[0].Config)
	assert.Equal(t, "k40", reports[1].Config)

	for _, format := range []string{"csv", "source"} {
		lines, err := csv.NewReader(strings.NewReader(run(format))).ReadAll()
		require.NoError(t, err, "one table")
		column := map[string]int{"csv": 1, "source": 0}[format]
		assert.Equal(t, "config", lines[0][column])
		assert.Equal(t, "k20", lines[1][column])
		assert.Equal(t, "k40", lines[len(lines)-1][column])
	}
}

// Runs on several boards give each the figures of a run alone.
func TestSeveralBoardsAreEachAlone(t *testing.T) {
	type reports []struct{ Kernels []struct{ Cycles uint64 } }
	_, out, _ := keplersim(t, "run", "testdata/add-right.yaml", "--config", "gk104,gk110", "--format", "json")
	var both reports
	require.NoError(t, json.Unmarshal([]byte(out), &both))
	for i, name := range []string{"gk104", "gk110"} {
		_, out, _ := keplersim(t, "run", "testdata/add-right.yaml", "--config", name, "--format", "json")
		var alone reports
		require.NoError(t, json.Unmarshal([]byte("["+out+"]"), &alone))
		assert.Equal(t, alone[0], both[i])
	}
}

func TestOutputToStandardOutput(t *testing.T) {
	file, err := os.ReadFile("testdata/add.ptx")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("k.ptx", file, 0o644))
	for _, args := range [][]string{{"run", "k.ptx", "--functional"}, {"occupancy", "--block", "64"}} {
		code, out, errOut := keplersim(t, append(args, "-o", "-")...)
		require.Equal(t, exitRan, code, errOut)
		assert.NotEmpty(t, out)
	}
	assert.NoFileExists(t, "-")
}

// --kernel selects the reported kernels of a workload file. The others run too, so that expectations hold.
func TestKernelOfAWorkloadFile(t *testing.T) {
	t.Chdir(t.TempDir())
	kernel := func(name, operation string) string {
		return ".visible .entry " + name + `(.param .u64 p) {
	.reg .b64 %a<3>; .reg .b32 %r<3>;
	ld.param.u64 %a1, [p]; cvta.to.global.u64 %a2, %a1;
	ld.global.u32 %r1, [%a2]; ` + operation + ` %r2, %r1, 3; st.global.u32 [%a2], %r2; ret;
}
`
	}
	require.NoError(
		t,
		os.WriteFile(
			"two.ptx",
			[]byte(".version 5.0\n.target sm_35\n.address_size 64\n"+kernel("_Z3addPj", "add.u32")+kernel("_Z5timesPj", "mul.lo.u32")),
			0o644,
		),
	)
	require.NoError(t, os.WriteFile("two.yaml", []byte(`
module: two.ptx
buffers: {x: {type: u32, count: 1, init: {values: [4]}}}
steps:
  - launch: {kernel: add, grid: [1], block: [1], args: [x]}
  - launch: {kernel: times, grid: [1], block: [1], args: [x]}
expect: {x: {values: [21]}}
`), 0o644))
	for _, file := range []string{"two.ptx", "two.yaml"} {
		code, out, errOut := keplersim(t, "run", file, "--kernel", "times", "--functional")
		require.Equal(t, exitRan, code, errOut)
		assert.Contains(t, out, "times(unsigned int*) on gk110")
		assert.NotContains(t, out, "add(unsigned int*) on gk110")
		assert.Contains(t, spaced(out), "add(unsigned int*) also ran, but the report leaves that out")
		assert.Contains(t, out, "as expected: x")
		assert.Equal(t, file == "two.ptx", strings.Contains(out, "note: the launches are those of two.yaml; --grid"),
			"which is said where nobody named it")
	}
	// A kernel that the workload file next to it does not launch is run without the file.
	require.NoError(t, os.WriteFile("two.yaml", []byte(`
module: two.ptx
buffers: {x: {type: u32, count: 1}}
steps:
  - launch: {kernel: add, grid: [1], block: [1], args: [x]}
`), 0o644))
	code, out, errOut := keplersim(t, "run", "two.ptx", "--kernel", "times", "--functional")
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "two.yaml is left aside, as it does not launch times")
	assert.Contains(t, out, "made up: grid")
}
