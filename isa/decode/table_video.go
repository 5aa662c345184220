package decode

import "github.com/keplersim/keplersim/isa"

// videoForms are the scalar and SIMD video instructions.
var videoForms = []Form{
	{Opcode: isa.OpVadd, Modifiers: "sat? addminmax?", Types: simd, Operands: "d:v a:h b:h c:b32?"},
	{Opcode: isa.OpVsub, Modifiers: "sat? addminmax?", Types: simd, Operands: "d:v a:h b:h c:b32?"},
	{Opcode: isa.OpVabsdiff, Modifiers: "sat? addminmax?", Types: simd, Operands: "d:v a:h b:h c:b32?"},
	{Opcode: isa.OpVmin, Modifiers: "sat? addminmax?", Types: simd, Operands: "d:v a:h b:h c:b32?"},
	{Opcode: isa.OpVmax, Modifiers: "sat? addminmax?", Types: simd, Operands: "d:v a:h b:h c:b32?"},
	{Opcode: isa.OpVshl, Modifiers: "shiftmode sat? addminmax?", Types: "u32|s32 u32|s32 u32", Operands: "d:v a:h b:h c:b32?"},
	{Opcode: isa.OpVshr, Modifiers: "shiftmode sat? addminmax?", Types: "u32|s32 u32|s32 u32", Operands: "d:v a:h b:h c:b32?"},
	{Opcode: isa.OpVmad, Modifiers: "po? sat? scale?", Types: simd, Operands: "d:v a:h b:h c:h"},
	{Opcode: isa.OpVset, Modifiers: "cmpi addminmax?", Types: "u32|s32 u32|s32", Operands: "d:v a:h b:h c:b32?"},
	{Opcode: isa.OpVadd2, Modifiers: "sat? add?", Types: simd, Operands: "d:2 a:2 b:2 c:b32"},
	{Opcode: isa.OpVsub2, Modifiers: "sat? add?", Types: simd, Operands: "d:2 a:2 b:2 c:b32"},
	{Opcode: isa.OpVavrg2, Modifiers: "sat? add?", Types: simd, Operands: "d:2 a:2 b:2 c:b32"},
	{Opcode: isa.OpVabsdiff2, Modifiers: "sat? add?", Types: simd, Operands: "d:2 a:2 b:2 c:b32"},
	{Opcode: isa.OpVmin2, Modifiers: "sat? add?", Types: simd, Operands: "d:2 a:2 b:2 c:b32"},
	{Opcode: isa.OpVmax2, Modifiers: "sat? add?", Types: simd, Operands: "d:2 a:2 b:2 c:b32"},
	{Opcode: isa.OpVset2, Modifiers: "cmpi add?", Types: "u32|s32 u32|s32", Operands: "d:2 a:2 b:2 c:b32"},
	{Opcode: isa.OpVadd4, Modifiers: "sat? add?", Types: simd, Operands: "d:4 a:4 b:4 c:b32"},
	{Opcode: isa.OpVsub4, Modifiers: "sat? add?", Types: simd, Operands: "d:4 a:4 b:4 c:b32"},
	{Opcode: isa.OpVavrg4, Modifiers: "sat? add?", Types: simd, Operands: "d:4 a:4 b:4 c:b32"},
	{Opcode: isa.OpVabsdiff4, Modifiers: "sat? add?", Types: simd, Operands: "d:4 a:4 b:4 c:b32"},
	{Opcode: isa.OpVmin4, Modifiers: "sat? add?", Types: simd, Operands: "d:4 a:4 b:4 c:b32"},
	{Opcode: isa.OpVmax4, Modifiers: "sat? add?", Types: simd, Operands: "d:4 a:4 b:4 c:b32"},
	{Opcode: isa.OpVset4, Modifiers: "cmpi add?", Types: "u32|s32 u32|s32", Operands: "d:4 a:4 b:4 c:b32"},
}
