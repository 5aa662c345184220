// Package texture computes bit for bit what Kepler's texture units compute: which texels an instruction reads at given coordinates, their
// weights, and the resulting registers. It follows recorded results of NVIDIA hardware (testdata/textures); docs/textures.md has the rules.
//
// The package has no timing and accesses no memory. isa/exec says what an instruction asks; sim/memory calls Locate for each lane, fetches
// the texels and calls Result or Gathered.
//
//   - image.go: shapes, formats, samplings; layout.go: the blocks of texels on the device.
//   - locate.go and position.go: coordinates to texels and fractions; cube.go: directions to faces.
//   - texel.go: bytes to registers; weigh.go and blend.go: weights, and sums of weighted texels.
package texture
