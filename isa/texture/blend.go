package texture

import (
	"math"
	"math/bits"
)

// Result makes the four components of a read from the bytes of its texels that are Needed, in the order of At; those outside are nil.
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

// canonicalNaN is what a NaN becomes that goes through a filter.
const canonicalNaN = 0x7fffffff

// gatherOrder is the order in which tld4 returns the texels of a bilinear filter: counter-clockwise from the lower left, as PTX has it.
var gatherOrder = [4]int{2, 3, 1, 0}

// Gathered returns one component of the four texels. Small integers that become floats take the way of a filter, with the whole weight on
// one texel.
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

// blendIntegers adds weighted integers in one channel and makes a float of the sum: 16 bits of it, whatever the format.
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
		// 32767/127 is 258 and a little: the little is taken of the upper bits alone.
		sum = sum*258 + sum>>12<<5
	}
	whole := float32((sum + 128) >> 8)
	if t.Format == U8 || t.Format == U16 {
		return math.Float32bits(whole / 65535)
	}
	return math.Float32bits(max(-1, whole/32767))
}

// The bits of a float's significand below which the sum of weighted texels is cut off.
const guard = 4

// blendFloats adds weighted floats in one channel. Slices of four texels are summed by themselves, then added; the result is rounded to the
// format, halves away from zero.
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
	exponent int   // the largest of the texels, as it stands in their bits
	infinite uint8 // bit 0: one is positive infinity, bit 1: one is negative infinity; both for NaN
	negative bool  // all are negative, -0 included
}

// add sums texels. The significands of those that have a weight are aligned to the largest exponent and cut off guard bits below its last
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

// spare is how many bits of the slice of smaller exponent are kept below the other's last.
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

// round makes an f32 of sum times 2 to the scale, rounded to a format of so many fraction bits whose last place is never below least,
// halves away from zero.
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
