package lower_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/ptx"
)

// decodeText decodes PTX.
func decodeText(t testing.TB, name, text string) *isa.Program {
	t.Helper()
	file, err := ptx.Parse(name, text)
	require.NoError(t, err)
	p, err := decode.Program([]*ptx.File{file}, decode.Options{})
	require.NoError(t, err)
	return p
}

// workload decodes a workload's PTX.
func workload(t *testing.T, path string) *isa.Program {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return decodeText(t, filepath.Base(path), string(text))
}

// TestWorkloads lowers every kernel of the workloads, and the executor takes each.
func TestWorkloads(t *testing.T) {
	paths, err := filepath.Glob("../../workloads/*/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		p := workload(t, path)
		for _, k := range p.Kernels() {
			mp, err := lower.Program(t.Context(), p, k, lower.Options{})
			require.NoError(t, err, path)
			_, err = exec.Bind(mp)
			assert.NoError(t, err, path)
			for _, limit := range []int{0, 16, 24, 40} {
				assert.NoError(t, lower.Verify(p, k, lower.Options{MaxRegisters: limit}), "%s with at most %d registers", path, limit)
			}
			if testing.Verbose() {
				var b strings.Builder
				require.NoError(t, lower.Print(mp, nil, &b))
				t.Log(b.String())
			}
		}
	}
}
