package translate_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/sass/hazard"
	"github.com/keplersim/keplersim/isa/sass/translate"
)

// publicBinaries names a folder with binaries that nvcc made for sm_35 (rohinarora/CUDA@13c8549b, marcosamaris/BSPGPURodinia@7e3c509a):
// they are not ours to keep.
const publicBinaries = "KEPLERSIM_SM35_BINARIES"

// No wait in nvcc's own control words is shorter than hazard.Nvcc says, and all kernels can be run.
func TestPublicBinariesHaveNoHazard(t *testing.T) {
	folder := os.Getenv(publicBinaries)
	if folder == "" {
		t.Skip(publicBinaries + " names no folder")
	}
	kernels := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		if !cubin.IsMachineCode(data) {
			return nil
		}
		images, _ := cubin.Images(data) // host code has none
		for _, image := range images {
			if image.Architecture != 35 || image.ELF == nil {
				continue
			}
			m, err := cubin.Parse(image.ELF)
			require.NoError(t, err, path)
			p, err := translate.Program(path, []*cubin.Module{m})
			require.NoError(t, err, path)
			for _, k := range p.Functions {
				if k.Kernel {
					require.NoError(t, k.Resolved(), path)
					kernels++
					assert.Empty(t, hazard.Check(hazard.Of(k.Machine), hazard.Nvcc), "%s: %s", path, k.Name)
				}
			}
		}
		return nil
	}))
	assert.Positive(t, kernels)
	t.Logf("%d kernels", kernels)
}
