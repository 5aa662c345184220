package texture

import "math"

// raw returns a channel as stored; integers are extended to 32 bits.
func (t *Image) raw(texel []byte, channel int) uint32 {
	switch t.Format {
	case U8:
		return uint32(texel[channel])
	case S8:
		return uint32(int8(texel[channel]))
	case U16, F16:
		return uint32(texel[2*channel]) | uint32(texel[2*channel+1])<<8
	case S16:
		return uint32(int16(uint16(texel[2*channel]) | uint16(texel[2*channel+1])<<8))
	}
	at := texel[4*channel : 4*channel+4]
	return uint32(at[0]) | uint32(at[1])<<8 | uint32(at[2])<<16 | uint32(at[3])<<24
}

// components returns a texel's channels as a read returns them. Missing channels are 0.
func (t *Image) components(texel []byte) (result [4]uint32) {
	if texel == nil {
		return result
	}
	for k := range t.Channels {
		result[k] = t.register(t.raw(texel, k))
	}
	return result
}

// register returns a channel's value in a register.
func (t *Image) register(raw uint32) uint32 {
	switch {
	case t.Format == F16:
		return widen(raw)
	case !t.NormalizedRead:
		return raw
	}
	switch t.Format {
	case U8:
		return math.Float32bits(float32(raw) / 255)
	case U16:
		return math.Float32bits(float32(raw) / 65535)
	case S8:
		return math.Float32bits(max(-1, float32(int32(raw))/127))
	default:
		return math.Float32bits(max(-1, float32(int32(raw))/32767))
	}
}

// widen converts f16 to f32.
func widen(h uint32) uint32 {
	sign, exponent, fraction := h>>15<<31, h>>10&31, h&1023
	switch {
	case exponent == 31:
		return sign | 0xff<<23 | fraction<<13
	case exponent != 0:
		return sign | (exponent+112)<<23 | fraction<<13
	}
	return sign | math.Float32bits(float32(fraction)*0x1p-24)
}
