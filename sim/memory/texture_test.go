package memory

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/texture"
)

// textureAccess reads a 2-D image of 64 by 64 floats along a row, half a texel apart from the centres.
func textureAccess(t testing.TB) (*Global, *exec.Access) {
	t.Helper()
	g := NewGlobal(load(t, "gk110"))
	address, err := g.Allocate("texels", 64*64*4)
	require.NoError(t, err)
	require.NoError(t, g.Write(address, make([]byte, 64*64*4)))
	a := &exec.Access{Kind: exec.AccessLoad, Space: isa.SpaceTexture, Active: isa.FullMask, Gather: -1,
		Sampling: texture.Sampling{Linear: true},
		Image: &texture.Image{
			Geometry: texture.Plain2D, Address: address, Width: 64, Height: 64, Depth: 1, Layers: 1, Format: texture.F32, Channels: 1,
		}}
	placeCoordinates(a)
	return g, a
}

func placeCoordinates(a *exec.Access) {
	for lane := range a.Data[0] {
		a.Data[0][lane], a.Data[1][lane] = math.Float32bits(float32(lane)+1), math.Float32bits(8)
	}
}

// A row of 32 bilinear reads touches 33 texels of two rows, in sectors of 4 by 2 texels.
func TestTextureLines(t *testing.T) {
	_, a := textureAccess(t)
	lines := TextureLines(a, 32, nil)
	assert.Len(t, lines, 18, "rows 7 and 8 are not of one sector")
	a.Image.Rows = true
	assert.Len(t, TextureLines(a, 32, nil), 10)
	a.Sampling.Linear = false
	assert.Len(t, TextureLines(a, 32, nil), 5, "texels 1 to 32 of one row")
	var lanes uint32
	for _, line := range lines {
		lanes |= line.Lanes
	}
	assert.Equal(t, isa.FullMask, lanes)
}

// Sampling allocates nothing.
func TestSampleAllocatesNothing(t *testing.T) {
	g, a := textureAccess(t)
	lines := TextureLines(a, 32, nil)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		placeCoordinates(a)
		lines = TextureLines(a, 32, lines[:0])
		g.Apply(a, a.Active)
	}))
}

func BenchmarkTexture(b *testing.B) {
	g, a := textureAccess(b)
	lines := TextureLines(a, 32, nil)
	for b.Loop() {
		placeCoordinates(a)
		lines = TextureLines(a, 32, lines[:0])
		g.Apply(a, a.Active)
	}
}
