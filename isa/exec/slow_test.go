package exec

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
)

func TestSlowPaths(t *testing.T) {
	f32 := func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
	for _, c := range []struct {
		kind isa.SlowKind
		op   isa.Opcode
		t    isa.Type
		a, b uint64
		slow bool
	}{
		{isa.SlowDivF32, isa.OpDiv, isa.F32, f32(1), f32(3), false},
		{isa.SlowDivF32, isa.OpDiv, isa.F32, f32(1e10), f32(-3e-10), false},
		{isa.SlowDivF32, isa.OpDiv, isa.F32, f32(1e30), f32(1e-30), true}, // the quotient overflows
		{isa.SlowDivF32, isa.OpDiv, isa.F32, f32(1e-30), f32(1e30), true}, // and underflows
		{isa.SlowDivF32, isa.OpDiv, isa.F32, f32(1), 1, true},             // subnormal divisor
		{isa.SlowDivF32, isa.OpDiv, isa.F32, f32(1), 0, true},
		{isa.SlowDivF32, isa.OpDiv, isa.F32, f32(math.Inf(1)), f32(2), true},
		{isa.SlowDivF64, isa.OpDiv, isa.F64, math.Float64bits(1), math.Float64bits(3), false},
		{isa.SlowDivF64, isa.OpDiv, isa.F64, math.Float64bits(1e200), math.Float64bits(1e-200), true},
		{isa.SlowSqrtF32, isa.OpSqrt, isa.F32, f32(2), 0, false},
		{isa.SlowSqrtF32, isa.OpSqrt, isa.F32, f32(math.Ldexp(1, -101)), 0, false},
		{isa.SlowSqrtF32, isa.OpSqrt, isa.F32, f32(math.Ldexp(1, -102)), 0, true},
		{isa.SlowSqrtF32, isa.OpSqrt, isa.F32, 0, 0, true},
		{isa.SlowSqrtF32, isa.OpSqrt, isa.F32, f32(-2), 0, true},
		{isa.SlowSqrtF32, isa.OpSqrt, isa.F32, f32(math.Inf(1)), 0, true},
		{isa.SlowSqrtF64, isa.OpSqrt, isa.F64, math.Float64bits(2), 0, false},
		{isa.SlowSqrtF64, isa.OpSqrt, isa.F64, math.Float64bits(-2), 0, true},
		{isa.SlowRcpF32, isa.OpRcp, isa.F32, f32(2), 0, false},
		{isa.SlowRcpF32, isa.OpRcp, isa.F32, f32(math.Ldexp(1, 126)), 0, true},
		{isa.SlowRcpF32, isa.OpRcp, isa.F32, 0, 0, true},
		{isa.SlowRcpF64, isa.OpRcp, isa.F64, math.Float64bits(2), 0, false},
		{isa.SlowRcpF64, isa.OpRcp, isa.F64, math.Float64bits(math.Ldexp(1, 1023)), 0, true},
		{isa.SlowTrig, isa.OpSin, isa.F32, f32(-100000), 0, false},
		{isa.SlowTrig, isa.OpSin, isa.F32, f32(-200000), 0, true},
		{isa.SlowTrig, isa.OpSin, isa.F32, f32(math.Inf(-1)), 0, false},
	} {
		a, b := isa.Reg(2, c.t), isa.Reg(4, c.t)
		path := &isa.SlowPath{Length: 1, Kind: c.kind, Probe: &isa.Instruction{Op: c.op, Type: c.t, Src: []isa.Operand{a, b}}}
		code, err := Bind(&isa.MachineProgram{Ops: []isa.MachineOp{{Mnemonic: "MUFU", Slow: path}}})
		require.NoError(t, err)
		w := &Warp{Registers: make([]isa.Lanes32, 8), Block: &Block{Launch: code.Launch(nil)}}
		one := uint64(math.Float32bits(1))
		if c.t == isa.F64 {
			one = math.Float64bits(1)
		}
		for lane := range 32 { // all other lanes take the fast path
			w.Registers[2][lane], w.Registers[3][lane] = uint32(one), uint32(one>>32)
			w.Registers[4][lane], w.Registers[5][lane] = uint32(one), uint32(one>>32)
		}
		w.Registers[2][5], w.Registers[3][5] = uint32(c.a), uint32(c.a>>32)
		w.Registers[4][5], w.Registers[5][5] = uint32(c.b), uint32(c.b>>32)
		require.Equal(t, c.slow, code.Ops[0].NeedsSlow(w, isa.FullMask), "%s %x %x", c.op, c.a, c.b)
		require.False(t, code.Ops[0].NeedsSlow(w, isa.FullMask&^(1<<5)), "an inactive lane does not ask")
	}
}
