package exec

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
)

func memoryInstruction(op isa.Opcode, t isa.Type, space isa.Space, base isa.Operand, offset int64,
	registers ...isa.Operand) *isa.Instruction {
	i := &isa.Instruction{Op: op, Type: t, Memory: &isa.Memory{Space: space, Base: base, Offset: offset, Vector: uint8(len(registers))}}
	if op == isa.OpLd {
		i.Dst = registers
	} else {
		i.Src = registers
	}
	return i
}

// loaded returns the value that a load of a type leaves in a register, by PTX's text: sign-extended for signed types and zero-extended for
// others.
func loaded(data []byte, t isa.Type) uint64 {
	switch t {
	case isa.S8:
		return uint64(int64(int8(data[0])))
	case isa.U8, isa.B8:
		return uint64(data[0])
	case isa.S16:
		return uint64(int64(int16(binary.LittleEndian.Uint16(data))))
	case isa.U16, isa.B16:
		return uint64(binary.LittleEndian.Uint16(data))
	case isa.S32:
		return uint64(int64(int32(binary.LittleEndian.Uint32(data))))
	case isa.U32, isa.B32, isa.F32:
		return uint64(binary.LittleEndian.Uint32(data))
	default:
		return binary.LittleEndian.Uint64(data)
	}
}

func TestLoadsExtendAndStoresTruncate(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, ty := range []isa.Type{isa.U8, isa.S8, isa.B8, isa.U16, isa.S16, isa.B16, isa.U32, isa.S32, isa.F32, isa.U64, isa.S64, isa.F64} {
		for _, vector := range []int{1, 2, 4} {
			if vector*ty.Bytes() > 16 {
				continue
			}
			for _, wide := range []bool{false, true} {
				if ty.Bytes() == 8 && !wide {
					continue
				}
				var registers, sources []isa.Operand
				for n := range vector {
					if wide {
						registers, sources = append(registers, r64(10+2*n)), append(sources, r64(20+2*n))
					} else {
						registers, sources = append(registers, r32(10+2*n)), append(sources, r32(20+2*n))
					}
				}
				size := vector * ty.Bytes()
				code, w := machine(t, memoryInstruction(isa.OpLd, ty, isa.SpaceShared, r32(4), int64(size), registers...),
					memoryInstruction(isa.OpSt, ty, isa.SpaceShared, r32(4), 0, sources...))
				for lane := range 32 {
					w.Registers[4][lane] = uint32(31-lane) * uint32(size)
				}
				memory := make([]byte, 33*size)
				for i := range memory {
					memory[i] = byte(random.Uint32())
				}
				original := append([]byte(nil), memory...)
				const active = 0xfff0ffff
				before := append([]isa.Lanes32(nil), w.Registers...)
				var a Access
				rest, fault := code.Ops[0].Access(w, active, &a)
				require.Zero(t, rest)
				require.Nil(t, fault)
				require.Nil(t, a.ApplyFlat(memory))
				code.Ops[0].Complete(w, &a, active)
				for lane := range 32 {
					for n := range vector {
						r := 10 + 2*n
						if active>>lane&1 == 0 {
							require.Equal(t, before[r][lane], w.Registers[r][lane])
							continue
						}
						at := (32-lane)*size + n*ty.Bytes()
						want := loaded(original[at:], ty)
						require.Equal(t, uint32(want), w.Registers[r][lane], "%v.v%d lane %d", ty, vector, lane)
						if wide {
							require.Equal(t, uint32(want>>32), w.Registers[r+1][lane], "%v.v%d lane %d, upper word", ty, vector, lane)
						}
					}
				}
				_, fault = code.Ops[1].Access(w, active, &a)
				require.Nil(t, fault)
				require.Nil(t, a.ApplyFlat(memory))
				for lane := range 32 {
					for n := range vector {
						at := (31-lane)*size + n*ty.Bytes()
						var word [8]byte
						binary.LittleEndian.PutUint32(word[:], w.Registers[20+2*n][lane])
						binary.LittleEndian.PutUint32(word[4:], w.Registers[21+2*n][lane])
						want := word[:ty.Bytes()]
						if active>>lane&1 == 0 {
							want = original[at : at+ty.Bytes()]
						}
						require.Equal(t, want, memory[at:at+ty.Bytes()])
					}
				}
			}
		}
	}
}

func TestGenericAddressesSplitBySpace(t *testing.T) {
	code, w := machine(t, memoryInstruction(isa.OpLd, isa.U32, isa.SpaceGeneric, r64(4), 8, r32(2)))
	for lane := range 32 {
		address := []uint64{isa.SharedWindow + 16, isa.LocalWindow + 32, isa.GlobalBase64 + 64}[lane%3]
		w.Registers[4][lane], w.Registers[5][lane] = uint32(address), uint32(address>>32)
	}
	want := map[isa.Space]uint64{isa.SpaceShared: 24, isa.SpaceLocal: 40, isa.SpaceGlobal: isa.GlobalBase64 + 72}
	seen := uint32(0)
	var a Access
	for rest := isa.FullMask; rest != 0; {
		var fault *Fault
		rest, fault = code.Ops[0].Access(w, rest, &a)
		require.Nil(t, fault)
		require.Zero(t, a.Active&(seen|rest))
		seen |= a.Active
		for lane := range 32 {
			if a.Active>>lane&1 == 1 {
				require.Equal(t, want[a.Space], a.Address[lane])
			}
		}
		delete(want, a.Space)
	}
	require.Equal(t, isa.FullMask, seen)
	require.Empty(t, want)
}

// Constant memory can be read through its window. A store there is outside every allocation. A prefetch never faults.
func TestGenericConstants(t *testing.T) {
	prefetch := memoryInstruction(isa.OpPrefetch, isa.TypeNone, isa.SpaceGeneric, isa.Imm(isa.SharedWindow+999, isa.U64), 0)
	code, w := machine(t, memoryInstruction(isa.OpLd, isa.U32, isa.SpaceGeneric, isa.Imm(isa.ConstWindow+4, isa.U64), 0, r32(2)),
		memoryInstruction(isa.OpSt, isa.U32, isa.SpaceGeneric, isa.Imm(isa.ConstWindow+4, isa.U64), 0, r32(2)), prefetch)
	var a Access
	_, fault := code.Ops[0].Access(w, isa.FullMask, &a)
	require.Nil(t, fault)
	require.Equal(t, isa.SpaceConst, a.Space)
	require.EqualValues(t, 4, a.Address[31])
	_, fault = code.Ops[1].Access(w, isa.FullMask, &a)
	require.Nil(t, fault)
	require.Equal(t, isa.SpaceGlobal, a.Space)
	require.EqualValues(t, isa.ConstWindow+4, a.Address[31])
	_, fault = code.Ops[2].Access(w, isa.FullMask, &a)
	require.Nil(t, fault)
	require.Equal(t, AccessPrefetch, a.Kind)
	require.Nil(t, a.ApplyFlat(nil))
}

func TestFaults(t *testing.T) {
	code, w := machine(t, memoryInstruction(isa.OpSt, isa.U32, isa.SpaceShared, r32(4), 0, r32(6), r32(8)))
	for lane := range 32 {
		w.Registers[4][lane] = uint32(8 * lane)
	}
	w.Registers[4][9] = 84
	var a Access
	_, fault := code.Ops[0].Access(w, isa.FullMask, &a)
	require.Equal(t, &Fault{Lane: 9, Address: 84, Bytes: 8, Space: isa.SpaceShared, Write: true, Misaligned: true}, fault)
	_, fault = code.Ops[0].Access(w, isa.FullMask&^(1<<9), &a)
	require.Nil(t, fault)
	memory := make([]byte, 31*8)
	require.Equal(t, &Fault{Lane: 31, Address: 248, Bytes: 8, Space: isa.SpaceShared, Write: true}, a.ApplyFlat(memory))
	require.Equal(t, make([]byte, 31*8), memory, "a faulting access writes nothing")
	w.Registers[4][3] = 0xfffffff8
	_, fault = code.Ops[0].Access(w, 1<<3, &a)
	require.Nil(t, fault)
	require.NotNil(t, a.ApplyFlat(memory))
}

func TestLocalMemoryIsInterleaved(t *testing.T) {
	code, w := machine(t, memoryInstruction(isa.OpSt, isa.U64, isa.SpaceLocal, isa.Imm(8, isa.U32), 8, r64(6)),
		memoryInstruction(isa.OpLd, isa.S16, isa.SpaceLocal, r32(4), 0, r32(2)), memoryInstruction(isa.OpLd, isa.U64, isa.SpaceLocal,
			isa.Imm(16, isa.U32), 0, r64(8)))
	local := make([]byte, 32*24)
	var a Access
	_, fault := code.Ops[0].Access(w, isa.FullMask, &a)
	require.Nil(t, fault)
	require.Nil(t, a.ApplyLocal(local, 24))
	for lane := range 32 {
		require.Equal(t, w.Registers[6][lane], binary.LittleEndian.Uint32(local[(4*32+lane)*4:]))
		require.Equal(t, w.Registers[7][lane], binary.LittleEndian.Uint32(local[(5*32+lane)*4:]))
		w.Registers[4][lane] = 22
	}
	_, fault = code.Ops[1].Access(w, isa.FullMask, &a)
	require.Nil(t, fault)
	require.Nil(t, a.ApplyLocal(local, 24))
	code.Ops[1].Complete(w, &a, isa.FullMask)
	_, fault = code.Ops[2].Access(w, isa.FullMask, &a)
	require.Nil(t, fault)
	require.Nil(t, a.ApplyLocal(local, 24))
	code.Ops[2].Complete(w, &a, isa.FullMask)
	for lane := range 32 {
		require.Equal(t, uint32(int32(w.Registers[7][lane])>>16), w.Registers[2][lane])
	}
	require.Equal(t, w.Registers[6], w.Registers[8])
	require.Equal(t, w.Registers[7], w.Registers[9])
	require.NotNil(t, a.ApplyLocal(local, 16), "beyond the thread's local memory")
}

func TestAtomics(t *testing.T) {
	f32 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	for _, c := range []struct {
		name                       string
		op                         isa.Sub
		t                          isa.Type
		old, operand, compare, new uint64
	}{
		{"add wraps at 32 bits", isa.AtomicAdd, isa.U32, 0xffffffff, 2, 0, 1},
		{"add of 64 bits", isa.AtomicAdd, isa.U64, 0xffffffff, 2, 0, 0x100000001},
		{"min unsigned", isa.AtomicMin, isa.U32, 1, 0xffffffff, 0, 1},
		{"min signed", isa.AtomicMin, isa.S32, 1, 0xffffffff, 0, 0xffffffff},
		{"max unsigned", isa.AtomicMax, isa.U64, 1, 1 << 63, 0, 1 << 63},
		{"max signed", isa.AtomicMax, isa.S64, 1, 1 << 63, 0, 1},
		{"and", isa.AtomicAnd, isa.B32, 12, 10, 0, 8},
		{"or", isa.AtomicOr, isa.B64, 12, 10, 0, 14},
		{"xor", isa.AtomicXor, isa.B32, 12, 10, 0, 6},
		{"inc below the bound", isa.AtomicInc, isa.U32, 4, 5, 0, 5},
		{"inc at the bound", isa.AtomicInc, isa.U32, 5, 5, 0, 0},
		{"inc above the bound", isa.AtomicInc, isa.U32, 6, 5, 0, 0},
		{"dec", isa.AtomicDec, isa.U32, 4, 5, 0, 3},
		{"dec at zero", isa.AtomicDec, isa.U32, 0, 5, 0, 5},
		{"dec above the bound", isa.AtomicDec, isa.U32, 6, 5, 0, 5},
		{"exch", isa.AtomicExch, isa.B64, 1, 1 << 40, 0, 1 << 40},
		{"cas that finds its comparand", isa.AtomicCas, isa.B32, 7, 9, 7, 9},
		{"cas that does not", isa.AtomicCas, isa.B64, 7 | 1<<32, 9, 7, 7 | 1<<32},
		{"add f32", isa.AtomicAdd, isa.F32, f32(1.5), f32(2), 0, f32(3.5)},
		{"add f32 flushes", isa.AtomicAdd, isa.F32, 1, 1, 0, 0},
		{"add f64", isa.AtomicAdd, isa.F64, math.Float64bits(1.5), math.Float64bits(2), 0, math.Float64bits(3.5)},
	} {
		require.Equal(t, c.new, atomic(c.op, c.t, c.old, c.operand, c.compare, true), c.name)
	}
}

// All lanes add to one word, one after another: each gets a different old value.
func TestAtomicLanesFollowEachOther(t *testing.T) {
	add := memoryInstruction(isa.OpAtom, isa.U32, isa.SpaceShared, isa.Imm(4, isa.U32), 0, isa.Imm(3, isa.U32))
	add.Mod.Select, add.Dst, add.Memory.Vector = isa.AtomicAdd, []isa.Operand{r32(2)}, 1
	cas := memoryInstruction(isa.OpAtom, isa.B64, isa.SpaceShared, isa.Imm(8, isa.U32), 0, isa.Imm(5, isa.U64), isa.Imm(1<<40, isa.U64))
	cas.Mod.Select, cas.Dst, cas.Memory.Vector = isa.AtomicCas, []isa.Operand{r64(6)}, 1
	code, w := machine(t, add, cas)
	shared := make([]byte, 16)
	shared[4], shared[8] = 7, 5
	var a Access
	for n, op := range code.Ops {
		_, fault := op.Access(w, 0x00ff00ff, &a)
		require.Nil(t, fault)
		require.Nil(t, a.ApplyFlat(shared))
		code.Ops[n].Complete(w, &a, 0x00ff00ff)
	}
	require.EqualValues(t, 7+16*3, binary.LittleEndian.Uint32(shared[4:]))
	require.EqualValues(t, 7, w.Registers[2][0])
	require.EqualValues(t, 7+8*3, w.Registers[2][16])
	require.EqualValues(t, 1<<40, binary.LittleEndian.Uint64(shared[8:]))
	require.EqualValues(t, 5, w.Registers[6][0])
	require.EqualValues(t, 0, w.Registers[6][1])
	require.EqualValues(t, 1<<8, w.Registers[7][1])
	flush := &Access{Kind: AccessAtomic, Space: isa.SpaceShared, Bytes: 4, Active: 1, Operation: isa.AtomicAdd, Type: isa.F32}
	flush.Data[0][0] = 1
	word := []byte{1, 0, 0, 0}
	require.Nil(t, flush.ApplyFlat(word))
	require.Equal(t, []byte{2, 0, 0, 0}, word, "shared memory keeps subnormal sums")
}

// A load writes to its registers what memory contains, for addresses of any shape.
func TestLoadsOfEveryShape(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 7))
	memory := make([]byte, 4096)
	for i := range memory {
		memory[i] = byte(random.Uint32())
	}
	shapes := map[string]func(lane int) uint32{
		"neighbours": func(lane int) uint32 { return uint32(lane) },
		"one":        func(int) uint32 { return 5 },
		"reversed":   func(lane int) uint32 { return uint32(31 - lane) },
		"any":        func(int) uint32 { return random.Uint32N(128) },
	}
	for _, ty := range []isa.Type{isa.U8, isa.S16, isa.F32, isa.B64} {
		for _, vector := range []int{1, 2, 4} {
			var registers []isa.Operand
			for n := range vector {
				if ty.Bytes() == 8 {
					registers = append(registers, r64(10+2*n))
				} else {
					registers = append(registers, r32(10+2*n))
				}
			}
			if vector*ty.Bytes() > largestAccess {
				continue
			}
			for name, shape := range shapes {
				for _, active := range []uint32{isa.FullMask, 0x8421_8421} {
					code, w := machine(t, memoryInstruction(isa.OpLd, ty, isa.SpaceShared, r32(4), 0, registers...))
					w.Scratch = new(Scratch)
					for lane := range 32 {
						w.Registers[4][lane] = shape(lane) * uint32(vector*ty.Bytes())
					}
					want := slices.Clone(w.Registers)
					for lane := range 32 {
						if active>>lane&1 == 0 {
							continue
						}
						for n := range vector {
							value := loaded(memory[int(w.Registers[4][lane])+n*ty.Bytes():], ty)
							want[10+2*n][lane] = uint32(value)
							if ty.Bytes() == 8 {
								want[11+2*n][lane] = uint32(value >> 32)
							}
						}
					}
					var a Access
					_, fault := code.Ops[0].Access(w, active, &a)
					require.Nil(t, fault)
					require.Nil(t, code.Ops[0].ApplyFlat(w, &a, memory))
					require.Equal(t, want, w.Registers, "%v.v%d, %s, lanes %08x", ty, vector, name, active)
				}
			}
		}
	}
}
