package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/recording"
)

// Reports and recordings name the keplersim that made them, and hash the configuration: another value gives another hash.
func TestReportsNameWhatMadeThem(t *testing.T) {
	folder := t.TempDir()
	for _, set := range []string{"l2.latency=100", "l2.latency=200"} {
		chip, err := configs.Load("k40", []string{set, "smx.count=2"})
		require.NoError(t, err)
		recorded := filepath.Join(folder, "r.kst")
		code, out, errOut := keplersim(t, "run", "testdata/add.ptx", "--config", "k40", "--set", set, "--set", "smx.count=2", "--grid", "2",
			"--block", "32", "--format", "json", "--record", recorded)
		require.Equal(t, exitRan, code, errOut)
		var got struct {
			Schema     int
			Keplersim  string
			ConfigHash string `json:"config_hash"`
		}
		require.NoError(t, json.Unmarshal([]byte(out), &got))
		assert.Equal(t, chip.Hash(), got.ConfigHash)
		assert.Equal(t, version.This().Short(), got.Keplersim)
		assert.Positive(t, got.Schema)
		file, err := os.Open(recorded)
		require.NoError(t, err)
		r, err := recording.Read(file)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		assert.Equal(t, chip.Hash(), r.ConfigHash)
		assert.Equal(t, version.This().Short(), r.Program)
	}
}
