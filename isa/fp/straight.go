package fp

import "math"

// plainLoops has the lane forms that are plain loops over the host's arithmetic, for speed. The host rounds to nearest even, as .rn does;
// differences from the GPU (NaN payloads, double rounding) are corrected afterwards, lane by lane. The explicit conversion of a product
// before an addition keeps the Go compiler from fusing the two.
var plainLoops = map[Key]Operation{
	{Op: "add", Type: "f32", Rounding: RoundNearest}:                  {Binary32: addLanes32},
	{Op: "sub", Type: "f32", Rounding: RoundNearest}:                  {Binary32: subLanes32},
	{Op: "mul", Type: "f32", Rounding: RoundNearest}:                  {Binary32: mulLanes32},
	{Op: "fma", Type: "f32", Rounding: RoundNearest}:                  {Ternary32: fmaLanes32},
	{Op: "div", Type: "f32", Rounding: RoundNearest}:                  {Binary32: divLanes32},
	{Op: "sqrt", Type: "f32", Rounding: RoundNearest}:                 {Unary32: sqrtLanes32},
	{Op: "add", Type: "f32", Rounding: RoundNearest, Flush: true}:     {Binary32: flushed2(addLanes32)},
	{Op: "sub", Type: "f32", Rounding: RoundNearest, Flush: true}:     {Binary32: flushed2(subLanes32)},
	{Op: "mul", Type: "f32", Rounding: RoundNearest, Flush: true}:     {Binary32: mulFlushLanes32},
	{Op: "fma", Type: "f32", Rounding: RoundNearest, Flush: true}:     {Ternary32: fmaFlushLanes32},
	{Op: "add", Type: "f64", Rounding: RoundNearest}:                  {Binary64: addLanes64},
	{Op: "sub", Type: "f64", Rounding: RoundNearest}:                  {Binary64: subLanes64},
	{Op: "mul", Type: "f64", Rounding: RoundNearest}:                  {Binary64: mulLanes64},
	{Op: "fma", Type: "f64", Rounding: RoundNearest}:                  {Ternary64: fmaLanes64},
	{Op: "div", Type: "f64", Rounding: RoundNearest}:                  {Binary64: divLanes64},
	{Op: "sqrt", Type: "f64", Rounding: RoundNearest}:                 {Unary64: sqrtLanes64},
	{Op: "abs", Type: "f32"}:                                          {Unary32: absLanes32},
	{Op: "neg", Type: "f32"}:                                          {Unary32: negLanes32},
	{Op: "min", Type: "f32"}:                                          {Binary32: minLanes32},
	{Op: "max", Type: "f32"}:                                          {Binary32: maxLanes32},
	{Op: "cvt", Type: "f32", From: "s32", Rounding: RoundNearest}:     {Unary32: s32ToF32Lanes},
	{Op: "cvt", Type: "f32", From: "u32", Rounding: RoundNearest}:     {Unary32: u32ToF32Lanes},
	{Op: "cvt", Type: "f64", From: "s32", Rounding: RoundNearest}:     {Widen: s32ToF64Lanes},
	{Op: "cvt", Type: "f64", From: "u32", Rounding: RoundNearest}:     {Widen: u32ToF64Lanes},
	{Op: "cvt", Type: "f64", From: "f32"}:                             {Widen: f32ToF64Lanes},
	{Op: "cvt", Type: "f32", From: "f64", Rounding: RoundNearest}:     {Narrow: f64ToF32Lanes},
	{Op: "cvt", Type: "s32", From: "f32", Rounding: RoundZeroInteger}: {Unary32: f32ToS32Lanes},
	{Op: "cvt", Type: "u32", From: "f32", Rounding: RoundZeroInteger}: {Unary32: f32ToU32Lanes},
	{Op: "cvt", Type: "u64", From: "u32"}:                             {Widen: u32ToU64Lanes},
	{Op: "cvt", Type: "s64", From: "s32"}:                             {Widen: s32ToS64Lanes},
	{Op: "cvt", Type: "u32", From: "u64"}:                             {Narrow: lowLanes},
	{Op: "cvt", Type: "s32", From: "s64"}:                             {Narrow: lowLanes},
}

func f32(x uint32) float32 { return math.Float32frombits(x) }
func f64(x uint64) float64 { return math.Float64frombits(x) }

// bits32 returns the pattern of a result, with a canonical NaN.
func bits32(x float32) uint32 {
	if x != x {
		return canonicalNaN32
	}
	return math.Float32bits(x)
}

func addLanes32(d, a, b *Lanes32, _ uint32) {
	for i := range d {
		d[i] = bits32(f32(a[i]) + f32(b[i]))
	}
}

func subLanes32(d, a, b *Lanes32, _ uint32) {
	for i := range d {
		d[i] = bits32(f32(a[i]) - f32(b[i]))
	}
}

func mulLanes32(d, a, b *Lanes32, _ uint32) {
	for i := range d {
		d[i] = bits32(f32(a[i]) * f32(b[i]))
	}
}

const (
	leastNormalAsF64 = 0x3810000000000000 // 2^-126, the smallest normal f32, as an f64 pattern
	cutBits          = 1<<29 - 1          // bits of an f64's fraction that f32 does not have
	halfway          = 1 << 28
)

// fmaLanes32 multiplies exactly and adds once in f64, then rounds to f32. Double rounding is wrong only if the f64 sum is halfway between
// two f32 values, or if the result is subnormal. Those lanes, infinities and NaNs take the exact path.
func fmaLanes32(d, a, b, c *Lanes32, _ uint32) {
	var out Lanes32
	var odd uint32
	for i := range out {
		s := float64(float64(f32(a[i]))*float64(f32(b[i]))) + float64(f32(c[i]))
		pattern := math.Float64bits(s)
		out[i] = math.Float32bits(float32(s))
		if pattern&cutBits == halfway || pattern&^sign64-leastNormalAsF64 >= infinity64-leastNormalAsF64 {
			odd |= 1 << (i & 31)
		}
	}
	for m := odd; m != 0; m &= m - 1 {
		if i := lane(m); out[i]&^sign32 != 0 || a[i]<<1 != 0 && b[i]<<1 != 0 {
			out[i] = FMA32(a[i], b[i], c[i], nearest)
		}
	}
	*d = out
}

// divLanes32 divides in f64 and rounds to f32. This equals rounding once, since 53 bits are more than 2·24+1, unless the result is
// subnormal.
func divLanes32(d, a, b *Lanes32, _ uint32) {
	var out Lanes32
	var odd uint32
	for i := range out {
		x := bits32(float32(float64(f32(a[i])) / float64(f32(b[i]))))
		out[i] = x
		if x&^sign32 <= leastNormal32 && a[i]<<1 != 0 {
			odd |= 1 << (i & 31)
		}
	}
	for m := odd; m != 0; m &= m - 1 {
		i := lane(m)
		out[i] = Div32(a[i], b[i], nearest)
	}
	*d = out
}

// sqrtLanes32 takes the root in f64 and rounds to f32, which equals rounding once.
func sqrtLanes32(d, a *Lanes32, _ uint32) {
	for i := range d {
		d[i] = bits32(float32(math.Sqrt(float64(f32(a[i])))))
	}
}

func flushLanes(d, a *Lanes32) {
	for i := range d {
		d[i] = flush32(a[i])
	}
}

// flushed2 returns a lane form that flushes operands and result. It is only right for sums: a subnormal sum of f32 values is exact, so
// flushing before or after rounding is the same.
func flushed2(f func(d, a, b *Lanes32, active uint32)) func(d, a, b *Lanes32, active uint32) {
	return func(d, a, b *Lanes32, active uint32) {
		var x, y Lanes32
		flushLanes(&x, a)
		flushLanes(&y, b)
		f(&x, &x, &y, active)
		flushLanes(d, &x)
	}
}

// flushResults flushes results and returns the lanes with the smallest normal value, since rounding may have carried those up.
func flushResults(d *Lanes32) (least uint32) {
	for i, x := range d {
		if x&^sign32 == leastNormal32 {
			least |= 1 << (i & 31)
		}
		d[i] = flush32(x)
	}
	return least
}

var nearestFlush = Control{Rounding: RoundNearest, Flush: true}

func mulFlushLanes32(d, a, b *Lanes32, active uint32) {
	var x, y, out Lanes32
	flushLanes(&x, a)
	flushLanes(&y, b)
	mulLanes32(&out, &x, &y, active)
	for m := flushResults(&out); m != 0; m &= m - 1 {
		i := lane(m)
		out[i] = Mul32(x[i], y[i], nearestFlush)
	}
	*d = out
}

func fmaFlushLanes32(d, a, b, c *Lanes32, active uint32) {
	var x, y, z, out Lanes32
	flushLanes(&x, a)
	flushLanes(&y, b)
	flushLanes(&z, c)
	fmaLanes32(&out, &x, &y, &z, active)
	for m := flushResults(&out); m != 0; m &= m - 1 {
		i := lane(m)
		out[i] = FMA32(x[i], y[i], z[i], nearestFlush)
	}
	*d = out
}

func absLanes32(d, a *Lanes32, _ uint32) {
	for i, x := range a {
		if isNaN32(x) {
			x = canonicalNaN32
		}
		d[i] = x &^ sign32
	}
}

func negLanes32(d, a *Lanes32, _ uint32) {
	for i, x := range a {
		if isNaN32(x) {
			x = canonicalNaN32 | sign32
		}
		d[i] = x ^ sign32
	}
}

func minLanes32(d, a, b *Lanes32, _ uint32) {
	for i := range d {
		x, y := a[i], b[i]
		switch {
		case isNaN32(x) || isNaN32(y):
			x = Min32(x, y, Control{})
		case order32(y) < order32(x):
			x = y
		}
		d[i] = x
	}
}

func maxLanes32(d, a, b *Lanes32, _ uint32) {
	for i := range d {
		x, y := a[i], b[i]
		switch {
		case isNaN32(x) || isNaN32(y):
			x = Max32(x, y, Control{})
		case order32(y) > order32(x):
			x = y
		}
		d[i] = x
	}
}

func addLanes64(d, a, b *Lanes64, _ uint32) {
	for i := range d {
		r := f64(a[i]) + f64(b[i])
		if r != r {
			d[i] = Add64(a[i], b[i], nearest)
			continue
		}
		d[i] = math.Float64bits(r)
	}
}

func subLanes64(d, a, b *Lanes64, _ uint32) {
	for i := range d {
		r := f64(a[i]) - f64(b[i])
		if r != r {
			d[i] = Sub64(a[i], b[i], nearest)
			continue
		}
		d[i] = math.Float64bits(r)
	}
}

func mulLanes64(d, a, b *Lanes64, _ uint32) {
	for i := range d {
		r := f64(a[i]) * f64(b[i])
		if r != r {
			d[i] = Mul64(a[i], b[i], nearest)
			continue
		}
		d[i] = math.Float64bits(r)
	}
}

func fmaLanes64(d, a, b, c *Lanes64, _ uint32) {
	for i := range d {
		r := math.FMA(f64(a[i]), f64(b[i]), f64(c[i]))
		if r != r {
			d[i] = FMA64(a[i], b[i], c[i], nearest)
			continue
		}
		d[i] = math.Float64bits(r)
	}
}

func divLanes64(d, a, b *Lanes64, _ uint32) {
	for i := range d {
		r := f64(a[i]) / f64(b[i])
		if r != r {
			d[i] = Div64(a[i], b[i], nearest)
			continue
		}
		d[i] = math.Float64bits(r)
	}
}

func sqrtLanes64(d, a *Lanes64, _ uint32) {
	for i := range d {
		r := math.Sqrt(f64(a[i]))
		if r != r {
			d[i] = Sqrt64(a[i], nearest)
			continue
		}
		d[i] = math.Float64bits(r)
	}
}
