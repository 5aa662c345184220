package exec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
)

// TestMachineCodeOfNumbers compares operations whose results hang on every bit of their arguments with the interpreter, on numbers of all
// sizes. Of these numbers most operations are not left to it.
func TestMachineCodeOfNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 3))
	number := func() uint32 {
		switch random.IntN(8) {
		case 0:
			return random.Uint32() >> random.IntN(32)
		case 1: // an even power of two, and its neighbours
			return uint32(random.IntN(250))<<23 + uint32(random.IntN(3)) - 1
		case 2:
			return math.Float32bits(float32(random.IntN(200) - 100))
		}
		return math.Float32bits(float32(random.NormFloat64() * math.Ldexp(1, random.IntN(9)-3)))
	}
	warps := 3000
	if testing.Short() {
		warps = 100
	}
	near, approximate := isa.Modifiers{Rounding: isa.RoundNearest}, isa.Modifiers{Approx: true}
	flushed := isa.Modifiers{Rounding: isa.RoundNearest, Flush: true}
	for _, i := range []isa.Instruction{
		{Op: isa.OpRsqrt, Type: isa.F32, Mod: approximate}, {Op: isa.OpEx2, Type: isa.F32, Mod: approximate},
		{Op: isa.OpEx2, Type: isa.F32, Mod: isa.Modifiers{Approx: true, Flush: true}},
		{Op: isa.OpRcp, Type: isa.F32, Mod: approximate}, {Op: isa.OpRcp, Type: isa.F32, Mod: isa.Modifiers{Approx: true, Flush: true}},
		{Op: isa.OpSqrt, Type: isa.F32, Mod: approximate}, {Op: isa.OpLg2, Type: isa.F32, Mod: approximate},
		{Op: isa.OpSin, Type: isa.F32, Mod: approximate}, {Op: isa.OpCos, Type: isa.F32, Mod: approximate},
		{Op: isa.OpDiv, Type: isa.F32, Mod: approximate}, {Op: isa.OpDiv, Type: isa.F32, Mod: isa.Modifiers{Full: true, Flush: true}},
		{Op: isa.OpAdd, Type: isa.F32, Mod: flushed}, {Op: isa.OpMul, Type: isa.F32, Mod: flushed},
		{Op: isa.OpFma, Type: isa.F32, Mod: flushed}, {Op: isa.OpDiv, Type: isa.F32, Mod: flushed},
		{Op: isa.OpDiv, Type: isa.S32}, {Op: isa.OpRem, Type: isa.U32}, {Op: isa.OpPopc, Type: isa.B32},
		{Op: isa.OpCvt, Type: isa.S32, From: isa.F32, Mod: isa.Modifiers{Rounding: isa.RoundNearestInt}},
		{Op: isa.OpCvt, Type: isa.U8, From: isa.F32, Mod: isa.Modifiers{Rounding: isa.RoundZeroInt}},
		{Op: isa.OpCvt, Type: isa.F32, From: isa.S16, Mod: near},
	} {
		i.Dst, i.Src = []isa.Operand{r32(8)}, []isa.Operand{r32(4)}
		switch i.Op {
		case isa.OpFma:
			i.Src = append(i.Src, r32(5), r32(6))
		case isa.OpDiv, isa.OpRem, isa.OpAdd, isa.OpMul:
			i.Src = append(i.Src, r32(5))
		}
		mp := &isa.MachineProgram{Program: &isa.Program{}, Registers: 64, Ops: []isa.MachineOp{{Effect: &i}}}
		code, err := Bind(mp)
		require.NoError(t, err)
		n, left := translate(t, code, mp), 0
		require.True(t, n.Translated(0), i.Mnemonic())
		for range warps {
			_, w := machine(t)
			for lane := range 32 {
				w.Registers[4][lane], w.Registers[5][lane], w.Registers[6][lane] = number(), number(), number()
				if positive := i.Op == isa.OpRsqrt || i.Op == isa.OpSqrt || i.Op == isa.OpLg2; positive && random.IntN(20) > 0 {
					w.Registers[4][lane] &= 1<<31 - 1
				}
			}
			w.Block.Launch = code.Launch(nil)
			active := isa.FullMask
			if random.IntN(2) == 0 {
				active = random.Uint32() & random.Uint32() & random.Uint32()
			}
			other := *w
			other.Registers = append([]isa.Lanes32(nil), w.Registers...)
			interpret(t, &code.Ops[0], &other, active, nil)
			left += runNative(t, n, code, w, active, nil)
			require.Equal(t, other.Registers, w.Registers, "%s, lanes %x", i.Mnemonic(), active)
		}
		require.Less(t, left, warps*19/20, i.Mnemonic())
	}
}

// The unit's functions of every fraction, at exponents on both sides of 0: machine code and interpreter agree.
func TestMachineCodeOfEveryFraction(t *testing.T) {
	step := uint32(32)
	if testing.Short() {
		step = 32 * 101
	}
	for _, op := range []isa.Opcode{isa.OpRcp, isa.OpRsqrt, isa.OpSqrt, isa.OpLg2, isa.OpEx2, isa.OpSin, isa.OpCos} {
		i := isa.Instruction{Op: op, Type: isa.F32, Mod: isa.Modifiers{Approx: true}}
		i.Dst, i.Src = []isa.Operand{r32(8)}, []isa.Operand{r32(4)}
		mp := &isa.MachineProgram{Program: &isa.Program{}, Registers: 64, Ops: []isa.MachineOp{{Effect: &i}}}
		code, err := Bind(mp)
		require.NoError(t, err)
		n, left := translate(t, code, mp), 0
		_, w := machine(t)
		w.Block.Launch = code.Launch(nil)
		other := *w
		other.Registers = append([]isa.Lanes32(nil), w.Registers...)
		for bits := math.Float32bits(0.5); bits < math.Float32bits(2); bits += step {
			for lane := range 32 {
				w.Registers[4][lane] = bits + uint32(lane)
			}
			other.Registers[4] = w.Registers[4]
			interpret(t, &code.Ops[0], &other, isa.FullMask, nil)
			left += runNative(t, n, code, w, isa.FullMask, nil)
			if other.Registers[8] != w.Registers[8] {
				require.Equal(t, other.Registers[8], w.Registers[8], "%s of %#x and on", i.Mnemonic(), bits)
			}
		}
		require.Zero(t, left, i.Mnemonic())
	}
}
