package toolchain_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

// An outer loop whose inner loop changes its length stays a loop, as on the card. Nests of known lengths are unrolled completely, and so
// are those with a pragma.
func TestTrianglesStayLoops(t *testing.T) {
	need.Clang(t)
	const kernel = `__global__ void k(float *x) {
  __shared__ float s[16][17]; int unused; EXTRA
  for (int i = 0; i < 16; i++) s[i][threadIdx.x] = x[threadIdx.x + 16 * i];
  OUTER
  for (int i = 1; i < 16; i++)
    for (int j = FIRST; j STEP) s[threadIdx.x][i] -= s[threadIdx.x][j] * s[j][i];
  x[threadIdx.x] = s[threadIdx.x][15];
}
`
	// clang compiles this only after a repair.
	const mended = `int lane; asm("mov.u32 %0, %laneid;" : "=r"(lane)); x += lane;`
	for _, c := range []struct {
		outer, first, step, extra string
		loops                     bool
	}{{"", "0", "< i; j++", "", true}, {"", "i", "< 20; j++", "", true}, {"", "0", "< 4; j++", "", false},
		{"", "(1 << i) - 1", "> 0; j /= 2", "", false}, {"#pragma unroll", "0", "< i; j++", "", false},
		{"", "0", "< i; j++", mended, true}} {
		for _, named := range []bool{true, false} {
			text := strings.NewReplacer("OUTER", c.outer, "EXTRA", c.extra, "FIRST", c.first, "STEP", c.step).Replace(kernel)
			file := filepath.Join(t.TempDir(), "k.cu")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			options := toolchain.Options{Flags: []string{"-Wunused-variable"}}
			if !named {
				file = filepath.Join(t.TempDir(), "including.cu")
				require.NoError(t, os.WriteFile(file, []byte(`#include "k.cu"`), 0o600))
				require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "k.cu"), []byte(text), 0o600))
			}
			result, err := toolchain.Compile(context.Background(), file, options)
			require.NoError(t, err)
			assert.Equal(t, c.loops, strings.Contains(string(result.PTX), "bra"), "%+v", c)
			assert.Contains(t, result.Warnings, "unused variable")
			assert.NotContains(t, result.Warnings, "remark")
			assert.NotContains(t, result.Warnings, "for (int i")
		}
	}
}

// TestPointersOfArrays: a loop along two arrays of shared memory steps a pointer for each, as nvcc's does.
func TestPointersOfArrays(t *testing.T) {
	need.Clang(t)
	file := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(file, []byte(`__global__ void k(float *x) {
  __shared__ float a[64], b[64];
  a[threadIdx.x] = x[threadIdx.x]; b[threadIdx.x] = x[threadIdx.x + 64];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 64; i++) sum = sum * a[i] + b[i];
  x[threadIdx.x] = sum;
}
`), 0o600))
	result, err := toolchain.Compile(context.Background(), file, toolchain.Options{})
	require.NoError(t, err)
	steps := 0
	for line := range strings.Lines(string(result.PTX)) {
		f := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n,;", r) })
		if len(f) == 4 && f[0] == "add.s64" && f[1] == f[2] && f[3] == "4" {
			steps++
		}
	}
	assert.Equal(t, 2, steps, "%s", result.PTX)
}
