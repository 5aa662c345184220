package runtime

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/cubin"
)

// Machine code that a program loads by the driver API keeps its trailing zeros, which belong to it. PTX ends before them.
func TestImagesOfMachineCodeStayWhole(t *testing.T) {
	code := cubin.Write(&cubin.Module{Architecture: 35, Functions: []*cubin.Function{{Name: "k", Kernel: true, Code: make([]byte, 64)}}})
	require.Zero(t, code[len(code)-1])
	m, err := parseImage(1, makeImage("k.cubin", false, code))
	require.NoError(t, err)
	assert.Equal(t, code, m.text)
	m, err = parseImage(1, makeImage("k.ptx", false, []byte(".version 4.3\x00\x00")))
	require.NoError(t, err)
	assert.Equal(t, ".version 4.3", string(m.text))
}
