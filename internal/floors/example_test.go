package floors

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
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
	own := []string{"--set", "smx.scheduler=youngest", "--set", "l2.policy=mru", "--set", "l2.prefetcher=pairs", "--set",
		"dram.scheduling=latest"}
	text, err := run(own...)
	require.NoError(t, err, text)
	assert.Contains(t, text, "as expected: c")
	assert.Contains(t, text, "smx.scheduler=youngest")
	// Their state is in checkpoints, also that of one that listens.
	file := filepath.Join(t.TempDir(), "own.ckpt")
	saved, err := run(append(own, "--save-at", "20000", "--save-to", file)...)
	require.NoError(t, err, saved)
	resumed, err := run(append(own, "--resume", file)...)
	require.NoError(t, err, resumed)
	same := regexp.MustCompile(`(?m)^(simulated in|saved|resumed from) .*$`)
	assert.Equal(t, strings.TrimSpace(same.ReplaceAllString(text, "")), strings.TrimSpace(same.ReplaceAllString(saved, "")))
	assert.Equal(t, strings.TrimSpace(same.ReplaceAllString(text, "")), strings.TrimSpace(same.ReplaceAllString(resumed, "")))
	text, err = run("--set", "smx.scheduler=youngst")
	require.Error(t, err)
	assert.Contains(t, text, `"youngst": choose one of gto, lrr, oldest, two-level, youngest; did you mean youngest?`)
	bundleOfOnesOwn(t, binary)
}

// bundleOfOnesOwn has a study of policies of one's own in one file: keplersim, which has not the policies, builds them from it and gets the
// same table.
func bundleOfOnesOwn(t *testing.T, binary string) {
	t.Helper()
	top, err := filepath.Abs(root)
	require.NoError(t, err)
	folder := t.TempDir()
	study := "run: [" + top + "/workloads/vectoradd/vectoradd.yaml]\nvary:\n  smx.scheduler: [gto, youngest]\n" +
		"  l2.policy: [lru, mru]\nmetrics: [cycles]\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "s.yaml"), []byte(study), 0o600))
	sweep := func(program string, words ...string) (string, error) {
		command := exec.Command(program, append([]string{"sweep"}, words...)...)
		command.Dir = folder
		out, err := command.CombinedOutput()
		return string(out), err
	}
	source := filepath.Join(top, "examples", "policies")
	text, err := sweep(binary, "s.yaml", "--store", "results", "--bundle", "b.tar.gz", "--source", source)
	require.NoError(t, err, text)
	plain := filepath.Join(folder, "keplersim")
	build := exec.Command("go", "build", "-o", plain, "./cmd/keplersim")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err = sweep(plain, "--replay", "b.tar.gz")
	require.Error(t, err)
	assert.Contains(t, text, "was made by a program with policies of its own, example.com/policies. --build FOLDER")
	text, err = sweep(plain, "--replay", "b.tar.gz", "--build", source)
	require.Error(t, err)
	assert.Contains(t, text, "is not the folder of a keplersim's source")
	text, err = sweep(plain, "--replay", "b.tar.gz", "--build", top)
	require.NoError(t, err, text)
	assert.Contains(t, text, "policies example.com/policies, commit ")
	assert.Contains(t, text, "4 of 4 rows are equal")
}
