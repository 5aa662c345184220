package inspect

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/ptx"
)

// In drawings of random graphs no boxes overlap, arrows that close no loop lead downward, each begins and ends at the edges of its
// boxes, none goes through a box, and without those that close loops there is no way back.
func TestLayoutOfRandomGraphs(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 1))
	for range 200 {
		boxes := make([]box, 1+random.IntN(30))
		for i := range boxes {
			boxes[i] = box{width: 20 + 200*random.Float64(), height: 20 + 100*random.Float64()}
		}
		arrows := make([]arrow, random.IntN(60))
		for i := range arrows {
			arrows[i] = arrow{from: random.IntN(len(boxes)), to: random.IntN(len(boxes))}
		}
		width, height := layout(boxes, arrows)
		for i, b := range boxes {
			require.True(t, b.x-b.width/2 >= -1e-6 && b.x+b.width/2 <= width+1e-6 && b.y >= 0 && b.y+b.height <= height+1e-6)
			for _, o := range boxes[:i] {
				apart := b.y >= o.y+o.height || o.y >= b.y+b.height || b.x-b.width/2 >= o.x+o.width/2+gapAcross-1e-6 ||
					o.x-o.width/2 >= b.x+b.width/2+gapAcross-1e-6
				require.True(t, apart, "%v %v", b, o)
			}
		}
		lines := map[[2]point]bool{}
		for _, a := range arrows {
			if a.from != a.to && len(a.path) == 2 {
				upper, lower := a.path[0], a.path[1]
				if a.back {
					upper, lower = lower, upper
				}
				require.False(t, lines[[2]point{upper, lower}], "two arrows lie on each other")
				lines[[2]point{upper, lower}] = true
			}
			from, to, first, last := boxes[a.from], boxes[a.to], a.path[0], a.path[len(a.path)-1]
			if a.from == a.to {
				continue
			}
			if a.back {
				from, to, first, last = to, from, last, first
			}
			require.InDelta(t, from.y+from.height, first.y, 1e-6)
			require.InDelta(t, to.y, last.y, 1e-6)
			require.Greater(t, to.y, from.y)
			require.InDelta(t, from.x, first.x, from.width/2)
			require.InDelta(t, to.x, last.x, to.width/2)
			for _, p := range a.path[1 : len(a.path)-1] {
				for _, b := range boxes {
					inside := p.x > b.x-b.width/2 && p.x < b.x+b.width/2 && p.y > b.y && p.y < b.y+b.height
					require.False(t, inside, "an arrow passes through a box")
				}
			}
		}
	}
}

// A diamond of blocks lies as one draws it: two arms beside each other, with the ends in the middle.
func TestLayoutOfADiamond(t *testing.T) {
	boxes := []box{{width: 40, height: 20}, {width: 40, height: 20}, {width: 40, height: 20}, {width: 40, height: 20}}
	arrows := []arrow{{from: 0, to: 1}, {from: 0, to: 2}, {from: 1, to: 3}, {from: 2, to: 3}}
	layout(boxes, arrows)
	assert.InDelta(t, boxes[1].y, boxes[2].y, 0)
	assert.InDelta(t, (boxes[1].x+boxes[2].x)/2, boxes[0].x, 1)
	assert.InDelta(t, boxes[0].x, boxes[3].x, 1)
	assert.Less(t, boxes[0].y, boxes[1].y)
	assert.Less(t, boxes[1].y, boxes[3].y)
	for _, a := range arrows {
		assert.False(t, a.back)
	}
	loops := []arrow{{from: 0, to: 1}, {from: 1, to: 1}, {from: 1, to: 2}, {from: 2, to: 0}, {from: 2, to: 3}}
	layout(boxes, loops)
	for i, back := range []bool{false, true, false, true, false} {
		assert.Equal(t, back, loops[i].back, i)
	}
}

func describeFile(t *testing.T, path string) *Program {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := ptx.Parse("test.ptx", string(text))
	require.NoError(t, err)
	program, err := decode.Program([]*ptx.File{file}, decode.Options{ComputeCapability: 35})
	require.NoError(t, err)
	return New(program, []*ptx.File{file})
}

// The drawing is well-formed XML and shows every block of every function, the code in them and the calls.
func TestSVG(t *testing.T) {
	for path, want := range map[string][]string{
		"../../sim/testdata/calls.ptx": {"calls", "fib", "ackermann", "a function in %rd4", "kernel fibonacci",
			"function is_even", "79 call (c), ackermann, (a, b);", "B2 SOME (lanes meet at B5)"},
		"../../isa/debuginfo/testdata/call_example.ptx":         {"test(int*)", "foo(int, int)", "call_example.cu:1-3", "inlined"},
		"../../workloads/bfs/bfs.ptx":                           {"kernel bfs_level", "loop", "taken"},
		"../../testdata/kernels/call/call_1.ptx":                {"kernel call_1"},
		"../../workloads/reduction-shared/reduction-shared.ptx": {"B0 (lanes meet at B3)", "51 bar.sync 0;"},
	} {
		p := describeFile(t, path)
		var out bytes.Buffer
		require.NoError(t, p.SVG(&out), path)
		var texts []string
		boxes := 0
		decoder := xml.NewDecoder(&out)
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, path)
			switch token := token.(type) {
			case xml.CharData:
				texts = append(texts, strings.Join(strings.Fields(string(token)), " "))
			case xml.StartElement:
				if token.Name.Local == "rect" {
					boxes++
				}
			}
		}
		for _, w := range want {
			assert.Contains(t, texts, w, path)
		}
		blocks := 1 // the ground
		for i := range p.Functions {
			blocks += len(p.Functions[i].Blocks)
		}
		assert.GreaterOrEqual(t, boxes, blocks, path)
	}
}

// A function of a thousand blocks, with jumps over half of it, is drawn in a second or so.
func BenchmarkLayout(b *testing.B) {
	random := rand.New(rand.NewPCG(3, 1))
	for b.Loop() {
		boxes := make([]box, 1000)
		var arrows []arrow
		for i := range boxes {
			boxes[i] = box{width: 200, height: 100}
			if i > 0 {
				arrows = append(arrows, arrow{from: i - 1, to: i})
			}
			if i%10 == 0 {
				arrows = append(arrows, arrow{from: i, to: random.IntN(len(boxes))})
			}
		}
		layout(boxes, arrows)
	}
}
