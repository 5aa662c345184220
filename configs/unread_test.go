package configs

import (
	"go/ast"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// A key that no part of the simulator reads would promise an effect that it does not have.
func TestEveryKeyIsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks the whole module")
	}
	loaded, err := packages.Load(&packages.Config{
		Dir: "..",
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedExportFile,
	}, "./...")
	require.NoError(t, err)
	own := "github.com/keplersim/keplersim/configs"
	read := map[string]bool{}
	for _, p := range loaded {
		require.Empty(t, p.Errors, p.PkgPath)
		for _, file := range p.Syntax {
			for _, declaration := range file.Decls {
				if p.PkgPath != own || answersCallers(declaration) {
					ast.Inspect(declaration, func(n ast.Node) bool { return noteRead(p.TypesInfo, n, own, read) })
				}
			}
		}
	}
	unread := map[string]bool{}
	for _, k := range Keys() {
		if !read[k.Field] && !unread[k.Field] {
			unread[k.Field] = true
			t.Errorf("nothing reads %s (%s)", k.Path, k.Field)
		}
	}
}

// answersCallers reports whether a declaration of this package is an exported method of a section, such as DRAM.BurstBytes, which reads
// keys for its callers. The loader touches every key and does not count.
func answersCallers(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv == nil || !f.Name.IsExported() {
		return false
	}
	of := f.Recv.List[0].Type
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	receiver, ok := of.(*ast.Ident)
	return ok && receiver.IsExported()
}

// noteRead records the field that a selector reads, if it is a key's.
func noteRead(info *types.Info, n ast.Node, own string, read map[string]bool) bool {
	selector, ok := n.(*ast.SelectorExpr)
	if !ok {
		return true
	}
	selection := info.Selections[selector]
	if selection == nil || selection.Kind() != types.FieldVal || selection.Obj().Pkg() == nil || selection.Obj().Pkg().Path() != own {
		return true
	}
	receiver := selection.Recv()
	if pointer, ok := receiver.Underlying().(*types.Pointer); ok {
		receiver = pointer.Elem()
	}
	if named, ok := types.Unalias(receiver).(*types.Named); ok {
		read[named.Obj().Name()+"."+selection.Obj().Name()] = true
	}
	return true
}
