package decode

import "github.com/keplersim/keplersim/isa"

// controlForms are branches, calls, barriers and the like.
var controlForms = []Form{
	{Opcode: isa.OpBra, Modifiers: "uni?", Operands: "label"},
	{Opcode: isa.OpBrx, Modifiers: "idx uni?", Operands: "a:u32 list"},
	{Opcode: isa.OpCall, Modifiers: "uni?", Operands: "call"},
	{Opcode: isa.OpRet, Modifiers: "uni?", Operands: ""},
	{Opcode: isa.OpExit, Operands: ""},
	{Opcode: isa.OpTrap, Operands: ""},
	{Opcode: isa.OpBrkpt, Operands: ""},
	{Opcode: isa.OpPmevent, Operands: "imm:u32"},
	{Opcode: isa.OpPmevent, Modifiers: "mask", Operands: "imm:u32"},
	{Opcode: isa.OpNanosleep, Types: "u32", Operands: "a", Status: Emulated, Since: 70, PTX: "6.3"},

	{Opcode: isa.OpBar, Modifiers: "barsync", Operands: "a:u32 b:u32?"},
	{Opcode: isa.OpBar, Modifiers: "bararrive", Operands: "a:u32 b:u32"},
	{Opcode: isa.OpBar, Modifiers: "barred barbool", Types: "pred", Operands: "p a:u32 b:u32? c:p"},
	{Opcode: isa.OpBar, Modifiers: "barred popc", Types: "u32", Operands: "d:u32 a:u32 b:u32? c:p"},
	{Opcode: isa.OpBar, Modifiers: "barwarp sync", Operands: "a:b32", Status: Emulated, Since: 30, PTX: "6.0"},
	{Opcode: isa.OpBar, Modifiers: "cta barsync", Operands: "a:u32 b:u32?", Status: Emulated, Since: 30, PTX: "7.8"},
	{Opcode: isa.OpBar, Modifiers: "cta bararrive", Operands: "a:u32 b:u32", Status: Emulated, Since: 30, PTX: "7.8"},
	{Opcode: isa.OpBar, Modifiers: "cta barred barbool", Types: "pred", Operands: "p a:u32 b:u32? c:p",
		Status: Emulated, Since: 30, PTX: "7.8"},
	{Opcode: isa.OpBar, Modifiers: "cta barred popc", Types: "u32", Operands: "d:u32 a:u32 b:u32? c:p",
		Status: Emulated, Since: 30, PTX: "7.8"},
	{Opcode: isa.OpBarrier, Modifiers: "cta? barsync aligned?", Operands: "a:u32 b:u32?", Status: Emulated, Since: 30, PTX: "6.0"},
	{Opcode: isa.OpBarrier, Modifiers: "cta? bararrive aligned?", Operands: "a:u32 b:u32", Status: Emulated, Since: 30, PTX: "6.0"},
	{Opcode: isa.OpBarrier, Modifiers: "cta? barred aligned? barbool", Types: "pred", Operands: "p a:u32 b:u32? c:p",
		Status: Emulated, Since: 30, PTX: "6.0"},
	{Opcode: isa.OpBarrier, Modifiers: "cta? barred aligned? popc", Types: "u32", Operands: "d:u32 a:u32 b:u32? c:p",
		Status: Emulated, Since: 30, PTX: "6.0"},
}

// warpForms are the instructions that see other lanes of the warp.
var warpForms = []Form{
	{Opcode: isa.OpShfl, Modifiers: "shfl", Types: "b32", Operands: "d|p? a b:u32 c:u32"},
	{Opcode: isa.OpShfl, Modifiers: "sync shfl", Types: "b32", Operands: "d|p? a b:u32 c:u32 mask:b32",
		Status: Emulated, Since: 30, PTX: "6.0"},
	{Opcode: isa.OpVote, Modifiers: "vote", Types: "pred", Operands: "d a"},
	{Opcode: isa.OpVote, Modifiers: "ballot", Types: "b32", Operands: "d a:p"},
	{Opcode: isa.OpVote, Modifiers: "sync vote", Types: "pred", Operands: "d a mask:b32", Status: Emulated, Since: 30, PTX: "6.0"},
	{Opcode: isa.OpVote, Modifiers: "sync ballot", Types: "b32", Operands: "d a:p mask:b32", Status: Emulated, Since: 30, PTX: "6.0"},
	{Opcode: isa.OpMatch, Modifiers: "match sync", Types: "b32|b64", Operands: "d:b32|p? a mask:b32", Status: Emulated, Since: 70,
		PTX: "6.0"},
	{Opcode: isa.OpRedux, Modifiers: "sync addminmax", Types: "u32|s32", Operands: "d a mask:b32", Status: Emulated, Since: 80, PTX: "7.0"},
	{Opcode: isa.OpRedux, Modifiers: "sync logic", Types: "b32", Operands: "d a mask:b32", Status: Emulated, Since: 80, PTX: "7.0"},
	{Opcode: isa.OpActivemask, Types: "b32", Operands: "d", Status: Emulated, Since: 30, PTX: "6.2"},
}
