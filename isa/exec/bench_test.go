package exec

import (
	"testing"

	"github.com/keplersim/keplersim/isa"
)

func BenchmarkRun(b *testing.B) {
	reg := func(n int, t isa.Type) isa.Operand { return isa.Reg(isa.Register(n), t) }
	three := func(op isa.Opcode, t isa.Type, half isa.Half, n int) *isa.Instruction {
		i := &isa.Instruction{Op: op, Type: t, Mod: isa.Modifiers{Half: half}, Dst: []isa.Operand{reg(2, t)}}
		if t.Float() {
			i.Mod.Rounding = isa.RoundNearest
		}
		for k := range n {
			i.Src = append(i.Src, reg(4+2*k, t))
		}
		return i
	}
	wide := three(isa.OpMad, isa.S32, isa.Wide, 3)
	wide.Dst[0].Type, wide.Src[2].Type = isa.S64, isa.S64
	setp := three(isa.OpSetp, isa.S32, 0, 2)
	setp.Mod.Compare, setp.Dst[0] = isa.LT, isa.Predicate(0, false)
	setp64 := three(isa.OpSetp, isa.U64, 0, 2)
	setp64.Mod.Compare, setp64.Dst[0] = isa.LT, isa.Predicate(0, false)
	selp := three(isa.OpSelp, isa.B32, 0, 2)
	selp.Src = append(selp.Src, isa.Predicate(0, false))
	cases := []struct {
		name string
		i    *isa.Instruction
	}{
		{"add.u32", three(isa.OpAdd, isa.U32, 0, 2)},
		{"mad.lo.s32", three(isa.OpMad, isa.S32, isa.Lo, 3)},
		{"and.b32", three(isa.OpAnd, isa.B32, 0, 2)},
		{"shl.b32", three(isa.OpShl, isa.B32, 0, 2)},
		{"mov.b32", three(isa.OpMov, isa.B32, 0, 1)},
		{"mov.b64", three(isa.OpMov, isa.B64, 0, 1)},
		{"mul.hi.u32", three(isa.OpMul, isa.U32, isa.Hi, 2)},
		{"max.s32", three(isa.OpMax, isa.S32, 0, 2)},
		{"setp.lt.s32", setp},
		{"setp.lt.u64", setp64},
		{"selp.b32", selp},
		{"add.s64", three(isa.OpAdd, isa.S64, 0, 2)},
		{"mad.wide.s32", wide},
		{"fma.rn.f32", three(isa.OpFma, isa.F32, 0, 3)},
		{"add.rn.f32", three(isa.OpAdd, isa.F32, 0, 2)},
		{"mul.rn.f32", three(isa.OpMul, isa.F32, 0, 2)},
		{"fma.rn.f64", three(isa.OpFma, isa.F64, 0, 3)},
		{"div.u32", three(isa.OpDiv, isa.U32, 0, 2)},
		{"add.u16", three(isa.OpAdd, isa.U16, 0, 2)},
		{"bfe.u32", three(isa.OpBfe, isa.U32, 0, 3)},
		{"popc.b32", three(isa.OpPopc, isa.B32, 0, 1)},
		{"shfl.bfly.b32", &isa.Instruction{Op: isa.OpShfl, Type: isa.B32, Mod: isa.Modifiers{Select: isa.ShflBfly},
			Dst: []isa.Operand{r32(2)},
			Src: []isa.Operand{r32(4), isa.Imm(1, isa.U32), isa.Imm(31, isa.U32)}}},
		{"cvt.rn.f32.s32", &isa.Instruction{Op: isa.OpCvt, Type: isa.F32, From: isa.S32, Mod: isa.Modifiers{Rounding: isa.RoundNearest},
			Dst: []isa.Operand{r32(2)}, Src: []isa.Operand{r32(4)}}},
	}
	for _, c := range cases {
		code, w := machine(b, c.i)
		for r := range w.Registers { // ordinary floats and small numbers
			for i := range w.Registers[r] {
				w.Registers[r][i] = w.Registers[r][i]&0x007fffff | 0x3f000000
			}
		}
		op := &code.Ops[0]
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				op.Run(w, isa.FullMask)
			}
		})
		b.Run(c.name+"/half", func(b *testing.B) {
			for b.Loop() {
				op.Run(w, 0x0000ffff)
			}
		})
	}
}

func BenchmarkShared(b *testing.B) {
	load := &isa.Instruction{Op: isa.OpLd, Type: isa.U32, Memory: &isa.Memory{Space: isa.SpaceShared, Base: r32(4), Vector: 1},
		Dst: []isa.Operand{r32(2)}}
	code, w := machine(b, load)
	for i := range w.Registers[4] {
		w.Registers[4][i] = uint32(4 * i)
	}
	shared := make([]byte, 256)
	var a Access
	b.ReportAllocs()
	for b.Loop() {
		code.Ops[0].Access(w, isa.FullMask, &a)
		a.ApplyFlat(shared)
		code.Ops[0].Complete(w, &a, isa.FullMask)
	}
}

// No function that runs once per operation allocates, whatever the lanes.
func TestRunAllocatesNothing(t *testing.T) {
	code, w := machine(t,
		&isa.Instruction{Op: isa.OpAdd, Type: isa.S64, Dst: []isa.Operand{r64(2)}, Src: []isa.Operand{r64(4), r64(6)}},
		&isa.Instruction{Op: isa.OpMul, Type: isa.S16, Mod: isa.Modifiers{Half: isa.Hi}, Dst: []isa.Operand{r32(2)},
			Src: []isa.Operand{r32(4), r32(6)}},
		&isa.Instruction{Op: isa.OpFma, Type: isa.F64, Mod: isa.Modifiers{Rounding: isa.RoundNearest}, Dst: []isa.Operand{r64(2)},
			Src: []isa.Operand{r64(4), r64(6), r64(8)}},
		&isa.Instruction{Op: isa.OpDiv, Type: isa.F32, Mod: isa.Modifiers{Rounding: isa.RoundNearest}, Dst: []isa.Operand{r32(2)},
			Src: []isa.Operand{r32(4), r32(6)}},
		&isa.Instruction{Op: isa.OpSetp, Type: isa.F64, Mod: isa.Modifiers{Compare: isa.LTU, Bool: isa.BoolOr},
			Dst: []isa.Operand{isa.Predicate(1, false)}, Src: []isa.Operand{r64(4), r64(6), isa.Predicate(2, true)}},
		&isa.Instruction{Op: isa.OpAdd, Type: isa.U32, Mod: isa.Modifiers{CarryOut: true}, Dst: []isa.Operand{r32(2)},
			Src: []isa.Operand{r32(4), r32(6)}},
		&isa.Instruction{Op: isa.OpMov, Type: isa.B64, Dst: []isa.Operand{r64(2)}, Src: []isa.Operand{r32(4), r32(6)}},
		&isa.Instruction{Op: isa.OpMov, Type: isa.U32, Dst: []isa.Operand{r32(2)},
			Src: []isa.Operand{{Kind: isa.OperandSpecial, Special: isa.LaneID, Type: isa.U32}}},
		&isa.Instruction{Op: isa.OpShfl, Type: isa.B32, Mod: isa.Modifiers{Select: isa.ShflDown}, Dst: []isa.Operand{r32(2)},
			Src: []isa.Operand{r32(4), r32(6), r32(8)}},
		&isa.Instruction{Op: isa.OpPrmt, Type: isa.B32, Dst: []isa.Operand{r32(2)}, Src: []isa.Operand{r32(4), r32(6), r32(8)}},
		memoryInstruction(isa.OpLd, isa.S8, isa.SpaceShared, isa.Imm(0, isa.U32), 0, r64(2), r64(4)),
		memoryInstruction(isa.OpSt, isa.U64, isa.SpaceLocal, isa.Imm(0, isa.U32), 0, r64(2)),
	)
	shared, local := make([]byte, 64), make([]byte, 32*16)
	var a Access
	w.Scratch = new(Scratch)
	for _, active := range []uint32{isa.FullMask, 0x0f0f0f0f, 1} {
		allocations := testing.AllocsPerRun(10, func() {
			for i := range code.Ops {
				op := &code.Ops[i]
				if op.Kind != KindMemory {
					op.Run(w, active)
					continue
				}
				op.Access(w, active, &a)
				if a.Space == isa.SpaceLocal {
					a.ApplyLocal(local, 16)
				} else {
					a.ApplyFlat(shared)
				}
				op.Complete(w, &a, active)
			}
		})
		if allocations != 0 {
			t.Errorf("%v allocations with mask %08x", allocations, active)
		}
	}
}
