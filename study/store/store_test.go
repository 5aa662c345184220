package store

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type result struct{ Cycles int }

func open(t *testing.T, folder string, sources ...string) *Store {
	t.Helper()
	s, err := Open(folder, sources...)
	require.NoError(t, err)
	return s
}

// A result is found by its key, in the store or in a source. A damaged file, or one with another key, counts as missing.
func TestResultsAreFoundByTheirKeys(t *testing.T) {
	folder, other := filepath.Join(t.TempDir(), "deep", "store"), t.TempDir()
	a, b := Fingerprint([]byte("a"), []byte("b")), Fingerprint([]byte("ab"), nil)
	require.NotEqual(t, a, b)
	require.NotEqual(t, Fingerprint([]byte("ab")), b, "an empty input is one, too")
	require.NoError(t, open(t, other).Put(a, result{7}))
	s := open(t, folder, other)
	var got result
	require.True(t, s.Get(a, &got))
	assert.Equal(t, 7, got.Cycles)
	assert.False(t, s.Get(b, &got))
	require.NoError(t, s.Put(b, result{8}))
	require.True(t, open(t, folder).Get(b, &got))
	assert.Equal(t, 8, got.Cycles)

	require.NoError(t, os.WriteFile(file(folder, b), []byte(`{"key":"`+b), 0o644))
	assert.False(t, s.Get(b, &got), "a file that is cut off")
	text, err := os.ReadFile(file(other, a))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file(folder, b), text, 0o644))
	assert.False(t, s.Get(b, &got), "another's file")
}

// Many writers of one store, and even of one key, leave complete results and nothing else.
func TestManyWritersShareAStore(t *testing.T) {
	folder := t.TempDir()
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			s, err := Open(folder)
			if !assert.NoError(t, err) {
				return
			}
			for i := range 50 {
				assert.NoError(t, s.Put(Fingerprint([]byte{byte(i)}), result{i}))
			}
		})
	}
	writers.Wait()
	s := open(t, folder)
	for i := range 50 {
		var got result
		require.True(t, s.Get(Fingerprint([]byte{byte(i)}), &got))
		assert.Equal(t, i, got.Cycles)
	}
	parts, err := filepath.Glob(filepath.Join(folder, "*", "part-*"))
	require.NoError(t, err)
	assert.Empty(t, parts)
}

// Errors name stores of another version, folders that are no stores, and folders that cannot be written.
func TestStoresThatCannotBeUsed(t *testing.T) {
	old := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(old, "ab"), 0o755))
	_, err := Open(old)
	assert.EqualError(t, err, old+" keeps results of an older keplersim, which cannot be used: name another folder, or delete it")

	for text, want := range map[string]string{
		"keplersim results, format 0\n": " keeps results of format 0 of an older keplersim; this one has format 1: name another folder, " +
			"or delete it",
		"keplersim results, format 2\n": " keeps results of format 2 of a newer keplersim; this one has format 1: name another folder",
		"hello\n":                       ` is not a folder of results: its file format says "hello"`,
	} {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, formatFile), []byte(text), 0o644))
		_, err := Open(folder)
		assert.EqualError(t, err, folder+want)
	}
	_, err = Open(t.TempDir(), old)
	assert.ErrorContains(t, err, "an older keplersim")
	empty := t.TempDir()
	_, err = Open(t.TempDir(), empty)
	assert.EqualError(t, err, empty+" holds no results of keplersim")

	plain := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(plain, nil, 0o644))
	_, err = Open(plain)
	assert.EqualError(t, err, "results cannot be kept in "+plain+": not a directory; name another folder")

	if os.Getuid() != 0 {
		locked := t.TempDir()
		open(t, locked)
		require.NoError(t, os.Chmod(locked, 0o500))
		_, err = Open(locked)
		assert.EqualError(t, err, "results cannot be kept in "+locked+": permission denied; name another folder")
	}
}
