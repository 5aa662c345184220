package exec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
)

func constantOperand(bank uint8, offset uint32, t isa.Type) isa.Operand {
	return isa.Operand{Kind: isa.OperandConstant, Bank: bank, Offset: offset, Type: t}
}

func symbolOperand(kind isa.OperandKind, index int32, addend uint64) isa.Operand {
	return isa.Operand{Kind: kind, Symbol: index, Immediate: addend, Type: isa.U64}
}

func move(d, s isa.Operand, t isa.Type) *isa.Instruction {
	return &isa.Instruction{Op: isa.OpMov, Type: t, Dst: []isa.Operand{d}, Src: []isa.Operand{s}}
}

// Kernel parameters, user constants, addresses and 64-bit immediates reach registers.
func TestConstants(t *testing.T) {
	p := &isa.Program{
		Symbols: []*isa.Symbol{
			{Name: "table", Space: isa.SpaceConst, Bytes: 8, Address: 16, Initial: []byte{1, 2, 3, 4, 0xf0, 0xff}},
			{Name: "array", Space: isa.SpaceGlobal, Bytes: 4, Address: 0x7_0000_1000},
			{Name: "pointers", Space: isa.SpaceConst, Bytes: 16, Address: 32, Initial: make([]byte, 16), Relocations: []isa.Relocation{
				{Offset: 0, Bytes: 8, Symbol: 1, Function: -1, Addend: 4}, {Offset: 8, Bytes: 8, Function: 0}}},
		},
		Functions: []*isa.Function{{Name: "f"}},
	}
	effects := []*isa.Instruction{
		move(r32(0), constantOperand(0, isa.ParameterBase+4, isa.U32), isa.U32),
		move(r64(2), constantOperand(0, isa.ParameterBase+8, isa.U64), isa.U64),
		move(r32(4), constantOperand(3, 20, isa.S16), isa.S32),
		move(r64(6), symbolOperand(isa.OperandSymbol, 1, 12), isa.U64),
		move(r64(8), constantOperand(3, 32, isa.U64), isa.U64),
		move(r64(10), symbolOperand(isa.OperandFunction, 0, 0), isa.U64),
		move(r64(12), isa.Imm(0x123456789abcdef0, isa.U64), isa.U64),
		move(r64(14), isa.Reg(isa.RZ, isa.U64), isa.U64),
		move(isa.Reg(isa.RZ, isa.U32), isa.Imm(3, isa.U32), isa.U32),
		move(r32(16), constantOperand(0, isa.ParameterBase+100, isa.U32), isa.U32),
	}
	mp := &isa.MachineProgram{Program: p}
	for _, e := range effects {
		mp.Ops = append(mp.Ops, isa.MachineOp{Effect: e})
	}
	code, err := Bind(mp)
	require.NoError(t, err)
	l := code.Launch([]byte{0, 0, 0, 0, 0x78, 0x56, 0x34, 0x12, 8, 7, 6, 5, 4, 3, 2, 1})
	w := &Warp{Registers: make([]isa.Lanes32, 40), Base: 20, Block: &Block{Launch: l}}
	for i := range code.Ops {
		code.Ops[i].Run(w, isa.FullMask)
	}
	pair := func(r int) uint64 { return pack64(w.Registers[20+r][31], w.Registers[20+r+1][31]) }
	require.EqualValues(t, 0x12345678, w.Registers[20][17])
	require.EqualValues(t, 0x0102030405060708, pair(2))
	require.EqualValues(t, 0xfffffff0, w.Registers[24][0])
	require.EqualValues(t, 0x7_0000_100c, pair(6))
	require.EqualValues(t, 0x7_0000_1004, pair(8))
	require.EqualValues(t, 0x123456789abcdef0, pair(12))
	require.Zero(t, pair(14))
	require.Zero(t, w.Registers[36][0])
	index, ok := FunctionAt(p, pair(10))
	require.True(t, ok)
	require.Zero(t, index)
	_, ok = FunctionAt(p, pair(10)+16)
	require.False(t, ok)
	l.WriteConstant(20, []byte{0x34, 0x12})
	code.Ops[2].Run(w, isa.FullMask)
	require.EqualValues(t, 0x1234, w.Registers[24][0])
	for r := range 20 {
		require.Zero(t, w.Registers[r], "nothing is written below the window")
	}
}

func TestSpecialRegisters(t *testing.T) {
	w := &Warp{
		Registers: make([]isa.Lanes32, 4), WarpID: 3, NumWarps: 8, SMID: 5, NumSMX: 13, Clock: 0x1_0000_0002, Nanoseconds: 0x3_0000_0004,
		Block: &Block{Ntid: [3]uint32{64, 2, 1}, Ctaid: [3]uint32{7, 8, 9}, Nctaid: [3]uint32{10, 11, 12}, GridID: 6,
			Shared: make([]byte, 96), DynamicShared: 32},
	}
	for lane := range 32 {
		w.Tid[0][lane], w.Tid[1][lane] = uint32(32+lane), 1
	}
	for s, want := range map[isa.SpecialRegister]func(lane uint64) uint64{
		isa.TidX:              func(lane uint64) uint64 { return 32 + lane },
		isa.TidY:              func(uint64) uint64 { return 1 },
		isa.TidZ:              func(uint64) uint64 { return 0 },
		isa.NtidX:             func(uint64) uint64 { return 64 },
		isa.CtaidZ:            func(uint64) uint64 { return 9 },
		isa.NctaidY:           func(uint64) uint64 { return 11 },
		isa.LaneID:            func(lane uint64) uint64 { return lane },
		isa.WarpID:            func(uint64) uint64 { return 3 },
		isa.NwarpID:           func(uint64) uint64 { return 8 },
		isa.SMID:              func(uint64) uint64 { return 5 },
		isa.NSMID:             func(uint64) uint64 { return 13 },
		isa.GridID:            func(uint64) uint64 { return 6 },
		isa.LanemaskEQ:        func(lane uint64) uint64 { return 1 << lane },
		isa.LanemaskLT:        func(lane uint64) uint64 { return 1<<lane - 1 },
		isa.LanemaskLE:        func(lane uint64) uint64 { return 1<<(lane+1) - 1 },
		isa.LanemaskGT:        func(lane uint64) uint64 { return 0xffffffff &^ (1<<(lane+1) - 1) },
		isa.LanemaskGE:        func(lane uint64) uint64 { return 0xffffffff &^ (1<<lane - 1) },
		isa.Clock:             func(uint64) uint64 { return 2 },
		isa.ClockHi:           func(uint64) uint64 { return 1 },
		isa.Clock64:           func(uint64) uint64 { return 0x1_0000_0002 },
		isa.GlobalTimer:       func(uint64) uint64 { return 0x3_0000_0004 },
		isa.GlobalTimerHi:     func(uint64) uint64 { return 3 },
		isa.TotalSharedSize:   func(uint64) uint64 { return 96 },
		isa.DynamicSharedSize: func(uint64) uint64 { return 32 },
		isa.PM3:               func(uint64) uint64 { return 0 },
		isa.EnvregLast:        func(uint64) uint64 { return 0 },
	} {
		mp := &isa.MachineProgram{Ops: []isa.MachineOp{{Effect: move(r64(0),
			isa.Operand{Kind: isa.OperandSpecial, Special: s, Type: isa.U64}, isa.U64)}}}
		code, err := Bind(mp)
		require.NoError(t, err)
		w.Block.Launch = code.Launch(nil)
		code.Ops[0].Run(w, isa.FullMask)
		for lane := range 32 {
			require.Equal(t, want(uint64(lane)), pack64(w.Registers[0][lane], w.Registers[1][lane]), "%s lane %d", s, lane)
		}
	}
}

func TestPackAndUnpack(t *testing.T) {
	r16 := func(n int) isa.Operand { return isa.Reg(isa.Register(n), isa.U16) }
	code, w := machine(t,
		&isa.Instruction{Op: isa.OpMov, Type: isa.B32, Dst: []isa.Operand{r32(0)}, Src: []isa.Operand{r16(2), r16(3)}},
		&isa.Instruction{Op: isa.OpMov, Type: isa.B64, Dst: []isa.Operand{r64(4)}, Src: []isa.Operand{r16(2), r16(3), r16(6), r16(7)}},
		&isa.Instruction{Op: isa.OpMov, Type: isa.B64, Dst: []isa.Operand{r32(8), {Kind: isa.OperandSink}}, Src: []isa.Operand{r64(2)}},
		&isa.Instruction{Op: isa.OpMov, Type: isa.B32, Dst: []isa.Operand{r16(10), r16(11)}, Src: []isa.Operand{r32(2)}},
		&isa.Instruction{Op: isa.OpMov, Type: isa.U32, Dst: []isa.Operand{r32(12), r32(13)}, Src: []isa.Operand{r32(13), r32(12)}},
	)
	before := append([]isa.Lanes32(nil), w.Registers...)
	for i := range code.Ops {
		code.Ops[i].Run(w, isa.FullMask)
	}
	for lane := range 32 {
		x := func(r int) uint32 { return before[r][lane] }
		got := func(r int) uint32 { return w.Registers[r][lane] }
		require.Equal(t, x(2)&0xffff|x(3)<<16, got(0))
		require.Equal(t, x(2)&0xffff|x(3)<<16, got(4))
		require.Equal(t, x(6)&0xffff|x(7)<<16, got(5))
		require.Equal(t, x(2), got(8))
		require.Equal(t, x(2)&0xffff, got(10))
		require.Equal(t, x(2)>>16, got(11))
		require.Equal(t, x(13), got(12), "the sources are read before the first write")
		require.Equal(t, x(12), got(13))
	}
}

// The adder's carry with 10 and 3, and 5 and 3, as a real GPU answered.
func TestCarryChains(t *testing.T) {
	carry := func(op isa.Opcode, out bool, d int, src ...isa.Operand) *isa.Instruction {
		return &isa.Instruction{Op: op, Type: isa.U32, Mod: isa.Modifiers{CarryOut: out}, Dst: []isa.Operand{r32(d)}, Src: src}
	}
	i := func(v uint64) isa.Operand { return isa.Imm(v, isa.U32) }
	for _, c := range []struct {
		name  string
		first *isa.Instruction
		then  *isa.Instruction
		want  uint32
	}{
		{"add.cc carries, subc", carry(isa.OpAdd, true, 0, i(0xffffffff), i(1)), carry(isa.OpSubc, false, 2, i(10), i(3)), 7},
		{"add.cc does not carry, subc", carry(isa.OpAdd, true, 0, i(1), i(1)), carry(isa.OpSubc, false, 2, i(10), i(3)), 6},
		{"sub.cc without borrow, addc", carry(isa.OpSub, true, 0, i(5), i(3)), carry(isa.OpAddc, false, 2, i(10), i(3)), 14},
		{"sub.cc with borrow, addc", carry(isa.OpSub, true, 0, i(3), i(5)), carry(isa.OpAddc, false, 2, i(10), i(3)), 13},
	} {
		code, w := machine(t, c.first, c.then)
		code.Ops[0].Run(w, isa.FullMask)
		code.Ops[1].Run(w, isa.FullMask)
		require.Equal(t, c.want, w.Registers[2][5], c.name)
	}
	wide := carry(isa.OpAdd, true, 0, r64(4), r64(6))
	wide.Type, wide.Dst[0] = isa.U64, r64(0)
	code, w := machine(t, wide, carry(isa.OpAddc, false, 2, i(0), i(0)))
	w.Carry = 0x0000ff00
	code.Ops[0].Run(w, 0xffff00ff)
	require.EqualValues(t, 0xff00, w.Carry&0xff00, "inactive lanes keep their carry")
	code.Ops[1].Run(w, 0xffff00ff)
	for lane := range 32 {
		if lane/8 == 1 {
			continue
		}
		a, b := pack64(w.Registers[4][lane], w.Registers[5][lane]), pack64(w.Registers[6][lane], w.Registers[7][lane])
		require.Equal(t, a+b, pack64(w.Registers[0][lane], w.Registers[1][lane]))
		require.Equal(t, a+b < a, w.Registers[2][lane] == 1)
	}
}

func TestPredicatePairsAndGuards(t *testing.T) {
	setp := &isa.Instruction{Op: isa.OpSetp, Type: isa.S32, Mod: isa.Modifiers{Compare: isa.LT, Bool: isa.BoolAnd},
		Dst: []isa.Operand{isa.Predicate(0, false), isa.Predicate(1, false)}, Src: []isa.Operand{r32(2), r32(3), isa.Predicate(2, true)}}
	code, w := machine(t, setp)
	w.Predicates[2] = 0x0f0f0f0f
	w.Predicates[0], w.Predicates[1] = 0xaaaaaaaa, 0x55555555
	const active = 0x00ffffff
	code.Ops[0].Run(w, active)
	for lane := range 32 {
		p, q := w.Predicates[0]>>lane&1 == 1, w.Predicates[1]>>lane&1 == 1
		if active>>lane&1 == 0 {
			require.Equal(t, lane%2 == 1, p)
			require.Equal(t, lane%2 == 0, q)
			continue
		}
		less, third := int32(w.Registers[2][lane]) < int32(w.Registers[3][lane]), lane/4%2 == 1
		require.Equal(t, less && third, p)
		require.Equal(t, !less && third, q)
	}
	b := Bound{Guard: isa.Guard{Present: true, Register: 2}}
	require.EqualValues(t, 0x000f000f, b.GuardMask(w, 0x00ff00ff))
	b.Guard.Negate = true
	require.EqualValues(t, 0x00f000f0, b.GuardMask(w, 0x00ff00ff))
	require.EqualValues(t, 5, (&Bound{}).GuardMask(w, 5))
}

func TestBarrierOperands(t *testing.T) {
	red := &isa.Instruction{Op: isa.OpBar, Type: isa.Pred, Mod: isa.Modifiers{Select: isa.BarRed, Bool: isa.BoolOr},
		Dst: []isa.Operand{isa.Predicate(3, false)},
		Src: []isa.Operand{isa.Imm(2, isa.U32), r32(4), isa.Predicate(1, true)}}
	count := &isa.Instruction{Op: isa.OpBar, Type: isa.U32, Mod: isa.Modifiers{Select: isa.BarRed, Bool: isa.BoolPopc},
		Dst: []isa.Operand{r32(6)},
		Src: []isa.Operand{isa.Imm(0, isa.U32), isa.Predicate(1, false)}}
	code, w := machine(t, &isa.Instruction{Op: isa.OpBar, Mod: isa.Modifiers{Select: isa.BarSync}, Src: []isa.Operand{isa.Imm(1, isa.U32)}},
		red, count)
	w.Predicates[1] = 0xff
	w.Registers[4][4] = 64
	require.Equal(t, BarrierRequest{Kind: isa.BarSync, ID: 1}, code.Ops[0].Barrier(w, isa.FullMask))
	require.Equal(t, BarrierRequest{Kind: isa.BarRed, ID: 2, Threads: 64, Operation: isa.BoolOr, Predicate: 0xf00},
		code.Ops[1].Barrier(w, 0xff0))
	code.Ops[1].BarrierResult(w, 0xff0, 1)
	require.EqualValues(t, 0xff0, w.Predicates[3])
	require.Equal(t, BarrierRequest{Kind: isa.BarRed, Operation: isa.BoolPopc, Predicate: 0xff}, code.Ops[2].Barrier(w, isa.FullMask))
	code.Ops[2].BarrierResult(w, 2, 40)
	require.EqualValues(t, 40, w.Registers[6][1])
	require.NotEqualValues(t, 40, w.Registers[6][2])
	require.Equal(t, KindControl, code.Ops[0].Kind)
}

func TestErrorsSayWhich(t *testing.T) {
	p := &isa.Program{Files: []string{"k.ptx"}, Lines: []isa.SourceLine{{}, {PTXLine: 12}}}
	_, err := Bind(&isa.MachineProgram{Program: p, Ops: []isa.MachineOp{{},
		{Mnemonic: "X", Effect: &isa.Instruction{Op: isa.OpMma, Type: isa.F16, Line: 1}}}})
	require.ErrorIs(t, err, ErrUnsupported)
	require.EqualError(t, err, "operation 1 (X), PTX mma.f16 at k.ptx:12: instruction has no implementation")
}
