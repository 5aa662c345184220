package toolchain_test

import (
	"math"
	"math/bits"
	"math/cmplx"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/testkit/need"
	"github.com/keplersim/keplersim/toolchain"
)

// program compiles a whole program of testdata/programs and loads its kernels on a simulated GK110 with timing.
func program(t *testing.T, name string) device {
	t.Helper()
	need.Clang(t)
	return loadFile(t, filepath.Join("testdata", "programs", name+".cu"), toolchain.Options{}, sim.Options{Threads: 1})
}

// random draws n numbers from a fixed seed.
func random[T any](n int, draw func(*rand.Rand) T) []T {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]T, n)
	for i := range out {
		out[i] = draw(r)
	}
	return out
}

func uniform(low, high float32) func(*rand.Rand) float32 {
	return func(r *rand.Rand) float32 { return low + (high-low)*r.Float32() }
}

// near asserts that each number is within tolerance of the other.
func near(t *testing.T, want []float64, got []float32, tolerance float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.InDelta(t, want[i], got[i], tolerance, "element %d", i)
	}
}

func line(n int) [3]int { return [3]int{n, 1, 1} }

func TestBlackScholes(t *testing.T) {
	d := program(t, "black_scholes")
	const n, rate, sigma = 500, float32(0.02), float32(0.3)
	price, strike, years := random(n, uniform(5, 30)), random(n, uniform(1, 100)), random(n, uniform(0.25, 10))
	call, put := make([]float32, n), make([]float32, n)
	c, p := d.buffer("call", call), d.buffer("put", put)
	d.launch("black_scholes", line(2), line(128), 0, d.buffer("price", price), d.buffer("strike", strike), d.buffer("years", years), c, p,
		rate, sigma, int32(n))
	d.read(c, call)
	d.read(p, put)
	normal := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	wantCall, wantPut := make([]float64, n), make([]float64, n)
	for i := range n {
		s, k, y, r, v := float64(price[i]), float64(strike[i]), float64(years[i]), float64(rate), float64(sigma)
		d1 := (math.Log(s/k) + (r+v*v/2)*y) / (v * math.Sqrt(y))
		d2 := d1 - v*math.Sqrt(y)
		wantCall[i] = s*normal(d1) - k*math.Exp(-r*y)*normal(d2)
		wantPut[i] = k*math.Exp(-r*y)*normal(-d2) - s*normal(-d1)
	}
	near(t, wantCall, call, 2e-5)
	near(t, wantPut, put, 2e-5)
}

func TestConvolution(t *testing.T) {
	d := program(t, "convolution")
	const width, height, radius = 128, 32, 4
	weights := []float64{0.0625, 0.09375, 0.125, 0.140625, 0.15625, 0.140625, 0.125, 0.09375, 0.0625}
	in, out := random(width*height, uniform(0, 1)), make([]float32, width*height)
	a, b, c := d.buffer("in", in), d.buffer("half", out), d.buffer("out", out)
	d.launch("convolve_rows", [3]int{width / 64, height, 1}, line(64), 0, a, b, int32(width))
	d.launch("convolve_columns", [3]int{width / 16, height / 16, 1}, [3]int{16, 16, 1}, 0, b, c, int32(width), int32(height))
	d.read(c, out)
	want := make([]float64, width*height)
	for y := range height {
		for x := range width {
			for i := -radius; i <= radius; i++ {
				for j := -radius; j <= radius; j++ {
					if y+i >= 0 && y+i < height && x+j >= 0 && x+j < width {
						want[y*width+x] += weights[radius-i] * weights[radius-j] * float64(in[(y+i)*width+x+j])
					}
				}
			}
		}
	}
	near(t, want, out, 1e-6)
}

func TestDiscreteCosineTransform(t *testing.T) {
	d := program(t, "dct")
	const width, height = 32, 16
	in, out := random(width*height, uniform(-128, 127)), make([]float32, width*height)
	to := d.buffer("out", out)
	d.launch("dct8x8", [3]int{width / 8, height / 8, 1}, [3]int{8, 8, 1}, 0, d.buffer("in", in), to, int32(width))
	d.read(to, out)
	scale := func(u int) float64 {
		if u == 0 {
			return math.Sqrt2 / 4
		}
		return 0.5
	}
	want := make([]float64, width*height)
	for at := range want {
		y, x := at/width, at%width
		u, v := y%8, x%8
		for i := range 8 {
			for j := range 8 {
				want[at] += scale(u) * scale(v) * float64(in[(y-u+i)*width+x-v+j]) *
					math.Cos(math.Pi*float64((2*i+1)*u)/16) * math.Cos(math.Pi*float64((2*j+1)*v)/16)
			}
		}
	}
	near(t, want, out, 5e-4)
}

func TestSorts(t *testing.T) {
	d := program(t, "sorts")
	small := random(200, func(r *rand.Rand) int32 { return r.Int32() - 1<<30 })
	at := d.buffer("small", small)
	d.launch("odd_even_sort", line(1), line(128), 4*len(small), at, int32(len(small)))
	got := make([]int32, len(small))
	d.read(at, got)
	slices.Sort(small)
	assert.Equal(t, small, got)

	blocks := random(4*256, func(r *rand.Rand) uint32 { return r.Uint32() })
	at = d.buffer("blocks", blocks)
	d.launch("batcher_sort", line(4), line(128), 0, at)
	sorted := make([]uint32, len(blocks))
	d.read(at, sorted)
	for b := range 4 {
		slices.Sort(blocks[256*b : 256*(b+1)])
	}
	assert.Equal(t, blocks, sorted)

	keys := random(700, func(r *rand.Rand) float32 { return float32(r.IntN(300)) })
	a, b := d.buffer("keys", keys), d.buffer("other", keys)
	for run := 1; run < len(keys); run *= 2 {
		d.launch("merge_pass", line(3), line(256), 0, a, b, int32(len(keys)), int32(run))
		a, b = b, a
	}
	merged := make([]float32, len(keys))
	d.read(a, merged)
	slices.Sort(keys)
	assert.Equal(t, keys, merged)
}

func TestLinearAlgebra(t *testing.T) {
	d := program(t, "linear_algebra")
	const n = 24
	a := random(n*n, func(r *rand.Rand) float64 { return r.Float64() })
	for i := range n {
		a[i*n+i] += n // no pivot is small
	}
	at := d.buffer("a", a)
	for k := range n - 1 {
		d.launch("lu_column", line(1), line(32), 0, at, int32(n), int32(k))
		d.launch("lu_update", [3]int{2, 2, 1}, [3]int{16, 16, 1}, 0, at, int32(n), int32(k))
	}
	lu := make([]float64, n*n)
	d.read(at, lu)
	for i := range n {
		for j := range n {
			sum := 0.0
			for k := range min(i, j) + 1 {
				l := lu[i*n+k]
				if k == i {
					l = 1
				}
				sum += l * lu[k*n+j]
			}
			require.InDelta(t, a[i*n+j], sum, 1e-12, "L U at %d, %d", i, j)
		}
	}

	distance := random(n*n, func(r *rand.Rand) int32 { return 1 + r.Int32N(100) })
	via := make([]int32, n*n)
	ad, av := d.buffer("distance", distance), d.buffer("via", via)
	for k := range n {
		d.launch("floyd_warshall", [3]int{1, n, 1}, line(32), 0, ad, av, int32(n), int32(k))
	}
	got := make([]int32, n*n)
	d.read(ad, got)
	for k := range n {
		for i := range n {
			for j := range n {
				distance[i*n+j] = min(distance[i*n+j], distance[i*n+k]+distance[k*n+j])
			}
		}
	}
	assert.Equal(t, distance, got)
}

func TestHotspot(t *testing.T) {
	d := program(t, "hotspot")
	const rows, columns = 40, 50
	heat, power, next := random(rows*columns, uniform(320, 340)), random(rows*columns, uniform(0, 1)), make([]float32, rows*columns)
	p := struct{ Step, Rx, Ry, Rz, Ambient float32 }{0.1, 2, 3, 50, 300}
	to := d.buffer("next", next)
	d.launch("hotspot", [3]int{4, 3, 1}, [3]int{16, 16, 1}, 0, d.buffer("heat", heat), d.buffer("power", power), to, int32(rows),
		int32(columns), p)
	d.read(to, next)
	at := func(y, x int) float64 { return float64(heat[min(max(y, 0), rows-1)*columns+min(max(x, 0), columns-1)]) }
	want := make([]float64, rows*columns)
	for i := range want {
		y, x := i/columns, i%columns
		c := at(y, x)
		want[i] = c + float64(p.Step)*(float64(power[i])+(at(y-1, x)+at(y+1, x)-2*c)/3+(at(y, x-1)+at(y, x+1)-2*c)/2+(300-c)/50)
	}
	near(t, want, next, 1e-4)
}

func TestKMeans(t *testing.T) {
	d := program(t, "kmeans")
	const n, dimensions, centres = 600, 4, 5
	points, centre := random(n*dimensions, uniform(0, 8)), random(centres*dimensions, uniform(0, 8))
	member, sums, counts := make([]int32, n), make([]float32, centres*dimensions), make([]int32, centres)
	am, as, ac := d.buffer("member", member), d.buffer("sums", sums), d.buffer("counts", counts)
	d.launch("kmeans_step", line(5), line(128), 0, d.buffer("points", points), d.buffer("centres", centre), am, as, ac, int32(n))
	d.read(am, member)
	d.read(as, sums)
	d.read(ac, counts)
	wantSums, wantCounts := make([]float64, len(sums)), make([]int32, centres)
	for p := range n {
		least, nearest := math.Inf(1), 0
		for c := range centres {
			distance := 0.0
			for k := range dimensions {
				off := float64(points[k*n+p] - centre[c*dimensions+k])
				distance += off * off
			}
			if distance < least {
				least, nearest = distance, c
			}
		}
		require.Equal(t, int32(nearest), member[p])
		wantCounts[nearest]++
		for k := range dimensions {
			wantSums[nearest*dimensions+k] += float64(points[k*n+p])
		}
	}
	assert.Equal(t, wantCounts, counts)
	near(t, wantSums, sums, 1e-2)
}

func TestNeedlemanWunsch(t *testing.T) {
	d := program(t, "needleman_wunsch")
	const n, gap, width = 60, 1, 61
	bases := random(2*n, func(r *rand.Rand) uint8 { return "ACGT"[r.IntN(4)] })
	score := make([]int32, width*width)
	to := d.buffer("score", score)
	d.launch("needleman_wunsch", line(1), line(64), 0, d.buffer("a", bases[:n]), d.buffer("b", bases[n:]), to, int32(n), int32(gap))
	d.read(to, score)
	want := make([]int32, width*width)
	for i := range width {
		for j := range width {
			if i == 0 || j == 0 {
				want[i*width+j] = int32(-gap * (i + j))
				continue
			}
			match := int32(-1)
			if bases[i-1] == bases[n+j-1] {
				match = 2
			}
			want[i*width+j] = max(want[(i-1)*width+j-1]+match, want[(i-1)*width+j]-gap, want[i*width+j-1]-gap)
		}
	}
	assert.Equal(t, want, score)
}

func TestHistogramScanAndMaximum(t *testing.T) {
	d := program(t, "histogram_scan")
	data := random(2048, func(r *rand.Rand) uint32 { return r.Uint32() })
	bins, wantBins := make([]uint32, 64), make([]uint32, 64)
	from, to := d.buffer("data", data), d.buffer("bins", bins)
	d.launch("histogram64", line(2), line(128), 0, from, to, int32(len(data)/4))
	d.read(to, bins)
	best := uint64(0)
	for i, w := range data {
		for ; w != 0; w >>= 8 {
			wantBins[w&63]++
		}
		for k := (bits.Len32(data[i]) + 7) / 8; k < 4; k++ {
			wantBins[0]++
		}
		best = max(best, uint64(data[i])<<32|uint64(i))
	}
	assert.Equal(t, wantBins, bins)

	at := d.buffer("best", []uint64{0})
	d.launch("largest", line(8), line(256), 0, from, at, int32(len(data)))
	got := []uint64{0}
	d.read(at, got)
	assert.Equal(t, best, got[0])

	in := random(512, func(r *rand.Rand) int32 { return r.Int32N(1000) - 500 })
	out, totals := make([]int32, 512), make([]int32, 2)
	ao, at2 := d.buffer("out", out), d.buffer("totals", totals)
	d.launch("scan_block", line(2), line(256), 0, d.buffer("in", in), ao, at2)
	d.read(ao, out)
	d.read(at2, totals)
	for b := range 2 {
		sum := int32(0)
		for i := range 256 {
			sum += in[256*b+i]
			require.Equal(t, sum, out[256*b+i], "block %d, element %d", b, i)
		}
		assert.Equal(t, sum, totals[b])
	}
}

func TestMonteCarlo(t *testing.T) {
	d := program(t, "monte_carlo")
	const threads, throws, seed = 256, 20, 7
	hits := []uint64{0}
	at := d.buffer("hits", hits)
	d.launch("darts", line(2), line(128), 0, at, int32(throws), uint32(seed))
	d.read(at, hits)
	want := uint64(0)
	for thread := range uint32(threads) {
		state := (seed+thread)*2654435761 | 1
		next := func() uint64 {
			state ^= state << 13
			state ^= state >> 17
			state ^= state << 5
			return uint64(state >> 12)
		}
		for range throws {
			if x, y := next(), next(); x*x+y*y < 1<<40 {
				want++
			}
		}
	}
	assert.Equal(t, want, hits[0])
}

func TestFourierTransform(t *testing.T) {
	d := program(t, "fft")
	const points, transforms = 256, 2
	in, out := random(2*points*transforms, uniform(-1, 1)), make([]float32, 2*points*transforms)
	to := d.buffer("out", out)
	d.launch("fft256", line(transforms), line(points/2), 0, d.buffer("in", in), to)
	d.read(to, out)
	want := make([]float64, len(out))
	for b := range transforms {
		x := in[2*points*b:]
		for k := range points {
			sum := complex(0, 0)
			for n := range points {
				sum += complex(float64(x[2*n]), float64(x[2*n+1])) * cmplx.Rect(1, -2*math.Pi*float64(n*k%points)/points)
			}
			want[2*(points*b+k)], want[2*(points*b+k)+1] = real(sum), imag(sum)
		}
	}
	near(t, want, out, 2e-5)
}

func TestSobelAndMean(t *testing.T) {
	d := program(t, "sobel")
	const width, height = 48, 20
	in, out := random(width*height, func(r *rand.Rand) uint8 { return uint8(r.UintN(256)) }), make([]uint8, width*height)
	to := d.buffer("out", out)
	d.launch("sobel", [3]int{3, 3, 1}, [3]int{16, 8, 1}, 0, d.buffer("in", in), to, int32(width), int32(height))
	d.read(to, out)
	want := make([]uint8, width*height)
	for y := 1; y < height-1; y++ {
		for x := 1; x < width-1; x++ {
			gx, gy := 0, 0
			for k, weight := range []int{1, 2, 1} {
				gx += weight * (int(in[(y+k-1)*width+x+1]) - int(in[(y+k-1)*width+x-1]))
				gy += weight * (int(in[(y+1)*width+x+k-1]) - int(in[(y-1)*width+x+k-1]))
			}
			want[y*width+x] = uint8(min(max(gx, -gx)+max(gy, -gy), 255))
		}
	}
	assert.Equal(t, want, out)

	other := random(4*100, func(r *rand.Rand) uint8 { return uint8(r.UintN(256)) })
	mean, sum := make([]uint8, 400), []uint32{0}
	am, as := d.buffer("mean", mean), d.buffer("sum", sum)
	d.launch("mean", line(1), line(128), 0, d.buffer("a", in[100:500]), d.buffer("b", other), am, as, int32(100))
	d.read(am, mean)
	d.read(as, sum)
	wantSum := uint32(0)
	for i, b := range other {
		a := in[100+i]
		require.Equal(t, uint8((int(a)+int(b)+1)/2), mean[i])
		wantSum += uint32(max(a, b) - min(a, b))
	}
	assert.Equal(t, wantSum, sum[0])
}

func TestIdioms(t *testing.T) {
	need.Clang(t)
	for i, o := range []toolchain.Options{{}, {Arch: "sm_30"}, {Level: "0"}, {FastMath: true}} {
		if testing.Short() && i > 0 {
			break
		}
		if o.Arch == "sm_30" || o.Level == "0" {
			_, err := toolchain.Compile(t.Context(), filepath.Join("testdata", "programs", "idioms.cu"), o)
			require.NoError(t, err)
			continue
		}
		d := loadFile(t, filepath.Join("testdata", "programs", "idioms.cu"), o, sim.Options{Threads: 1})
		in := random(300, func(r *rand.Rand) float64 { return float64(r.IntN(1000)) })
		sum, got := 0.0, []float64{0}
		for _, x := range in {
			sum += x
		}
		at := d.buffer("sum", got)
		d.launch("fold<double>", line(2), line(64), 64*8, d.buffer("in", in), at, uint32(len(in)))
		d.read(at, got)
		assert.Equal(t, sum, got[0], "whole numbers add up exactly in any order")

		out := make([]float32, 128)
		to := d.buffer("out", out)
		d.launch("mixture", line(2), line(64), 0, to, int16(16), uint8(5))
		d.read(to, out)
		for i, x := range out {
			a, b := 8+math.Sqrt2+4+5+5+2+float64(i/2)+1.5, 2.0
			want := a * b
			if i&1 == 1 {
				want = a + b
			}
			assert.InDelta(t, want+8+2+5+3, x, 1e-4)
		}
	}
}
