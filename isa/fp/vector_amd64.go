package fp

import "golang.org/x/sys/cpu"

// The hottest lane forms with AVX2 and FMA, eight lanes per instruction. On other hosts the loops of straight.go do the same.

//go:noescape
func vectorAdd(d, a, b *Lanes32)

//go:noescape
func vectorSub(d, a, b *Lanes32)

//go:noescape
func vectorMul(d, a, b *Lanes32)

//go:noescape
func vectorFMA(d, a, b, c *Lanes32)

// The forms with .ftz return the lanes with the smallest normal value, since rounding may have carried those up: see Control.result32.

//go:noescape
func vectorAddFlush(d, a, b *Lanes32) (least uint32)

//go:noescape
func vectorSubFlush(d, a, b *Lanes32) (least uint32)

//go:noescape
func vectorMulFlush(d, a, b *Lanes32) (least uint32)

//go:noescape
func vectorFMAFlush(d, a, b, c *Lanes32) (least uint32)

// The f64 forms return the lanes with a NaN.

//go:noescape
func vectorAdd64(d, a, b *Lanes64) (nans uint32)

//go:noescape
func vectorSub64(d, a, b *Lanes64) (nans uint32)

//go:noescape
func vectorMul64(d, a, b *Lanes64) (nans uint32)

//go:noescape
func vectorFMA64(d, a, b, c *Lanes64) (nans uint32)

//go:noescape
func vectorCompare32(a, b *Lanes32) (below, same, above uint32)

//go:noescape
func vectorCompare64(a, b *Lanes64) (below, same, above uint32)

//go:noescape
func vectorFromS32(d, a *Lanes32)

// vectorToS32 returns the lanes that it could not convert.
//
//go:noescape
func vectorToS32(d, a *Lanes32) (outside uint32)

func init() {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		for k, op := range vectors {
			plainLoops[k] = op
		}
		relateLanes32, relateLanes64 = vectorCompare32, vectorCompare64
	}
}

var vectors = map[Key]Operation{
	{Op: "add", Type: "f32", Rounding: RoundNearest}: {Binary32: func(d, a, b *Lanes32, _ uint32) { vectorAdd(d, a, b) }},
	{Op: "sub", Type: "f32", Rounding: RoundNearest}: {Binary32: func(d, a, b *Lanes32, _ uint32) { vectorSub(d, a, b) }},
	{Op: "mul", Type: "f32", Rounding: RoundNearest}: {Binary32: func(d, a, b *Lanes32, _ uint32) { vectorMul(d, a, b) }},
	{Op: "fma", Type: "f32", Rounding: RoundNearest}: {Ternary32: func(d, a, b, c *Lanes32, _ uint32) { vectorFMA(d, a, b, c) }},
	{Op: "add", Type: "f32", Rounding: RoundNearest, Flush: true}: {Binary32: func(d, a, b *Lanes32, _ uint32) {
		vectorAddFlush(d, a, b) // a subnormal sum is exact
	}},
	{Op: "sub", Type: "f32", Rounding: RoundNearest, Flush: true}: {Binary32: func(d, a, b *Lanes32, _ uint32) {
		vectorSubFlush(d, a, b)
	}},
	{Op: "mul", Type: "f32", Rounding: RoundNearest, Flush: true}: {Binary32: func(d, a, b *Lanes32, active uint32) {
		var out Lanes32
		for m := vectorMulFlush(&out, a, b) & active; m != 0; m &= m - 1 {
			i := lane(m)
			out[i] = Mul32(a[i], b[i], nearestFlush)
		}
		*d = out
	}},
	{Op: "fma", Type: "f32", Rounding: RoundNearest, Flush: true}: {Ternary32: func(d, a, b, c *Lanes32, active uint32) {
		var out Lanes32
		for m := vectorFMAFlush(&out, a, b, c) & active; m != 0; m &= m - 1 {
			i := lane(m)
			out[i] = FMA32(a[i], b[i], c[i], nearestFlush)
		}
		*d = out
	}},
	{Op: "add", Type: "f64", Rounding: RoundNearest}: {Binary64: corrected(vectorAdd64, Add64)},
	{Op: "sub", Type: "f64", Rounding: RoundNearest}: {Binary64: corrected(vectorSub64, Sub64)},
	{Op: "mul", Type: "f64", Rounding: RoundNearest}: {Binary64: corrected(vectorMul64, Mul64)},
	{Op: "fma", Type: "f64", Rounding: RoundNearest}: {Ternary64: func(d, a, b, c *Lanes64, _ uint32) {
		var out Lanes64
		for m := vectorFMA64(&out, a, b, c); m != 0; m &= m - 1 {
			i := lane(m)
			out[i] = FMA64(a[i], b[i], c[i], nearest)
		}
		*d = out
	}},
	{Op: "cvt", Type: "f32", From: "s32", Rounding: RoundNearest}: {Unary32: func(d, a *Lanes32, _ uint32) { vectorFromS32(d, a) }},
	{Op: "cvt", Type: "s32", From: "f32", Rounding: RoundZeroInteger}: {Unary32: func(d, a *Lanes32, _ uint32) {
		var out, clamped Lanes32
		if m := vectorToS32(&out, a); m != 0 {
			f32ToS32Lanes(&clamped, a, m)
			for ; m != 0; m &= m - 1 {
				i := lane(m)
				out[i] = clamped[i]
			}
		}
		*d = out
	}},
}

// corrected returns a vector operation that recomputes NaN lanes with the scalar function.
func corrected(vector func(d, a, b *Lanes64) uint32, scalar func(a, b uint64, c Control) uint64) func(d, a, b *Lanes64, active uint32) {
	return func(d, a, b *Lanes64, _ uint32) {
		var out Lanes64
		for m := vector(&out, a, b); m != 0; m &= m - 1 {
			i := lane(m)
			out[i] = scalar(a[i], b[i], nearest)
		}
		*d = out
	}
}
