//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package files

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A cache is used only if no other user could have put anything there.
func TestCacheIsOursAlone(t *testing.T) {
	home, temporary := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv("HOME", home)
	t.Setenv("TMPDIR", temporary)
	folder, err := Cache()
	require.NoError(t, err)
	info, err := os.Stat(folder)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	other := filepath.Join(temporary, filepath.Base(temporary))
	require.NoError(t, os.Mkdir(other, 0o700))
	for name, test := range map[string]struct {
		make   func() error
		reason string // "" if the folder is used
		root   bool
	}{
		"as it is":          {func() error { return nil }, "", false},
		"others may read":   {func() error { return os.Chmod(folder, 0o755) }, "", false},
		"others may write":  {func() error { return os.Chmod(folder, 0o777) }, "other users may write to", false},
		"a group may write": {func() error { return os.Chmod(folder, 0o770) }, "other users may write to", false},
		"a link":            {func() error { return errors.Join(os.Remove(folder), os.Symlink(other, folder)) }, "is not a folder", false},
		"a file": {func() error {
			return errors.Join(os.Remove(folder), os.WriteFile(folder, nil, 0o600))
		}, "is not a folder", false},
		"another user's": {func() error { return os.Chown(folder, 12345, -1) }, "belongs to another user", true},
		"replaceable":    {func() error { return os.Chmod(filepath.Dir(folder), 0o777) }, "everybody may replace it", false},
	} {
		t.Run(name, func(t *testing.T) {
			if test.root && os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			require.NoError(t, os.RemoveAll(folder))
			require.NoError(t, os.MkdirAll(folder, 0o700))
			require.NoError(t, os.Chmod(filepath.Dir(folder), 0o700))
			require.NoError(t, test.make())
			err := makePrivate(folder)
			if test.reason == "" {
				require.NoError(t, err)
				info, err := os.Stat(folder)
				require.NoError(t, err)
				assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
				return
			}
			require.ErrorContains(t, err, test.reason)
			used, err := Cache()
			require.NoError(t, err)
			assert.NotEqual(t, folder, used)
		})
	}
}

func TestTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := Temporary("keplersim-x-")
	require.NoError(t, err)
	info, err := os.Stat(f.Path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	write(t, f.Path, "a", "b")
	f.Close()
	assert.NoDirExists(t, f.Path)
}

// A made file is placed like an output, and is executable if it was before.
func TestPlace(t *testing.T) {
	folder := t.TempDir()
	made := write(t, folder, "made", "text")
	require.NoError(t, os.Chmod(made, 0o755))
	to := write(t, folder, "to", "before")
	require.NoError(t, os.Chmod(to, 0o640))
	require.NoError(t, Place(made, to))
	info, err := os.Stat(to)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o750), info.Mode().Perm())
	assert.Equal(t, "text", text(t, to))
	if _, err := os.Stat("/dev/full"); err == nil {
		assert.ErrorContains(t, Place(made, "/dev/full"), "no space left on device")
	}
	require.NoError(t, Put(to, 0o600, []byte("cache")))
	assert.Equal(t, "cache", text(t, to))
	assert.Equal(t, "made to", names(t, folder))
}

// A folder is removed even if a killed compiler still writes into it.
func TestTemporaryFolderGoesWhileOthersWrite(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	folder, err := Temporary("test-")
	require.NoError(t, err)
	end := time.Now().Add(50 * time.Millisecond)
	begun, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for i := 0; time.Now().Before(end); i++ {
			_ = os.Mkdir(filepath.Join(folder.Path, strconv.Itoa(i)), 0o700)
			if i == 10 {
				close(begun)
			}
		}
	}()
	<-begun
	folder.Close()
	<-done
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left)
}
