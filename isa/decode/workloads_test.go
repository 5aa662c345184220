package decode

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// decodeFile decodes one file.
func decodeFile(t *testing.T, path string) *isa.Program {
	t.Helper()
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := ptx.Parse(filepath.Base(path), string(source))
	require.NoError(t, err)
	p, err := Program([]*ptx.File{file}, Options{})
	require.NoError(t, err)
	return p
}

// TestWorkloads decodes every kernel of the workloads; each has parameters, and pointers among them.
func TestWorkloads(t *testing.T) {
	paths, err := filepath.Glob("../../workloads/*/*.ptx")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(paths), 16)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p := decodeFile(t, path)
			assert.Equal(t, 8, p.AddressBytes)
			assert.Empty(t, p.Emulated)
			require.NotEmpty(t, p.Kernels())
			for _, k := range p.Kernels() {
				pointers := 0
				for _, parameter := range k.Parameters {
					if parameter.Pointer {
						pointers++
						assert.Equal(t, 8, parameter.Bytes)
						assert.NotEqual(t, isa.TypeNone, parameter.Pointee)
					}
				}
				assert.Positive(t, pointers, k.Name)
				assert.NotEmpty(t, k.Blocks, k.Name)
			}
		})
	}
}
