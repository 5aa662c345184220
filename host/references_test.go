package host

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/need"
)

// Texture and surface references of a program read what the workload file binds to their names; the static one goes under its C++ name.
func TestReferencesOfAProgram(t *testing.T) {
	need.Clang(t)
	program, err := filepath.Abs("../toolchain/testdata/programs/references.cu")
	require.NoError(t, err)
	text := `
module: ` + program + `
buffers:
  out: {type: f32, count: 32}
  pixels: {type: f32, count: 32, init: {ramp: {start: 0, step: 0.25}}}
  bytes: {type: u8, count: 128, init: {ramp: {}}}
  numbers: {type: s32, count: 32, init: {ramp: {start: 100, step: -3}}}
  shorts: {type: s16, count: 32, init: {ramp: {start: -7, step: 1}}}
  written: {type: f32, count: 32}
textures:
  image: {buffer: pixels, kind: 2d, dimensions: [8, 4], format: f32}
  colours: {buffer: bytes, kind: 2d, dimensions: [4, 8], format: u8, channels: 4, normalized_read: true}
  line: {buffer: numbers, kind: 1d, dimensions: [32], format: s32}
  pairs: {buffer: shorts, kind: 1d, dimensions: [16], format: s16, channels: 2}
  result: {buffer: written, kind: 2d, dimensions: [32, 1], format: f32}
steps:
  - launch: {kernel: mix, grid: [1], block: [32], args: [out]}
`
	job, _ := runFile(t, filepath.Join(folder(t, map[string]string{"w.yaml": text}), "w.yaml"), functional)
	out, written := words(t, job, "out"), words(t, job, "written")
	for x := range 32 {
		want := 0.25*float64(x) + float64(100-3*x) + float64(4*x+1)/255 + float64(-7+x/2*2+1) + float64(x)
		assert.InDelta(t, want, math.Float32frombits(out[x]), 1e-4, "thread %d", x)
		assert.InDelta(t, x, math.Float32frombits(written[x]), 0)
	}
	wrong := strings.Replace(text, "  line:", "  lime:", 1)
	_, err = Open(context.Background(), filepath.Join(folder(t, map[string]string{"w.yaml": wrong}), "w.yaml"), functional)
	require.ErrorContains(t, err, "nothing uses the texture lime: there is no .texref or .surfref of that name (the modules have "+
		"colours, image, line, pairs, result)")
}
