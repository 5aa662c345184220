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

// Another module has its own policies, each in a file, and runs a kernel with them. Their names are listed wherever policies are.
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
	for _, own := range [][]string{
		{"smx.scheduler=youngest", "l2.policy=mru", "l2.prefetcher=pairs", "dram.scheduling=latest"},
		{"smx.scheduler={name: ccws, victims: 8}", "l1.bypass={name: streaming, window: 64}", "l1.global_loads=always"},
		{"smx.scheduler=owl", "smx.scheduler.group=1", "l1.prefetcher=pairs", "l1.global_loads=always"},
	} {
		var set []string
		for _, s := range own {
			set = append(set, "--set", s)
		}
		text, err := run(set...)
		require.NoError(t, err, text)
		assert.Contains(t, text, "as expected: c")
		assert.Contains(t, text, own[0])
		// Their state is in checkpoints, even a listener's. Neither threads nor a recording change the results.
		file, recording := filepath.Join(t.TempDir(), "own.ckpt"), filepath.Join(t.TempDir(), "own.kst")
		for _, more := range [][]string{
			{"--save-at", "20000", "--save-to", file}, {"--resume", file}, {"--threads", "1"}, {"--threads", "3"}, {"--record", recording},
		} {
			again, err := run(append(set, more...)...)
			require.NoError(t, err, again)
			varies := regexp.MustCompile(`(?m)^(simulated in|saved|resumed from|recorded) .*$`)
			settled := func(text string) string { return strings.TrimSpace(varies.ReplaceAllString(text, "")) }
			assert.Equal(t, settled(text), settled(again), more)
		}
	}
	for set, want := range map[string]string{
		"smx.scheduler=youngst": `"youngst": choose one of ccws, fifo, grr, gto, lrr, oldest, owl, two-level, youngest; ` +
			`did you mean youngest?`,
		"smx.scheduler={name: owl, groups: 4}": "smx.scheduler.groups: unknown parameter; owl takes group (1 to 64, 2 unless given); " +
			"did you mean group?",
	} {
		text, err := run("--set", set)
		require.Error(t, err)
		assert.Contains(t, text, want)
	}
	tests := exec.Command("go", "test", ".")
	tests.Dir = build.Dir
	out, err = tests.CombinedOutput()
	require.NoError(t, err, "%s", out)
	bundleOfOnesOwn(t, binary)
}

// bundleOfOnesOwn bundles a study of a module's own policies in one file. keplersim, which lacks the policies, builds them from it and gets
// the same table.
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
	assert.Contains(t, text, "built with the keplersim in "+top+", commit ")
	assert.Contains(t, text, "policies example.com/policies, commit ")
	assert.Contains(t, text, "4 of 4 rows are equal")
}
