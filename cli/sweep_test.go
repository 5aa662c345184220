package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/study"
)

// writeStudy makes a study of a small kernel in a folder, and returns its file.
func writeStudy(t *testing.T, folder string) string {
	t.Helper()
	here, err := os.Getwd()
	require.NoError(t, err)
	file := filepath.Join(folder, "study.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "run: [%s/testdata/add-right.yaml]\nvary:\n  smx.count: [1]\n"+
		"  l2.latency: [100, 200, 300]\n  smx.scheduler: [gto, lrr]\nmetrics: [cycles, ipc]\n", here), 0o600))
	return file
}

// A study prints a note about a setting without effect once, also for outcomes from the store.
func TestSweepNotesWhatHasNoEffect(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	folder := t.TempDir()
	file := filepath.Join(folder, "study.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "run: [%s/testdata/add-right.yaml]\nboards: [gk110, k20, k40]\n"+
		"vary:\n  dlcm: [ca, cg]\nmetrics: [cycles]\n", here), 0o600))
	for range 2 {
		code, _, errOut := keplersim(t, "sweep", file, "--store", filepath.Join(folder, "store"))
		require.Equal(t, exitRan, code, errOut)
		assert.Equal(t, 1, strings.Count(errOut, "note: 1 of 6 points: --dlcm ca does nothing on gk110: its L1 takes no global loads"),
			errOut)
		assert.Contains(t, errOut, "does nothing on k20:")
		assert.NotContains(t, errOut, "does nothing on k40")
	}
}

func TestSweepWritesATableAndReadsIt(t *testing.T) {
	folder := t.TempDir()
	file, store, table := writeStudy(t, folder), filepath.Join(folder, "store"), filepath.Join(folder, "table.csv")
	code, out, errOut := keplersim(t, "sweep", file, "--list")
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "6 points\nadd-right on gk110 smx.count=1 l2.latency=100 smx.scheduler=gto\n")

	code, _, errOut = keplersim(t, "sweep", file, "--store", store, "-o", table)
	require.Equal(t, exitRan, code, errOut)
	assert.NotContains(t, errOut, "in the store")
	code, out, errOut = keplersim(t, "sweep", file, "--store", store)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, errOut, "6 of 6 points were in the store\n")
	text, err := os.ReadFile(table)
	require.NoError(t, err)
	assert.Equal(t, string(text), out)
	assert.Contains(
		t, out, "workload,board,smx.count,l2.latency,smx.scheduler,status,reason,cycles,ipc,config,keplersim,schema\n"+
			"add-right,gk110,1,100,gto,ok,,",
	)
	chip, err := configs.Load("gk110", []string{"smx.count=1", "l2.latency=100", "smx.scheduler=gto"})
	require.NoError(t, err)
	assert.Regexp(t, `(?m)^add-right,gk110,1,100,gto,ok,,\d+,[\d.]+,`+chip.Hash()+`,`+regexp.QuoteMeta(version.This().Short())+`,1$`, out)

	code, out, errOut = keplersim(t, "sweep", "report", table, "--against", "ipc", "--html", filepath.Join(folder, "page.html"),
		"--plot", filepath.Join(folder, "gain.svg"))
	require.Equal(t, exitRan, code, errOut)
	drawn, err := os.ReadFile(filepath.Join(folder, "gain.svg"))
	require.NoError(t, err)
	assert.Contains(t, string(drawn), ">best point<")
	assert.Contains(t, out, "cycles of 6 points")
	assert.Contains(t, out, "Pareto front of cycles and ipc")
	code, out, errOut = keplersim(t, "tune", file, "--store", store, "--metric", "cycles", "--budget", "5")
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "of 6 points looked at")
	assert.Contains(t, out, "regret")
}

// Ctrl-C says how far a study came, and that none of it is lost.
func TestAnInterruptedSweepSaysHowToGoOn(t *testing.T) {
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, command := range []string{"sweep", "tune"} {
		var out, errOut bytes.Buffer
		code := execute(ctx, []string{command, writeStudy(t, folder), "--store", filepath.Join(folder, "store")}, &out, &errOut)
		assert.Equal(t, exitFailed, code)
		assert.Regexp(t, `^keplersim: interrupted: stopped after 0 of 6 points; the same command goes on from here\n$`, errOut.String())
	}
	for _, test := range []struct {
		stopped study.Stopped
		want    string
	}{
		{study.Stopped{Done: 3, Total: 6, Cause: context.Canceled}, "stopped after 3 of 6 points"},
		{study.Stopped{Done: 3, Total: 6, Kept: true, Cause: errors.New("disk full")},
			"stopped after 3 of 6 points; the same command goes on from here: disk full"},
	} {
		assert.EqualError(t, &test.stopped, test.want)
	}
}

func TestMistakesInSweeps(t *testing.T) {
	folder := t.TempDir()
	file := writeStudy(t, folder)
	old := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(old, "ab"), 0o700))
	for line, want := range map[string]string{
		"sweep":                                "sweep takes one study",
		"sweep no.yaml":                        "no.yaml",
		"sweep " + file + " --shard 3/2":       "--shard 3/2: give the share and how many there are",
		"sweep " + file + " --format xls":      "--format xls: choose one of csv, jsonl, parquet",
		"sweep " + file + " --store " + old:    "keeps results of an older keplersim",
		"sweep " + file + " -o " + file:        "would overwrite the input",
		"sweep " + file + " --slurm --tasks 0": "--tasks and --attempts must be 1 or more",
		"sweep report " + file:                 "this is not a table of a study",
		"tune " + file + " --metric speed --store " + filepath.Join(folder, "s"): "there is no metric speed",
	} {
		code, _, errOut := keplersim(t, strings.Fields(line)...)
		assert.Equal(t, exitBadInput, code, line)
		assert.Contains(t, errOut, want, line)
	}
}

// fakeSlurm puts commands on PATH that run a job array at once, one task after another. The tasks that BROKEN names do not run the first
// time.
func fakeSlurm(t *testing.T, broken string) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"sbatch": `#!/bin/sh
here=$(dirname "$0")
shift
array=$(sed -n 's/^#SBATCH --array=//p' "$1" | sed 's/1-4/1,2,3,4/;s/1-3/1,2,3/')
for SLURM_ARRAY_TASK_ID in $(echo "$array" | tr ',' ' '); do
  export SLURM_ARRAY_TASK_ID
  case " $(cat "$here/broken") " in *" $SLURM_ARRAY_TASK_ID "*) continue;; esac
  sh "$1" || true
done
echo > "$here/broken"
echo "$array" >> "$here/submitted"
echo "77;cluster"
`,
		"squeue": `#!/bin/sh
here=$(dirname "$0")
if [ -s "$here/queued" ]; then
  head -n 1 "$here/queued"
  sed -i 1d "$here/queued"
  exit 0
fi
echo 'slurm_load_jobs error: Invalid job id specified' >&2
exit 1
`,
		"broken": broken, "queued": "",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o700))
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("FAKE_SLURM", folder)
}

// A study runs on Slurm as a job array. Tasks that fail are reported and submitted again, and the table is that of a local run.
func TestSweepsOnSlurm(t *testing.T) {
	folder := t.TempDir()
	file, tasks := writeStudy(t, folder), filepath.Join(folder, "tasks")
	program := build(t)
	code, out, errOut := runBuilt(t, program, "sweep", file, "--slurm", "--dry-run", "--tasks", "4", "--folder", tasks, "--sbatch=--time=5")
	require.Zero(t, code, errOut)
	assert.Contains(t, out, "#SBATCH --array=1-4\n")
	assert.Contains(t, out, "#SBATCH --time=5\n")
	assert.NoDirExists(t, tasks)

	fakeSlurm(t, "2 3")
	code, out, errOut = runBuilt(
		t, program, "sweep", file, "--slurm", "--tasks", "4", "--folder", tasks, "--poll", "10ms", "--store", filepath.Join(folder, "s"),
	)
	require.Zero(t, code, errOut)
	assert.Contains(t, errOut, "job 77: 4 tasks")
	assert.Contains(t, errOut, "tasks 2, 3 did not end")
	submitted, err := os.ReadFile(filepath.Join(os.Getenv("FAKE_SLURM"), "submitted"))
	require.NoError(t, err)
	assert.Equal(t, "1,2,3,4\n2,3\n", string(submitted))
	_, here, _ := runBuilt(t, program, "sweep", file, "--store", filepath.Join(folder, "other"))
	assert.Equal(t, here, out)

	// The same command while its job is in the queue: it waits, and submits no task that has ended.
	again := func(tasksWanted string) (code int, out, errOut string) {
		return runBuilt(t, program, "sweep", file, "--slurm", "--tasks", tasksWanted, "--folder", tasks, "--poll", "10ms", "--store",
			filepath.Join(folder, "s"))
	}
	require.NoError(t, os.WriteFile(filepath.Join(os.Getenv("FAKE_SLURM"), "queued"), []byte("2\n2\n3\n"), 0o600))
	code, out, errOut = again("4")
	require.Zero(t, code, errOut)
	assert.Equal(t, here, out)
	assert.Contains(t, errOut, "job 77 of an earlier command has 1 tasks in the queue; waiting for them\n6 of 6 points were in the store\n")
	// Another number of tasks has other shares. It is refused while the job is queued, and runs from the start afterwards.
	require.NoError(t, os.WriteFile(filepath.Join(os.Getenv("FAKE_SLURM"), "queued"), []byte("2\n"), 0o600))
	code, _, errOut = again("3")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "is still in the queue, with another study, program or number of tasks: scancel 77 ends it")
	code, out, errOut = again("3")
	require.Zero(t, code, errOut)
	assert.Equal(t, here, out)
	assert.Contains(t, errOut, "3 of 3 tasks have to run")
}

// runBuilt runs the program under test in its own process, which job arrays can start again.
func runBuilt(t *testing.T, program string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr strings.Builder
	c := exec.Command(program, args...)
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if exit := new(exec.ExitError); !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return c.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// The study in docs/research.md runs on every board with every value.
func TestTheShownStudyRuns(t *testing.T) {
	_, text, found := strings.Cut(documents(t)["research.md"], "```yaml\n")
	require.True(t, found)
	text, _, _ = strings.Cut(text, "```")
	saxpy, err := filepath.Abs("../workloads/saxpy/saxpy.yaml")
	require.NoError(t, err)
	for line, instead := range map[string]string{
		`(?m)^run: .*$`: "run: ['" + saxpy + "']", `(?m)^kernel: .*\n`: "", `latin-hypercube: 200`: "latin-hypercube: 4",
		`functional: false`: "functional: true",
	} {
		changed := regexp.MustCompile(line).ReplaceAllString(text, instead)
		require.NotEqual(t, text, changed, line)
		text = changed
	}
	file := filepath.Join(t.TempDir(), "latency.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	code, out, errOut := keplersim(t, "sweep", file, "--store", filepath.Join(t.TempDir(), "store"))
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "saxpy,k40,")
}
