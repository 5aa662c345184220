package inspect

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/ptx"
)

func describeFile(t *testing.T, path string) *Program {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := ptx.Parse(path, string(text))
	require.NoError(t, err)
	program, err := decode.Program([]*ptx.File{file}, decode.Options{ComputeCapability: 35})
	require.NoError(t, err)
	return New(program, []*ptx.File{file})
}

// The graphs show every block of every function, the code in them and the calls.
func TestDOT(t *testing.T) {
	for path, want := range map[string][]string{
		"../../sim/testdata/calls.ptx": {"label=calls", `"fib"`, `"ackermann"`, `"a function in %rd4"`, "kernel fibonacci",
			"function is_even", "79  call (c), ackermann, (a, b);", "B2 SOME  (lanes meet at B5)"},
		"../../isa/debuginfo/testdata/call_example.ptx": {`"test(int*)" -> "foo(int, int)" [label=inlined`, "call_example.cu:1-3"},
		"../../workloads/bfs/bfs.ptx":                   {"kernel bfs_level", looks["loop"], looks["taken"]},
		"../../testdata/kernels/call/call_1.ptx":        {"kernel call_1"},
		"../../workloads/reduction-shared/reduction-shared.ptx": {
			"B0  (lanes meet at B3)", "51  bar.sync 0;"},
	} {
		p := describeFile(t, path)
		var out bytes.Buffer
		require.NoError(t, p.DOT(&out), path)
		text := out.String()
		for _, w := range want {
			assert.Contains(t, text, w, path)
		}
		blocks, edges := 0, 0
		for i := range p.Functions {
			blocks += len(p.Functions[i].Blocks)
			for _, b := range p.Functions[i].Blocks {
				edges += len(b.Successors)
			}
		}
		flow := text[strings.Index(text, "cluster_0"):]
		assert.Equal(t, blocks, strings.Count(flow, "\n    f")-edges, path)
		assert.Equal(t, edges, strings.Count(flow, " -> "), path)
		assert.Equal(t, strings.Count(text, "{\n"), strings.Count(text, "}\n"), path)
	}
}

// Names and code keep their quotation marks and backslashes.
func TestDOTQuotes(t *testing.T) {
	assert.Equal(t, `"a \"b\" \\"`, quote(`a "b" \`))
	assert.Equal(t, `"one\ltwo\l"`, quote("one", "two"))
}
