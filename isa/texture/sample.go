package texture

import "math"

// Sample is a texture read of one lane: which texels it needs, then what it makes of them.
type Sample struct {
	// Count is how many of At are used: 1, or 2, 4 or 8 with a linear filter or a gather. Bit 0 of an index is the texel's place in x, bit 1 in
	// y, bit 2 in z.
	Count int
	At    [8]Place
	// fraction is how far the coordinate lies from the first texel to the next, in 256ths, by dimension.
	fraction [3]uint32
}

// Place is where a texel lies.
type Place struct {
	X, Y, Z, Layer int
	Outside        bool // beyond an edge that is a border: all zero, not read
}

// Locate finds the texels of a read. c are the coordinates in PTX order, floats or, with integers, s32; gather asks for the four
// texels of a bilinear filter whatever the filter is.
func (s *Sample) Locate(t *Image, how *Sampling, c *[4]uint32, integers, gather bool) {
	layer, k := 0, 0
	if t.Geometry.Layered() {
		k = 1
		layer = int(min(c[0], uint32(math.MaxInt32)))
	}
	var at [3]float32
	for d := range t.Geometry.Dimensions() {
		if integers {
			at[d] = float32(int32(c[k+d]))
		} else {
			at[d] = math.Float32frombits(c[k+d])
		}
	}
	dimensions := t.Geometry.Dimensions()
	modes, normalized := how.Address, how.Normalized && !integers
	linear := (how.Linear || gather) && !integers
	faces := 1
	if t.Geometry == Cube || t.Geometry == CubeArray {
		var face int
		face, at[0], at[1] = faceOf(at[0], at[1], at[2])
		faces, dimensions, normalized = 6, 2, true
		layer = min(layer, t.Layers/6-1)*faces + face
	}
	beyond := integers && layer >= t.Layers // reads zero; floats read the last layer
	layer = max(0, min(layer, t.Layers-1))
	sizes := [3]int{t.Width, t.Height, t.Depth}
	var low, high [3]int
	var outsideLow, outsideHigh [3]bool
	s.fraction = [3]uint32{}
	for d := range dimensions {
		if integers {
			low[d], outsideLow[d] = whole(int(int32(c[k+d])), sizes[d])
			continue
		}
		x := scaled(at[d], sizes[d], modes[d], normalized)
		if !linear {
			low[d], outsideLow[d] = place(int(math.Floor(x)), sizes[d], modes[d])
			continue
		}
		fixed := int64(math.Floor((x-0.5)*256 + 0.5))
		s.fraction[d] = uint32(fixed & 255)
		low[d], outsideLow[d] = place(int(fixed>>8), sizes[d], modes[d])
		high[d], outsideHigh[d] = place(int(fixed>>8)+1, sizes[d], modes[d])
	}
	s.Count = 1
	if linear {
		s.Count = 1 << dimensions
	}
	for n := range s.Count {
		at, outside := low, beyond
		for d := range dimensions {
			if n>>d&1 != 0 {
				at[d] = high[d]
				outside = outside || outsideHigh[d]
			} else {
				outside = outside || outsideLow[d]
			}
		}
		s.At[n] = Place{X: at[0], Y: at[1], Z: at[2], Layer: layer, Outside: outside}
	}
}

// scaled is a coordinate in texels, brought near the image where a mode repeats it.
func scaled(x float32, size int, mode AddressMode, normalized bool) float64 {
	v := float64(x)
	if v != v || math.IsInf(v, 0) {
		v = 0
	}
	if normalized {
		switch mode {
		case Wrap:
			v -= math.Floor(v)
		case Mirror:
			if turn := math.Floor(v); math.Mod(turn, 2) != 0 {
				v = 1 - (v - turn)
			} else {
				v -= turn
			}
		}
		v *= float64(size)
	}
	return max(-1<<30, min(v, 1<<30))
}

// place is a texel's number after its mode.
func place(n, size int, mode AddressMode) (at int, outside bool) {
	switch {
	case n >= 0 && n < size:
		return n, false
	case mode == Border:
		return 0, true
	case mode == Wrap:
		return ((n % size) + size) % size, false
	}
	return max(0, min(n, size-1)), false
}

// whole is place for integer coordinates: no mode counts, and beyond the image all is zero.
func whole(n, size int) (at int, outside bool) {
	return max(0, min(n, size-1)), n < 0 || n >= size
}

// faceOf is the face of a cube that a direction meets, and where, from 0 to 1 (CUDA C Programming Guide, cubemap textures).
func faceOf(x, y, z float32) (face int, s, t float32) {
	ax, ay, az := abs(x), abs(y), abs(z)
	var m float32
	switch {
	case ax >= ay && ax >= az:
		m, s, t = ax, -z, -y
		if x < 0 {
			face, s = 1, z
		}
	case ay >= az:
		face, m, s, t = 2, ay, x, z
		if y < 0 {
			face, t = 3, -z
		}
	default:
		face, m, s, t = 4, az, x, -y
		if z < 0 {
			face, s = 5, -x
		}
	}
	return face, (s/m + 1) / 2, (t/m + 1) / 2
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// Result makes the four components of a read from the bytes of its texels, in the order of At; those outside are nil.
func (s *Sample) Result(t *Image, texels *[8][]byte) (result [4]uint32) {
	if s.Count == 1 || !t.Floats() {
		return t.components(texels[0])
	}
	var sum [4]float64
	weights := s.weights()
	for n := range s.Count {
		weight := float64(weights[n])
		texel := t.components(texels[n])
		for k := range sum {
			sum[k] += weight * float64(math.Float32frombits(texel[k]))
		}
	}
	for k := range result {
		result[k] = math.Float32bits(float32(sum[k] / 256))
	}
	return result
}

// weights are those of the texels, in 256ths. The unit has eight bits for each: it rounds the product of two fractions, and what is
// left of each fraction goes to the neighbour, so that all add up to 256 (m recorded on a current GPU).
func (s *Sample) weights() (w [8]uint32) {
	w[0] = 256
	for d := 0; 1<<d < s.Count; d++ {
		for n := range 1 << d {
			far := (w[n]*s.fraction[d] + 128) / 256
			w[n], w[n|1<<d] = w[n]-far, far
		}
	}
	return w
}

// gatherOrder is the order in which tld4 returns the texels of a bilinear filter: counter-clockwise from the lower left, as PTX has it.
var gatherOrder = [4]int{2, 3, 1, 0}

// Gathered is one component of the four texels.
func (s *Sample) Gathered(t *Image, texels *[8][]byte, component int) (result [4]uint32) {
	for k, n := range gatherOrder {
		result[k] = t.components(texels[n])[component]
	}
	return result
}

// components are a texel's channels as a read returns them, integers extended to 32 bits. Channels that the format lacks are 0.
func (t *Image) components(texel []byte) (result [4]uint32) {
	if texel == nil {
		return result
	}
	size := t.Format.Bytes()
	for k := range t.Channels {
		var bits uint32
		for b := range size {
			bits |= uint32(texel[k*size+b]) << (8 * b)
		}
		switch {
		case t.Format == F16:
			bits = widen(bits)
		case t.Format == S8:
			bits = uint32(int8(bits))
		case t.Format == S16:
			bits = uint32(int16(bits))
		}
		if t.NormalizedRead {
			bits = t.normalized(bits)
		}
		result[k] = bits
	}
	return result
}

// normalized makes a float of a small integer.
func (t *Image) normalized(bits uint32) uint32 {
	switch t.Format {
	case U8:
		return math.Float32bits(float32(bits) / 255)
	case U16:
		return math.Float32bits(float32(bits) / 65535)
	case S8:
		return math.Float32bits(max(-1, float32(int32(bits))/127))
	case S16:
		return math.Float32bits(max(-1, float32(int32(bits))/32767))
	}
	return bits
}

// widen makes f32 of f16.
func widen(h uint32) uint32 {
	sign, exponent, fraction := h>>15<<31, h>>10&31, h&1023
	switch {
	case exponent == 31:
		return sign | 0xff<<23 | fraction<<13
	case exponent != 0:
		return sign | (exponent+112)<<23 | fraction<<13
	}
	return sign | math.Float32bits(float32(fraction)*0x1p-24)
}
