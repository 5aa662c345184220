package decode

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A load past the last parameter or past the end of a constant gets a note with its line. A load within does not.
func TestOverrunsAreNoted(t *testing.T) {
	const text = `.version 4.0
.target sm_35
.address_size 64
.const .align 4 .b32 c[4];
.visible .entry k(.param .u64 x, .param .u32 n)
{
	.reg .u64 %rd<3>;
	.reg .u32 %r<9>;
	LOAD
	ret;
}
`
	for load, want := range map[string]string{
		"ld.param.u32 %r1, [n];": "", "ld.param.u32 %r1, [x+8];": "", "ld.const.u32 %r1, [c+12];": "",
		"ld.const.v4.u32 {%r1, %r2, %r3, %r4}, [c];": "",
		"ld.const.u32 %r1, [%rd1];":                  "",
		"ld.param.u32 %r1, [n+4];": "9: the load reads bytes 12 to 15, beyond the 12 bytes of the parameters of `k`: " +
			"it gets what follows, or zero",
		"ld.param.u64 %rd1, [n];": "9: the load reads bytes 8 to 15, beyond the 12 bytes of the parameters of `k`: " +
			"it gets what follows, or zero",
		"ld.param.u32 %r1, [x+-4];": "9: the load reads bytes -4 to -1, beyond the 12 bytes of the parameters of `k`: " +
			"it gets what follows, or zero",
		"ld.const.u32 %r1, [c+16];": "9: the load reads bytes 16 to 19, beyond the 16 bytes of `c`: it gets what " +
			"follows, or zero",
		"ld.const.v4.u32 {%r1, %r2, %r3, %r4}, [c+4];": "9: the load reads bytes 4 to 19, beyond the 16 bytes of `c`: it gets what " +
			"follows, or zero",
	} {
		p, err := decodeText(t, strings.Replace(text, "LOAD", load, 1), Options{})
		require.NoError(t, err, load)
		var notes []string
		for _, n := range p.Notes {
			notes = append(notes, itoa(int(p.Lines[n.Line].PTXLine))+": "+n.Message)
		}
		assert.Equal(t, want, strings.Join(notes, "\n"), load)
	}
}
