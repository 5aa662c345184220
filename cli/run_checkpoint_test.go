package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wallLines matches a report's lines about the simulation's own time and memory.
var wallLines = regexp.MustCompile(`(?m)^simulated in .*$|(?s:"wall_clock": \{.*\z)`)

// A run resumed from a checkpoint prints the same report as an uninterrupted one, in every format. Standard error names the checkpoints
// written and read.
func TestRunGoesOnFromACheckpoint(t *testing.T) {
	workload, err := filepath.Abs("../workloads/bfs/bfs.yaml")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	for _, format := range []string{"text", "json", "csv"} {
		if testing.Short() && format != "json" {
			continue
		}
		run := func(args ...string) (out, errOut string) {
			code, out, errOut := keplersim(t, append([]string{"run", "--config", "k20", "--format", format, workload}, args...)...)
			require.Equal(t, exitRan, code, errOut)
			return wallLines.ReplaceAllString(out, ""), errOut
		}
		undisturbed, _ := run()
		saving, messages := run("--save-at", "3:500", "--save-to", "run.ckpt")
		assert.Equal(t, undisturbed, saving)
		assert.Regexp(t, `saved run\.ckpt: cycle \d+ \(the first that can be saved from 3:500 on\), 2 launches ended, bfs_level running`,
			messages)
		resumed, messages := run("--resume", "run.ckpt", "--threads", "2")
		assert.Equal(t, undisturbed, resumed)
		assert.Regexp(t, `resumed from run\.ckpt: cycle \d+, 2 launches ended, bfs_level running`, messages)
	}

	code, _, errOut := keplersim(t, "run", "--config", "k20", workload, "--save-at", "90000000", "--save-to", "late.ckpt")
	assert.Equal(t, exitFailed, code)
	assert.Regexp(t, `--save-at 90000000: nothing was saved: the run ended at cycle \d+, after 12 launches`, errOut)
	assert.NoFileExists(t, "late.ckpt")
}

// Flags of checkpoints that are incomplete or contradictory are errors before anything runs.
func TestFlagsOfCheckpointsAreChecked(t *testing.T) {
	workload, err := filepath.Abs("../workloads/vectoradd/vectoradd.yaml")
	require.NoError(t, err)
	program, err := filepath.Abs("testdata/program.cu")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("some.ckpt", []byte("hello"), 0o600))
	if _, err := os.Stat(program); err != nil {
		program = "program.cu"
		require.NoError(t, os.WriteFile(program, []byte("int main() { return 0; }\n"), 0o600))
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{workload, "--save-at", "100"}, "--save-at 100: name the file with --save-to, as in --save-to run.ckpt"},
		{[]string{workload, "--save-to", "run.ckpt"}, "--save-to run.ckpt: say with --save-at at which cycle"},
		{[]string{workload, "--save-at", "-5", "--save-to", "x"}, "give a cycle as in 5000, or a launch and its cycle as in 3:5000"},
		{[]string{workload, "--save-at", "0:5", "--save-to", "x"}, "as in 3:5000"},
		{[]string{workload, "--save-at", "1:", "--save-to", "x"}, "as in 3:5000"},
		{[]string{workload, "--save-at", "5", "--save-to", "none/x"}, "--save-to none/x: there is no folder none"},
		{[]string{workload, "--save-at", "5", "--save-to", workload}, "would overwrite the input"},
		{[]string{workload, "--save-at", "5", "--save-to", "some.ckpt", "--resume", "some.ckpt"}, "would overwrite the input"},
		{[]string{workload, "--save-at", "5", "--save-to", "x", "--config", "k20,k40"}, "a checkpoint is of a run on one; name one"},
		{[]string{workload, "--save-at", "5", "--save-to", "x", "--functional"}, "a run without timing has no cycles"},
		{[]string{workload, "--save-at", "5", "--save-to", "x", "--record", "y"}, "a checkpoint does not hold what observes the run"},
		{[]string{workload, "--resume", "some.ckpt", "--check"}, "a checkpoint does not hold the state of checks"},
		{[]string{workload, "--resume", "some.ckpt"}, "some.ckpt: this is not a checkpoint of keplersim"},
		{[]string{workload, "--resume", "none.ckpt"}, "none.ckpt: no such file or directory"},
		{[]string{program, "--resume", "some.ckpt"}, "not of a host program"},
	} {
		code, _, errOut := keplersim(t, append([]string{"run"}, c.args...)...)
		assert.Equal(t, exitBadInput, code, c.args)
		assert.Contains(t, errOut, c.want, c.args)
	}
}
