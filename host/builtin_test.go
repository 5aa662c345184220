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

// needClang are the workloads whose kernels are C++: templates, references, launches from kernels, surfaces.
var needClang = []string{
	"bfs-nested", "bitonic", "blur", "life", "mariani-silver", "monte-carlo-pi", "quicksort", "rotate", "transpose",
}

// Every workload in C gives the bytes that were recorded on a real GPU when the built-in compiler compiles it.
func TestWorkloadsOfTheBuiltinCompilerMatchTheRealGPU(t *testing.T) {
	files, err := filepath.Glob("../workloads/*/*.cu")
	require.NoError(t, err)
	ran := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".cu")
		compiled, err := toolchain.Compile(context.Background(), file, toolchain.Options{Compiler: toolchain.UseBuiltin})
		if err != nil {
			assert.Contains(t, needClang, name)
			assert.ErrorContains(t, err, "needs clang")
			continue
		}
		folder := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Dir(file))))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name+".ptx"), compiled.PTX, 0o644))
		run(t, filepath.Join(folder, name+".yaml"), "gk110", sim.Options{Threads: 1, Functional: true})
		ran++
	}
	assert.Equal(t, len(files)-len(needClang), ran)
}
