package toolchain_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

// contractions are kernels and the arithmetic that nvcc 13.0 writes for them, without registers: fused with -fmad=true, its default, and
// apart with -fmad=false.
var contractions = []struct{ name, source, fused, apart string }{
	{"statements", "float t = a[i] * b[i]; x[i] = t + c[i];", "fma.rn.f32", "mul.rn.f32 add.rn.f32"},
	{"functions", "x[i] = sum(product(a[i], b[i]), c[i]);", "fma.rn.f32", "mul.rn.f32 add.rn.f32"},
	{"twice", "float t = a[i] * b[i]; x[i] = t + c[i]; x[i + 64] = t - a[i];", "mul.f32 add.f32 sub.f32",
		"mul.rn.f32 add.rn.f32 sub.rn.f32"},
	{"stored", "float t = a[i] * b[i]; x[i] = t + c[i]; x[i + 64] = t;", "mul.f32 add.f32", "mul.rn.f32 add.rn.f32"},
	{"both", "x[i] = a[i] * b[i] + c[i] * a[i];", "mul.f32 fma.rn.f32", "mul.rn.f32 mul.rn.f32 add.rn.f32"},
	{"difference", "x[i] = a[i] * b[i] - c[i] * b[i + 1];", "mul.f32 mul.f32 sub.f32", "mul.rn.f32 mul.rn.f32 sub.rn.f32"},
	{"product rounded", "x[i] = __fmul_rn(a[i], b[i]) + c[i];", "mul.rn.f32 add.f32", "mul.rn.f32 add.rn.f32"},
	{"sum rounded", "x[i] = __fadd_rn(a[i] * b[i], c[i]);", "mul.f32 add.rn.f32", "mul.rn.f32 add.rn.f32"},
	{"asked for", "x[i] = fmaf(a[i], b[i], c[i]);", "fma.rn.f32", "fma.rn.f32"},
	{"from one", "x[i] = 1 - a[i] * a[i];", "mul.f32 sub.f32", "mul.rn.f32 sub.rn.f32"},
	{"f64", "double t = (double)a[i] * 3.1; x[i] = t + c[i];", "fma.rn.f64", "mul.rn.f64 add.rn.f64"},
}

// Products fuse with sums where nvcc fuses them. Where nvcc leaves the choice to ptxas there is no rounding; with -fmad=false all have one.
func TestContractionAsNvcc(t *testing.T) {
	need.Clang(t)
	arithmetic := regexp.MustCompile(`\b(?:add|sub|mul|fma)(?:\.rn)?\.f(?:32|64)\b`)
	var source strings.Builder
	source.WriteString("static __device__ float product(float a, float b) { return a * b; }\n" +
		"static __device__ float sum(float a, float b) { return a + b; }\n")
	for n, c := range contractions {
		source.WriteString("extern \"C\" __global__ void k" + string(rune('a'+n)) +
			"(float *x, const float *a, const float *b, const float *c) { int i = threadIdx.x; " + c.source + " }\n")
	}
	file := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(file, []byte(source.String()), 0o644))
	for _, apart := range []bool{false, true} {
		result, err := toolchain.Compile(context.Background(), file, toolchain.Options{NoContraction: apart})
		require.NoError(t, err)
		kernels := strings.Split(string(result.PTX), ".visible .entry ")[1:]
		require.Len(t, kernels, len(contractions))
		for n, c := range contractions {
			want := c.fused
			if apart {
				want = c.apart
			}
			assert.Equal(
				t, want, strings.Join(arithmetic.FindAllString(kernels[n], -1), " "), "%s, -fmad=%t: %s", c.name, !apart, kernels[n],
			)
		}
	}
}
