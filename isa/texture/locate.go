package texture

// Sample is one lane's texture read: the texels that it needs, and their weights.
type Sample struct {
	// Count is how many of At are used: 1, or 2, 4 or 8 with a linear filter or a gather. Bits 0, 1 and 2 of an index select the texel in
	// x, y and z.
	Count int
	At    [8]Place
	// fraction is the distance from the first texel to the second, in 256ths, by dimension.
	fraction [3]uint32
}

// Needed returns how many texels have a weight: only the first, if the coordinates are at its centre.
func (s *Sample) Needed() int {
	if s.fraction == [3]uint32{} {
		return 1
	}
	return s.Count
}

// Place is the position of a texel.
type Place struct {
	X, Y, Z, Layer int
	Outside        bool // beyond an edge: reads Sampling.Outside, with integer coordinates zero
}

// span is a coordinate's texel along one dimension or, with a filter, the two around it.
type span struct {
	texel   [2]int
	outside [2]bool
}

// Locate finds the texels of a read. The coordinates c are in PTX order, floats or, if integers is set, s32. Any bits are allowed; every
// place is in the image. With gather it finds the four texels of a bilinear filter, whatever the filter.
func (s *Sample) Locate(t *Image, how *Sampling, c *[4]uint32, integers, gather bool) {
	layer, at := 0, [3]uint32{c[0], c[1], c[2]}
	if t.Geometry.Layered() {
		layer, at = int(c[0]), [3]uint32{c[1], c[2], c[3]}
	}
	sizes, modes, dimensions := [3]int{t.Width, t.Height, t.Depth}, how.Address, t.Geometry.Dimensions()
	cube := t.Geometry.IsCube()
	normalized, linear := how.Normalized, (how.Linear || gather) && !integers
	if cube {
		var face int
		face, at[0], at[1] = meet(at)
		layer = min(layer, t.Layers/6-1)*6 + face
		dimensions, normalized = 2, true
	}
	beyond := integers && layer >= t.Layers // a float read uses the last layer instead
	layer = max(0, min(layer, t.Layers-1))
	if linear && t.Geometry == Plain1D && modes[1] == Border {
		// The unit has a second coordinate of 0 here, and half of its footprint is border.
		dimensions, at[1] = 2, 0
	}
	s.fraction, s.Count = [3]uint32{}, 1
	var spans [3]span
	for d := range dimensions {
		span, size, mode := &spans[d], sizes[d], modes[d]
		if integers {
			// Outside reads zero, whatever the mode.
			span.set(0, int(int32(at[d])), size, Border)
			continue
		}
		if !normalized && mode != Border {
			mode = Clamp
		}
		var x int64
		if cube {
			x = onFace(at[d], size, mode)
		} else {
			x = position(at[d], size, mode, normalized)
		}
		if linear {
			s.Count <<= 1
			s.fraction[d] = span.pair(x, size, mode, gather)
		} else {
			span.set(0, int(x>>fractionBits), size, mode)
		}
	}
	for n := range s.Count {
		x, y, z := n&1, n>>1&1, n>>2
		p := &s.At[n]
		p.X, p.Y, p.Z, p.Layer = spans[0].texel[x], spans[1].texel[y], spans[2].texel[z], layer
		p.Outside = beyond || spans[0].outside[x] || spans[1].outside[y] || spans[2].outside[z]
	}
}

// pair finds the two texels whose centres are around a position, and the distance from the first in 256ths. Clamp moves the position to the
// centre of the last texel, except for a gather, which has no weights.
func (s *span) pair(position int64, size int, mode AddressMode, gather bool) (fraction uint32) {
	units := (position+1<<(fractionBits-9))>>(fractionBits-8) - 128
	if mode == Clamp && !gather {
		units = max(0, min(units, int64(size-1)<<8))
	}
	first := int(units >> 8)
	s.set(0, first, size, mode)
	s.set(1, first+1, size, mode)
	return uint32(units & 255)
}

// set sets a texel, with its number mapped into the image.
func (s *span) set(which, n, size int, mode AddressMode) {
	if uint(n) >= uint(size) {
		switch mode {
		case Wrap:
			n = (n + size) % size
		case Mirror:
			if n >= size {
				n = 2*size - 1 - n
			}
			if n < 0 {
				n = -1 - n
			}
		case Border:
			s.outside[which] = true
		}
		n = max(0, min(n, size-1))
	}
	s.texel[which] = n
}

// AtLevel turns the coordinates of an integer tex.level into those of a tex with the same result. With a level, coordinates and layers
// outside clamp to the nearest inside. A level other than 0, the only one, reads zero.
func AtLevel(t *Image, c *[4]uint32, level uint32) {
	k := 0
	if t.Geometry.Layered() {
		c[0] = min(c[0], uint32(t.Layers-1))
		k = 1
	}
	sizes := [3]int{t.Width, t.Height, t.Depth}
	for d := range t.Geometry.Dimensions() {
		c[k+d] = uint32(max(0, min(int(int32(c[k+d])), sizes[d]-1)))
	}
	if level != 0 {
		c[k] = 1<<32 - 1
	}
}
