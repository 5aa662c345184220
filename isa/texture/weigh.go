package texture

// weights returns the weights of a sample's texels, in 256ths with sum 256. It divides a whole three times: by z, by x, then by y. One part
// is rounded to the nearest 256th, halves up; the other part is the rest. By x the upper part is rounded. By y it is the upper part at the
// upper x, and the lower part at the lower x.
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

// share returns a fraction, in 256ths, of a weight, rounded.
func share(weight, fraction int32) int32 { return (weight*fraction + 128) >> 8 }
