package host_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/toolchain"
)

// needClang are the workloads whose kernels are C++, or use surfaces or the device's streams.
var needClang = []string{"bitonic", "blur", "life", "monte-carlo-pi", "quicksort", "rotate", "transpose"}

// Every workload in C, compiled by the built-in compiler, gives the bytes recorded on a real GPU.
func TestWorkloadsOfTheBuiltinCompilerMatchTheRealGPU(t *testing.T) {
	files, err := filepath.Glob("../workloads/*/*.cu")
	require.NoError(t, err)
	ran, folder := 0, t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS("../workloads"))) // some read files in others' folders
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".cu")
		compiled, err := toolchain.Compile(context.Background(), file, toolchain.Options{Compiler: toolchain.UseBuiltin})
		if err != nil {
			assert.Contains(t, needClang, name)
			assert.ErrorContains(t, err, "needs clang")
			continue
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, name, name+".ptx"), compiled.PTX, 0o644))
		run(t, filepath.Join(folder, name, name+".yaml"), "gk110", sim.Options{Threads: 1, Functional: true})
		ran++
	}
	assert.Equal(t, len(files)-len(needClang), ran)
}
