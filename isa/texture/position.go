package texture

// fractionBits is the number of fraction bits of a position, in texels.
const fractionBits = 22

// fineWidth is the largest width with 21 fraction bits in normalised coordinates; wider images have 22.
const fineWidth = 8192

// farthest bounds positions, in texels, far outside any image.
const farthest = 1 << 30

// position returns a coordinate's position along a dimension, in texels with fractionBits fraction bits, rounded down. With Wrap it is in
// the image, with Mirror in the image or its first mirror image. Subnormals and NaNs are zero.
func position(coordinate uint32, size int, mode AddressMode, normalized bool) int64 {
	digits := fractionBits
	if normalized && size <= fineWidth {
		digits--
	}
	return wrapped(fixed(coordinate, digits, mode == Clamp || mode == Border), size, digits, mode, normalized)
}

// onFace returns the position for a coordinate from -1 to 1 on the face of a cube; infinities are at its edges.
func onFace(coordinate uint32, size int, mode AddressMode) int64 {
	digits := fractionBits
	if size <= fineWidth {
		digits--
	}
	one := int64(1) << digits
	q := max(-one, min(fixed(coordinate, digits, true), one))
	return wrapped((q+one)>>1, size, digits, mode, true)
}

// wrapped maps a coordinate in units of 2^-digits into the image by its mode.
func wrapped(q int64, size, digits int, mode AddressMode, normalized bool) int64 {
	if !normalized {
		return max(-farthest<<fractionBits, min(q, farthest<<fractionBits))
	}
	one := int64(1) << digits
	switch mode {
	case Wrap:
		q &= one - 1
	case Mirror:
		q &= 2*one - 1
	default:
		q = max(-4*one, min(q, 4*one))
	}
	return q * int64(size) << (fractionBits - digits)
}

// fixed returns an f32 in units of 2^-digits, rounded down. Numbers that are too large saturate, or without saturate become zero, as whole
// turns do.
func fixed(x uint32, digits int, saturate bool) int64 {
	exponent, m := int(x>>23&255), int64(x&(1<<23-1)|1<<23)
	if exponent == 0 || x&^(1<<31) > 0xff<<23 {
		return 0
	}
	negative := x>>31 != 0
	shift := exponent - 150 + digits
	if shift > 38 {
		m, shift = 0, 0
		if saturate {
			m = 1<<62 - 1
		}
	}
	if negative {
		m = -m
	}
	if shift < 0 {
		return m >> min(uint(-shift), 63)
	}
	return m << uint(shift)
}
