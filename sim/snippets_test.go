package sim_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The Go code of docs/go-api.md is a whole program. It runs from the repository's root and prints the result of saxpy.
func TestGoPageProgramRuns(t *testing.T) {
	page, err := os.ReadFile("../docs/go-api.md")
	require.NoError(t, err)
	programs := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(page, -1)
	require.Len(t, programs, 1)
	out := goTool(t, string(programs[0][1]), "run")
	assert.Regexp(t, `^\[12 24 36 48\] \d{4} 0\.\d+\n$`, out)
}

// The policy of docs/research.md is a whole file.
func TestResearchPagePolicyCompiles(t *testing.T) {
	page, err := os.ReadFile("../docs/research.md")
	require.NoError(t, err)
	_, policy, found := strings.Cut(string(page), "```go\n")
	require.True(t, found)
	policy, _, _ = strings.Cut(policy, "```")
	goTool(t, strings.Replace(policy, "package first", "package main", 1)+"\nfunc main() {}\n", "vet")
}

// The Go code in the packages' documentation compiles, given the variables that it assumes: the source, and the uses of errors and results.
func TestDocumentedSnippetsCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("calls go vet")
	}
	found := 0
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Base(file) != "doc.go" {
			return err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
		require.NoError(t, err)
		if tree.Doc == nil {
			return nil
		}
		var snippet strings.Builder
		for line := range strings.Lines(tree.Doc.Text()) {
			if code, ok := strings.CutPrefix(line, "\t"); ok {
				snippet.WriteString(code)
			}
		}
		if text := snippet.String(); strings.Contains(text, ":=") || strings.Contains(text, "import") {
			found++
			goTool(t, asProgram(t, text), "vet")
		}
		return nil
	})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, found, 2)
}

// asProgram puts the lines after a snippet's imports into a function, after the variables that they assume.
func asProgram(t *testing.T, snippet string) string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+snippet[:importsEnd(snippet)], parser.ImportsOnly)
	require.NoError(t, err)
	require.NotEmpty(t, tree.Imports, "a snippet shows its imports")
	body := snippet[importsEnd(snippet):]
	names := map[string]bool{}
	for _, line := range strings.Split(body, "\n") {
		if left, _, ok := strings.Cut(line, ":="); ok {
			for _, name := range strings.Split(left, ",") {
				names[strings.TrimSpace(name)] = true
			}
		}
	}
	uses := ""
	for name := range names {
		uses += "\t_ = " + name + "\n"
	}
	return "package main\n" + snippet[:importsEnd(snippet)] + "\nvar source []byte\n\nfunc main() {\n" + body + uses + "}\n"
}

// importsEnd returns where a snippet's imports end.
func importsEnd(snippet string) int {
	if at := strings.Index(snippet, "\n)\n"); at >= 0 {
		return at + 3
	}
	return strings.Index(snippet, "\n") + 1
}

// goTool runs a program, or compiles it, from the repository's root.
func goTool(t *testing.T, program, tool string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o644))
	command := exec.Command("go", tool, file)
	command.Dir = ".."
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s\n%s", program, out)
	return string(out)
}
