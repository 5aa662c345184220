package host

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const textured = `.version 4.2
.target sm_35
.address_size 64
.global .texref image;
.visible .entry k(.param .u64 out, .param .u64 surface) {
.reg .b32 %r<4>; .reg .f32 %f<6>; .reg .b64 %d<4>;
ld.param.u64 %d1, [out]; ld.param.u64 %d2, [surface];
mov.u32 %r1, %tid.x; cvt.rn.f32.u32 %f1, %r1;
tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, {%f1}];
mul.wide.u32 %d3, %r1, 4; add.u64 %d1, %d1, %d3; st.global.f32 [%d1], %f2;
shl.b32 %r2, %r1, 2; sust.b.1d.b32.zero [%d2, {%r2}], %r1;
exit; }
`

// A workload binds by name and passes handles. One buffer can be read as a texture and written as a surface.
func TestTexturesOfAWorkload(t *testing.T) {
	head := "module: k.ptx\nbuffers:\n  x: {type: f32, count: 8, init: {ramp: {start: 5}}}\n  y: {type: u32, count: 8}\n" +
		"  out: {type: f32, count: 8}\n"
	launch := "steps:\n  - launch: {kernel: k, grid: [1], block: [8], args: [out, {surface: written}]}\n"
	both := "textures:\n  image: {buffer: x, kind: 1d, dimensions: [8]}\n  written: {buffer: y, kind: 1d, dimensions: [4], format: u32}\n"
	expect := "expect:\n  out: {values: [5, 6, 7, 8, 9, 10, 11, 12]}\n  y: {values: [0, 1, 2, 3, 0, 0, 0, 0]}\n"
	dir := folder(t, map[string]string{"k.ptx": textured, "w.yaml": head + both + launch + expect})
	job, err := Open(context.Background(), filepath.Join(dir, "w.yaml"), functional)
	require.NoError(t, err)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	assert.Empty(t, result.Mismatches)
	assert.Len(t, result.Checked, 2)
	for text, part := range map[string]string{
		both + "  spare: {buffer: x, dimensions: [2, 2]}\n" +
			launch: "w.yaml:9:3: nothing uses the texture spare: there is no .texref or .surfref of that name (the modules have " +
			"image), and no launch has the argument {texture: spare}",
		both + "samplers:\n  smooth: {filter: linear}\n" +
			launch: "nothing uses the sampler smooth: there is no .samplerref of that name (the modules have none)",
		"textures:\n  image: {buffer: x, kind: 1d, dimensions: [8]}\n" +
			launch: `an argument: textures has no "written"; known are image`,
		"textures:\n  written: {buffer: y, kind: 1d, dimensions: [4], format: u32}\n" +
			launch: "texture `image` is not bound: write in the workload file",
		"textures:\n  image: {buffer: x, dimensions: [4, 2]}\n  written: {buffer: y, kind: 1d, dimensions: [4], format: u32}\n" +
			launch: "tex.1d of texture `image`, which is of kind 2d",
	} {
		dir := folder(t, map[string]string{"k.ptx": textured, "w.yaml": head + text})
		job, err := Open(context.Background(), filepath.Join(dir, "w.yaml"), functional)
		if err == nil {
			_, err = job.Run(context.Background())
		}
		assert.ErrorContains(t, err, part, text)
	}
}

// A kernel that reads textures needs a workload file; the error contains one to start from.
func TestTexturesNeedAWorkload(t *testing.T) {
	dir := folder(t, map[string]string{"k.ptx": textured})
	_, err := Open(context.Background(), filepath.Join(dir, "k.ptx"), functional)
	assert.ErrorContains(t, err, "kernel k reads a texture or surface, which a workload file must bind")
	assert.ErrorContains(t, err, "k.ptx:9:1: ")
	assert.ErrorContains(
		t, err, "    image: {buffer: texels, kind: 1d, dimensions: [4096], format: f32}\n    NAME: {buffer: texels, kind: 1d",
	)
}
