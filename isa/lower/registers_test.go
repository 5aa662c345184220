package lower_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/lower"
)

var update = flag.Bool("update", false, "rewrite the machine programs in testdata")

// ptxasRegisters are the registers of the workloads' kernels as ptxas of CUDA 13.0 (V13.0.88) reports them for sm_75, the oldest
// target that it has. Kernels with shfl are left out: sm_75 refuses that form.
var ptxasRegisters = map[string]map[string]int{
	"bfs": {"bfs_level": 14}, "bitonic": {"bitonic_merge": 20, "bitonic_step": 12, "bitonic_block": 43}, "dgemm": {"dgemm": 60},
	"histogram": {"histogram_shared": 13, "histogram_global": 16}, "mandelbrot": {"mandelbrot": 13}, "nbody": {"nbody": 41},
	"reduction-shared": {"reduce_shared": 12}, "saxpy": {"saxpy": 10}, "scan": {"add_offsets": 10, "scan_blocks": 12}, "sgemm-naive": {"sgemm_naive": 26},
	"sgemm-tiled": {"sgemm_tiled": 64}, "stencil": {"stencil5": 16}, "transpose": {"transpose_padded": 28, "transpose_tiled": 28, "transpose_naive": 18},
	"vectoradd": {"vectoradd": 12},
}

// TestRegisters compares register counts with ptxas's: within 3 or a tenth. Those that differ more are logged; they are the
// tiled kernels, which ptxas unrolls further for a chip where 64 registers cost no warps.
func TestRegisters(t *testing.T) {
	kernels, within := 0, 0
	for name, counts := range ptxasRegisters {
		p := workload(t, filepath.Join("..", "..", "workloads", name, name+".ptx"))
		for kernel, theirs := range counts {
			mp, err := lower.Program(p, p.Function(kernel), lower.Options{})
			require.NoError(t, err)
			difference := mp.Registers - theirs
			kernels++
			if max(difference, -difference) <= max(3, theirs/10) {
				within++
			} else {
				t.Logf("%s: %d registers, ptxas %d", kernel, mp.Registers, theirs)
			}
		}
	}
	t.Logf("%d of %d kernels within 3 registers or a tenth of ptxas's", within, kernels)
	assert.GreaterOrEqual(t, within, 14)
}

// TestGolden compares whole machine programs with those that were read and approved: -update writes them anew.
func TestGolden(t *testing.T) {
	for _, name := range []string{"vectoradd", "sgemm-tiled"} {
		p := workload(t, filepath.Join("..", "..", "workloads", name, name+".ptx"))
		mp, err := lower.Program(p, p.Kernels()[0], lower.Options{})
		require.NoError(t, err)
		var b strings.Builder
		require.NoError(t, lower.Print(mp, nil, &b))
		path := filepath.Join("testdata", name+".txt")
		if *update {
			require.NoError(t, os.MkdirAll("testdata", 0o755))
			require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(want), b.String())
	}
}
