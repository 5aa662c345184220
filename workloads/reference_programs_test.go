package workloads

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/stretchr/testify/assert"
)

// References for the longer programs. The simplest are in the table of reference_test.go.

// inside limits i to 0 to size-1.
func inside(i, size int) int { return min(max(i, 0), size-1) }

func convolution(m memory) map[string]any {
	const width, height = 300, 180
	taps := []float32{0.0038, 0.0088, 0.0181, 0.0333, 0.0549, 0.0810, 0.1070, 0.1263, 0.1336}
	pass := func(in []float32, dx, dy int) []float32 {
		out := make([]float32, len(in))
		for i := range out {
			for k := -8; k <= 8; k++ {
				x, y := inside(i%width+k*dx, width), inside(i/width+k*dy, height)
				out[i] = fma32(taps[8-max(k, -k)], in[y*width+x], out[i])
			}
		}
		return out
	}
	rows := pass(m.f32("image"), 1, 0)
	return map[string]any{"rows": rows, "smooth": pass(rows, 0, 1)}
}

// exponential and logarithm are the steps of the CUDA header's expf and logf for finite, positive numbers.
func exponential(x float32) float32 {
	n := float32(math.RoundToEven(float64(float32(min(max(x, -150), 150) * 1.44269504))))
	r := fma32(n, -1.42860677e-6, fma32(n, -0.693145752, x))
	p := float32(1.0 / 5040)
	for _, c := range []float32{1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1} {
		p = fma32(p, r, c)
	}
	if x < -104 {
		return 0
	}
	half := int(n) >> 1
	return float32(math.Ldexp(float64(float32(math.Ldexp(float64(p), half))), int(n)-half))
}

func logarithm(x float32) float32 {
	bits := int32(math.Float32bits(x))
	e := (bits - 0x3f3504f3) >> 23
	f := math.Float32frombits(uint32(bits-e<<23)) - 1
	s := f / (2 + f)
	z := float32(s * s)
	p := float32(2.0 / 11)
	for _, c := range []float32{2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3} {
		p = fma32(p, z, c)
	}
	h := float32(float32(0.5*f) * f)
	l := f - fma32(-s, fma32(z, p, h), h)
	return fma32(float32(e), 0.693145752, fma32(float32(e), 1.42860677e-6, l))
}

func blackScholes(m memory) map[string]any {
	const rate, volatility = float32(0.02), float32(0.3)
	integral := func(d float32) float32 {
		k := 1 / fma32(0.2316419, float32(math.Abs(float64(d))), 1)
		series := float32(1.330274429)
		for _, c := range []float32{-1.821255978, 1.781477937, -0.356563782, 0.31938153} {
			series = fma32(k, series, c)
		}
		tail := float32(float32(0.39894228*exponential(float32(float32(-0.5*d)*d))) * float32(k*series))
		if d > 0 {
			return 1 - tail
		}
		return tail
	}
	price, strike, years := m.f32("price"), m.f32("strike"), m.f32("years")
	call, put := make([]float32, len(price)), make([]float32, len(price))
	for i, s := range price {
		x, t := strike[i], years[i]
		deviation := float32(volatility * float32(math.Sqrt(float64(t))))
		d1 := fma32(fma32(float32(0.5*volatility), volatility, rate), t, logarithm(s/x)) / deviation
		n1, n2 := integral(d1), integral(d1-deviation)
		later := float32(x * exponential(float32(-rate*t)))
		call[i] = fma32(s, n1, -float32(later*n2))
		put[i] = fma32(later, 1-n2, -float32(s*(1-n1)))
		// The formula itself, in double precision.
		exact := (math.Log(float64(s)/float64(x)) + 0.065*float64(t)) / (0.3 * math.Sqrt(float64(t)))
		normal := func(d float64) float64 { return math.Erfc(-d/math.Sqrt2) / 2 }
		worth := float64(s)*normal(exact) - float64(x)*math.Exp(-0.02*float64(t))*normal(exact-0.3*math.Sqrt(float64(t)))
		assert.InDelta(m.t, worth, call[i], 1e-4)
	}
	return map[string]any{"call": call, "put": put}
}

func dotProduct(m memory) map[string]any {
	sum := int64(0)
	b := elements[int32](m, "b")
	for i, a := range elements[int32](m, "a") {
		sum += int64(a) * int64(b[i])
	}
	return map[string]any{"result": []int64{sum}}
}

func hotspot(m memory) map[string]any {
	const width, height = 160, 130
	power, in := m.f32("power"), m.f32("even")
	var results [][]float32
	for range 4 {
		out := make([]float32, len(in))
		for i, here := range in {
			at := func(dx, dy int) float32 { return in[inside(i/width+dy, height)*width+inside(i%width+dx, width)] }
			around := float32(at(-1, 0)+at(1, 0)) + float32(at(0, -1)+at(0, 1))
			out[i] = fma32(0.15, fma32(-4, here, around), fma32(0.05, 80-here, here+power[i]))
		}
		in, results = out, append(results, out)
	}
	return map[string]any{"even": results[3], "odd": results[1]}
}

func fft(m memory) map[string]any {
	const points = 512
	in := m.f32("in")
	twiddles, out := m.f32("twiddles"), slices.Clone(in)
	for block := 0; block < len(out); block += 2 * points {
		from := out[block : block+2*points]
		for length := 1; length < points; length *= 2 {
			to := make([]float32, 2*points)
			for t := range points / 2 {
				k := t % length
				a, b, w := from[2*t:], from[2*t+points:], twiddles[2*(length+k):]
				re := fma32(w[0], b[0], -float32(w[1]*b[1]))
				im := fma32(w[0], b[1], float32(w[1]*b[0]))
				sum, difference := to[2*(2*t-k):], to[2*(2*t-k+length):]
				sum[0], sum[1] = a[0]+re, a[1]+im
				difference[0], difference[1] = a[0]-re, a[1]-im
			}
			from = to
		}
		copy(out[block:], from)
	}
	// The first transform by its definition, in double precision.
	for frequency := range points {
		var sum complex128
		for k := range points {
			sine, cosine := math.Sincos(-2 * math.Pi * float64(frequency*k%points) / points)
			sum += complex(float64(in[2*k]), float64(in[2*k+1])) * complex(cosine, sine)
		}
		assert.InDelta(m.t, real(sum), out[2*frequency], 1e-4)
		assert.InDelta(m.t, imag(sum), out[2*frequency+1], 1e-4)
	}
	return map[string]any{"out": out}
}

func kMeans(m memory) map[string]any {
	points, centres := m.f32("points"), m.f32("centres")
	cluster, changes := make([]uint32, len(points)/8), uint32(0)
	for i := range cluster {
		least := float32(math.Inf(1))
		for c := range len(centres) / 8 {
			distance := float32(0)
			for d := range 8 {
				difference := points[d*len(cluster)+i] - centres[8*c+d]
				distance = fma32(difference, difference, distance)
			}
			if distance < least {
				least, cluster[i] = distance, uint32(c)
			}
		}
		if cluster[i] != 0 {
			changes++
		}
	}
	return map[string]any{"cluster": cluster, "changes": []uint32{changes}}
}

func needlemanWunsch(m memory) map[string]any {
	a, b := m.bytes("a"), m.bytes("b")
	score := make([]int32, len(a)*len(b))
	at := func(row, column int) int32 {
		if row < 0 || column < 0 {
			return -4 * int32(row+column+2)
		}
		return score[row*len(b)+column]
	}
	for row := range a {
		for column := range b {
			both := at(row-1, column-1) - 2
			if a[row] == b[column] {
				both += 5
			}
			score[row*len(b)+column] = max(both, at(row-1, column)-4, at(row, column-1)-4)
		}
	}
	return map[string]any{"score": score}
}

func monteCarloPi(m memory) map[string]any {
	const threads, points = 30720, 30
	inside := uint32(0)
	for t := range uint32(threads) {
		state := (t + 2026) * 2654435761
		state = (state^state>>16)*2246822519 | 1
		coordinate := func() uint32 {
			state ^= state << 13
			state ^= state >> 17
			state ^= state << 5
			return state >> 17
		}
		for range points {
			if x, y := coordinate(), coordinate(); x*x+y*y < 1<<30 {
				inside++
			}
		}
	}
	assert.InDelta(m.t, math.Pi, 4*float64(inside)/(threads*points), 0.005)
	return map[string]any{"inside": []uint32{inside}}
}

func life(m memory) map[string]any {
	const width, height = 256, 150
	cells := m.bytes("byte_even")
	var results [][]byte
	for range 2 {
		next := make([]byte, len(cells))
		for i := range cells {
			count := byte(0)
			for _, dy := range []int{height - 1, 0, 1} {
				for _, dx := range []int{width - 1, 0, 1} {
					count += cells[(i/width+dy)%height*width+(i%width+dx)%width]
				}
			}
			if count == 3 || count == 4 && cells[i] == 1 { // the count includes the cell itself
				next[i] = 1
			}
		}
		cells, results = next, append(results, next)
	}
	return map[string]any{"byte_odd": results[0], "byte_even": results[1], "word_odd": results[0], "word_even": results[1]}
}

func compaction(m memory) map[string]any {
	in := m.u32("in")
	counts, starts, out := make([]uint32, 416), make([]uint32, 416), make([]uint32, len(in))
	total := uint32(0)
	for i, v := range in {
		if v < 300 {
			out[total] = v
			total++
			counts[i/256]++
		}
	}
	for i := range counts[1:] {
		starts[i+1] = starts[i] + counts[i]
	}
	return map[string]any{"counts": counts, "starts": starts, "out": out, "total": []uint32{total}}
}

func matrixSum(m memory) map[string]any {
	a, b := m.f32("a"), m.f32("b")
	for i := range a {
		a[i] += b[i]
	}
	return map[string]any{"by_rows": a, "by_columns": a}
}

func blur(m memory) map[string]any {
	const width, height = 250, 140
	picture := m.bytes("picture")
	out := make([]byte, len(picture))
	weights := []int{1, 4, 6, 4, 1}
	for y := 2; y < height-2; y++ {
		for x := 2; x < width-2; x++ {
			sum := 0
			for dy, wy := range weights {
				for dx, wx := range weights {
					sum += wy * wx * int(picture[(y+dy-2)*width+x+dx-2])
				}
			}
			out[y*width+x] = byte(math.Floor(float64(sum)/256 + 0.5))
		}
	}
	return map[string]any{"plain": out, "read_only": out}
}

func hashes(m memory) map[string]any {
	const messages = 3840
	message := make([]byte, 52)
	for i, word := range m.u32("header") {
		binary.BigEndian.PutUint32(message[4*i:], word)
	}
	words, smallest := make([]uint32, 8*messages), uint32(math.MaxUint32)
	for i := range uint32(messages) {
		binary.BigEndian.PutUint32(message[48:], i)
		hash := sha256.Sum256(message)
		for k := range uint32(8) {
			words[k*messages+i] = binary.BigEndian.Uint32(hash[4*k:])
		}
		smallest = min(smallest, words[i])
	}
	return map[string]any{"hashes": words, "smallest": []uint32{smallest}}
}
