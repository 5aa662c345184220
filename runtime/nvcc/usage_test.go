package nvcc

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The registers are those in the vector addition's report. Its parameters are three pointers and a number, after the driver's 320 bytes.
func TestUsage(t *testing.T) {
	ptx, err := os.ReadFile("../../workloads/vectoradd/vectoradd.ptx")
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, writeUsage(t.Context(), &out, "vectoradd.ptx", ptx, "sm_35", 0))
	assert.Equal(t, `ptxas info    : Compiling entry function 'vectoradd' for 'sm_35'
ptxas info    : Function properties for vectoradd
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, 348 bytes cmem[0]
`, out.String())
}
