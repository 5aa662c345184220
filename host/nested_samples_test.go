package host_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

// sample is a program modelled on one of NVIDIA's samples of dynamic parallelism: its steps and buffers, and the results of a
// single-threaded version.
type sample struct {
	text  string // of the workload file, after the module
	files map[string]any
}

type point struct{ X, Y float32 }

// samples are the five samples, by the name of their source in testdata/nested.
func samples() map[string]sample {
	r := rand.New(rand.NewPCG(3, 4))
	list := map[string]sample{
		"print":              simplePrint(),
		"simple-quicksort":   sorting(r, 1500, "{kernel: quicksort, grid: [1], block: [1], args: [data, {s32: 0}, {s32: 1499}, {s32: 0}]}"),
		"advanced-quicksort": sorting(r, 9000, "{kernel: sort, grid: [1], block: [1], args: [data, scratch, {u32: 9000}]}"),
		"bezier":             bezier(r, 40),
		"quadtree":           quadtree(r, 3000, 5, 24),
	}
	return list
}

// simplePrint sums up the blocks' numbers at each depth.
func simplePrint() sample {
	const most = 3
	var told [most + 1]uint32
	var tell func(depth, parent uint32)
	tell = func(depth, parent uint32) {
		for block := range uint32(2) {
			own := parent*10 + block + 1
			told[depth] += own
			if depth < most {
				tell(depth+1, own)
			}
		}
	}
	tell(0, 0)
	return sample{`
buffers:
  told: {type: u32, count: 4}
steps:
  - launch: {kernel: print, grid: [2], block: [1], args: [told, {s32: 0}, {s32: 3}, {s32: 0}]}
expect:
  told: {file: told}
`, map[string]any{"told": told[:]}}
}

// sorting sorts numbers with many duplicates.
func sorting(r *rand.Rand, n int, launch string) sample {
	data := make([]uint32, n)
	for i := range data {
		data[i] = r.Uint32N(uint32(n)) * 7
	}
	return sample{fmt.Sprintf(`
buffers:
  data: {type: u32, count: %d, init: {file: data}}
  scratch: {type: u32, count: %[1]d}
steps:
  - launch: %s
expect:
  data: {file: sorted}
`, n, launch), map[string]any{"data": data, "sorted": slices.Sorted(slices.Values(data))}}
}

// bezier draws curves.
func bezier(r *rand.Rand, n int) sample {
	const most = 32
	points, drawn := make([]point, 3*n), make([]point, most*n)
	for i := range points {
		points[i] = point{r.Float32(), r.Float32()}
	}
	for i := range n {
		a, b, c := points[3*i], points[3*i+1], points[3*i+2]
		half := func(u, v float32) float64 { return float64(u)/2 + float64(v)/2 }
		bend := math.Hypot(float64(b.X)-half(a.X, c.X), float64(b.Y)-half(a.Y, c.Y)) / math.Hypot(float64(c.X-a.X), float64(c.Y-a.Y))
		count := min(max(int(bend*16), 4), most)
		for k := range count {
			u := float64(k) / float64(count-1)
			at := func(a, b, c float32) float32 {
				return float32((1-u)*(1-u)*float64(a) + 2*u*(1-u)*float64(b) + u*u*float64(c))
			}
			drawn[most*i+k] = point{at(a.X, b.X, c.X), at(a.Y, b.Y, c.Y)}
		}
	}
	return sample{fmt.Sprintf(`
buffers:
  points: {type: f32, count: %d, init: {file: points}}
  curves: {type: b8, count: %d}
  drawn: {type: f32, count: %d}
steps:
  - launch: {kernel: tessellate, grid: [1], block: [%d], args: [curves, points, {s32: %[4]d}]}
  - launch: {kernel: collect, grid: [1], block: [%[4]d], args: [curves, drawn, {s32: %[4]d}]}
expect:
  drawn: {file: drawn, abs: 1e-5}
`, 6*n, 40*n, 2*most*n, n), map[string]any{"points": points, "drawn": drawn}}
}

// node is a square of the quadtree, as in its kernel.
type node struct {
	Begin, End     int32
	X0, Y0, X1, Y1 float32
}

// quadtree sorts points by squares.
func quadtree(r *rand.Rand, n, most, least int) sample {
	points := make([]point, n)
	for i := range points {
		x := r.Float32()
		points[i] = point{x * x, r.Float32() * (0.3 + 0.7*x)}
	}
	done, leaves := []point{}, make([]uint32, most+1)
	var divide func(list []point, s node, depth int)
	divide = func(list []point, s node, depth int) {
		if depth >= most || len(list) <= least {
			done = append(done, list...)
			leaves[depth]++
			return
		}
		x, y := 0.5*(s.X0+s.X1), 0.5*(s.Y0+s.Y1)
		for q := range 4 {
			child := node{X0: s.X0, X1: x, Y0: s.Y0, Y1: y}
			if q%2 == 1 {
				child.X0, child.X1 = x, s.X1
			}
			if q/2 == 1 {
				child.Y0, child.Y1 = y, s.Y1
			}
			var in []point
			for _, p := range list {
				if (p.X >= x) == (q%2 == 1) && (p.Y >= y) == (q/2 == 1) {
					in = append(in, p)
				}
			}
			divide(in, child, depth+1)
		}
	}
	root := node{End: int32(n), X1: 1, Y1: 1}
	divide(points, root, 0)
	nodes := make([]node, 1365) // (4^6 - 1) / 3
	nodes[0] = root
	return sample{fmt.Sprintf(`
buffers:
  nodes: {type: b8, count: %d, init: {file: nodes}}
  points: {type: f32, count: %d, init: {file: points}}
  other: {type: f32, count: %[2]d}
  done: {type: f32, count: %[2]d}
  leaves: {type: u32, count: %d}
steps:
  - launch:
      {kernel: quadtree, grid: [1], block: [128], args: [nodes, points, other, done, leaves, {s32: 0}, {s32: 0}, {s32: %d}, {s32: %d}]}
expect:
  done: {file: done}
  leaves: {file: leaves}
`, 24*len(nodes), 2*n, most+1, most, least), map[string]any{"nodes": nodes, "points": points, "done": done, "leaves": leaves}}
}

// The samples of dynamic parallelism give the single-threaded results, with timing and without, and the same report for 1, 2 and 8 host
// threads. The checks find nothing.
func TestSamplesOfDynamicParallelism(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles five programs and runs each five times")
	}
	need.Clang(t)
	for name, s := range samples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			write := func(name string, data []byte) string {
				path := filepath.Join(folder, name)
				require.NoError(t, os.WriteFile(path, data, 0o600))
				return path
			}
			for file, values := range s.files {
				var data bytes.Buffer
				require.NoError(t, binary.Write(&data, binary.LittleEndian, values))
				write(file, data.Bytes())
			}
			source, err := os.ReadFile(filepath.Join("testdata/nested", name+".cu"))
			require.NoError(t, err)
			compiled, err := toolchain.Compile(t.Context(), write(name+".cu", source), toolchain.Options{Arch: "sm_35"})
			require.NoError(t, err)
			write(name+".ptx", compiled.PTX)
			path := write(name+".yaml", []byte("module: "+name+".ptx"+s.text))
			job, err := host.Open(t.Context(), path, host.Options{Config: "k20",
				Simulator: sim.Options{Threads: 1, Functional: true, Printf: io.Discard, Check: finding.All}})
			require.NoError(t, err)
			result, err := job.Run(t.Context())
			require.NoError(t, err)
			assert.Empty(t, result.Mismatches)
			assert.Empty(t, result.Mistakes)
			first := run(t, path, "k40", sim.Options{Threads: 1, Printf: io.Discard})
			launches := first["kernels"].([]any)[0].(map[string]any)["nested"].(map[string]any)["launches"].(float64)
			assert.Greater(t, launches, 10.0)
			for _, threads := range []int{2, 8} {
				assert.Equal(t, first, run(t, path, "k40", sim.Options{Threads: threads, Printf: io.Discard}), "%d threads", threads)
			}
		})
	}
}
