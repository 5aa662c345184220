package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var day = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// An archive unpacks to the files that went in, with their modes and the commit's date. It has the same bytes each time.
func TestArchives(t *testing.T) {
	t.Parallel()
	files := []file{{"keplersim", 0o755, []byte("program")}, {"README.md", 0o644, []byte("read me")}}
	packed, ending, err := pack("linux", "k", day, files)
	require.NoError(t, err)
	assert.Equal(t, ".tar.gz", ending)
	again, _, err := pack("linux", "k", day, files)
	require.NoError(t, err)
	assert.Equal(t, packed, again)
	g, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	r := tar.NewReader(g)
	for _, f := range files {
		header, err := r.Next()
		require.NoError(t, err)
		assert.Equal(t, "k/"+f.name, header.Name)
		assert.Equal(t, int64(f.mode), header.Mode)
		assert.True(t, day.Equal(header.ModTime))
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Equal(t, f.data, data)
	}

	packed, ending, err = pack("windows", "k", day, files)
	require.NoError(t, err)
	assert.Equal(t, ".zip", ending)
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	require.NoError(t, err)
	require.Len(t, z.File, 2)
	assert.Equal(t, "k/keplersim", z.File[0].Name)
	assert.Equal(t, os.FileMode(0o755), z.File[0].Mode())
}

// A bill of materials names each module once, with version and checksum, and its relationships refer to packages.
func TestBill(t *testing.T) {
	t.Parallel()
	text, err := billOfMaterials("k", &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "example.org/k", Version: "v1.2.3"},
		Deps: []*debug.Module{{Path: "example.org/a/b", Version: "v0.1.0", Sum: "h1:abc="}, {Path: "example.org/a_b", Version: "v0.2.0"}}},
		sha256.Sum256([]byte("program")), day)
	require.NoError(t, err)
	var b spdx
	require.NoError(t, json.Unmarshal(text, &b))
	ids := map[string]bool{b.ID: true}
	names := map[string]string{}
	for _, p := range b.Packages {
		assert.False(t, ids[p.ID], p.ID)
		ids[p.ID], names[p.Name] = true, p.Version
	}
	assert.Equal(t, map[string]string{"example.org/k": "v1.2.3", "example.org/a/b": "v0.1.0", "example.org/a_b": "v0.2.0",
		"std": "go1.26.8"},
		names)
	assert.Contains(t, string(text), "go.sum: h1:abc=")
	assert.Contains(t, string(text), "pkg:golang/example.org/a/b@v0.1.0")
	for _, r := range b.Relationships {
		assert.True(t, ids[r.Element] && ids[r.Related], "%v", r)
	}
}

func TestNotesAreTheVersionsSection(t *testing.T) {
	t.Parallel()
	notes, err := section("# Changelog\n\n## Unreleased\n\n- c\n\n## 2.0.0\n\n- b\n\n## 1.0.0\n\n- a\n", "2.0.0")
	require.NoError(t, err)
	assert.Equal(t, "- b\n", notes)
	_, err = section("# Changelog\n", "2.0.0")
	assert.Error(t, err)
}

// Every document for archives exists, and every platform is a pair.
func TestWhatArchivesHave(t *testing.T) {
	t.Parallel()
	for _, d := range documents {
		assert.FileExists(t, filepath.Join("../..", d))
	}
	assert.ErrorContains(t, release(t.TempDir(), platforms, "v0.0.1", true), "the tag is v0.0.1")
}

// A release has one of the plotting library's fonts: the other font packages contain no file.
func TestReleasesHaveOneFont(t *testing.T) {
	t.Chdir("../..")
	folder := filepath.Join("bin", ".release-test")
	t.Cleanup(func() { os.RemoveAll(folder) })
	modfile, err := replaceFonts(folder)
	require.NoError(t, err)
	found, err := output("go", "list", "-deps", "-modfile", modfile, "-f", "{{range .EmbedFiles}}{{.}} {{end}}", "./report/plots")
	require.NoError(t, err)
	assert.Equal(t, []string{"LiberationSans-Regular.ttf"}, regexp.MustCompile(`\S+\.ttf`).FindAllString(found, -1))
}
