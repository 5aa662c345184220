package exec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
)

// machine binds effects as a program and makes a warp with random registers to run it.
func machine(t testing.TB, effects ...*isa.Instruction) (*Code, *Warp) {
	t.Helper()
	mp := &isa.MachineProgram{Program: &isa.Program{}}
	for _, e := range effects {
		mp.Ops = append(mp.Ops, isa.MachineOp{Mnemonic: e.Op.String(), Effect: e})
	}
	code, err := Bind(mp)
	require.NoError(t, err)
	w := &Warp{Registers: make([]isa.Lanes32, 64), Block: &Block{Launch: code.Launch(nil)}}
	random := rand.New(rand.NewPCG(1, 2))
	for r := range w.Registers {
		for i := range w.Registers[r] {
			w.Registers[r][i] = random.Uint32()
		}
	}
	w.Predicates[7] = isa.FullMask
	return code, w
}

func r32(n int) isa.Operand { return isa.Reg(isa.Register(n), isa.U32) }
func r64(n int) isa.Operand { return isa.Reg(isa.Register(n), isa.U64) }

func TestInactiveLanesKeepTheirRegisters(t *testing.T) {
	wide := func(op isa.Opcode, ty isa.Type, half isa.Half, src ...isa.Operand) *isa.Instruction {
		return &isa.Instruction{Op: op, Type: ty, Mod: isa.Modifiers{Half: half}, Dst: []isa.Operand{r64(4)}, Src: src}
	}
	for _, i := range []*isa.Instruction{
		{Op: isa.OpAdd, Type: isa.U32, Dst: []isa.Operand{r32(4)}, Src: []isa.Operand{r32(4), r32(6)}},
		{Op: isa.OpMad, Type: isa.S32, Mod: isa.Modifiers{Half: isa.Lo}, Dst: []isa.Operand{r32(4)},
			Src: []isa.Operand{r32(4), r32(6), r32(8)}},
		{Op: isa.OpMul, Type: isa.S16, Mod: isa.Modifiers{Half: isa.Hi}, Dst: []isa.Operand{r32(4)}, Src: []isa.Operand{r32(4), r32(6)}},
		{Op: isa.OpFma, Type: isa.F32, Mod: isa.Modifiers{Rounding: isa.RoundNearest}, Dst: []isa.Operand{r32(4)},
			Src: []isa.Operand{r32(4), r32(6), r32(8)}},
		wide(isa.OpAdd, isa.S64, 0, r64(4), r64(6)),
		wide(isa.OpMul, isa.U32, isa.Wide, r32(4), r32(5)),
		wide(isa.OpMad, isa.S32, isa.Wide, r32(4), r32(5), r64(4)),
		wide(isa.OpMov, isa.B64, 0, r64(6)),
		{Op: isa.OpMov, Type: isa.B64, Dst: []isa.Operand{r64(4)}, Src: []isa.Operand{r32(5), r32(4)}},
		{Op: isa.OpMov, Type: isa.B64, Dst: []isa.Operand{r32(5), r32(4)}, Src: []isa.Operand{r64(4)}},
		{Op: isa.OpFma, Type: isa.F64, Mod: isa.Modifiers{Rounding: isa.RoundNearest}, Dst: []isa.Operand{r64(4)},
			Src: []isa.Operand{r64(4), r64(6), r64(8)}},
		{Op: isa.OpCvt, Type: isa.S64, From: isa.S32, Dst: []isa.Operand{r64(4)}, Src: []isa.Operand{r32(5)}},
		{Op: isa.OpShfl, Type: isa.B32, Mod: isa.Modifiers{Select: isa.ShflBfly}, Dst: []isa.Operand{r32(4)},
			Src: []isa.Operand{r32(4), isa.Imm(1, isa.U32), isa.Imm(31, isa.U32)}},
	} {
		code, w := machine(t, i)
		before := append([]isa.Lanes32(nil), w.Registers...)
		code.Ops[0].Run(w, isa.FullMask)
		full := append([]isa.Lanes32(nil), w.Registers...)
		require.NotEqual(t, before[4], full[4], "%v does something", i.Op)
		for _, active := range []uint32{1, 0x80000000, 0xffff, 0x55555555, 0xfffffffe, 0x10010} {
			copy(w.Registers, before)
			code.Ops[0].Run(w, active)
			for r := range w.Registers {
				for lane := range 32 {
					want := before[r][lane]
					if active>>lane&1 != 0 {
						want = full[r][lane]
					}
					require.Equal(t, want, w.Registers[r][lane], "%v.%v R%d lane %d of mask %08x", i.Op, i.Type, r, lane, active)
				}
			}
		}
	}
}

// TestNegatedSources: every combination of signs computes what Go's arithmetic gives for negated numbers; NaN is 0x7fffffff as on GPUs.
func TestNegatedSources(t *testing.T) {
	rounding := isa.Modifiers{Rounding: isa.RoundNearest}
	bits := func(f float32) uint32 {
		if f != f {
			return 0x7fffffff
		}
		return math.Float32bits(f)
	}
	compute := map[isa.Opcode]func(a, b, c float32) float32{
		isa.OpAdd: func(a, b, _ float32) float32 { return a + b },
		isa.OpSub: func(a, b, _ float32) float32 { return a - b },
		isa.OpMul: func(a, b, _ float32) float32 { return a * b },
		// Products are exact in f64, and no sum of these values is halfway between two f32.
		isa.OpFma: func(a, b, c float32) float32 { return float32(float64(a)*float64(b) + float64(c)) },
	}
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1.5, float32(math.Inf(1)), float32(math.NaN()), 0x1p-149, -3e38, 0.1, 7}
	for op, want := range compute {
		sources := 2
		if op == isa.OpFma {
			sources = 3
		}
		for signs := range 1 << sources {
			i := &isa.Instruction{Op: op, Type: isa.F32, Mod: rounding, Dst: []isa.Operand{r32(0)}}
			for n := range sources {
				o := r32(2 + n)
				o.Negate = signs>>n&1 != 0
				i.Src = append(i.Src, o)
			}
			code, w := machine(t, i)
			for lane := range 32 {
				for n := range sources {
					w.Registers[2+n][lane] = math.Float32bits(special[(lane*(n+1)+n*lane/10)%len(special)])
				}
			}
			before := append([]isa.Lanes32(nil), w.Registers...)
			code.Ops[0].Run(w, 0x7fffffff)
			for lane := range 31 {
				var v [3]float32
				for n := range sources {
					v[n] = math.Float32frombits(before[2+n][lane])
					if signs>>n&1 != 0 {
						v[n] = -v[n]
					}
				}
				require.Equal(t, bits(want(v[0], v[1], v[2])), w.Registers[0][lane], "%v of %v, signs %b", op, v, signs)
			}
			require.Equal(t, before[0][31], w.Registers[0][31], "an inactive lane")
			require.Equal(t, before[2:], w.Registers[2:], "sources stay")
		}
	}
}
