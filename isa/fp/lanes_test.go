package fp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func someLanes(seed uint64) *Lanes32 {
	random := rand.New(rand.NewPCG(seed, 1))
	var lanes Lanes32
	for i := range lanes {
		lanes[i] = math.Float32bits(random.Float32()*4 - 2)
	}
	return &lanes
}

func lanes64(a *Lanes32) *Lanes64 {
	var d Lanes64
	for i, x := range a {
		d[i] = math.Float64bits(float64(f32(x)))
	}
	return &d
}

// BenchmarkPlainGo is the yardstick: a loop of float32 multiply-adds over 32 lanes.
func BenchmarkPlainGo(b *testing.B) {
	var x, y, z, d [32]float32
	for i, v := range someLanes(1) {
		x[i], y[i], z[i] = f32(v), f32(v)+1, f32(v)+2
	}
	plain := func(d, x, y, z *[32]float32) {
		for i := range d {
			d[i] = x[i]*y[i] + z[i]
		}
	}
	f := plain
	for b.Loop() {
		f(&d, &x, &y, &z)
	}
}

func BenchmarkLanes(b *testing.B) {
	x, y, z := someLanes(1), someLanes(2), someLanes(3)
	wx, wy, wz := lanes64(x), lanes64(y), lanes64(z)
	const all = ^uint32(0)
	for _, bench := range []struct {
		name string
		key  Key
	}{
		{"fma.rn.f32", Key{Op: "fma", Type: "f32", Rounding: RoundNearest}},
		{"fma.rn.ftz.f32", Key{Op: "fma", Type: "f32", Rounding: RoundNearest, Flush: true}},
		{"fma.rz.f32", Key{Op: "fma", Type: "f32", Rounding: RoundZero}},
		{"add.rn.f32", Key{Op: "add", Type: "f32", Rounding: RoundNearest}},
		{"mul.rn.f32", Key{Op: "mul", Type: "f32", Rounding: RoundNearest}},
		{"div.rn.f32", Key{Op: "div", Type: "f32", Rounding: RoundNearest}},
		{"rcp.approx.f32", Key{Op: "rcp", Type: "f32", Approx: true}},
		{"sin.approx.f32", Key{Op: "sin", Type: "f32", Approx: true}},
		{"fma.rn.f64", Key{Op: "fma", Type: "f64", Rounding: RoundNearest}},
		{"add.rn.f64", Key{Op: "add", Type: "f64", Rounding: RoundNearest}},
		{"setp.lt.f32", Key{Op: "setp", Type: "f32", Comparison: LT}},
		{"cvt.rzi.s32.f32", Key{Op: "cvt", Type: "s32", From: "f32", Rounding: RoundZeroInteger}},
	} {
		op, ok := Find(bench.key)
		require.True(b, ok)
		b.Run(bench.name, func(b *testing.B) {
			var d Lanes32
			var w Lanes64
			for b.Loop() {
				switch {
				case op.Ternary32 != nil:
					op.Ternary32(&d, x, y, z, all)
				case op.Binary32 != nil:
					op.Binary32(&d, x, y, all)
				case op.Unary32 != nil:
					op.Unary32(&d, x, all)
				case op.Ternary64 != nil:
					op.Ternary64(&w, wx, wy, wz, all)
				case op.Binary64 != nil:
					op.Binary64(&w, wx, wy, all)
				case op.Compare32 != nil:
					op.Compare32(x, y, all)
				}
			}
		})
	}
}
