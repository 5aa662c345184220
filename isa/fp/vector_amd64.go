package fp

import "golang.org/x/sys/cpu"

// The hottest lane forms, eight lanes an instruction, on hosts that have AVX2 and FMA. The straight loops of straight.go do the same on others.

//go:noescape
func vectorAdd(d, a, b *Lanes32)

//go:noescape
func vectorSub(d, a, b *Lanes32)

//go:noescape
func vectorMul(d, a, b *Lanes32)

//go:noescape
func vectorFMA(d, a, b, c *Lanes32)

// The forms with .ftz return the lanes that came out as the smallest normal value: rounding may have carried those up, see Control.result32.

//go:noescape
func vectorAddFlush(d, a, b *Lanes32) (least uint32)

//go:noescape
func vectorSubFlush(d, a, b *Lanes32) (least uint32)

//go:noescape
func vectorMulFlush(d, a, b *Lanes32) (least uint32)

//go:noescape
func vectorFMAFlush(d, a, b, c *Lanes32) (least uint32)

func init() {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		for k, op := range vectors {
			straight[k] = op
		}
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
}
