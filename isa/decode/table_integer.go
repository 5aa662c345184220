package decode

import "github.com/keplersim/keplersim/isa"

const (
	int16to64 = "u16|u32|u64|s16|s32|s64"
	bits16    = "b16|b32|b64"
	simd      = "u32|s32 u32|s32 u32|s32"
)

// integerForms are the integer and bit instructions.
var integerForms = []Form{
	{Opcode: isa.OpAdd, Types: int16to64, Operands: "d a b"},
	{Opcode: isa.OpAdd, Modifiers: "sat", Types: "s32", Operands: "d a b"},
	{Opcode: isa.OpAdd, Modifiers: "cc", Types: "u32|s32|u64|s64", Operands: "d a b"},
	{Opcode: isa.OpAddc, Modifiers: "cc?", Types: "u32|s32|u64|s64", Operands: "d a b"},
	{Opcode: isa.OpSub, Types: int16to64, Operands: "d a b"},
	{Opcode: isa.OpSub, Modifiers: "sat", Types: "s32", Operands: "d a b"},
	{Opcode: isa.OpSub, Modifiers: "cc", Types: "u32|s32|u64|s64", Operands: "d a b"},
	{Opcode: isa.OpSubc, Modifiers: "cc?", Types: "u32|s32|u64|s64", Operands: "d a b"},
	{Opcode: isa.OpMul, Modifiers: "lohi", Types: int16to64, Operands: "d a b"},
	{Opcode: isa.OpMul, Modifiers: "half", Types: "u16|u32|s16|s32", Operands: "d:w a b"},
	{Opcode: isa.OpMad, Modifiers: "lohi", Types: int16to64, Operands: "d a b c"},
	{Opcode: isa.OpMad, Modifiers: "half", Types: "u16|u32|s16|s32", Operands: "d:w a b c:w"},
	{Opcode: isa.OpMad, Modifiers: "hi sat", Types: "s32", Operands: "d a b c"},
	{Opcode: isa.OpMad, Modifiers: "lohi cc", Types: "u32|s32|u64|s64", Operands: "d a b c"},
	{Opcode: isa.OpMadc, Modifiers: "lohi cc?", Types: "u32|s32|u64|s64", Operands: "d a b c"},
	{Opcode: isa.OpMul24, Modifiers: "lohi", Types: "u32|s32", Operands: "d a b"},
	{Opcode: isa.OpMad24, Modifiers: "lohi", Types: "u32|s32", Operands: "d a b c"},
	{Opcode: isa.OpMad24, Modifiers: "hi sat", Types: "s32", Operands: "d a b c"},
	{Opcode: isa.OpSad, Types: int16to64, Operands: "d a b c"},
	{Opcode: isa.OpDiv, Types: int16to64, Operands: "d a b"},
	{Opcode: isa.OpRem, Types: int16to64, Operands: "d a b"},
	{Opcode: isa.OpAbs, Types: "s16|s32|s64", Operands: "d a"},
	{Opcode: isa.OpNeg, Types: "s16|s32|s64", Operands: "d a"},
	{Opcode: isa.OpMin, Types: int16to64, Operands: "d a b"},
	{Opcode: isa.OpMax, Types: int16to64, Operands: "d a b"},
	{Opcode: isa.OpAnd, Types: "pred|b16|b32|b64", Operands: "d a b"},
	{Opcode: isa.OpOr, Types: "pred|b16|b32|b64", Operands: "d a b"},
	{Opcode: isa.OpXor, Types: "pred|b16|b32|b64", Operands: "d a b"},
	{Opcode: isa.OpNot, Types: "pred|b16|b32|b64", Operands: "d a"},
	{Opcode: isa.OpCnot, Types: bits16, Operands: "d a"},
	{Opcode: isa.OpShl, Types: bits16, Operands: "d a b:u32"},
	{Opcode: isa.OpShr, Types: "b16|b32|b64|" + int16to64, Operands: "d a b:u32"},
	{Opcode: isa.OpShf, Modifiers: "direction shiftmode", Types: "b32", Operands: "d a b c:u32", Since: 32, PTX: "3.1"},
	{Opcode: isa.OpPopc, Types: "b32|b64", Operands: "d:u32 a"},
	{Opcode: isa.OpClz, Types: "b32|b64", Operands: "d:u32 a"},
	{Opcode: isa.OpBfind, Modifiers: "shiftamt?", Types: "u32|s32|u64|s64", Operands: "d:u32 a"},
	{Opcode: isa.OpBrev, Types: "b32|b64", Operands: "d a"},
	{Opcode: isa.OpBfe, Types: "u32|s32|u64|s64", Operands: "d a b:u32 c:u32"},
	{Opcode: isa.OpBfi, Types: "b32|b64", Operands: "d a b c:u32 e:u32"},
	{Opcode: isa.OpPrmt, Modifiers: "prmt?", Types: "b32", Operands: "d a b c"},
	{Opcode: isa.OpLop3, Types: "b32", Operands: "d a b c imm:u32", Status: Emulated, Since: 50, PTX: "4.3"},
	{Opcode: isa.OpDp4a, Types: "u32|s32 u32|s32", Operands: "d:dp a:b32 b:b32 c:dp", Status: Emulated, Since: 61, PTX: "5.0"},
	{Opcode: isa.OpDp2a, Modifiers: "lohi", Types: "u32|s32 u32|s32", Operands: "d:dp a:b32 b:b32 c:dp",
		Status: Emulated, Since: 61, PTX: "5.0"},
	{Opcode: isa.OpFns, Types: "b32", Operands: "d a b:u32 c:s32", Status: Emulated, Since: 30, PTX: "6.0"},
	{Opcode: isa.OpBmsk, Modifiers: "shiftmode", Types: "b32", Operands: "d a b", Status: Emulated, Since: 70, PTX: "7.6"},
	{Opcode: isa.OpSzext, Modifiers: "shiftmode", Types: "u32|s32", Operands: "d a b:u32", Status: Emulated, Since: 70, PTX: "7.6"},
}
