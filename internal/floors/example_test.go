package floors

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A module outside ours brings policies of its own, each in a file, and runs a kernel with them; their names are known wherever names are
// listed.
func TestModuleOfOnesOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("builds keplersim")
	}
	binary := filepath.Join(t.TempDir(), "policies")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join(root, "examples", "policies")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	run := func(arguments ...string) (string, error) {
		command := exec.Command(binary, append([]string{"run", filepath.Join("workloads", "vectoradd", "vectoradd.yaml")}, arguments...)...)
		command.Dir = root
		out, err := command.CombinedOutput()
		return string(out), err
	}
	text, err := run("--set", "smx.scheduler_policy=youngest", "--set", "l2.policy=mru", "--set", "l2.prefetcher=pairs", "--set",
		"dram.scheduling=latest")
	require.NoError(t, err, text)
	assert.Contains(t, text, "as expected: c")
	assert.Contains(t, text, "smx.scheduler_policy=youngest")
	text, err = run("--set", "smx.scheduler_policy=youngst")
	require.Error(t, err)
	assert.Contains(t, text, `"youngst" is none of gto, lrr, oldest, two-level, youngest; did you mean youngest?`)
}
