package exec

import (
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/ptx"
)

// run3 runs one instruction of a type on three broadcast operands.
func run3(t *testing.T, i *isa.Instruction, operands ...uint32) uint32 {
	t.Helper()
	i.Dst = []isa.Operand{r32(0)}
	i.Src = nil
	for _, v := range operands {
		i.Src = append(i.Src, isa.Imm(uint64(v), isa.U32))
	}
	code, w := machine(t, i)
	code.Ops[0].Run(w, isa.FullMask)
	return w.Registers[0][13]
}

// Instructions that no Kepler has do what the PTX reference says. Expected values were found by hand or come from another algorithm.
func TestEmulated(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		a, b, c, table := random.Uint32(), random.Uint32(), random.Uint32(), random.Uint32N(256)
		var want uint32
		for bit := range 32 {
			index := a>>bit&1<<2 | b>>bit&1<<1 | c>>bit&1
			want |= table >> index & 1 << bit
		}
		require.Equal(t, want, run3(t, &isa.Instruction{Op: isa.OpLop3, Type: isa.B32}, a, b, c, table))
		dot := c
		for n := range 4 {
			dot += uint32(int32(int8(a>>(8*n))) * int32(uint8(b>>(8*n))))
		}
		require.Equal(t, dot, run3(t, &isa.Instruction{Op: isa.OpDp4a, Type: isa.S32, From: isa.U32}, a, b, c))
		low := c + uint32(int32(int16(a))*int32(int8(b))) + uint32(int32(int16(a>>16))*int32(int8(b>>8)))
		require.Equal(t, low, run3(t, &isa.Instruction{Op: isa.OpDp2a, Type: isa.S32, From: isa.S32, Mod: isa.Modifiers{Half: isa.Lo}}, a,
			b, c))
		high := c + (a&0xffff)*(b>>16&0xff) + (a>>16)*(b>>24)
		require.Equal(t, high, run3(t, &isa.Instruction{Op: isa.OpDp2a, Type: isa.U32, From: isa.U32, Mod: isa.Modifiers{Half: isa.Hi}}, a,
			b, c))
	}
	const none = 0xffffffff
	for _, c := range []struct{ mask, base, offset, want uint32 }{
		{0xaaaaaaaa, 3, 1, 3}, {0xaaaaaaaa, 3, 2, 5}, {0xaaaaaaaa, 4, 1, 5}, {0xaaaaaaaa, 3, none, 3}, {0xaaaaaaaa, 3, none - 1, 1},
		{0xaaaaaaaa, 3, 0, 3}, {0xaaaaaaaa, 2, 0, none}, {0xaaaaaaaa, 31, 2, none}, {0, 0, 1, none},
	} {
		require.Equal(t, c.want, run3(t, &isa.Instruction{Op: isa.OpFns, Type: isa.B32}, c.mask, c.base, c.offset), "fns %x", c)
	}
	clamp, wrap := isa.Modifiers{ShiftMode: isa.Clamp}, isa.Modifiers{ShiftMode: isa.Wrap}
	require.EqualValues(t, 0xf0, run3(t, &isa.Instruction{Op: isa.OpBmsk, Type: isa.B32, Mod: clamp}, 4, 4))
	require.EqualValues(t, 0xfffffff0, run3(t, &isa.Instruction{Op: isa.OpBmsk, Type: isa.B32, Mod: clamp}, 4, 99))
	require.EqualValues(t, 0x30, run3(t, &isa.Instruction{Op: isa.OpBmsk, Type: isa.B32, Mod: wrap}, 36, 34))
	require.EqualValues(t, 0xfffffff8, run3(t, &isa.Instruction{Op: isa.OpSzext, Type: isa.S32, Mod: clamp}, 0x18, 4))
	require.EqualValues(t, 8, run3(t, &isa.Instruction{Op: isa.OpSzext, Type: isa.U32, Mod: clamp}, 0x18, 4))
	require.EqualValues(t, 0x80000018, run3(t, &isa.Instruction{Op: isa.OpSzext, Type: isa.S32, Mod: clamp}, 0x80000018, 40))
	require.EqualValues(t, 8, run3(t, &isa.Instruction{Op: isa.OpSzext, Type: isa.U32, Mod: wrap}, 0x18, 36))

	reduce := func(op isa.Sub, ty isa.Type) *isa.Instruction {
		return &isa.Instruction{Op: isa.OpRedux, Type: ty, Mod: isa.Modifiers{Select: op}, Dst: []isa.Operand{r32(2)},
			Src: []isa.Operand{r32(4), isa.Imm(0x0fffffff, isa.U32)}}
	}
	code, w := machine(t, reduce(isa.AtomicAdd, isa.U32), reduce(isa.AtomicMin, isa.S32), reduce(isa.AtomicXor, isa.B32))
	const active = 0xf0f0f0f0
	var sum, xor uint32
	least := int32(1<<31 - 1)
	for lane := range 28 {
		if v := w.Registers[4][lane]; active>>lane&1 == 1 {
			sum, xor, least = sum+v, xor^v, min(least, int32(v))
		}
	}
	for n, want := range []uint32{sum, uint32(least), xor} {
		code.Ops[n].Run(w, active)
		require.Equal(t, want, w.Registers[2][bits.TrailingZeros32(active)])
	}
}

func TestGenericAddressConversion(t *testing.T) {
	cvta := func(space isa.Space, to bool, s int) *isa.Instruction {
		return &isa.Instruction{Op: isa.OpCvta, Type: isa.U64, Mod: isa.Modifiers{To: to}, Memory: &isa.Memory{Space: space},
			Dst: []isa.Operand{r64(2)}, Src: []isa.Operand{r64(s)}}
	}
	is := func(space isa.Space) *isa.Instruction {
		return &isa.Instruction{Op: isa.OpIsspacep, Type: isa.U64, Memory: &isa.Memory{Space: space},
			Dst: []isa.Operand{isa.Predicate(1, false)}, Src: []isa.Operand{r64(2)}}
	}
	for _, space := range []isa.Space{isa.SpaceShared, isa.SpaceLocal, isa.SpaceConst, isa.SpaceGlobal} {
		code, w := machine(t, cvta(space, false, 4), is(space), cvta(space, true, 2), is(isa.SpaceShared))
		for lane := range 32 {
			w.Registers[4][lane], w.Registers[5][lane] = uint32(lane), 0
			if space == isa.SpaceGlobal {
				w.Registers[5][lane] = 7
			}
		}
		code.Ops[0].Run(w, isa.FullMask)
		require.Equal(t, space, SpaceOf(pack64(w.Registers[2][9], w.Registers[3][9])))
		code.Ops[3].Run(w, isa.FullMask)
		require.Equal(t, space == isa.SpaceShared, w.Predicates[1] == isa.FullMask)
		code.Ops[1].Run(w, isa.FullMask)
		require.Equal(t, isa.FullMask, w.Predicates[1])
		code.Ops[2].Run(w, isa.FullMask)
		require.Equal(t, w.Registers[4], w.Registers[2])
		require.Equal(t, w.Registers[5], w.Registers[3])
	}
}

// Every instruction of the workloads' kernels can be bound.
func TestWorkloadsBind(t *testing.T) {
	paths, err := filepath.Glob("../../workloads/*/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		file, err := ptx.Parse(path, string(source))
		require.NoError(t, err)
		p, err := decode.Program([]*ptx.File{file}, decode.Options{})
		require.NoError(t, err)
		for _, kernel := range p.Kernels() {
			mp := &isa.MachineProgram{Program: p, Kernel: kernel}
			for _, block := range kernel.Blocks {
				for _, i := range block.Instructions {
					place := func(o *isa.Operand) {
						switch o.Kind {
						case isa.OperandRegister:
							o.Register = 2*o.Register + 256
						case isa.OperandPredicate:
							o.Register %= 7
						}
					}
					i.Sources(place)
					i.Destinations(place)
					mp.Ops = append(mp.Ops, isa.MachineOp{Mnemonic: i.Mnemonic(), Effect: i})
				}
			}
			_, err := Bind(mp)
			require.NoError(t, err, "%s: %s", path, kernel.Name)
		}
	}
}
