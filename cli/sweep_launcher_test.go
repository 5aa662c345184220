package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A study runs with any launcher, one command for each task or one for all. Tasks that fail are started again, and the table is that of a
// local run.
func TestSweepsByALauncher(t *testing.T) {
	folder := t.TempDir()
	file, program := writeStudy(t, folder), build(t)
	_, here, _ := runBuilt(t, program, "sweep", file, "--store", filepath.Join(folder, "other"))
	flaky := filepath.Join(folder, "flaky.sh") // task 2 fails the first time
	require.NoError(t, os.WriteFile(flaky, []byte(`[ "$1" != 2/3 ] || [ -e "$0.once" ] || { touch "$0.once"; echo broken; exit 1; }
exec sh "$2"
`), 0o700))
	for name, launcher := range map[string]string{
		"each": "sh " + flaky + " {shard} {script}", "all": "tr '\\n' '\\0' | xargs -0 -n 1 -P 2 sh",
	} {
		tasks := filepath.Join(folder, "tasks of "+name)
		args := []string{"sweep", file, "--tasks", "3", "--folder", tasks, "--store", filepath.Join(folder, "store "+name),
			"--launcher", launcher}
		code, out, errOut := runBuilt(t, program, append(args, "--dry-run")...)
		require.Zero(t, code, errOut)
		assert.Equal(t, map[string]int{"each": 3, "all": 1}[name], strings.Count(out, "\n"), out)
		assert.NoDirExists(t, tasks)
		code, out, errOut = runBuilt(t, program, args...)
		require.Zero(t, code, errOut)
		assert.Equal(t, here, out)
		assert.Equal(t, name == "each", strings.Contains(errOut, "tasks 2 did not end"), errOut)
		code, out, errOut = runBuilt(t, program, args...) // the same command again: nothing is left to do
		require.Zero(t, code, errOut)
		assert.Equal(t, here, out)
		assert.NotContains(t, errOut, "have to run")
	}
	code, _, errOut := runBuilt(t, program, "sweep", file, "--tasks", "2", "--attempts", "2", "--folder", filepath.Join(folder, "none"),
		"--launcher", "echo no task runs; false")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errOut, "tasks 1, 2 did not end in 2 attempts")
	assert.Contains(t, mustRead(t, filepath.Join(folder, "none", "task-1.log")), "no task runs")
	code, _, errOut = keplersim(t, "sweep", file, "--slurm", "--launcher", "sh")
	assert.Equal(t, exitBadInput, code)
	assert.Contains(t, errOut, "give --slurm or --launcher, not both")

	// Stores of several sites are merged by copying their folders into one; then nothing runs again.
	site := filepath.Join(folder, "tasks of all")
	merged := filepath.Join(folder, "merged")
	for _, store := range []string{"results-1", "results-2", "results-3"} {
		require.NoError(t, os.MkdirAll(merged, 0o700))
		require.NoError(t, copyInto(merged, filepath.Join(site, store)))
	}
	code, out, errOut := runBuilt(t, program, "sweep", file, "--store", merged)
	require.Zero(t, code, errOut)
	assert.Equal(t, here, out)
	assert.Contains(t, errOut, "6 of 6 points were in the store")
}

// copyInto copies the files of a folder over existing ones.
func copyInto(to, from string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o600)
	})
}

// The examples for Kubernetes and AWS Batch. Commands replace the cluster's, and run every task here as the cluster would.
func TestExamplesOfLaunchers(t *testing.T) {
	folder, bin := t.TempDir(), t.TempDir()
	file, program := writeStudy(t, folder), build(t)
	for name, text := range map[string]string{
		"kubectl": `#!/bin/sh
here=$(dirname "$0")
case $1 in
apply) cat > "$here/job.yaml" ;;
wait)
  command=$(sed -n "s/.*command: \[sh, -c, '\(.*\)'\]/\1/p" "$here/job.yaml")
  completions=$(sed -n 's/.*completions: //p' "$here/job.yaml")
  JOB_COMPLETION_INDEX=0
  while [ $JOB_COMPLETION_INDEX -lt "$completions" ]; do
    export JOB_COMPLETION_INDEX
    sh -c "$command" || exit 1
    JOB_COMPLETION_INDEX=$((JOB_COMPLETION_INDEX + 1))
  done ;;
esac
`,
		"aws": `#!/bin/sh
if [ "$2" = describe-jobs ]; then echo SUCCEEDED; exit; fi
for word; do case $word in size=*) size=${word#size=};; *command*) overrides=$word;; esac; done
command=$(printf %s "$overrides" | sed 's/.*"-c", "\(.*\)"\]}/\1/')
AWS_BATCH_JOB_ARRAY_INDEX=0
while [ $AWS_BATCH_JOB_ARRAY_INDEX -lt "$size" ]; do
  export AWS_BATCH_JOB_ARRAY_INDEX
  sh -c "$command" >&2
  AWS_BATCH_JOB_ARRAY_INDEX=$((AWS_BATCH_JOB_ARRAY_INDEX + 1))
done
echo 4d1f
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(text), 0o700))
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"IMAGE", "CLAIM", "QUEUE", "DEFINITION"} {
		t.Setenv(name, "keplersim")
	}
	examples, err := filepath.Abs("../examples/studies")
	require.NoError(t, err)
	_, here, _ := runBuilt(t, program, "sweep", file, "--store", filepath.Join(folder, "other"))
	for _, launcher := range []string{"kubernetes.sh {tasks} FOLDER 2", "aws-batch.sh {tasks} FOLDER"} {
		tasks := filepath.Join(folder, launcher[:3])
		code, out, errOut := runBuilt(t, program, "sweep", file, "--tasks", "3", "--attempts", "1", "--folder", tasks, "--store",
			filepath.Join(folder, "s"+launcher[:3]), "--launcher", "sh "+examples+"/"+strings.Replace(launcher, "FOLDER", tasks, 1))
		require.Zero(t, code, "%s%s", errOut, launcher)
		assert.Equal(t, here, out)
		assert.Contains(t, errOut, "3 of 3 tasks have to run")
	}
}
