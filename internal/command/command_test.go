package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNoWordIsAFileOfOptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ word, safe string }{
		{"@x.o", "./@x.o"}, {"@", "./@"}, {"a@b.o", "a@b.o"}, {"./@x", "./@x"}, {"-o", "-o"}, {"-I@d", "-I./@d"}, {"-D@d", "-D./@d"},
		{"-U@d", "-U./@d"}, {"-isystem@d", "-isystem./@d"}, {"-include@d", "-include./@d"}, {"-MF@d", "-MF./@d"}, {"-L@d", "-L@d"},
		{"-Wl,-z,@d,@e", "-Wl,-z,./@d,./@e"}, {"-DA=@x", "-DA=@x"},
	} {
		assert.Equal(t, []string{"tool", test.safe}, Tool(t.Context(), "tool", test.word).Args)
	}
}

func TestAFileIsNoOption(t *testing.T) {
	t.Parallel()
	for path, safe := range map[string]string{"-x": "./-x", "@x": "./@x", "=x": "./=x", "+x": "./+x", "a": "a", "/-x": "/-x", "": ""} {
		assert.Equal(t, safe, File(path))
	}
}

// A program in the working folder is that program, and not one of the same name on PATH.
func TestAProgramIsNotLookedForOnPath(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("ls", []byte("#!/bin/sh\necho \"$@\"\n"), 0o700))
	out, err := Program(t.Context(), "ls", "@x", "-y").CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "@x -y\n", string(out))
}

func TestALineOfAScript(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\nb", "a\rb", "a\x00b", "a\x1bb", "a\u0085b", "a\u2028b", "a\xffb"} {
		assert.ErrorContains(t, CheckLine("the name", text), "the name ", text)
	}
	assert.NoError(t, CheckLine("the name", "größe 1 'x' $y"))
}

// Only this package starts programs: everything that makes or starts a command of os/exec is here.
func TestOnlyThisPackageStartsPrograms(t *testing.T) {
	t.Parallel()
	starts := map[string][]string{
		"os/exec": {"Command", "CommandContext", "Cmd"}, "os": {"StartProcess"}, "syscall": {"Exec", "ForkExec", "StartProcess"},
	}
	seen := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "command" || strings.HasPrefix(d.Name(), ".") && d.Name() != "..") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		seen++
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		names := map[string]string{}
		for _, i := range file.Imports {
			full := strings.Trim(i.Path.Value, `"`)
			name := filepath.Base(full)
			if i.Name != nil {
				name = i.Name.Name
			}
			names[name] = full
		}
		typed := map[*ast.SelectorExpr]bool{} // a type in a signature starts nothing; a literal does
		ast.Inspect(file, func(n ast.Node) bool {
			if star, ok := n.(*ast.StarExpr); ok {
				if s, ok := star.X.(*ast.SelectorExpr); ok {
					typed[s] = true
				}
			}
			s, ok := n.(*ast.SelectorExpr)
			if !ok || typed[s] {
				return true
			}
			if from, ok := s.X.(*ast.Ident); ok && slices.Contains(starts[names[from.Name]], s.Sel.Name) {
				t.Errorf("%s: %s.%s: start programs with command.Tool or command.Program", fset.Position(s.Pos()), from.Name, s.Sel.Name)
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	assert.Greater(t, seen, 500, "the whole tree was looked at")
}
