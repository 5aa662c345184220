package decode

import "github.com/keplersim/keplersim/isa"

const (
	loadTypes = "b8|b16|b32|b64|" + anyInteger + "|f32|f64"
)

// moveForms are the moves.
var moveForms = []Form{
	{Opcode: isa.OpMov, Types: "pred|b16|b32|b64|" + int16to64 + "|f32|f64", Operands: "dm am"},
	{Opcode: isa.OpMov, Modifiers: "vector", Types: "b16|b32|b64|" + int16to64 + "|f32|f64", Operands: "dv av"},
}

// memoryForms are loads, stores, atomics, prefetches and fences.
var memoryForms = []Form{
	{Opcode: isa.OpLd, Modifiers: "space? cacheld? vector?", Types: loadTypes, Operands: "dv m"},
	{Opcode: isa.OpLd, Modifiers: "volatile atomspace? vector?", Types: loadTypes, Operands: "dv m"},
	{Opcode: isa.OpLd, Modifiers: "gspace cachenc? nc vector?", Types: loadTypes, Operands: "dv m", Since: 32, PTX: "3.1"},
	{Opcode: isa.OpLd, Modifiers: "weak? space? cacheld? evict? l2size? vector?", Types: loadTypes, Operands: "dv m",
		Status: Emulated, Since: 70, PTX: "6.0"},
	{Opcode: isa.OpLd, Modifiers: "gspace cachenc? nc evict? l2size? vector?", Types: loadTypes, Operands: "dv m",
		Status: Emulated, Since: 70, PTX: "7.4"},
	{Opcode: isa.OpLd, Modifiers: "ldorder scope atomspace? evict? l2size? vector?", Types: loadTypes, Operands: "dv m",
		Status: Emulated, Since: 70, PTX: "6.0"},
	{Opcode: isa.OpLdu, Modifiers: "gspace? vector?", Types: loadTypes, Operands: "dv m"},
	{Opcode: isa.OpSt, Modifiers: "storespace? cachest? vector?", Types: loadTypes, Operands: "m sv"},
	{Opcode: isa.OpSt, Modifiers: "volatile atomspace? vector?", Types: loadTypes, Operands: "m sv"},
	{Opcode: isa.OpSt, Modifiers: "weak? storespace? cachest? evict? vector?", Types: loadTypes, Operands: "m sv",
		Status: Emulated, Since: 70, PTX: "6.0"},
	{Opcode: isa.OpSt, Modifiers: "storder scope atomspace? evict? vector?", Types: loadTypes, Operands: "m sv",
		Status: Emulated, Since: 70, PTX: "6.0"},

	{Opcode: isa.OpAtom, Modifiers: "atomspace? add", Types: "u32|s32|u64|f32", Operands: "d m b"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? minmax", Types: "u32|s32", Operands: "d m b"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? logic", Types: "b32", Operands: "d m b"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? minmax", Types: "u64|s64", Operands: "d m b", Since: 32, PTX: "3.1"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? logic", Types: "b64", Operands: "d m b", Since: 32, PTX: "3.1"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? incdec", Types: "u32", Operands: "d m b"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? exch", Types: "b32|b64", Operands: "d m b"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? cas", Types: "b32|b64", Operands: "d m b c"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? rmworder? scope? add", Types: "u32|s32|u64|f32|f64", Operands: "d m b",
		Status: Emulated, Since: 60, PTX: "5.0"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? rmworder? scope? minmax", Types: "u32|s32|u64|s64", Operands: "d m b",
		Status: Emulated, Since: 60, PTX: "5.0"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? rmworder? scope? logic", Types: "b32|b64", Operands: "d m b",
		Status: Emulated, Since: 60, PTX: "5.0"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? rmworder? scope? incdec", Types: "u32", Operands: "d m b",
		Status: Emulated, Since: 60, PTX: "5.0"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? rmworder? scope? exch", Types: "b32|b64", Operands: "d m b",
		Status: Emulated, Since: 60, PTX: "5.0"},
	{Opcode: isa.OpAtom, Modifiers: "atomspace? rmworder? scope? cas", Types: "b16|b32|b64", Operands: "d m b c",
		Status: Emulated, Since: 60, PTX: "5.0"},

	{Opcode: isa.OpRed, Modifiers: "atomspace? add", Types: "u32|s32|u64|f32", Operands: "m b"},
	{Opcode: isa.OpRed, Modifiers: "atomspace? minmax", Types: "u32|s32", Operands: "m b"},
	{Opcode: isa.OpRed, Modifiers: "atomspace? logic", Types: "b32", Operands: "m b"},
	{Opcode: isa.OpRed, Modifiers: "atomspace? minmax", Types: "u64|s64", Operands: "m b", Since: 32, PTX: "3.1"},
	{Opcode: isa.OpRed, Modifiers: "atomspace? logic", Types: "b64", Operands: "m b", Since: 32, PTX: "3.1"},
	{Opcode: isa.OpRed, Modifiers: "atomspace? incdec", Types: "u32", Operands: "m b"},
	{Opcode: isa.OpRed, Modifiers: "atomspace? redorder? scope? add", Types: "u32|s32|u64|f32|f64", Operands: "m b",
		Status: Emulated, Since: 60, PTX: "5.0"},
	{Opcode: isa.OpRed, Modifiers: "atomspace? redorder? scope? minmax", Types: "u32|s32|u64|s64", Operands: "m b",
		Status: Emulated, Since: 60, PTX: "5.0"},
	{Opcode: isa.OpRed, Modifiers: "atomspace? redorder? scope? logic", Types: "b32|b64", Operands: "m b",
		Status: Emulated, Since: 60, PTX: "5.0"},
	{Opcode: isa.OpRed, Modifiers: "atomspace? redorder? scope? incdec", Types: "u32", Operands: "m b",
		Status: Emulated, Since: 60, PTX: "5.0"},

	{Opcode: isa.OpPrefetch, Modifiers: "prefspace? level", Operands: "m"},
	{Opcode: isa.OpPrefetchu, Modifiers: "level1", Operands: "m"},
	{Opcode: isa.OpMembar, Modifiers: "membar", Operands: ""},
	{Opcode: isa.OpFence, Modifiers: "fenceorder? scope", Operands: "", Status: Emulated, Since: 70, PTX: "6.0"},
}
