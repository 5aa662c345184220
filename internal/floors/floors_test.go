package floors

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/keplersim/keplersim/"

// floors lists the packages from the ground up. A package imports packages of lower floors alone; a name that ends
// in /... stands for the packages in a folder, which may import each other.
var floors = [][]string{
	{"internal/spelling", "internal/piped"},
	{"internal/registry"},
	{"configs", "isa/fp", "isa/ptx", "isa/oracle"},
	{"isa", "isa/debuginfo", "isa/texture"},
	{"isa/modes", "isa/decode", "isa/exec", "isa/lower", "sim/stats", "sim/smx/occupancy"},
	{"sim/engine", "sim/cache"},
	{"sim/observe"},
	{"sim/dram"},
	{"sim/memory", "sim/check"},
	{"sim/scheduler"},
	{"sim/smx"},
	{"sim"},
	{"workload", "toolchain", "validation"},
	{"host"},
	{"report/...", "workloads/...", "validation/build"},
	{"cmd/...", "internal/..."},
}

// floorOf finds a package's floor and the entry that names it.
func floorOf(pkg string) (floor int, entry string, ok bool) {
	for i, entries := range floors {
		for _, e := range entries {
			folder, under := strings.CutSuffix(e, "/...")
			if pkg == e || under && (pkg == folder || strings.HasPrefix(pkg, folder+"/")) {
				return i, e, true
			}
		}
	}
	return 0, "", false
}

func TestImportsGoDownward(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && file != root) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		pkg := path.Dir(filepath.ToSlash(relative))
		floor, entry, ok := floorOf(pkg)
		if !assert.True(t, ok, "package %s has no floor: give it one in this test", pkg) {
			return nil
		}
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range source.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			require.NoError(t, err)
			imported, ours := strings.CutPrefix(name, module)
			if !ours {
				continue
			}
			seen++
			below, other, ok := floorOf(imported)
			assert.True(t, ok, "package %s has no floor: give it one in this test", imported)
			assert.True(t, below < floor || other == entry && strings.HasSuffix(entry, "/..."), "%s (floor %d) imports %s (floor %d)", relative, floor, imported, below)
		}
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, seen, 20, "the walk found the project's imports")
}
