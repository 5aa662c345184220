package kerneltests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/ptx"
)

// excepted are forms in real programs that no kernel here has, with the reason. A pattern matches the whole form.
var excepted = []struct{ pattern, reason string }{
	{`suld\.p\..*|sust\.p\.1d\.v4\.f32\..*`, "no assembler of today takes formatted loads, nor formatted stores of anything but .b32"},
	{`txq\.(addr_mode_0|filter_mode)\.b32`, "a kernel with such a query does not come through today's assembler; package sim tests it"},
	{`cvta(\.to)?\.\w+\.u32`, "32-bit addresses: no driver of today loads such a module"},
	{`div\.rn\.u64|cvt\.rzi\.f32\.f64`, "no assembler of today takes the rounding modifier"},
	{`(mma|ldmatrix|cp\.async|createpolicy)\..*`, "needs hardware later than Kepler"},
	{`.*(f16x2|bf16|e4m3|e5m2).*|(max|min)\.(NaN\.)?f16|set\.gtu\.u32\.f16|atom\.add\.noftz\.f16`,
		"needs half-precision arithmetic, later than Kepler"},
	{`(max|min)\.relu\.s32|tanh\..*|cvt\.pack\..*`, "needs hardware later than Kepler"},
	{`(ld|st)\.global\.v8\..*|mov\.v8\..*`, "vectors of eight need hardware later than Kepler"},
}

// TestEveryFormMetHasAKernel: every instruction form of real programs is in a kernel with recorded results, or is excepted.
func TestEveryFormMetHasAKernel(t *testing.T) {
	have := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.ptx"))
	require.NoError(t, err)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := ptx.Parse(name, string(text))
		require.NoError(t, err)
		for _, s := range file.Statements {
			if f, ok := s.(*ptx.Function); ok && f.Body != nil {
				for i := range f.Body.Instructions() {
					have[i.Mnemonic.Text] = true
				}
			}
		}
	}
	table, err := os.ReadFile("../../isa/ptx/testdata/opcodes.tsv")
	require.NoError(t, err)
	var missing []string
	needed := map[string]bool{} // patterns of excepted
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		form, _, _ := strings.Cut(line, "\t")
		if have[form] {
			continue
		}
		known := false
		for _, e := range excepted {
			if regexp.MustCompile("^(" + e.pattern + ")$").MatchString(form) {
				known, needed[e.pattern] = true, true
			}
		}
		if !known {
			missing = append(missing, form)
		}
	}
	assert.Empty(t, missing)
	for _, e := range excepted {
		assert.True(t, needed[e.pattern], "a kernel has all forms of %s: the exception is stale", e.pattern)
	}
}
