package texture

// weights returns those of the texels of a sample, in 256ths; they add up to 256. One whole is divided three times, each part rounded to
// the nearest 256th, halves up: by z, by x where the upper part is rounded, then by y where the part that is rounded is the upper one at
// the upper x and the lower one at the lower x. The other part is what is left.
func (s *Sample) weights() (w [8]int32) {
	x, y, z := int32(s.fraction[0]), int32(s.fraction[1]), int32(s.fraction[2])
	w[0] = 256
	if s.Count == 8 {
		w[0], w[4] = 256-z, z
	}
	for n := 0; n < s.Count; n += 4 {
		whole := w[n]
		high := share(whole, x)
		low := whole - high
		w[n], w[n+1] = low, high
		if s.Count > 2 {
			w[n] = share(low, 256-y)
			w[n+2] = low - w[n]
			w[n+3] = share(high, y)
			w[n+1] = high - w[n+3]
		}
	}
	return w
}

// share returns so many 256ths of a weight, rounded.
func share(weight, fraction int32) int32 { return (weight*fraction + 128) >> 8 }
