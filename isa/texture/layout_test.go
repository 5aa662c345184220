package texture

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A block has each of its bytes once, and a sector has 16 bytes of two rows.
func TestInBlocks(t *testing.T) {
	image := Image{Geometry: Plain2D, Address: 4096, Width: 40, Height: 20, Depth: 1, Layers: 1, Format: F32, Channels: 1}
	seen := map[uint64]uint64{}
	for y := range 20 {
		for x := range 40 {
			place := image.InBlocks(image.Texel(x, y, 0, 0))
			_, twice := seen[place]
			assert.False(t, twice)
			seen[place] = image.Texel(x, y, 0, 0)
			assert.Equal(t, uint64(4096)+uint64((y/8*3+x/16)*512), place&^511, "the block")
		}
	}
	sector := func(x, y int) uint64 { return image.InBlocks(image.Texel(x, y, 0, 0)) / 32 }
	assert.Equal(t, sector(0, 0), sector(3, 1))
	assert.NotEqual(t, sector(0, 0), sector(4, 0))
	assert.NotEqual(t, sector(0, 0), sector(0, 2))
	assert.Equal(t, uint64(4096+16), image.InBlocks(image.Texel(0, 1, 0, 0)), "the next row lies 16 bytes on")
	assert.Equal(t, uint64(4096+32), image.InBlocks(image.Texel(4, 0, 0, 0)))
	assert.Equal(t, uint64(4096+64), image.InBlocks(image.Texel(0, 2, 0, 0)))
	assert.Equal(t, uint64(4096+256), image.InBlocks(image.Texel(8, 0, 0, 0)))
	image.Rows = true
	assert.Equal(t, image.Texel(7, 3, 0, 0), image.InBlocks(image.Texel(7, 3, 0, 0)))
	line := Image{Geometry: Array1D, Address: 512, Width: 100, Height: 1, Depth: 1, Layers: 3, Format: U8, Channels: 1}
	assert.Equal(t, line.Texel(99, 0, 0, 2), line.InBlocks(line.Texel(99, 0, 0, 2)))
}

// A texel's place is that of its address, for images in slices, in rows with a pitch and in plain rows.
func TestTexelsLieWhereTheirAddressesSay(t *testing.T) {
	for _, image := range []Image{
		{Geometry: Plain2D, Width: 40, Height: 20, Depth: 1, Layers: 1, Format: F32, Channels: 1},
		{Geometry: Plain2D, Width: 37, Height: 11, Depth: 1, Layers: 1, Format: U8, Channels: 4, Pitch: 160},
		{Geometry: Plain2D, Width: 9, Height: 9, Depth: 1, Layers: 1, Format: F32, Channels: 4, Rows: true},
		{Geometry: Plain3D, Width: 21, Height: 10, Depth: 5, Layers: 1, Format: U16, Channels: 2},
		{Geometry: Array2D, Width: 16, Height: 17, Depth: 1, Layers: 4, Format: F32, Channels: 2},
		{Geometry: Array1D, Width: 100, Height: 1, Depth: 1, Layers: 3, Format: U8, Channels: 1},
		{Geometry: Cube, Width: 12, Height: 12, Depth: 1, Layers: 6, Format: F32, Channels: 1},
	} {
		image.Address = 1 << 20
		for layer := range image.Layers {
			for z := range image.Depth {
				for y := range image.Height {
					for x := range image.Width {
						assert.Equal(t, image.InBlocks(image.Texel(x, y, z, layer)), image.TexelInBlocks(x, y, z, layer))
					}
				}
			}
		}
	}
}
