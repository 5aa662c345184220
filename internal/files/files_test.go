package files

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// write makes a file and returns its path.
func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// names returns the files of a folder, hidden ones included.
func names(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestReadIsBounded(t *testing.T) {
	path := write(t, t.TempDir(), "ten", "0123456789")
	data, err := Read(path, 10)
	require.NoError(t, err)
	assert.Equal(t, "0123456789", string(data))
	_, err = Read(path, 9)
	assert.EqualError(t, err, path+" is longer than 9 bytes, the most that is read here")
	_, err = Read("/dev/zero", 4<<20)
	assert.EqualError(t, err, "/dev/zero is longer than 4 MB, the most that is read here")
	_, err = ReadFrom(bytes.NewReader(make([]byte, 3<<10)), "standard input", 2<<10)
	assert.EqualError(t, err, "standard input is longer than 2 KB, the most that is read here")
}

func TestSame(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	a, other := write(t, folder, "a", ""), write(t, folder, "other", "")
	require.NoError(t, os.Link(a, "hard"))
	require.NoError(t, os.Symlink("a", "soft"))
	require.NoError(t, os.Mkdir("sub", 0o755))
	require.NoError(t, os.Symlink("sub", "link"))
	require.NoError(t, os.Symlink("../none", "sub/dangling"))
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"a", a, true}, {"a", "./a", true}, {"a", "sub/../a", true}, {"a", "hard", true}, {"a", "soft", true}, {"hard", "soft", true},
		{"a", other, false}, {"a", "none", false}, {"none", "a", false},
		{"none", "./none", true}, {"none", "link/../none", true}, {"link/new", "sub/new", true}, {"none", "sub/dangling", true},
		{"none", "new", false},
		{os.DevNull, os.DevNull, false},
	} {
		assert.Equal(t, test.same, Same(test.a, test.b), "%s and %s", test.a, test.b)
	}
}

// Until an output is committed, the earlier file stays; afterwards no temporary file is left.
func TestOutputAppearsWholeOrNotAtAll(t *testing.T) {
	folder := t.TempDir()
	path := write(t, folder, "report", "before")
	require.NoError(t, os.Chmod(path, 0o640))
	o, err := Create(path)
	require.NoError(t, err)
	_, err = io.WriteString(o, "after")
	require.NoError(t, err)
	assert.Equal(t, "before", text(t, path))
	assert.Nil(t, o.File())
	require.NoError(t, o.Commit())
	o.Close()
	assert.Equal(t, "after", text(t, path))
	assert.Equal(t, "report", names(t, folder))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode(), "the permissions of the file that was replaced")

	broken := errors.New("no more")
	assert.ErrorIs(t, Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return broken
	}), broken)
	assert.Equal(t, "after", text(t, path))
	assert.Equal(t, "report", names(t, folder))

	o, err = Create(path)
	require.NoError(t, err)
	require.NotEqual(t, "report", names(t, folder))
	Discard()
	assert.Equal(t, "report", names(t, folder), "a program that ends at once leaves nothing")
	o.Close()
}

// If two writers write one file, the last to finish has it whole.
func TestTwoOutputsOfOneName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	a, errA := Create(path)
	b, errB := Create(path)
	require.NoError(t, errors.Join(errA, errB))
	for range 1000 {
		_, errA = a.Write([]byte("aaaa"))
		_, errB = b.Write([]byte("bb"))
		require.NoError(t, errors.Join(errA, errB))
	}
	require.NoError(t, b.Commit())
	assert.Equal(t, strings.Repeat("b", 2000), text(t, path))
	require.NoError(t, a.Commit())
	assert.Equal(t, strings.Repeat("a", 4000), text(t, path))
}

func TestOutputThroughALinkAndToDevices(t *testing.T) {
	folder := t.TempDir()
	path, link := write(t, folder, "report", "before"), filepath.Join(folder, "link")
	require.NoError(t, os.Symlink("report", link))
	require.NoError(t, Write(link, func(w io.Writer) error { _, err := io.WriteString(w, "after"); return err }))
	assert.Equal(t, "after", text(t, path), "the link stays, the file behind it is written")
	target, err := os.Readlink(link)
	require.NoError(t, err)
	assert.Equal(t, "report", target)

	o, err := Create(os.DevNull)
	require.NoError(t, err)
	assert.NotNil(t, o.File())
	require.NoError(t, o.Commit())
	if _, err := os.Stat("/dev/full"); err == nil {
		err = Write("/dev/full", func(w io.Writer) error { _, err := io.WriteString(w, "after"); return err })
		assert.ErrorContains(t, err, "/dev/full: no space left on device")
	}
	_, err = Create(folder)
	assert.ErrorContains(t, err, "is a directory")
	_, err = Create(filepath.Join(folder, "none", "report"))
	assert.ErrorContains(t, err, "none/report: no such file or directory")
	long := filepath.Join(folder, strings.Repeat("n", 255))
	require.NoError(t, Write(long, func(io.Writer) error { return nil }))
}

func TestWhatMayNotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everything")
	}
	folder := t.TempDir()
	path := write(t, folder, "report", "before")
	require.NoError(t, os.Chmod(path, 0o444))
	_, err := Create(path)
	assert.ErrorIs(t, err, os.ErrPermission, "a file that may not be written is not replaced either")
	require.NoError(t, os.Chmod(path, 0o644))
	require.NoError(t, os.Chmod(folder, 0o555))
	defer os.Chmod(folder, 0o755)
	require.NoError(t, Write(path, func(w io.Writer) error { _, err := io.WriteString(w, "after"); return err }))
	assert.Equal(t, "after", text(t, path), "in a folder that takes no other file, it is written in place")
}

// Leftovers of killed programs are removed; files that a living program holds, and young files, stay.
func TestRemoveStale(t *testing.T) {
	folder := t.TempDir()
	old := time.Now().Add(-48 * time.Hour)
	for _, name := range []string{".report.keplersim-1", ".report.keplersim-2", ".other.keplersim-3", "report"} {
		require.NoError(t, os.Chtimes(write(t, folder, name, "x"), old, old))
	}
	write(t, folder, ".report.keplersim-4", "young")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, ".report.keplersim-5", "sub"), 0o755))
	require.NoError(t, os.Chtimes(filepath.Join(folder, ".report.keplersim-5"), old, old))
	held, err := os.Open(filepath.Join(folder, ".report.keplersim-2"))
	require.NoError(t, err)
	Hold(held)
	o, err := Create(filepath.Join(folder, "report"))
	require.NoError(t, err)
	o.Close()
	assert.Equal(t, ".other.keplersim-3 .report.keplersim-2 .report.keplersim-4 report", names(t, folder))
	held.Close()
	RemoveStale(folder, ".report")
	assert.Equal(t, ".other.keplersim-3 .report.keplersim-4 report", names(t, folder))
}
