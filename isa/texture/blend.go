package texture

import (
	"math"
	"math/bits"
)

// Result returns the four components of a read, given the bytes of its Needed texels in the order of At; nil for texels outside.
func (s *Sample) Result(t *Image, texels *[8][]byte) (result [4]uint32) {
	if s.Count == 1 || !t.Floats() {
		return t.components(texels[0])
	}
	w, count := [8]int32{256}, s.Needed()
	if count > 1 {
		w = s.weights()
	}
	for k := range t.Channels {
		switch {
		case !t.Format.Float():
			result[k] = t.blendIntegers(texels, &w, count, k)
		case count > 1 || t.Format != F32:
			result[k] = t.blendFloats(texels, &w, count, k)
		case texels[0] != nil:
			if result[k] = t.raw(texels[0], k); result[k]&^(1<<31) > 0xff<<23 {
				result[k] = canonicalNaN
			}
		}
	}
	return result
}

// canonicalNaN is the result of filtering a NaN.
const canonicalNaN = 0x7fffffff

// gatherOrder is the order of tld4's results among the texels of a bilinear filter: counter-clockwise from the lower left, as in PTX.
var gatherOrder = [4]int{2, 3, 1, 0}

// Gathered returns one component of the four texels. Small integers that become floats are filtered, with the whole weight on one texel.
func (s *Sample) Gathered(t *Image, texels *[8][]byte, component int) (result [4]uint32) {
	for k, n := range gatherOrder {
		switch {
		case component >= t.Channels || texels[n] == nil:
		case t.NormalizedRead:
			var w [8]int32
			w[n] = 256
			result[k] = t.blendIntegers(texels, &w, 4, component)
		default:
			result[k] = t.register(t.raw(texels[n], component))
		}
	}
	return result
}

// blendIntegers sums weighted integers of one channel and converts the sum, rounded to 16 bits whatever the format, to a float.
func (t *Image) blendIntegers(texels *[8][]byte, w *[8]int32, count, channel int) uint32 {
	sum := int32(0) // in 256ths of the format's unit
	for n := range count {
		if texels[n] != nil {
			sum += w[n] * int32(t.raw(texels[n], channel))
		}
	}
	switch t.Format {
	case U8:
		sum *= 257
	case S8:
		// 32767/127 is slightly more than 258: the hardware adds the rest of the high bits only.
		sum = sum*258 + sum>>12<<5
	}
	whole := float32((sum + 128) >> 8)
	if t.Format == U8 || t.Format == U16 {
		return math.Float32bits(whole / 65535)
	}
	return math.Float32bits(max(-1, whole/32767))
}

// guard is how many bits below the last place of a float's significand the sum of weighted texels keeps.
const guard = 4

// blendFloats sums weighted floats of one channel. Each slice of four texels is summed on its own, then the slices are added. The result is
// rounded to the format, halves away from zero.
func (t *Image) blendFloats(texels *[8][]byte, w *[8]int32, count, channel int) uint32 {
	fraction, bias := 23, 127
	if t.Format == F16 {
		fraction, bias = 10, 15
	}
	var total slice
	total.add(t, texels, w, 0, min(count, 4), channel, fraction)
	if count > 4 {
		var back slice
		back.add(t, texels, w, 4, 8, channel, fraction)
		total.join(&back)
	}
	switch {
	case total.infinite == 1:
		return 0xff << 23
	case total.infinite == 2:
		return 0x1ff << 23
	case total.infinite == 3:
		return 0xff<<23 | (1<<fraction-1)<<(23-fraction)
	case total.sum == 0 && total.negative:
		return 1 << 31
	}
	return round(total.sum, total.exponent-bias-fraction-guard-8, fraction, 1-bias-fraction)
}

// slice is the sum of up to four weighted floats.
type slice struct {
	sum      int64 // in units of 2 to the (exponent - bias - fraction bits - guard - 8)
	exponent int   // the largest of the texels, biased
	infinite uint8 // bit 0: one is positive infinity, bit 1: one is negative infinity; both for NaN
	negative bool  // all are negative, -0 included
}

// add sums texels. It aligns the significands of texels with a weight to the largest exponent, and truncates them guard bits below its last
// place.
func (s *slice) add(t *Image, texels *[8][]byte, w *[8]int32, from, to, channel, fraction int) {
	sign, top := uint(t.Format.Bytes()*8-1), uint32(1)<<(uint(t.Format.Bytes()*8-1)-uint(fraction))-1
	var significand [4]int64
	var exponent [4]int
	s.exponent, s.negative = 1, true
	for n := from; n < to; n++ {
		if w[n] == 0 {
			continue
		}
		if texels[n] == nil {
			s.negative = false
			continue
		}
		raw := t.raw(texels[n], channel)
		e, m, negative := raw>>fraction&top, int64(raw&(1<<fraction-1)), raw>>sign != 0
		s.negative = s.negative && negative
		switch {
		case e == top && m != 0:
			s.infinite = 3
		case e == top && negative:
			s.infinite |= 2
		case e == top:
			s.infinite |= 1
		case e == 0:
			e = 1
		default:
			m |= 1 << fraction
		}
		if m == 0 {
			continue
		}
		if negative {
			m = -m
		}
		significand[n-from], exponent[n-from] = m<<guard, int(e)
		s.exponent = max(s.exponent, int(e))
	}
	for n := from; n < to; n++ {
		m, cut := significand[n-from], uint(s.exponent-exponent[n-from])
		if m < 0 {
			m = -(-m >> cut)
		} else {
			m >>= cut
		}
		s.sum += m * int64(w[n])
	}
}

// spare is how many bits of the slice with the smaller exponent are kept below the other's last bit.
const spare = 2

// join adds another slice.
func (s *slice) join(o *slice) {
	s.infinite |= o.infinite
	s.negative = s.negative && o.negative
	if o.sum == 0 {
		return
	}
	if s.sum == 0 {
		s.sum, s.exponent = o.sum, o.exponent
		return
	}
	high, low := s, o
	if o.exponent > s.exponent {
		high, low = o, s
	}
	apart := high.exponent - low.exponent
	up := min(apart, spare)
	s.sum, s.exponent = high.sum<<up+low.sum>>min(apart-up, 63), high.exponent-up
}

// round returns sum·2^scale as an f32, rounded to fraction bits with the last place at least least, halves away from zero.
func round(sum int64, scale, fraction, least int) uint32 {
	if sum == 0 {
		return 0
	}
	sign := uint32(0)
	if sum < 0 {
		sign, sum = 1<<31, -sum
	}
	m := uint64(sum)
	drop := max(bits.Len64(m)-1-fraction, least-scale, 0)
	if drop > 0 {
		m = (m + 1<<(drop-1)) >> drop
	}
	return sign | math.Float32bits(float32(float64(m)*math.Float64frombits(uint64(scale+drop+1023)<<52)))
}
