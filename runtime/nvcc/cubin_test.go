package nvcc

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/testkit/need"
)

const (
	addition = "__global__ void add(int *x) { x[threadIdx.x] += 3; }\n"
	counting = `__global__ void count(int *x) { __shared__ int n; if (!threadIdx.x) n = 0; __syncthreads(); atomicAdd(&n, 1); __syncthreads(); *x = n; }
`
)

// A cubin has each kernel, with as many registers as ptxas -v says. A fatbin also has the PTX, and only the PTX if a kernel has no machine
// code here.
func TestCubin(t *testing.T) {
	need.Clang(t)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.cu", []byte(addition), 0o600))
	require.NoError(t, os.WriteFile("b.cu", []byte(addition+counting), 0o600))
	run := func(words ...string) (string, error) {
		var out, errOut bytes.Buffer
		err := Run(t.Context(), words, Output{Out: &out, Err: &errOut})
		return errOut.String(), err
	}
	said, err := run("-cubin", "-arch=sm_35", "-Xptxas", "-v", "a.cu")
	require.NoError(t, err)
	data, err := os.ReadFile("a.cubin")
	require.NoError(t, err)
	m, err := cubin.Parse(data)
	require.NoError(t, err)
	require.Len(t, m.Functions, 1)
	assert.Equal(t, 35, m.Architecture)
	assert.Contains(t, said, fmt.Sprintf("Used %d registers, 328 bytes cmem[0]", m.Functions[0].Registers))

	_, err = run("-ptx", "-arch=sm_35", "-lineinfo", "a.cu")
	require.NoError(t, err)
	_, err = run("-cubin", "-arch=sm_35", "-o", "again.cubin", "a.ptx")
	require.NoError(t, err)
	again, err := os.ReadFile("again.cubin")
	require.NoError(t, err)
	assert.Equal(t, data, again, "from PTX, as ptxas does")

	_, err = run("-fatbin", "-arch=sm_37", "a.cu")
	require.NoError(t, err)
	images := imagesOf(t, "a.fatbin")
	require.Len(t, images, 2)
	assert.Equal(t, 37, images[0].Architecture)
	assert.NotNil(t, images[0].ELF)
	assert.Contains(t, string(images[1].PTX), ".entry")

	_, err = run("-cubin", "-arch=sm_35", "b.cu")
	assert.ErrorContains(t, err, "an atomic operation on shared memory")
	said, err = run("-fatbin", "-arch=sm_35", "b.cu")
	require.NoError(t, err)
	assert.Contains(t, said, "PTX alone")
	require.Len(t, imagesOf(t, "b.fatbin"), 1)

	_, err = run("-cubin", "-arch=sm_32", "a.cu")
	require.ErrorContains(t, err, "sm_30, sm_35 and sm_37")
	_, err = run("-cubin", "-arch=sm_30", "a.cu")
	require.NoError(t, err)
	assert.Equal(t, 30, imagesOf(t, "a.cubin")[0].Architecture)
}

func imagesOf(t *testing.T, name string) []cubin.Image {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	images, err := cubin.Images(data)
	require.NoError(t, err)
	return images
}
