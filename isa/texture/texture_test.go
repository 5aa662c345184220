package texture

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/executions"
)

// inside makes sure that a sample is in its image for any coordinates.
func inside(t *testing.T, i *Image, how *Sampling, c *[4]uint32, integers, gather bool) {
	var s Sample
	s.Locate(i, how, c, integers, gather)
	require.Contains(t, []int{1, 2, 4, 8}, s.Count)
	total := int32(0)
	for n, w := range s.weights() {
		require.GreaterOrEqual(t, w, int32(0))
		total += w
		if n >= s.Count {
			require.Zero(t, w)
			continue
		}
		p := s.At[n]
		require.True(t, p.X >= 0 && p.X < i.Width && p.Y >= 0 && p.Y < i.Height && p.Z >= 0 && p.Z < i.Depth && p.Layer >= 0 &&
			p.Layer < i.Layers,
			"%s %dx%dx%d, %d layers, %+v: %08x is at %+v", i.Geometry, i.Width, i.Height, i.Depth, i.Layers, how, c, p)
	}
	require.EqualValues(t, 256, total)
}

// shaped returns an image of a geometry with dimensions that fit it.
func shaped(geometry uint8, width, height, depth, layers int) Image {
	i := Image{Geometry: Geometry(geometry % 7), Width: max(1, width), Height: 1, Depth: 1, Layers: 1, Format: F32, Channels: 1}
	if i.Geometry.Dimensions() > 1 {
		i.Height = max(1, height)
	}
	if i.Geometry == Plain3D {
		i.Depth = max(1, depth)
	}
	if i.Geometry.Layered() {
		i.Layers = max(1, layers)
	}
	if i.Geometry.IsCube() {
		i.Height = i.Width
		i.Layers *= 6
	}
	return i
}

// Fetch returns the four registers of a lane.
func Fetch(i *Image, s *Sampling, texels []byte, c *[4]uint32, integers bool, gather int) [4]uint32 {
	var sample Sample
	sample.Locate(i, s, c, integers, gather >= 0)
	var list [8][]byte
	for n := range sample.Count {
		if p := &sample.At[n]; !p.Outside {
			at := i.Texel(p.X, p.Y, p.Z, p.Layer)
			list[n] = texels[at : at+uint64(i.TexelBytes())]
		}
	}
	if gather >= 0 {
		return sample.Gathered(i, &list, gather)
	}
	return sample.Result(i, &list)
}

// No coordinates lead out of an image, not even NaN.
func FuzzLocate(f *testing.F) {
	for g := range uint8(7) {
		f.Add(g, uint16(13), uint16(7), uint8(3), uint8(4), uint8(0), uint8(3), uint32(0x3f000000), uint32(0x7fc00000), uint32(0xff800000),
			uint32(1))
		f.Add(g, uint16(1), uint16(1), uint8(1), uint8(1), uint8(27), uint8(1), uint32(0xffffffff), uint32(0x7f7fffff), uint32(0x80000001),
			uint32(0xcb000000))
		f.Add(g, uint16(65535), uint16(9000), uint8(255), uint8(200), uint8(228), uint8(7), uint32(0x4b000001), uint32(0xbf800000),
			uint32(0x3f7fffff), uint32(0x7fffffff))
	}
	executions.Fuzz(f, func(t *testing.T, geometry uint8, width, height uint16, depth, layers, modes, options uint8, a, b, c, d uint32) {
		i := shaped(geometry, int(width), int(height), int(depth), int(layers))
		how := Sampling{Linear: options&1 != 0, Normalized: options&2 != 0,
			Address: [3]AddressMode{AddressMode(modes & 3), AddressMode(modes >> 2 & 3), AddressMode(modes >> 4 & 3)}}
		at := [4]uint32{a, b, c, d}
		inside(t, &i, &how, &at, options&4 != 0, options&8 != 0)
		if !i.Geometry.IsCube() {
			AtLevel(&i, &at, uint32(options>>4))
			inside(t, &i, &how, &at, true, false)
		}
	})
}

// The formulas of the CUDA C Programming Guide's appendix on texture fetching. Point sampling reads T[floor(x)]. Linear filtering weighs
// T[i] with 1-a and T[i+1] with a, where x-0.5 is i+a and a has eight bits of fraction.
func TestTheGuidesFormulas(t *testing.T) {
	ramp := Image{Geometry: Plain1D, Width: 4, Height: 1, Depth: 1, Layers: 1, Format: F32, Channels: 1}
	texels := make([]byte, 16)
	for n, v := range []float32{0.25, 1.5, -3, 10} {
		for b := range 4 {
			texels[4*n+b] = byte(math.Float32bits(v) >> (8 * b))
		}
	}
	read := func(how Sampling, x float32) float32 {
		return math.Float32frombits(Fetch(&ramp, &how, texels, &[4]uint32{math.Float32bits(x)}, false, -1)[0])
	}
	point, linear := Sampling{}, Sampling{Linear: true}
	for x, want := range map[float32]float32{0: 0.25, 0.99: 0.25, 1: 1.5, 3.5: 10, 4: 10, 100: 10, -5: 0.25} {
		assert.Equal(t, want, read(point, x), "point, %v", x)
		assert.Equal(t, want, read(Sampling{Normalized: true}, x/4), "point, normalised, %v", x)
	}
	for x, want := range map[float32]float32{0.5: 0.25, 1: 0.25*0.5 + 1.5*0.5, 1.75: 1.5*0.75 - 3*0.25, 3.5: 10,
		3 + 1.0/256: -3*(0.5-1.0/256) + 10*(0.5+1.0/256), 0: 0.25, 9: 10} {
		assert.Equal(t, want, read(linear, x), "linear, %v", x)
	}
	// Fractions below a 256th do not count.
	assert.Equal(t, read(linear, 1.25), read(linear, 1.25+1.0/1024))
	for x, want := range map[float32]float32{1.125: 0.25, -0.125: 10, 2.875: 10, -7: 0.25} {
		assert.Equal(t, want, read(Sampling{Normalized: true, Address: [3]AddressMode{Wrap}}, x), "wrap, %v", x)
	}
	for x, want := range map[float32]float32{1.125: 10, -0.125: 0.25, 1.9: 0.25, 2.1: 0.25} {
		assert.Equal(t, want, read(Sampling{Normalized: true, Address: [3]AddressMode{Mirror}}, x), "mirror, %v", x)
	}
	for x, want := range map[float32]float32{-0.01: 0, 1: 0, 0.999: 10} {
		assert.Equal(t, want, read(Sampling{Normalized: true, Address: [3]AddressMode{Border}}, x), "border, %v", x)
	}
}

// With a level in the instruction, integer coordinates are clamped, and levels other than the first read nothing.
func TestIntegersAtLevels(t *testing.T) {
	i := shaped(uint8(Array2D), 4, 3, 1, 2)
	for _, row := range []struct {
		level uint32
		c     [4]uint32
		want  [4]uint32
	}{
		{0, [4]uint32{1, 2, 1}, [4]uint32{1, 2, 1}},
		{0, [4]uint32{7, 9, 1<<32 - 1}, [4]uint32{1, 3, 0}},
		{1, [4]uint32{1, 2, 1}, [4]uint32{1, 1<<32 - 1, 1}},
	} {
		c := row.c
		AtLevel(&i, &c, row.level)
		assert.Equal(t, row.want, c)
	}
}

// BenchmarkBilinear is a warp's read of a two-dimensional texture with a linear filter.
func BenchmarkBilinear(b *testing.B) {
	for _, format := range []Format{F32, U8} {
		b.Run(format.String(), func(b *testing.B) {
			i := Image{Geometry: Plain2D, Width: 256, Height: 256, Depth: 1, Layers: 1, Format: format, Channels: 1,
				NormalizedRead: format == U8}
			how := Sampling{Linear: true, Normalized: true, Address: [3]AddressMode{Wrap, Wrap}}
			texels := make([]byte, i.Bytes())
			for n := range texels {
				texels[n] = byte(n*7) & 0x3f
			}
			var s Sample
			var list [8][]byte
			b.ReportAllocs()
			for b.Loop() {
				for lane := range 32 {
					s.Locate(&i, &how, &[4]uint32{math.Float32bits(float32(lane) / 31), math.Float32bits(float32(lane) / 77)}, false, false)
					for n := range s.Count {
						p := &s.At[n]
						at := i.Texel(p.X, p.Y, p.Z, p.Layer)
						list[n] = texels[at : at+uint64(i.TexelBytes())]
					}
					s.Result(&i, &list)
				}
			}
		})
	}
}
