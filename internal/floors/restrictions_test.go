package floors

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// restriction is something that only one package does for the whole program, because a mistake in it is a security hole.
type restriction struct {
	what    string
	names   map[string][]string // forbidden elsewhere, by package
	owner   string              // the package that does it
	allowed []string            // files and folders that also may
}

var restrictions = []restriction{
	{"start programs with command.Tool or command.Program", map[string][]string{
		"os/exec": {"Command", "CommandContext", "Cmd"}, "os": {"StartProcess"}, "syscall": {"Exec", "ForkExec", "StartProcess"},
	}, "internal/command", []string{"tools/release", "tools/testrun"}}, // developers' tools
	{"write outputs with files.Write, files.Create or files.Place", map[string][]string{
		"os": {"Create", "WriteFile", "OpenFile", "Rename", "Truncate"}, "io/ioutil": {"WriteFile"},
	}, "internal/files", []string{
		// In temporary folders of ours.
		"toolchain", "runtime/build.go", "runtime/toolkit.go", "runtime/nvcc/run.go", "validation/programs", "lab/engine",
		// Developers' tools.
		"tools/compile", "testkit/kerneltests", "tools/release", "tools/mutants",
	}},
	{"make caches and temporary folders with files.Cache, files.Temporary or files.Scratch", map[string][]string{
		"os": {"CreateTemp", "MkdirTemp", "UserCacheDir", "TempDir"}, "io/ioutil": {"TempFile", "TempDir"},
	}, "internal/files", []string{"tools/suites", "tools/indigo", "tools/mutants", "tools/release"}}, // developers' tools
}

// Each of these is done in one package only.
func TestRestrictedCallsAreInOnePackage(t *testing.T) {
	t.Parallel()
	seen, used := 0, map[string]bool{}
	err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && name != "..") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		seen++
		fset := token.NewFileSet()
		source, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			return err
		}
		imported := map[string]string{}
		for _, i := range source.Imports {
			full := strings.Trim(i.Path.Value, `"`)
			name := path.Base(full)
			if i.Name != nil {
				name = i.Name.Name
			}
			imported[name] = full
		}
		types := map[*ast.SelectorExpr]bool{} // *exec.Cmd in a signature starts nothing
		ast.Inspect(source, func(n ast.Node) bool {
			if star, ok := n.(*ast.StarExpr); ok {
				if s, ok := star.X.(*ast.SelectorExpr); ok {
					types[s] = true
				}
			}
			s, ok := n.(*ast.SelectorExpr)
			if !ok || types[s] {
				return true
			}
			from, ok := s.X.(*ast.Ident)
			if !ok {
				return true
			}
			place := strings.TrimPrefix(filepath.ToSlash(file), "../../")
			for _, d := range restrictions {
				if !slices.Contains(d.names[imported[from.Name]], s.Sel.Name) || path.Dir(place) == d.owner {
					continue
				}
				at := slices.IndexFunc(d.allowed, func(a string) bool { return place == a || strings.HasPrefix(place, a+"/") })
				if at < 0 {
					t.Errorf("%s: %s.%s: %s", fset.Position(s.Pos()), from.Name, s.Sel.Name, d.what)
				} else {
					used[d.what+d.allowed[at]] = true
				}
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, seen, 500, "the whole tree was looked at")
	for _, d := range restrictions {
		for _, a := range d.allowed {
			assert.True(t, used[d.what+a], "%s needs no exception any more: %s", a, d.what)
		}
	}
}
