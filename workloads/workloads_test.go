package workloads

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
	"github.com/keplersim/keplersim/tools/compile"
	"github.com/keplersim/keplersim/workload"
)

// Each folder is complete: source, code, workload file, a reference, and a comment that says what the kernel teaches.
func TestEachFolderIsAWorkload(t *testing.T) {
	sources, err := filepath.Glob("*/*.cu")
	require.NoError(t, err)
	assert.Len(t, sources, 33)
	page, err := os.ReadFile("../docs/workloads.md")
	require.NoError(t, err)
	for _, source := range sources {
		base := strings.TrimSuffix(source, ".cu")
		name := filepath.Base(base)
		assert.Equal(t, name, filepath.Dir(source))
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(text), "// "), "%s opens with what it teaches", source)
		assert.Contains(t, references, name)
		assert.Contains(t, string(page), "["+name+"](../workloads/"+source+")")
		path, ok := workload.Beside(base + ".ptx")
		require.True(t, ok, "%s.ptx has a workload file beside it", base)
		w, err := workload.Load(path)
		require.NoError(t, err)
		assert.Equal(t, name, w.Name)
		ptx, err := os.ReadFile(w.File(w.Module))
		require.NoError(t, err)
		for _, l := range w.Launches() {
			assert.Contains(t, string(ptx), ".entry "+l.Kernel+"(", path)
		}
	}
}

// No workload uses code whose results may differ between GPUs: approximate instructions, and atomic additions of floats. Multiplications
// and additions fuse by one rule for all (docs/floating-point.md).
func TestCodeIsTheSameOnEveryGPU(t *testing.T) {
	files, err := filepath.Glob("*/*.ptx")
	require.NoError(t, err)
	for _, file := range files {
		ptx, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, word := range []string{".approx", ".full", "atom.global.add.f32"} {
			assert.NotContains(t, string(ptx), word, file)
		}
		gk104 := strings.Contains(string(ptx), ".target sm_30")
		assert.Equal(t, gk104, strings.HasSuffix(file, ".sm_30.ptx"), file)
		if _, err := os.Stat(strings.TrimSuffix(file, ".ptx") + ".sm_30.ptx"); gk104 || os.IsNotExist(err) {
			assert.NotContains(t, string(ptx), "ld.global.nc", "%s is meant for GK104 too", file)
		}
	}
}

// The committed .ptx is what clang 19 makes of the committed .cu.
func TestCodeIsMadeFromSource(t *testing.T) {
	need.ClangVersion(t, 19)
	sources, err := filepath.Glob("*/*.cu")
	require.NoError(t, err)
	for _, source := range sources {
		base := strings.TrimSuffix(source, ".cu")
		for arch, file := range map[string]string{"sm_35": base + ".ptx", "sm_30": base + ".sm_30.ptx"} {
			want, err := os.ReadFile(file)
			if os.IsNotExist(err) && arch == "sm_30" {
				continue
			}
			require.NoError(t, err)
			if slices.Contains(compile.Kept, filepath.Base(file)) {
				continue
			}
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				result, err := toolchain.Compile(context.Background(), source, toolchain.Options{Arch: arch})
				require.NoError(t, err)
				assert.Equal(t, instructions(want), instructions(result.PTX), "%s is out of date: run make workloads", file)
			})
		}
	}
}

// instructions drops comments, which may differ between releases of one clang version.
func instructions(ptx []byte) string {
	var out []string
	for line := range strings.Lines(string(ptx)) {
		line, _, _ = strings.Cut(line, "//")
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
