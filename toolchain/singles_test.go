package toolchain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The usual functions in single precision take no operation in double, as in CUDA's library: most boards are slow in it.
func TestSinglesTakeNoDoubles(t *testing.T) {
	NeedClang(t)
	var source strings.Builder
	for arguments, names := range map[string]string{
		"x": "expf exp2f exp10f expm1f logf log2f log10f log1pf sinf cosf tanf sinpif cospif asinf acosf atanf sinhf coshf tanhf " +
			"asinhf acoshf atanhf cbrtf erff",
		"x, y":    "powf atan2f hypotf fmodf",
		"x, y, x": "norm3df",
	} {
		for _, name := range strings.Fields(names) {
			fmt.Fprintf(&source, "extern \"C\" __global__ void k_%s(float x, float y, float *o) { *o = %[1]s(%s); }\n", name, arguments)
		}
	}
	entry := ""
	for line := range strings.Lines(compile(t, source.String(), Options{})) {
		if name, is := strings.CutPrefix(line, ".visible .entry "); is {
			entry = name
		}
		assert.NotContains(t, line, ".f64", entry)
	}
	assert.NotEmpty(t, entry)
}
