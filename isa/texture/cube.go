package texture

import (
	"math"

	"github.com/keplersim/keplersim/isa/fp"
)

// faces has, by axis and sign, which coordinates run along a face, and whether they are reversed (CUDA C Programming Guide, cubemap
// textures).
var faces = [6]struct {
	u, v         int
	uTurn, vTurn bool
}{{2, 1, true, true}, {2, 1, false, true}, {0, 2, false, false}, {0, 2, false, true}, {0, 1, false, true}, {0, 1, true, true}}

// flushing: the SFU flushes subnormals.
var flushing = fp.Control{Flush: true}

// meet returns the face of a cube that a direction meets, in the order +x, -x, +y, -y, +z, -z, and the place on it, as f32 from -1 to 1.
// The instructions before the texture operation divide the direction by its largest coordinate: a maximum, an approximate reciprocal, three
// products.
func meet(at [3]uint32) (face int, u, v uint32) {
	largest := fp.Max32(fp.Max32(at[0]&^sign, at[1]&^sign, fp.Control{}), at[2]&^sign, fp.Control{})
	scale := fp.RcpApprox32(largest, flushing)
	var size [3]float32
	for i, x := range at {
		at[i] = math.Float32bits(math.Float32frombits(x) * math.Float32frombits(scale))
		size[i] = math.Float32frombits(at[i] &^ sign)
		if size[i] != size[i] {
			size[i] = -1
		}
	}
	axis := 0
	switch {
	case size[2] >= size[0] && size[2] >= size[1]:
		axis = 2
	case size[1] >= size[0]:
		axis = 1
	}
	face = 2 * axis
	if math.Float32frombits(at[axis]) < 0 {
		face++
	}
	f := &faces[face]
	return face, turned(at[f.u], f.uTurn), turned(at[f.v], f.vTurn)
}

const sign = 1 << 31

func turned(x uint32, turn bool) uint32 {
	if turn {
		return x ^ sign
	}
	return x
}
