package sim_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/texture"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

// textureKernel wraps statements in a kernel of one warp with an output of four words a thread and two handles. %r0 is the thread, %d0 its
// output; %d1 and %d2 are the handles.
func textureKernel(target, module, statements string) string {
	return `.version 4.2
.target ` + target + `
.address_size 64
` + module + `
.visible .entry k(.param .u64 out, .param .u64 first, .param .u64 second) {
.reg .b32 %r<30>; .reg .f32 %f<30>; .reg .b64 %d<10>; .reg .pred %p<6>;
ld.param.u64 %d0, [out]; ld.param.u64 %d1, [first]; ld.param.u64 %d2, [second];
mov.u32 %r0, %tid.x; mul.wide.u32 %d3, %r0, 16; add.u64 %d0, %d0, %d3;
cvt.rn.f32.u32 %f0, %r0;
` + statements + `
ret;
}
`
}

// textureDevice is a device with texels in a buffer: element i of 256 floats is i.
type textureDevice struct {
	*sim.GPU
	texels, out uint64
}

func newTextureDevice(t *testing.T, o sim.Options) *textureDevice {
	t.Helper()
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	gpu, err := sim.New(config, o)
	require.NoError(t, err)
	d := &textureDevice{GPU: gpu}
	d.texels, err = gpu.Allocate("texels", 1024)
	require.NoError(t, err)
	d.out, err = gpu.Allocate("out", 512)
	require.NoError(t, err)
	var data []byte
	for i := range 256 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i)))
	}
	require.NoError(t, gpu.Write(d.texels, data))
	return d
}

// square returns the texels as 16 by 16 floats.
func (d *textureDevice) square() texture.Image {
	return texture.Image{Geometry: texture.Plain2D, Address: d.texels, Width: 16, Height: 16, Format: texture.F32, Channels: 1}
}

// run launches the kernel for one warp and returns its output.
func (d *textureDevice) run(t *testing.T, m *sim.Module, first, second uint64) ([128]uint32, *stats.Launch, error) {
	t.Helper()
	parameters := binary.LittleEndian.AppendUint64(nil, d.out)
	parameters = binary.LittleEndian.AppendUint64(parameters, first)
	parameters = binary.LittleEndian.AppendUint64(parameters, second)
	done, err := d.Launch(
		context.Background(), sim.Launch{Module: m, Kernel: "k", Grid: [3]int{1}, Block: [3]int{32}, Parameters: parameters},
	)
	var words [128]uint32
	data := make([]byte, 512)
	require.NoError(t, d.Read(d.out, data))
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words, done, err
}

// A texture that is unbound, or bound to something else than the kernel expects, fails the launch. The error has the PTX line and a remedy.
func TestUnboundTextures(t *testing.T) {
	for _, c := range []struct {
		name, module, statements string
		bind                     func(d *textureDevice) error
		wants                    []string
	}{
		{"texture", ".global .texref image;", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image, {%f0, %f0}]; st.global.f32 [%d0], %f1;", nil,
			[]string{"test.ptx:10: texture `image` is not bound: write in the workload file\n    textures:\n" +
				"      image: {buffer: BUFFER, kind: 2d, dimensions: [WIDTH, HEIGHT], format: f32, channels: 1}"}},
		{"several", ".global .texref image; .global .texref other;",
			"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image, {%f0, %f0}]; tex.1d.v4.f32.f32 {%f2,%f3,%f4,%f5}, [other, {%f1}]; " +
				"tex.2d.v4.f32.f32 {%f1,%f3,%f4,%f5}, [image, {%f2, %f2}]; st.global.f32 [%d0], %f1;", nil,
			[]string{"texture `image` is not bound", "texture `other` is not bound"}},
		{"surface", ".global .surfref picture;", "suld.b.3d.b32.trap %r1, [picture, {%r0, %r0, %r0, %r0}]; st.global.u32 [%d0], %r1;", nil,
			[]string{"surface `picture` is not bound", "kind: 3d, dimensions: [WIDTH, HEIGHT, DEPTH]"}},
		{"sampler", ".global .texref image; .global .samplerref smooth;",
			"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image, smooth, {%f0, %f0}]; st.global.f32 [%d0], %f1;",
			func(d *textureDevice) error {
				_, err := d.BindTexture("image", sim.Texture{Image: d.square()})
				return err
			},
			[]string{"sampler `smooth` is not bound", "samplers:\n      smooth: {filter: linear"}},
		{"geometry", ".global .texref image;", "tex.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image, {%f0, %f0, %f0, %f0}]; st.global.f32 " +
			"[%d0], %f1;",
			func(d *textureDevice) error {
				_, err := d.BindTexture("image", sim.Texture{Image: d.square()})
				return err
			},
			[]string{"tex.3d of texture `image`, which is of kind 2d"}},
		{"integers", ".global .texref image;", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [image, {%f0, %f0}]; st.global.f32 [%d0], %f1;",
			func(d *textureDevice) error {
				image := d.square()
				image.Format = texture.U32
				_, err := d.BindTexture("image", sim.Texture{Image: image})
				return err
			},
			[]string{"whose texels are u32 integers: read them with .u32 or .s32"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newTextureDevice(t, sim.Options{Functional: true})
			m, err := d.Load("test.ptx", []byte(textureKernel("sm_35", c.module, c.statements)))
			require.NoError(t, err)
			if c.bind != nil {
				require.NoError(t, c.bind(d))
			}
			_, done, err := d.run(t, m, 0, 0)
			assert.Nil(t, done)
			for _, want := range c.wants {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

// Bindings that no Kepler supports fail.
func TestRefusedBindings(t *testing.T) {
	d := newTextureDevice(t, sim.Options{})
	for want, change := range map[string]func(*sim.Texture){
		"3 channels":                   func(x *sim.Texture) { x.Image.Channels = 3 },
		"are not in one allocation":    func(x *sim.Texture) { x.Image.Height = 17 },
		"not a multiple of a texel's":  func(x *sim.Texture) { x.Image.Address += 2 },
		"six square faces":             func(x *sim.Texture) { x.Image.Geometry = texture.Cube },
		"integers of 8 and 16 bits":    func(x *sim.Texture) { x.Image.NormalizedRead = true },
		"a linear filter makes floats": func(x *sim.Texture) { x.Sampling.Linear, x.Image.Format = true, texture.S32 },
	} {
		x := sim.Texture{Image: d.square()}
		change(&x)
		_, err := d.BindTexture("image", x)
		assert.ErrorContains(t, err, want)
	}
}

// A wrong handle, or a place outside a surface, stops the kernel there, with kernel, lane and PTX line.
func TestTextureFaults(t *testing.T) {
	for _, c := range []struct {
		name, statements string
		wants            []string
	}{
		{"no handle", "mov.u64 %d4, 12345; tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d4, {%f0, %f0}]; st.global.f32 [%d0], %f1;",
			[]string{"tex of 0x3039, which is no handle of a texture, sampler or surface: pass one as an argument, {texture: NAME}",
				"lane 0", "test.ptx:10"}},
		{"surface for texture", "setp.gt.u32 %p1, %r0, 3; @%p1 tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d2, {%f0, %f0}]; st.global.f32 " +
			"[%d0], %f1;",
			[]string{"tex takes the handle of a texture, and `image` is a .surfref", "lane 4"}},
		{"texture for surface", "suld.b.2d.b32.trap %r1, [%d1, {%r0, %r0}]; st.global.u32 [%d0], %r1;",
			[]string{"suld takes the handle of a surface, and `image` is a .texref"}},
		{"geometry", "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0}]; st.global.f32 [%d0], %f1;",
			[]string{"tex.1d of texture `image`, which is of kind 2d"}},
		{"outside", "mul.lo.u32 %r1, %r0, 4; suld.b.2d.b32.trap %r2, [%d2, {%r1, %r0}]; st.global.u32 [%d0], %r2;",
			[]string{"4-byte load at byte 64, row 16 of surface `image`, which has 64 bytes a row, 16 rows", "(.trap)", "lane 16"}},
		{"misaligned", "sust.b.2d.b32.clamp [%d2, {%r0, %r0}], %r0;", []string{"misaligned 4-byte store at surf", "lane 1"}},
		{"sampler", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, %d2, {%f0, %f0}]; st.global.f32 [%d0], %f1;",
			[]string{"which is no handle of one: pass one as an argument, {sampler: NAME}"}},
	} {
		for _, functional := range []bool{true, false} {
			t.Run(fmt.Sprint(c.name, functional), func(t *testing.T) {
				d := newTextureDevice(t, sim.Options{Functional: functional})
				m, err := d.Load("test.ptx", []byte(textureKernel("sm_35", "", c.statements)))
				require.NoError(t, err)
				h, err := d.BindTexture("image", sim.Texture{Image: d.square()})
				require.NoError(t, err)
				_, _, err = d.run(t, m, h.Texture, h.Surface)
				for _, want := range append(c.wants, "kernel k") {
					assert.ErrorContains(t, err, want)
				}
			})
		}
	}
}

// Separate samplers say how a texture is read, in PTX or by a binding; the texture's own sampling does not count.
func TestSamplers(t *testing.T) {
	module := ".global .texref image; .global .samplerref edge = {filter_mode = nearest, addr_mode_0 = clamp_to_border, addr_mode_1 = " +
		"clamp_to_edge, force_unnormalized_coords = 1}; .global .samplerref bound;"
	statements := `sub.f32 %f1, %f0, 0f40000000; mov.f32 %f2, 0f3F800000;
tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [image, edge, {%f1, %f2}];
tex.2d.v4.f32.f32 {%f8,%f9,%f10,%f11}, [image, bound, {%f1, %f2}];
tex.2d.v4.f32.f32 {%f12,%f13,%f14,%f15}, [%d1, %d2, {%f1, %f2}];
txq.addr_mode_0.b32 %r1, [edge];
st.global.v4.f32 [%d0], {%f4, %f8, %f12, %f5};
st.global.u32 [%d0+12], %r1;`
	d := newTextureDevice(t, sim.Options{})
	m, err := d.Load("test.ptx", []byte(textureKernel("sm_35, texmode_independent", module, statements)))
	require.NoError(t, err)
	h, err := d.BindTexture("image", sim.Texture{Image: d.square(), Sampling: texture.Sampling{Normalized: true}})
	require.NoError(t, err)
	d.BindSampler("bound", texture.Sampling{Linear: true})
	handle := d.BindSampler("passed", texture.Sampling{Normalized: true, Address: [3]texture.AddressMode{texture.Wrap, texture.Wrap}})
	words, _, err := d.run(t, m, h.Texture, handle)
	require.NoError(t, err)
	for i := range 32 {
		x := i - 2
		edge := 0.0
		if x >= 0 && x < 16 {
			edge = float64(16 + x)
		}
		// Linear: at (x, 1), a corner of four texels, clamped at the edges.
		low, high := max(0, min(x-1, 15)), max(0, min(x, 15))
		bound := float64(low+high+16+low+16+high) / 4
		// whole repetitions of the picture
		assert.Equal(t, []float64{edge, bound, 0}, []float64{value(words[4*i]), value(words[4*i+1]), value(words[4*i+2])}, i)
		assert.EqualValues(t, 3, words[4*i+3])
	}
	_, err = d.Load("bad.ptx", []byte(
		textureKernel("sm_35, texmode_independent", ".global .texref image;", "tex.2d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [image, {%f1, %f2}];"),
	))
	assert.ErrorContains(t, err, "in a module with .target texmode_independent `tex` names a sampler as well")
	_, err = d.Load("bad.ptx", []byte(textureKernel("sm_35", ".global .samplerref s = {addr_mode_0 = clamp_ogl};", "")))
	assert.ErrorContains(t, err, "addr_mode_0 = clamp_ogl is not simulated")
}

// A kernel's parameter may be a texture; PTX 1.x names textures by .tex variables, and its addresses have 32 bits.
func TestOtherWaysToNameATexture(t *testing.T) {
	d := newTextureDevice(t, sim.Options{})
	m, err := d.Load("test.ptx", []byte(strings.Replace(textureKernel("sm_35", "", `mov.f32 %f1, 0f3F800000;
tex.2d.v4.f32.f32 {%f2,%f3,%f4,%f5}, [second, {%f0, %f1}]; st.global.f32 [%d0], %f2;`), ".param .u64 second", ".param .texref second", 1)))
	require.NoError(t, err)
	h, err := d.BindTexture("image", sim.Texture{Image: d.square()})
	require.NoError(t, err)
	words, _, err := d.run(t, m, 0, h.Texture)
	require.NoError(t, err)
	assert.Equal(t, 16+7.0, value(words[4*7]))

	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	gpu, err := sim.New(config, sim.Options{})
	require.NoError(t, err)
	m, err = gpu.Load("old.ptx", []byte(`.version 1.4
.target sm_13
.tex .u32 picture;
.entry k(.param .u32 out) {
.reg .u32 %r<8>; .reg .s32 %s<2>; .reg .f32 %f<8>;
ld.param.u32 %r1, [out];
cvt.u32.u16 %r2, %tid.x; mov.s32 %s1, %r2;
tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [picture, {%s1,%s1,%s1,%s1}];
shl.b32 %r3, %r2, 2; add.u32 %r1, %r1, %r3; st.global.f32 [%r1], %f1;
exit; }
`))
	require.NoError(t, err)
	texels, err := gpu.Allocate("texels", 128)
	require.NoError(t, err)
	require.NoError(t, gpu.Write(texels+4*9, []byte{0, 0, 0x20, 0x41}))
	_, err = gpu.BindTexture("picture", sim.Texture{
		Image: texture.Image{Geometry: texture.Plain1D, Address: texels, Width: 32, Format: texture.F32, Channels: 1},
	})
	require.NoError(t, err)
	out, err := gpu.Allocate("out", 128)
	require.NoError(t, err)
	_, err = gpu.Launch(context.Background(), sim.Launch{
		Module: m, Kernel: "k", Block: [3]int{32}, Parameters: binary.LittleEndian.AppendUint32(nil, uint32(out)),
	})
	require.NoError(t, err)
	data := make([]byte, 4)
	require.NoError(t, gpu.Read(out+4*9, data))
	assert.Equal(t, 10.0, value(binary.LittleEndian.Uint32(data)))
}

// Unusual operands give the same, correct results with and without timing: registers that are both read and written, numbers for
// coordinates and values, missing components, and lanes that a guard disables.
func TestOddTextureOperands(t *testing.T) {
	statements := `mov.f32 %f1, %f0; mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0fBF800000; mov.f32 %f9, 0f42C80000;
setp.lt.u32 %p1, %r0, 7;
tex.2d.v4.f32.f32 {%f1, %f2, _, %f3}, [%d1, {%f1, %f2}];
@%p1 tex.2d.v4.f32.f32 {%f9, _, _, _}, [%d1, {0f40400000, 0f00000000}];
@!%p1 txq.width.b32 %r3, [%d1];
@%p1 mov.u32 %r3, 77;
mul.lo.u32 %r1, %r0, 4;
sust.b.2d.v2.b32.zero [%d2, {%r1, 15}], {0, 5};
@%p1 suld.b.2d.b32.clamp %r1, [%d2, {%r1, 2}];
st.global.f32 [%d0], %f1; st.global.f32 [%d0+4], %f9; st.global.u32 [%d0+8], %r3; st.global.u32 [%d0+12], %r1;`
	statements = strings.Replace(statements, "mul.lo.u32 %r1, %r0, 4;", "mul.lo.u32 %r1, %r0, 8;", 1)
	for _, functional := range []bool{false, true} {
		d := newTextureDevice(t, sim.Options{Functional: functional})
		m, err := d.Load("test.ptx", []byte(textureKernel("sm_35", "", statements)))
		require.NoError(t, err)
		h, err := d.BindTexture("image", sim.Texture{Image: d.square()})
		require.NoError(t, err)
		words, _, err := d.run(t, m, h.Texture, h.Surface)
		require.NoError(t, err)
		for i := range 32 {
			assert.Equal(t, float64(16+min(i, 15)), value(words[4*i]), "read and written")
			guarded, asked, loaded := 100.0, uint32(16), uint32(8*i)
			if i < 7 {
				guarded, asked, loaded = 3, 77, math.Float32bits(float32(32+2*i))
			}
			assert.Equal(t, guarded, value(words[4*i+1]), i)
			assert.Equal(t, []uint32{asked, loaded}, []uint32{words[4*i+2], words[4*i+3]}, i)
		}
		row := make([]byte, 64)
		require.NoError(t, d.Read(d.texels+15*64, row))
		for i := range 8 {
			assert.EqualValues(t, uint64(5)<<32, binary.LittleEndian.Uint64(row[8*i:]))
		}
	}
}

// A loose texture reaches past its allocation. Reads within are as of any other; the first one outside faults, with and without timing.
func TestTexturePastItsAllocation(t *testing.T) {
	for _, functional := range []bool{false, true} {
		for limit, want := range map[int]string{2: "", 3: "16-byte load at global address"} {
			d := newTextureDevice(t, sim.Options{Functional: functional})
			kernel := fmt.Sprintf("setp.lt.u32 %%p1, %%r0, %d; @%%p1 tex.1d.v4.f32.s32 {%%f1, %%f2, %%f3, %%f4}, [%%d1, {%%r0}]; "+
				"st.global.f32 [%%d0], %%f1;", limit)
			m, err := d.Load("test.ptx", []byte(textureKernel("sm_35", "", kernel)))
			require.NoError(t, err)
			texels, err := d.Allocate("two", 32)
			require.NoError(t, err)
			require.NoError(t, d.Write(texels+16, []byte{0, 0, 0x20, 0x41}))
			image := texture.Image{Geometry: texture.Plain1D, Address: texels, Width: 1 << 20, Format: texture.F32, Channels: 4, Rows: true}
			_, err = d.BindTexture("wide", sim.Texture{Image: image})
			require.ErrorContains(t, err, "are not in one allocation")
			image.Loose = true
			h, err := d.BindTexture("wide", sim.Texture{Image: image})
			require.NoError(t, err)
			words, _, err := d.run(t, m, h.Texture, h.Surface)
			if want != "" {
				require.ErrorContains(t, err, want)
				continue
			}
			require.NoError(t, err)
			assert.Equal(t, 10.0, value(words[4]))
		}
	}
}

// Reads of more lines than a slice has miss registers complete, block only their own slice, and give the same as without timing.
func TestScatteredTextureReads(t *testing.T) {
	statements := `mov.u32 %r2, %r0; mov.u32 %r5, 0; mov.f32 %f9, 0f00000000;
AGAIN:
mad.lo.u32 %r2, %r2, 1664525, 1013904223; shr.u32 %r3, %r2, 8; cvt.rn.f32.u32 %f1, %r3; mul.f32 %f1, %f1, 0f33800000;
mad.lo.u32 %r2, %r2, 1664525, 1013904223; shr.u32 %r3, %r2, 8; cvt.rn.f32.u32 %f2, %r3; mul.f32 %f2, %f2, 0f33800000;
tex.3d.v4.f32.f32 {%f4, _, _, _}, [%d1, {%f1, %f2, %f1, %f1}];
add.f32 %f9, %f9, %f4; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 8; @%p1 bra AGAIN;
st.global.f32 [%d0], %f9;`
	var results [2][]byte
	for n, functional := range []bool{false, true} {
		d := newTextureDevice(t, sim.Options{Functional: functional, Threads: 1})
		m, err := d.Load("test.ptx", []byte(textureKernel("sm_35", "", statements)))
		require.NoError(t, err)
		volume, err := d.Allocate("volume", 32*32*32*4)
		require.NoError(t, err)
		data := make([]byte, 32*32*32*4)
		for i := range data {
			data[i] = byte(i*i>>3) & 0x3f
		}
		require.NoError(t, d.Write(volume, data))
		h, err := d.BindTexture("volume", sim.Texture{Image: texture.Image{
			Geometry: texture.Plain3D, Address: volume, Width: 32, Height: 32, Depth: 32, Format: texture.F32, Channels: 1,
		},
			Sampling: texture.Sampling{Linear: true, Normalized: true,
				Address: [3]texture.AddressMode{texture.Wrap, texture.Wrap, texture.Wrap}}})
		require.NoError(t, err)
		out, err := d.Allocate("results", 1024*16)
		require.NoError(t, err)
		var parameters []byte
		for _, p := range []uint64{out, h.Texture, 0} {
			parameters = binary.LittleEndian.AppendUint64(parameters, p)
		}
		done, err := d.Launch(context.Background(), sim.Launch{Module: m, Kernel: "k", Block: [3]int{1024}, Parameters: parameters})
		require.NoError(t, err)
		results[n] = make([]byte, 1024*16)
		require.NoError(t, d.Read(out, results[n]))
		if !functional {
			lines := float64(done.Total.TextureCache.Accesses)
			assert.Greater(t, lines/float64(done.Total.Texture.Requests), 64.0, "more lines than miss registers")
			assert.Less(t, float64(done.Total.ActiveCycles)/lines, 3.0, "cycles a line: slices fetch beside each other")
		}
	}
	assert.Equal(t, results[1], results[0])
}

func value(bits uint32) float64 { return float64(math.Float32frombits(bits)) }

// Queries that today's assemblers reject have the numbers documented for PTX and the driver interface. .p stores take floats as well.
func TestQueriesAndFormattedStores(t *testing.T) {
	module := ".global .texref image; .global .surfref image2; .tex .u32 old; .global .u64 pointer = image;"
	var statements strings.Builder
	queries := []struct {
		text string
		want uint32
	}{
		{"txq.channel_data_type.b32 %r1, [image];", 0x10d3}, {"txq.channel_order.b32 %r1, [image];", 0x10b2},
		{"txq.normalized_coords.b32 %r1, [image];", 1}, {"txq.filter_mode.b32 %r1, [image];", 1}, {"txq.addr_mode_0.b32 %r1, [image];", 0},
		{"txq.addr_mode_1.b32 %r1, [image];", 2}, {"txq.addr_mode_2.b32 %r1, [image];", 1}, {"txq.num_mipmap_levels.b32 %r1, [image];", 1},
		{"txq.num_samples.b32 %r1, [image];", 1}, {"txq.array_size.b32 %r1, [image];", 4},
		{"txq.force_unnormalized_coords.b32 %r1, [image];", 0}, {"suq.channel_data_type.b32 %r1, [image2];", 0x10dd},
		{"suq.channel_order.b32 %r1, [image2];", 0x10b5}, {"suq.memory_layout.b32 %r1, [image2];", 0},
		{"suq.array_size.b32 %r1, [image2];", 1}, {"txq.width.b32 %r1, [old];", 256},
		{"ld.global.u64 %d4, [pointer]; txq.width.b32 %r1, [%d4];", 8},
	}
	for i, q := range queries {
		fmt.Fprintf(&statements, "%s\nst.global.u32 [%%d0+%d], %%r1;\n", q.text, 16*i)
	}
	statements.WriteString("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f7F000000; sust.p.1d.v4.f32.zero [image2, {%r0}], {%f0, %f1, %f2, %f0};")
	d := newTextureDevice(t, sim.Options{})
	m, err := d.Load("test.ptx", []byte(
		strings.Replace(textureKernel("sm_35", module, statements.String()), "mov.u32 %r0, %tid.x;", "mov.u32 %r0, 0;", 1),
	))
	require.NoError(t, err)
	_, err = d.BindTexture("image", sim.Texture{
		Image: texture.Image{Geometry: texture.Array2D, Address: d.texels, Width: 8, Height: 8, Layers: 4, Format: texture.U16,
			Channels: 2, NormalizedRead: true},
		Sampling: texture.Sampling{
			Linear: true, Normalized: true, Address: [3]texture.AddressMode{texture.Wrap, texture.Mirror, texture.Clamp},
		},
	})
	require.NoError(t, err)
	_, err = d.BindTexture("image2", sim.Texture{
		Image: texture.Image{Geometry: texture.Plain1D, Address: d.texels, Width: 128, Format: texture.F16, Channels: 4},
	})
	require.NoError(t, err)
	_, err = d.BindTexture(
		"old",
		sim.Texture{Image: texture.Image{Geometry: texture.Plain1D, Address: d.texels, Width: 256, Format: texture.U32, Channels: 1}},
	)
	require.NoError(t, err)
	words, _, err := d.run(t, m, 0, 0)
	require.NoError(t, err)
	for i, q := range queries {
		assert.Equal(t, q.want, words[4*i], q.text)
	}
	data := make([]byte, 8)
	require.NoError(t, d.Read(d.texels, data))
	assert.Equal(t, []byte{0, 0, 0, 0x3c, 0xff, 0x7b, 0, 0}, data) // 0, 1, the largest half for what is beyond, 0
}

// Texture units serve a quad a cycle each. So a kernel of reads that all hit takes 8 cycles a warp and scheduler, and twice that for texels
// of 16 bytes. At the ends of the loop all warps wait for their last read, which adds up to a quarter.
func TestTextureThroughput(t *testing.T) {
	var body strings.Builder
	body.WriteString("mov.u32 %r1, 0;\nAGAIN:\n")
	for i := range 16 {
		fmt.Fprintf(&body, "tex.2d.v4.f32.f32 {%%f%d, _, _, _}, [%%d1, {%%f0, %%f29}];\n", 6+i)
	}
	for i := range 16 {
		fmt.Fprintf(&body, "add.f32 %%f5, %%f5, %%f%d;\n", 6+i)
	}
	body.WriteString("add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 16; @%p1 bra AGAIN;\n")
	const reads = 16 * 16 // a warp
	text := textureKernel("sm_35", "", "mov.f32 %f5, 0f00000000; mov.f32 %f29, 0f00000000;\n"+body.String()+"st.global.f32 [%d0], %f5;")
	for _, c := range []struct {
		channels, width int
		cycles          float64 // of a slice a warp
	}{{1, 16, 8}, {2, 16, 8}, {4, 16, 16}} {
		d := newTextureDevice(t, sim.Options{Threads: 1})
		big, err := d.Allocate("big", 1<<16)
		require.NoError(t, err)
		m, err := d.Load("test.ptx", []byte(text))
		require.NoError(t, err)
		h, err := d.BindTexture(
			"image",
			sim.Texture{
				Image: texture.Image{
					Geometry: texture.Plain2D, Address: big, Width: c.width, Height: 1, Format: texture.F32, Channels: c.channels,
				},
			},
		)
		require.NoError(t, err)
		parameters := binary.LittleEndian.AppendUint64(nil, big)
		parameters = binary.LittleEndian.AppendUint64(parameters, h.Texture)
		parameters = binary.LittleEndian.AppendUint64(parameters, 0)
		// One block of 32 warps: 8 for each scheduler.
		done, err := d.Launch(
			context.Background(), sim.Launch{Module: m, Kernel: "k", Grid: [3]int{1}, Block: [3]int{1024}, Parameters: parameters},
		)
		require.NoError(t, err)
		s := &done.Total
		assert.EqualValues(t, 32*reads, s.Texture.Requests)
		assert.EqualValues(t, 32*reads*8, s.TextureQuads)
		assert.EqualValues(t, 32*reads*c.cycles, s.TextureCycles)
		assert.Greater(t, float64(s.TextureCache.Hits), 0.98*float64(s.TextureCache.Accesses))
		assert.InEpsilon(t, 8*reads*c.cycles, float64(s.ActiveCycles), 0.25, "%d channels: the units are the bottleneck", c.channels)
	}
}

// Read-only loads use the texture units, 16 lanes a clock of an SMX, and leave the load/store unit free.
func TestReadOnlyLoadsTakeTheTextureUnits(t *testing.T) {
	const loads, turns, warps = 16, 128, 32
	var body strings.Builder
	body.WriteString("mov.u32 %r1, 0; mov.u32 %r9, 0; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1;\nAGAIN:\n")
	for i := range loads {
		fmt.Fprintf(&body, "ld.global.nc.u32 %%r%d, [%%d1+%d];\n", 10+i, 128*i)
	}
	for i := range loads {
		fmt.Fprintf(&body, "xor.b32 %%r9, %%r9, %%r%d;\n", 10+i)
	}
	fmt.Fprintf(&body, "add.u32 %%r1, %%r1, 1; setp.lt.u32 %%p1, %%r1, %d; @%%p1 bra AGAIN;\nst.global.u32 [%%d0], %%r9; ret;", turns)
	config, err := configs.Load("k40", []string{"smx.count=1"})
	require.NoError(t, err)
	gpu, err := sim.New(config, sim.Options{})
	require.NoError(t, err)
	data, err := gpu.Allocate("data", 1<<16)
	require.NoError(t, err)
	m, err := gpu.Load("loads.ptx", []byte(".version 4.3\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 data)\n{\n"+
		".reg .u32 %r<40>;\n.reg .u64 %d<4>;\n.reg .pred %p<2>;\nld.param.u64 %d0, [data];\n"+body.String()+"\n}\n"))
	require.NoError(t, err)
	done, err := gpu.Launch(context.Background(), sim.Launch{
		Module: m, Kernel: "k", Grid: [3]int{1}, Block: [3]int{32 * warps}, Parameters: binary.LittleEndian.AppendUint64(nil, data),
	})
	require.NoError(t, err)
	s := &done.Total
	require.EqualValues(t, loads*turns*warps, s.ReadOnlyLoad.Requests)
	assert.InEpsilon(t, 32*loads*turns*warps/16, float64(s.ActiveCycles), 0.1, "the units are the bottleneck")
	assert.Zero(t, s.LoadStoreCycles[isa.ClassReadOnly])
}
