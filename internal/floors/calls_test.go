package floors

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// smxFiles are the files of sim/smx in reading order: a file should call functions only of files before it.
var smxFiles = strings.Fields(`
	listeners slots scoreboard outgoing loadstore ledger fault stack observe call effects hostprefetch access calendar responses state screen
	hierarchy locks units constant fetch cachepolicies datacache texture agenda program gridstate frontend barrier block standing park system control lsu issue
	smx run functional order forward extrapolate`)

// upwardCalls are the calls to later files.
var upwardCalls = []string{
	"access.complete calls block.endWarp",
	"access.complete calls frontend.plan",
	"block.begin calls smx.renew",
	"cachepolicies.tellPolicies calls datacache.requestForCache",
	"datacache.ReadsThroughCaches calls texture.byTexture",
	"fault.locate calls call.callChain",
	"fault.nearby calls call.localBytes",
	"forward.BeginForward calls extrapolate.Detail",
	"functional.RunFunctional calls order.runOrdered",
	"listeners.Warp calls state.RegisterCount",
	"loadstore.build calls datacache.build",
	"loadstore.build calls texture.texturedPlaces",
	"observe.Observe calls cachepolicies.keepOwners",
	"park.Swap calls smx.renew",
	"hostprefetch.warmFree calls block.Warps",
	"screen.screenRelease calls block.Threads",
	"gridstate.Join calls block.GridState",
}

// mostUpwardCalls is the most calls to later files that are allowed.
const mostUpwardCalls = 20

func TestCallsWithinAnSMXGoDownward(t *testing.T) {
	if testing.Short() {
		t.Skip("loads types")
	}
	load := packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
		packages.NeedImports
	list, err := packages.Load(&packages.Config{Mode: load, Dir: root}, "./sim/smx")
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Empty(t, list[0].Errors)
	for _, name := range smxFiles {
		assert.FileExists(t, filepath.Join(root, "sim", "smx", name+".go"))
	}
	all, upward := map[string]bool{}, map[string]bool{}
	for call := range calls(list[0]) {
		name := call.from + "." + call.caller + " calls " + call.to + "." + call.callee
		from, to := slices.Index(smxFiles, call.from), slices.Index(smxFiles, call.to)
		require.GreaterOrEqual(t, min(from, to), 0, "%s: give the file its place in smxFiles", name)
		if all[name] = true; to > from {
			upward[name] = true
		}
	}
	assert.Greater(t, len(all), 300, "calls are found")
	assert.ElementsMatch(t, upwardCalls, slices.Collect(maps.Keys(upward)))
	assert.LessOrEqual(t, len(upward), mostUpwardCalls)
}

// call is a use of a function in another file of its package.
type call struct{ from, caller, to, callee string }

func calls(p *packages.Package) map[call]bool {
	found := map[call]bool{}
	fileAt := func(at token.Pos) string {
		return strings.TrimSuffix(filepath.Base(p.Fset.Position(at).Filename), ".go")
	}
	for _, file := range p.Syntax {
		from := fileAt(file.Pos())
		for _, d := range file.Decls {
			caller, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			for n := range ast.Preorder(caller) {
				id, ok := n.(*ast.Ident)
				if !ok {
					continue
				}
				callee, ok := p.TypesInfo.Uses[id].(*types.Func)
				if !ok || callee.Pkg() != p.Types {
					continue
				}
				if to := fileAt(callee.Pos()); to != from {
					found[call{from, caller.Name.Name, to, callee.Name()}] = true
				}
			}
		}
	}
	return found
}
