package configs

import (
	"go/ast"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// unreadIsAnError makes a key that nothing reads fail the test; until all parts of the simulator stand it is only listed.
const unreadIsAnError = false

// A key that no part of the simulator reads would promise an effect that it does not have.
func TestEveryKeyIsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks the whole module")
	}
	loaded, err := packages.Load(&packages.Config{
		Dir:  "..",
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedExportFile,
	}, "./...")
	require.NoError(t, err)
	own := "github.com/keplersim/keplersim/configs"
	read := map[string]bool{}
	for _, p := range loaded {
		require.Empty(t, p.Errors, p.PkgPath)
		if p.PkgPath == own {
			continue
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				selection := p.TypesInfo.Selections[selector]
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
			})
		}
	}
	// Methods of this package read these for their callers: Unit.Lanes, DRAM.BurstBytes, CacheLevel.Sets.
	unread := map[string]bool{}
	for _, k := range Keys() {
		if !read[k.Field] && !unread[k.Field] {
			unread[k.Field] = true
			if unreadIsAnError {
				t.Errorf("nothing reads %s (%s)", k.Path, k.Field)
			} else {
				t.Logf("nothing reads %s (%s)", k.Path, k.Field)
			}
		}
	}
}
