package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// Headers that CUDA C includes are inputs of a run like its other files. No output overwrites them, whichever command compiles, even if the
// compiled program comes from the cache.
func TestNoOutputOverAHeader(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	need.Clang(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	const header = "// of both\n"
	const kernel = "#include \"k.svg\"\nextern \"C\" __global__ void k(float *x) { x[threadIdx.x] = 1; }\n"
	for name, text := range map[string]string{
		"k.svg": header, "k.cu": kernel, "p.cu": kernel + "int main() { return 0; }\n",
		"s.yaml": "run: [k.cu]\nvary: {block: [32]}\nmetrics: [cycles]\n",
		"w.yaml": "module: k.cu\nbuffers: {x: {type: f32, count: 32}}\nsteps:\n" +
			"  - launch: {kernel: k, grid: [1], block: [32], args: [x]}\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink("k.svg", "soft.svg"))
	require.NoError(t, os.Symlink("k.svg", "k.dot"))
	for _, line := range []string{
		"run k.cu --grid 1 --block 32 -o k.svg", "run w.yaml --report soft.svg", "run w.yaml --dump x=k.svg", "run p.cu -o soft.svg",
		"run p.cu -o soft.svg", "run p.cu --cpuprofile k.svg", "explain w.yaml --svg soft.svg", "advise w.yaml -o k.svg",
		"occupancy k.cu --plot k.svg", "inspect k.cu --sheets .", "sweep s.yaml -o k.svg", "nvprof --log-file k.svg p.cu",
		"clocks --study w.yaml --config k40 -o soft.svg",
	} {
		code, _, errOut := keplersim(t, strings.Fields(line)...)
		assert.Equal(t, exitBadInput, code, "%s: %s", line, errOut)
		assert.Contains(t, errOut, "would overwrite the input", line)
		text, err := os.ReadFile("k.svg")
		require.NoError(t, err)
		assert.Equal(t, header, string(text), line)
	}
}
