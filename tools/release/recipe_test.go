package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/testkit/need"
)

// recipe is what the workflow for other projects says.
type recipe struct {
	Env  map[string]string
	Jobs map[string]struct{ Steps []struct{ Name, Run string } }
}

// The steps of the workflow for other projects run, with nothing but a release's archive and clang: the project's tests pass, and findings
// are written. A project that reads past an array fails in its own step and in that of the checks.
func TestRecipeForOtherProjects(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	need.Builder(t)
	for _, program := range []string{"make", "curl", "tar"} {
		need.Program(t, program)
	}
	name := "keplersim-" + version.Number + "-linux-amd64"
	program := filepath.Join(t.TempDir(), "keplersim")
	text, err := exec.Command("go", "build", "-o", program, "github.com/keplersim/keplersim/cmd/keplersim").CombinedOutput()
	require.NoError(t, err, string(text))
	data, err := os.ReadFile(program)
	require.NoError(t, err)
	packed, ending, err := pack("linux", name, day, []file{{"keplersim", 0o755, data}})
	require.NoError(t, err)
	downloads := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(downloads, name+ending), packed, 0o644))

	const within, beyond = "if (i < n)", "if (i <= n)"
	assert.Equal(t, []string{"findings 0"}, runRecipe(t, downloads, within, within))
	assert.Equal(t, []string{"Build and test failed", "Check memory and races failed", "findings 1"},
		runRecipe(t, downloads, within, beyond))
}

// runRecipe runs the steps in a copy of the project with a change, whatever became of those before, and says which failed and how many
// findings there are. Downloads come from a folder, and programs go to one.
func runRecipe(t *testing.T, downloads, from, to string) (said []string) {
	t.Helper()
	folder, bin := t.TempDir(), t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS("../../examples/ci")))
	source, err := os.ReadFile(filepath.Join(folder, "scale_test.cu"))
	require.NoError(t, err)
	require.Contains(t, string(source), from)
	changed := strings.ReplaceAll(string(source), from, to)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "scale_test.cu"), []byte(changed), 0o644))
	text, err := os.ReadFile(filepath.Join(folder, "cuda-tests.yml"))
	require.NoError(t, err)
	var r recipe
	require.NoError(t, yaml.Unmarshal(text, &r))
	assert.Equal(t, version.Number, r.Env["KEPLERSIM_VERSION"])
	here := strings.NewReplacer("https://github.com/keplersim/keplersim/releases/download/v$KEPLERSIM_VERSION", "file://"+downloads,
		"/usr/local/bin", bin, "sudo apt-get update && sudo apt-get install -y clang-18 g++", ":", "sudo ", "")
	environment := []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + t.TempDir()}
	for name, value := range r.Env {
		environment = append(environment, name+"="+value)
	}
	for _, s := range r.Jobs["test"].Steps {
		if s.Run == "" {
			continue
		}
		step := exec.Command("bash", "-e", "-o", "pipefail", "-c", here.Replace(s.Run))
		step.Dir, step.Env = folder, environment
		if text, err := step.CombinedOutput(); err != nil {
			said = append(said, s.Name+" failed")
			t.Logf("%s: %s", s.Name, text)
		}
	}
	text, err = os.ReadFile(filepath.Join(folder, "findings.sarif"))
	require.NoError(t, err)
	var found struct{ Runs []struct{ Results []any } }
	require.NoError(t, json.Unmarshal(text, &found))
	require.Len(t, found.Runs, 1)
	return append(said, fmt.Sprintf("findings %d", len(found.Runs[0].Results)))
}
