package floors

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Bounds on what a newcomer has to keep in mind: the methods of a type, and the lines of a function.
const (
	mostMethods = 25
	mostLines   = 60
)

// sizes are the largest type and the longest function of a package.
type sizes struct{ methods, lines int }

// overgrown are packages of the simulator beyond these bounds. Their sizes may only fall: the test then asks for the lower number.
var overgrown = map[string]sizes{
	"sim": {82, 44}, "sim/cache": {35, 38}, "sim/check": {59, 43}, "sim/device": {76, 51}, "sim/dram": {28, 41}, "sim/hyperq": {28, 31},
	"sim/memory": {56, 45}, "sim/stats": {14, 86},
}

// measure adds the sizes of a file to its package's types, and returns its longest function.
func measure(text []byte, methods map[string]int) (longest int, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		return 0, err
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		longest = max(longest, files.Position(f.End()).Line-files.Position(f.Pos()).Line+1)
		if f.Recv == nil {
			continue
		}
		of := f.Recv.List[0].Type
		if pointer, ok := of.(*ast.StarExpr); ok {
			of = pointer.X
		}
		if generic, ok := of.(*ast.IndexExpr); ok {
			of = generic.X
		}
		if name, ok := of.(*ast.Ident); ok {
			methods[name.Name]++
		}
	}
	return longest, nil
}

// No type of the simulator has too many methods, and no function too many lines.
func TestTypesAndFunctionsStaySmall(t *testing.T) {
	root := filepath.Join("..", "..")
	packages := map[string]sizes{}
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "sim"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		if err != nil {
			return err
		}
		methods, size := map[string]int{}, sizes{}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			longest, err := measure(text, methods)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			size.lines = max(size.lines, longest)
		}
		for _, n := range methods {
			size.methods = max(size.methods, n)
		}
		name, err := filepath.Rel(root, path)
		packages[filepath.ToSlash(name)] = size
		return err
	}))
	require.Contains(t, packages, "sim/smx")
	for name, size := range packages {
		limit, grown := overgrown[name]
		if !grown {
			assert.LessOrEqual(t, size.methods, mostMethods, "%s: a type has too many methods", name)
			assert.LessOrEqual(t, size.lines, mostLines, "%s: a function has too many lines", name)
			continue
		}
		assert.Equal(t, limit, size, "%s: the largest type and the longest function may shrink, and then the table does", name)
		assert.True(t, limit.methods > mostMethods || limit.lines > mostLines, "%s is no longer overgrown", name)
	}
}

func TestSizesAreMeasured(t *testing.T) {
	methods := map[string]int{}
	source := "package p\nfunc (t *T) A() {}\nfunc (t T) B() {\n\n}\nfunc (l List[E]) C() {}\nfunc D() {\n}\n"
	longest, err := measure([]byte(source), methods)
	require.NoError(t, err)
	assert.Equal(t, 3, longest)
	assert.Equal(t, map[string]int{"T": 2, "List": 1}, methods)
}
