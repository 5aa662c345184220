package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/study"
	"github.com/keplersim/keplersim/testkit/need"
)

// A user's own suite: programs are built and run in a copy, each on two boards. One finds its result wrong, one does not compile.
func TestSuitesAreOneTable(t *testing.T) {
	need.Builder(t)
	folder := t.TempDir()
	for name, text := range map[string]string{
		"suite.yaml": `name: own
source: https://example.org/own
marker: scale/scale.cu
programs:
- {name: scale, folder: scale, build: nvcc -arch=sm_35 $SIZE scale.cu -o program, run: ./program, sizes: {small: -DN=64, large: -DN=256}}
- {name: wrong, folder: scale, build: nvcc -arch=sm_35 -DN=64 -DFACTOR=3 scale.cu -o program, run: ./program, sizes: {small: ""}}
- {name: silent, folder: scale, build: nvcc -arch=sm_35 -DN=64 -DBEHIND=99 scale.cu -o program, run: ./program, sizes: {small: ""}}
- {name: broken, folder: ., build: nvcc no-such-file.cu, run: ./program, sizes: {small: ""}}
`,
		"checkout/scale/scale.cu": `#include <cstdio>
#ifndef FACTOR
#define FACTOR 2
#endif
#ifndef BEHIND
#define BEHIND 0
#endif
__global__ void scale(float *x) { x[threadIdx.x + BEHIND] *= FACTOR; }
int main() {
  float *x, y[N];
  for (int i = 0; i < N; i++) y[i] = i;
  cudaMalloc(&x, sizeof y);
  cudaMemcpy(x, y, sizeof y, cudaMemcpyHostToDevice);
  scale<<<1, N>>>(x);
  cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost);
  if (!BEHIND) puts(y[5] == 10 ? "Test PASSED" : "Test FAILED");
}
`,
	} {
		name = filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	checkout := filepath.Join(folder, "checkout")
	code, out, errOut := runBuilt(t, build(t), "suite", filepath.Join(folder, "suite.yaml"), checkout, "--size", "small,large",
		"--config", "k20,k40", "--format", "csv")
	assert.Equal(t, exitFailed, code, errOut)
	assert.Contains(t, errOut, "6 of 10 programs are not ok")
	table, err := study.ReadTable(strings.NewReader(out)) // as sweep report and compare read it
	require.NoError(t, err)
	var rows []string
	for _, line := range table.Rows {
		rows = append(rows, strings.Join([]string{line[0], line[3], line[1], line[4]}, " "))
	}
	assert.Equal(t, []string{"scale small k20 ok", "scale small k40 ok", "wrong small k20 wrong", "wrong small k40 wrong",
		"silent small k20 failed", "silent small k40 failed",
		"broken small k20 failed", "broken small k40 failed", "scale large k20 ok", "scale large k40 ok"}, rows)
	assert.Equal(t, "1", table.Rows[0][6])
	for row, want := range map[int]string{2: "Test FAILED", 4: "launch of scale", 6: "no-such-file.cu"} { // row 4 ignores errors
		assert.Contains(t, table.Rows[row][5], want)
	}
	chip, err := configs.Load("k20", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{chip.Hash(), "1"}, []string{table.Rows[0][len(table.Columns)-3], table.Rows[0][len(table.Columns)-1]})
	entries, err := os.ReadDir(filepath.Join(checkout, "scale"))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "the checkout stays as it is")
	for line, want := range map[string]string{
		"suite parsec .": "there is no suite and no file parsec", "suite rodinia .": "is no checkout of rodinia",
		"suite " + folder + "/suite.yaml " + checkout + " --size huge": "--size huge: own has large, small",
		"suite " + folder + "/suite.yaml " + checkout + " --only x":    "--only x: own has scale, wrong, silent, broken",
	} {
		code, _, errOut := keplersim(t, strings.Fields(line)...)
		assert.Equal(t, exitBadInput, code, line)
		assert.Contains(t, errOut, want)
	}
}
