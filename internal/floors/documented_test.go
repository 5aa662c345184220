package floors

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

// undocumented returns a file's exported declarations without a godoc comment. A comment must begin with the name, or an article and the
// name. Specifications of a group may share the group's comment. Methods of one name on successive lines may share the first one's.
func undocumented(fset *token.FileSet, file *ast.File) (faults []fault) {
	var above *ast.FuncDecl
	check := func(name *ast.Ident, doc *ast.CommentGroup) {
		if !name.IsExported() {
			return
		}
		words := strings.Fields(doc.Text())
		if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
			words = words[1:]
		}
		switch {
		case len(words) == 0:
			faults = append(faults, fault{name.Pos(), name.Name + " has no comment"})
		case strings.TrimSuffix(strings.TrimRight(words[0], ",:;"), "'s") != name.Name:
			faults = append(faults, fault{name.Pos(), "the comment of " + name.Name + " begins with " + words[0]})
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			shares := above != nil && above.Name.Name == d.Name.Name && fset.Position(above.End()).Line+1 == fset.Position(d.Pos()).Line
			above = d
			if !shares && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
				check(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				checkSpec(d, s, check)
			}
		}
	}
	return faults
}

// fault is a fault at a position.
type fault struct {
	at   token.Pos
	text string
}

// checkSpec checks a type, or constants and variables without a common comment.
func checkSpec(d *ast.GenDecl, s ast.Spec, check func(*ast.Ident, *ast.CommentGroup)) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		doc := s.Doc
		if !d.Lparen.IsValid() {
			doc = d.Doc
		}
		check(s.Name, doc)
	case *ast.ValueSpec:
		if d.Lparen.IsValid() && d.Doc != nil || s.Comment != nil || len(s.Names) > 1 {
			return
		}
		doc := s.Doc
		if !d.Lparen.IsValid() {
			doc = d.Doc
		}
		check(s.Names[0], doc)
	}
}

// receiver returns the name of a method's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// Every exported symbol outside tests and commands has a comment in godoc's form.
func TestExportedSymbolsAreDocumented(t *testing.T) {
	fset := token.NewFileSet()
	files := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "examples" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files++
		if file.Name.Name == "main" {
			return nil
		}
		for _, f := range undocumented(fset, file) {
			assert.Fail(t, f.text, "%s", fset.Position(f.at))
		}
		return nil
	}))
	assert.Greater(t, files, 300, "the files of the repository")
}

func TestUndocumentedSymbolsAreFound(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", `package p

func Bare() {}

// Makes it.
func Make() {}

// Fine returns 1.
func Fine() int { return 1 }

// A Thing is documented.
type Thing struct{}

func (Thing) Do() {}

type hidden struct{}

func (hidden) Do() {}

// Start returns a place.
func (Thing) Start() int { return 0 }
func (hidden) Start() int { return 0 }
func (Thing) Begin() {}

// The colours.
const (
	Red = iota
	Green
)

var Loose = 1
`, parser.ParseComments)
	require.NoError(t, err)
	var texts []string
	for _, f := range undocumented(fset, file) {
		texts = append(texts, f.text)
	}
	assert.Equal(t, []string{
		"Bare has no comment", "the comment of Make begins with Makes", "Do has no comment", "Begin has no comment", "Loose has no comment",
	}, texts)
}
