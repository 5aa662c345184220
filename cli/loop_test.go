package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A study takes the launches of a loop once each.
func TestOccupancyOfALaunchInALoop(t *testing.T) {
	folder := t.TempDir()
	text, err := os.ReadFile("testdata/add.ptx")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "k.ptx"), text, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "k.yaml"), []byte(`
module: k.ptx
buffers: {x: {type: f32, count: 1024}, z: {type: f32, count: 1024}}
steps:
  - repeat:
      times: 5
      steps:
        - launch: {kernel: add, grid: [8], block: [128], args: [{rotate: [x, z]}, {rotate: [z, x]}, {u32: 1024}, {f32: 1.0}]}
`), 0o644))
	file := filepath.Join(folder, "k.ptx")
	code, out, errOut := keplersim(
		t, "occupancy", file, "--simulate", "--sweep", "block=64,128", "--cache", filepath.Join(folder, "cache"), "--format", "csv",
	)
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "gk110,3.5,64,")
	code, out, errOut = keplersim(t, "run", file, "--functional")
	require.Equal(t, exitRan, code, errOut)
	assert.Contains(t, out, "note: the launches are those of")
}
