package floors

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "draw docs/architecture.svg anew")

var root = filepath.Join("..", "..")

func TestImportsGoDownward(t *testing.T) {
	all, err := imports(root)
	require.NoError(t, err)
	seen := 0
	for pkg, list := range all {
		number, entry, ok := floorOf(pkg)
		if !assert.True(t, ok, "package %s has no floor: give it one in layers_test.go", pkg) {
			continue
		}
		for _, imported := range list {
			seen++
			below, other, ok := floorOf(imported)
			assert.True(t, ok, "package %s has no floor: give it one in layers_test.go", imported)
			sameFolder := other == entry && strings.HasSuffix(entry, "/...")
			assert.True(t, below < number || sameFolder, "%s (floor %d) imports %s (floor %d)", pkg, number, imported, below)
		}
	}
	assert.Greater(t, seen, 20, "the walk found the project's imports")
}

// Go refuses a package with C sources if cgo is on, as it is by default on a machine with gcc. The Makefile turns it off, so only a user's
// `go install` would fail. Sources for other compilers are in folders without Go files.
func TestPackagesHaveNoCSources(t *testing.T) {
	all, err := imports(root)
	require.NoError(t, err)
	for pkg := range all {
		for _, kind := range []string{"c", "cc", "cpp", "cxx", "m", "swig", "f"} {
			sources, err := filepath.Glob(filepath.Join(root, pkg, "*."+kind))
			require.NoError(t, err)
			assert.Empty(t, sources)
		}
	}
}

// Every entry of a floor exists.
func TestEveryRoomExists(t *testing.T) {
	for _, f := range floors {
		for _, entry := range f.packages {
			folder, _ := strings.CutSuffix(entry, "/...")
			info, err := os.Stat(filepath.Join(root, folder))
			assert.True(t, err == nil && info.IsDir(), "%s on the floor %q is not a folder", folder, f.name)
		}
	}
	for _, w := range shownPaths {
		for _, pkg := range w.packages {
			_, _, ok := floorOf(pkg)
			assert.True(t, ok, "%s: %s", w.name, pkg)
		}
	}
}

func TestPictureIsInStep(t *testing.T) {
	all, err := imports(root)
	require.NoError(t, err)
	want := picture(all)
	file := filepath.Join(root, "docs", "architecture.svg")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, want == string(have), "the imports have changed: go test ./internal/floors -update, and look at docs/architecture.svg")
}
