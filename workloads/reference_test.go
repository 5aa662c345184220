package workloads

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/workload"
)

// memory has the buffers of a workload as slices of numbers, with the initial contents of the file.
type memory struct {
	t *testing.T
	w *workload.Workload
}

func (m memory) bytes(name string) []byte {
	b, ok := m.w.Buffer(name)
	require.True(m.t, ok, name)
	data, err := m.w.Initial(b)
	require.NoError(m.t, err)
	return data
}

func elements[T any](m memory, name string) []T {
	data := m.bytes(name)
	out := make([]T, len(data)/binary.Size(*new(T)))
	_, err := binary.Decode(data, binary.LittleEndian, out)
	require.NoError(m.t, err)
	return out
}

func (m memory) f32(name string) []float32 { return elements[float32](m, name) }
func (m memory) f64(name string) []float64 { return elements[float64](m, name) }
func (m memory) u32(name string) []uint32  { return elements[uint32](m, name) }

// fma32 is a*b+c in single precision, rounded once. In double precision the product is exact and the sum is rounded to odd; then rounding
// to single gives the right result.
func fma32(a, b, c float32) float32 {
	product := float64(a) * float64(b)
	x, y := product, float64(c)
	sum := x + y
	back := sum - x
	lost := (x - (sum - back)) + (y - back) // the exact rounding error of the addition
	if lost != 0 && math.Float64bits(sum)&1 == 0 {
		sum = math.Nextafter(sum, math.Copysign(math.Inf(1), lost))
	}
	return float32(sum)
}

// tree sums a block's partial sums as reduce_shared does.
func tree(partial []float32) float32 {
	for half := len(partial) / 2; half > 0; half /= 2 {
		for i := range half {
			partial[i] += partial[i+half]
		}
	}
	return partial[0]
}

// references compute each workload's results on the CPU, in the source's order of operations and independently of its PTX.
var references = map[string]func(m memory) map[string]any{
	"vectoradd": func(m memory) map[string]any {
		a, b := m.f32("a"), m.f32("b")
		for i := range a {
			a[i] += b[i]
		}
		return map[string]any{"c": a}
	},
	"saxpy": func(m memory) map[string]any {
		x, y := m.f32("x"), m.f32("y")
		for i := range x {
			y[i] = fma32(2, x[i], y[i])
		}
		return map[string]any{"y": y}
	},
	"sgemm-naive": func(m memory) map[string]any { return map[string]any{"c": product32(m, 128, 144, 160)} },
	"sgemm-tiled": func(m memory) map[string]any { return map[string]any{"c": product32(m, 256, 256, 256)} },
	"dgemm": func(m memory) map[string]any {
		a, b, c := m.f64("a"), m.f64("b"), m.f64("c")
		for row := range 128 {
			for column := range 144 {
				sum := 0.0
				for k := range 160 {
					sum = math.FMA(a[row*160+k], b[k*144+column], sum)
				}
				c[row*144+column] = math.FMA(1.5, sum, float64(-0.5*c[row*144+column]))
			}
		}
		return map[string]any{"c": c}
	},
	"rotate": func(memory) map[string]any {
		const width, height = 320, 200
		pixels, result := make([]float32, width*height), make([]float32, width*height)
		for i := range pixels {
			pixels[i] = float32((i%width*5 ^ i/width*3) & 255)
		}
		at := func(x, y int) int {
			if x < 0 || x >= width || y < 0 || y >= height {
				return 0
			}
			return int(pixels[y*width+x])
		}
		for i := range result {
			dx, dy := float64(i%width)+0.5-width/2, float64(i/width)+0.5-height/2
			u, v := 0.796875*dx+0.6015625*dy+width/2-0.5, 0.796875*dy-0.6015625*dx+height/2-0.5
			x, y := int(math.Floor(u)), int(math.Floor(v))
			// Fractions are exact multiples of 1/256; their product is rounded to 1/256, too.
			a, b := int(256*(u-math.Floor(u))), int(256*(v-math.Floor(v)))
			both := (a*b + 128) / 256
			sum := (256-a-b+both)*at(x, y) + (a-both)*at(x+1, y) + (b-both)*at(x, y+1) + both*at(x+1, y+1)
			result[i] = float32(sum) / 256
		}
		return map[string]any{"pixels": pixels, "result": result}
	},
	"transpose": func(m memory) map[string]any {
		in := m.f32("in")
		out := make([]float32, len(in))
		for y := range 384 {
			for x := range 512 {
				out[x*384+y] = in[y*512+x]
			}
		}
		return map[string]any{"naive": out, "tiled": out, "padded": out}
	},
	"reduction-shared": func(m memory) map[string]any {
		in := m.f32("in")
		partial := make([]float32, 128)
		for block := range 128 {
			threads := make([]float32, 256)
			for t := range threads {
				for i := block*256 + t; i < len(in); i += 128 * 256 {
					threads[t] += in[i]
				}
			}
			partial[block] = tree(threads)
		}
		return map[string]any{"partial": partial, "sum": []float32{tree(slices.Clone(partial))}}
	},
	"reduction-shuffle": func(m memory) map[string]any {
		sum := uint32(0)
		for _, v := range m.u32("in") {
			sum += v
		}
		return map[string]any{"sum": []uint32{sum}}
	},
	"scan": func(m memory) map[string]any {
		out := m.u32("in")
		totals, offsets := make([]uint32, 512), make([]uint32, 512)
		before := uint32(0)
		for i := range out {
			totals[i/256] += out[i]
			before += out[i]
			out[i], offsets[i/256] = before, before
		}
		return map[string]any{"out": out, "totals": totals, "offsets": offsets, "sum": []uint32{before}}
	},
	"histogram": func(m memory) map[string]any {
		bins := make([]uint32, 256)
		for _, v := range m.bytes("data") {
			bins[v]++
		}
		return map[string]any{"global_bins": bins, "shared_bins": bins}
	},
	"stencil": func(m memory) map[string]any {
		const width, height = 500, 300
		in, out := m.f32("even"), make([]float32, width*height)
		for range 4 {
			copy(out, in)
			for y := 1; y < height-1; y++ {
				for x := 1; x < width-1; x++ {
					i := y*width + x
					around := float32(in[i-1]+in[i+1]) + float32(in[i-width]+in[i+width])
					out[i] = fma32(0.2, fma32(-4, in[i], around), in[i])
				}
			}
			in, out = out, in
		}
		return map[string]any{"even": in, "odd": out}
	},
	"nbody": func(m memory) map[string]any {
		bodies, velocity := m.f32("bodies"), m.f32("velocity")
		out := slices.Clone(bodies)
		for i := 0; i < len(bodies); i += 4 {
			var pull [3]float32
			for j := 0; j < len(bodies); j += 4 {
				var d [3]float32
				d2 := float32(0.01)
				for axis := range d {
					d[axis] = bodies[j+axis] - bodies[i+axis]
					d2 = fma32(d[axis], d[axis], d2)
				}
				force := bodies[j+3] / float32(d2*float32(math.Sqrt(float64(d2))))
				for axis := range d {
					pull[axis] = fma32(force, d[axis], pull[axis])
				}
			}
			for axis := range pull {
				velocity[i+axis] = fma32(pull[axis], 0.01, velocity[i+axis])
				out[i+axis] = fma32(velocity[i+axis], 0.01, bodies[i+axis])
			}
		}
		return map[string]any{"bodies_out": out, "velocity_out": velocity}
	},
	"spmv": func(m memory) map[string]any {
		start, column, value, x := m.u32("row_start"), m.u32("column"), m.f32("value"), m.f32("x")
		scalar, vector := make([]float32, len(start)-1), make([]float32, len(start)-1)
		for row := range scalar {
			lanes := make([]float32, 32)
			for i := start[row]; i < start[row+1]; i++ {
				scalar[row] = fma32(value[i], x[column[i]], scalar[row])
				lane := (i - start[row]) % 32
				lanes[lane] = fma32(value[i], x[column[i]], lanes[lane])
			}
			vector[row] = tree(lanes)
		}
		return map[string]any{"y_scalar": scalar, "y_vector": vector}
	},
	"bfs": search,
	"mandelbrot": func(m memory) map[string]any {
		out := make([]uint32, 192*128)
		for i := range out {
			cx, cy := fma32(float32(i%192), 0.015625, -2.25), fma32(float32(i/192), -0.015625, 1)
			var x, y float32
			for n := uint32(0); ; n++ {
				xx, yy := float32(x*x), float32(y*y)
				if n == 256 || xx+yy > 4 {
					out[i] = n
					break
				}
				y = fma32(x+x, y, cy)
				x = float32(xx-yy) + cx
			}
		}
		return map[string]any{"iterations": out}
	},
	"bitonic": sorted, "quicksort": sorted, "bfs-nested": search, "mariani-silver": marianiSilver,
	"black-scholes": blackScholes, "blur": blur, "compaction": compaction, "convolution": convolution, "dot-product": dotProduct,
	"fft": fft, "hotspot": hotspot, "kmeans": kMeans, "life": life, "matrix-sum": matrixSum, "monte-carlo-pi": monteCarloPi,
	"needleman-wunsch": needlemanWunsch, "sha256": hashes,
}

// search is the breadth-first search of workload bfs.
func search(m memory) map[string]any {
	start, neighbour := m.u32("edge_start"), m.u32("neighbour")
	level, reached := make([]uint32, len(start)-1), make([]uint32, 16)
	level[0] = 1
	for queue := []uint32{0}; len(queue) > 0; queue = queue[1:] {
		node := queue[0]
		reached[level[node]]++
		for _, next := range neighbour[start[node]:start[node+1]] {
			if level[next] == 0 {
				level[next] = level[node] + 1
				queue = append(queue, next)
			}
		}
	}
	return map[string]any{"level": level, "reached": reached}
}

func sorted(m memory) map[string]any {
	data := m.u32("data")
	slices.Sort(data)
	return map[string]any{"data": data}
}

// marianiSilver is the picture by subdivision: a square whose border has one number is filled with it.
func marianiSilver(memory) map[string]any {
	const width, limit = 256, 512
	known := map[[2]int]uint32{}
	repetitions := func(px, py int) uint32 {
		n, ok := known[[2]int{px, py}]
		if ok {
			return n
		}
		cx, cy := fma32(float32(px), 0.015625, -2.25), fma32(float32(py), -0.015625, 2)
		for x, y := float32(0), float32(0); n < limit; n++ {
			xx, yy := float32(x*x), float32(y*y)
			if xx+yy > 4 {
				break
			}
			y, x = fma32(x+x, y, cy), float32(xx-yy)+cx
		}
		known[[2]int{px, py}] = n
		return n
	}
	out := make([]uint32, width*width)
	var square func(x, y, side int)
	square = func(x, y, side int) {
		first, same := repetitions(x, y), true
		for i := range side {
			for _, p := range [][2]int{{x + i, y}, {x + i, y + side - 1}, {x, y + i}, {x + side - 1, y + i}} {
				same = same && repetitions(p[0], p[1]) == first
			}
		}
		if !same && side > 16 {
			for i := range 4 {
				square(x+i%2*side/2, y+i/2*side/2, side/2)
			}
			return
		}
		for i := range side * side {
			px, py, n := x+i%side, y+i/side, first
			if !same {
				n = repetitions(px, py)
			}
			out[py*width+px] = n
		}
	}
	for i := range 16 {
		square(64*(i%4), 64*(i/4), 64)
	}
	return map[string]any{"iterations": out}
}

// product32 returns the product of buffers a (rows by depth) and b (depth by columns).
func product32(m memory, rows, columns, depth int) []float32 {
	a, b, c := m.f32("a"), m.f32("b"), make([]float32, rows*columns)
	for row := range rows {
		for column := range columns {
			sum := float32(0)
			for k := range depth {
				sum = fma32(a[row*depth+k], b[k*columns+column], sum)
			}
			c[row*columns+column] = sum
		}
	}
	return c
}

// The real GPU's results are right: every expected result equals the CPU's, to the bit.
func TestExpectedResultsEqualReferences(t *testing.T) {
	for name, reference := range references {
		t.Run(name, func(t *testing.T) {
			w, err := workload.Load(name + "/" + name + ".yaml")
			require.NoError(t, err)
			results := reference(memory{t, w})
			assert.Len(t, w.Expect, len(results), "every result is expected, and nothing else")
			for _, e := range w.Expect {
				require.Contains(t, results, e.Buffer)
				data, err := binary.Append(nil, binary.LittleEndian, results[e.Buffer])
				require.NoError(t, err)
				mismatch, err := w.Check(e.Buffer, bytes.NewReader(data))
				require.NoError(t, err)
				if mismatch != nil {
					t.Error(mismatch)
				}
				data[len(data)/2] ^= 1
				mismatch, err = w.Check(e.Buffer, bytes.NewReader(data))
				require.NoError(t, err)
				assert.NotNil(t, mismatch, "one wrong bit is found")
			}
		})
	}
}

// fma32 agrees with exact integer arithmetic; operands are small integers scaled by powers of two.
func TestFMA32(t *testing.T) {
	generator := workload.SplitMix64(7)
	for range 100000 {
		z := generator.Next()
		a, b := uint32(z)>>8|1<<23, uint32(z>>32)>>8|1<<23
		c, shift := uint32(generator.Next())>>8|1<<23, uint(z%24)
		// a*b + c*2^shift as an integer below 2^49, rounded to 24 bits by hand.
		sum := uint64(a)*uint64(b) + uint64(c)<<shift
		drop := uint(bits.Len64(sum)) - 24
		rest, kept := sum&(1<<drop-1), sum>>drop
		if half := uint64(1) << (drop - 1); rest > half || rest == half && kept&1 == 1 {
			kept++
		}
		require.Equal(
			t, float32(math.Ldexp(float64(kept), int(drop))), fma32(float32(a), float32(b), float32(math.Ldexp(float64(c), int(shift)))),
		)
	}
}
