// Package texture computes what Kepler's texture units compute: which texels an instruction reads at given coordinates, with which weights,
// and which registers come of them, bit for bit. It follows what real NVIDIA silicon computed (testdata/textures); docs/textures.md has the
// rules.
//
// It knows no time, holds no memory and reads none: isa/exec says what an instruction asks, sim/memory calls Locate for each lane, fetches
// the texels and calls Result or Gathered.
//
//   - image.go: shapes, formats, samplings; layout.go: the blocks that texels lie in on the device.
//   - locate.go and position.go: coordinates to texels and fractions; cube.go: directions to faces.
//   - texel.go: bytes to registers; weigh.go and blend.go: weights, and sums of weighted texels.
package texture
