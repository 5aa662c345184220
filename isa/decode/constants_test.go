package decode

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/ptx"
)

// Variables have gaps between them if all fit into the bank with these, and none if they do not.
func TestConstantsApart(t *testing.T) {
	for bytes, want := range map[int]uint64{64: 320, 65000: 224, 65400: 96, 65455: 64} {
		text := fmt.Sprintf(".version 4.2\n.target sm_35\n.address_size 64\n.const .b8 a[64];\n.const .align 16 .b8 b[%d];\n"+
			".const .b8 c;\n", bytes)
		file, err := ptx.Parse("k.ptx", text)
		require.NoError(t, err)
		p, err := Program([]*ptx.File{file}, Options{ConstantGaps: true})
		require.NoError(t, err)
		assert.Equal(t, want, p.Symbols[1].Address, bytes)
		for i := range 2 {
			assert.GreaterOrEqual(t, p.Symbols[i+1].Address, p.Symbols[i].Address+uint64(p.Symbols[i].Bytes))
		}
		last := p.Symbols[2]
		assert.LessOrEqual(t, int(last.Address)+last.Bytes, constantBytes)
		p, err = Program([]*ptx.File{file}, Options{})
		require.NoError(t, err)
		assert.Equal(t, uint64(64), p.Symbols[1].Address)
	}
}
