package runtime

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// cachedBuild makes a program's Build with its own folders for the cache and temporary files.
func cachedBuild(t *testing.T, cacheHome string) (*Build, string) {
	t.Helper()
	need.Builder(t)
	temporary := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cacheHome)
	t.Setenv("TMPDIR", temporary)
	source := filepath.Join(t.TempDir(), "p.cu")
	require.NoError(t, os.WriteFile(source, []byte("int main() { return 0; }\n"), 0o600))
	return &Build{Sources: []string{source}}, temporary
}

// If the cache cannot be written, another user may have put a program into a temporary folder of its name. That program must not run.
func TestAProgramOfAnotherUserIsNotRun(t *testing.T) {
	b, temporary := cachedBuild(t, os.DevNull)
	theirs := filepath.Join(temporary, fmt.Sprintf("keplersim-%d", os.Getuid()))
	require.NoError(t, os.Mkdir(theirs, 0o700))
	key, err := b.key()
	require.NoError(t, err)
	planted := filepath.Join(theirs, "program-"+key)
	require.NoError(t, os.WriteFile(planted, []byte("#!/bin/sh\necho theirs\n"), 0o700))
	require.NoError(t, os.WriteFile(planted+".json", []byte("[]"), 0o600))
	require.NoError(t, os.Chmod(theirs, 0o777))
	built, err := b.Program(t.Context())
	require.NoError(t, err)
	assert.NotEqual(t, planted, built.Path)
	assert.Contains(t, built.Note, "other users may write to "+theirs)
	info, err := os.Stat(filepath.Dir(built.Path))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	built.Close()
	assert.NoFileExists(t, built.Path)
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Len(t, left, 1, "nothing but their folder")
}

// A full cache stops no run: the program runs from where it was made, and one line says why.
func TestAFullCacheStopsNoRun(t *testing.T) {
	home := t.TempDir()
	b, _ := cachedBuild(t, home)
	key, err := b.key()
	require.NoError(t, err)
	// A folder in the program's place stands for a full disk: it takes no file.
	require.NoError(t, os.MkdirAll(filepath.Join(home, "keplersim", "program-"+key, "full"), 0o700))
	require.NoError(t, os.Chmod(filepath.Join(home, "keplersim"), 0o700))
	built, err := b.Program(t.Context())
	require.NoError(t, err)
	assert.FileExists(t, built.Path)
	assert.Regexp(t, "^note: compiled programs are not kept, and each run compiles again: .*[^\n]$", built.Note)
	built.Close()
	assert.NoFileExists(t, built.Path)
}
