package inspect

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/ptx"
)

func TestCallsAndLayout(t *testing.T) {
	text, err := os.ReadFile("../../testdata/kernels/call/call_1.ptx")
	require.NoError(t, err)
	file, err := ptx.Parse("call_1.ptx", string(text))
	require.NoError(t, err)
	program, err := decode.Program([]*ptx.File{file}, decode.Options{ComputeCapability: 35})
	require.NoError(t, err)
	p := New(program, []*ptx.File{file})
	var kernel *Function
	for i := range p.Functions {
		if p.Functions[i].Kernel {
			kernel = &p.Functions[i]
		}
	}
	require.NotNil(t, kernel)
	assert.Equal(t, Parameter{"in_data", "u64", 0, 8, 8}, kernel.Parameters[0])
	assert.Equal(t, 8, kernel.Parameters[1].Offset)
	assert.Subset(t, kernel.Calls, []string{"triple_plus", "scale", "swap_parts"})
	var out bytes.Buffer
	require.NoError(t, p.DOT(&out))
	assert.Contains(t, out.String(), "digraph program")
	out.Reset()
	require.NoError(t, p.JSON(&out))
	var object map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &object))
	assert.Equal(t, "sm_35", object["target"])
	out.Reset()
	require.NoError(t, p.Text(&out))
	assert.Contains(t, out.String(), "kernel call_1")
}
