package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// A real Slurm with one node runs a study as a job array. One task is cancelled and another loses its node. The command reports both and
// submits them again, and the table is that of a run without Slurm.
func TestSweepsOnARealSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	need.Slurm(t)
	program, folder := build(t), t.TempDir()
	cluster := filepath.Join(folder, "slurm")
	script := filepath.Join("..", "examples", "studies", "slurm-one-node.sh")
	out, err := exec.Command(script, "start", cluster).CombinedOutput()
	require.NoError(t, err, string(out))
	t.Cleanup(func() { _ = exec.Command(script, "stop", cluster).Run() })
	t.Setenv("SLURM_CONF", filepath.Join(cluster, "slurm.conf"))
	slurm := func(words ...string) string {
		out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	require.Eventually(t, func() bool {
		out, err := exec.Command("sinfo", "--noheader", "--format=%T").Output()
		return err == nil && strings.TrimSpace(string(out)) == "idle"
	}, 30*time.Second, 200*time.Millisecond)

	here, err := os.Getwd()
	require.NoError(t, err)
	file, tasks := filepath.Join(folder, "study.yaml"), filepath.Join(folder, "tasks")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, "run: [%s/../workloads/vectoradd/vectoradd.yaml]\nvary:\n"+
		"  l2.latency: {from: 100, to: 500, step: 20}\n  smx.scheduler: [gto, lrr]\nmetrics: [cycles, ipc]\n", here), 0o600))
	var messages noisy
	var table bytes.Buffer
	sweep := exec.Command(program, "sweep", file, "--slurm", "--tasks", "4", "--jobs", "1", "--folder", tasks, "--poll", "300ms",
		"--store", filepath.Join(folder, "store"))
	sweep.Stderr, sweep.Stdout = &messages, &table
	require.NoError(t, sweep.Start())
	var job string
	require.Eventually(t, func() bool {
		if found := regexp.MustCompile(`job (\d+): 4 tasks`).FindStringSubmatch(messages.String()); found != nil {
			job = found[1]
		}
		return job != "" && strings.Contains(slurm("squeue", "--noheader", "--array", "--states=R", "--format=%K"), "1")
	}, 30*time.Second, 100*time.Millisecond, messages.String())
	slurm("scancel", job+"_1")
	node := strings.TrimSpace(slurm("sinfo", "--noheader", "--format=%N"))
	slurm("scontrol", "update", "nodename="+node, "state=down", "reason=test") // its job fails, and is not requeued
	time.Sleep(2 * time.Second)
	_ = exec.Command("scontrol", "update", "nodename="+node, "state=resume").Run() // it may have resumed by itself

	require.NoError(t, sweep.Wait(), messages.String())
	assert.Regexp(t, `tasks 1(, \d)+ did not end`, messages.String())
	_, want, _ := runBuilt(t, program, "sweep", file, "--store", filepath.Join(folder, "other"))
	assert.Equal(t, want, table.String())
	assert.Equal(t, 43, strings.Count(table.String(), "\n"))
	t.Log(messages.String())
}
