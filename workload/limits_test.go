package workload

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Oversized files are rejected, with a place, before they take memory.
func TestFilesBeyondTheBounds(t *testing.T) {
	for text, want := range map[string]string{
		"steps: " + strings.Repeat("[", 50_000): "w.yaml:1:71: values are nested more than 64 deep",
		strings.Repeat("- ", 200_000):           "values are nested more than 64 deep",
		"a: [" + strings.Repeat("1,", 700_000) +
			"1]": "the file has more than 600000 values; data belongs into files of its own",
		strings.Repeat("x", 5<<20): "the file has more than 4 MB; data belongs into files of " +
			"its own",
		strings.Repeat(`"" `, 100_000):                                    "not valid YAML: value is not allowed in this context",
		"steps: " + strings.Repeat(`"`, 1001) + strings.Repeat("x", 1000): "not valid YAML: ",
	} {
		_, err := Parse("w.yaml", []byte(text))
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
		assert.Less(t, len(err.Error()), 2000, "the message does not repeat the file")
	}
}

func TestEndlessFiles(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(folder, "zero.yaml")))
	_, err := Load(filepath.Join(folder, "zero.yaml"))
	assert.ErrorContains(t, err, "zero.yaml is longer than 4 MB")
	w, err := Parse(
		filepath.Join(folder, "w.yaml"), []byte("buffers: {x: {type: u8, count: 64}}\nsteps: []\nexpect: {x: {file: zero.yaml}}\n"),
	)
	require.NoError(t, err)
	_, err = w.Check("x", bytes.NewReader(make([]byte, 64)))
	assert.ErrorContains(t, err, "zero.yaml is longer than 64 bytes")
}
