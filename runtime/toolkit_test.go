package runtime

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// The toolkit's folder has the tools and libraries that build scripts look for. Each tool calls the command that replaces it.
func TestToolkitHasToolsAndLibraries(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the libraries")
	}
	need.Builder(t)
	folder, err := Toolkit(t.Context(), filepath.Join(t.TempDir(), "cuda"))
	require.NoError(t, err)
	for _, name := range []string{"cuda", "cudart", "cudart_static", "cublas", "cufft", "curand", "cusparse", "cudadevrt", "nvToolsExt",
		"nvidia-ml"} {
		assert.FileExists(t, filepath.Join(folder, "lib64", "lib"+name+".a"))
	}
	for _, header := range []string{"cuda.h", "cuda_runtime.h", "cublas_v2.h", "cufft.h", "curand.h", "cusparse.h", "cuda_bf16.h",
		"curand_kernel.h", "nvml.h"} {
		assert.FileExists(t, filepath.Join(folder, "include", header))
	}
	for _, c := range []struct {
		tool      string
		arguments []string
		want      string
	}{
		{"nvcc", []string{"-c", "a b.cu"}, "nvcc -c a b.cu\n"},
		{"nvidia-smi", []string{"-L"}, "smi -L\n"},
		{"nvprof", []string{"--csv", "./p"}, "nvprof --csv ./p\n"},
		{"cuda-memcheck", []string{"--tool", "racecheck", "./p", "-x", "1"}, "run --functional --check --check-exit-code 1 ./p -- -x 1\n"},
		{"compute-sanitizer", []string{"--tool=memcheck", "./p"}, "run --functional --check --check-exit-code 1 ./p --\n"},
		{"compute-sanitizer", []string{"--error-exitcode", "3", "./p"}, "run --functional --check --check-exit-code 3 ./p --\n"},
		{"compute-sanitizer", []string{"--error-exitcode=4", "./p"}, "run --functional --check --check-exit-code 4 ./p --\n"},
		{"cuobjdump", []string{"-sass", "a.out"}, "disasm a.out\n"},
		{"cuobjdump", []string{"--dump-ptx", "a.out"}, "disasm --ptx a.out\n"},
		{"nvdisasm", []string{"a.cubin"}, "disasm a.cubin\n"},
		{"ptxas", []string{"-v", "--gpu-name", "sm_35", "a b.ptx"}, "nvcc -cubin -o elf.o -Xptxas -v -arch sm_35 a b.ptx\n"},
		{"ptxas", []string{"-c", "--gpu-name=sm_30", "a.ptx", "-o", "a.cubin"}, "nvcc -cubin -arch=sm_30 a.ptx -o a.cubin\n"},
	} {
		tool := exec.Command(filepath.Join(folder, "bin", c.tool), c.arguments...)
		tool.Env = append(os.Environ(), "KEPLERSIM=echo")
		out, err := tool.CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Equal(t, c.want, string(out))
	}
}
