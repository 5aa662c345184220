package decode

import "github.com/keplersim/keplersim/isa"

const (
	textureTypes   = "u32|s32|f32"
	surfaceTypes   = "b8|b16|b32|b64"
	formattedTypes = "b32|u32|s32|f32"
)

// textureForms are texture and surface instructions, by reference or by 64-bit handle.
var textureForms = []Form{
	{Opcode: isa.OpTex, Modifiers: "geometry vector", Types: textureTypes + " s32|f32", Operands: "dv t", Rule: fourComponents},
	{Opcode: isa.OpTex, Modifiers: "cubes vector", Types: textureTypes + " f32", Operands: "dv t", Rule: fourComponents},
	{Opcode: isa.OpTex, Modifiers: "base geometry vector", Types: textureTypes + " s32|f32", Operands: "dv t", PTX: "3.1",
		Rule: fourComponents},
	{Opcode: isa.OpTex, Modifiers: "base cubes vector", Types: textureTypes + " f32", Operands: "dv t", PTX: "3.1", Rule: fourComponents},
	{Opcode: isa.OpTex, Modifiers: "miplevel geometry vector", Types: textureTypes + " s32|f32", Operands: "dv t lod", PTX: "3.1",
		Rule: fourComponents},
	{Opcode: isa.OpTex, Modifiers: "miplevel cubes vector", Types: textureTypes + " f32", Operands: "dv t lod", PTX: "3.1",
		Rule: fourComponents},
	{Opcode: isa.OpTex, Modifiers: "grad geometry vector", Types: textureTypes + " f32", Operands: "dv t dx dx", PTX: "3.1",
		Rule: fourComponents},
	{Opcode: isa.OpTex, Modifiers: "grad cubes vector", Types: textureTypes + " f32", Operands: "dv t dx dx", PTX: "4.3",
		Rule: fourComponents},
	{Opcode: isa.OpTld4, Modifiers: "component gather vector", Types: textureTypes + " f32", Operands: "dv t", PTX: "2.2",
		Rule: fourComponents},
	{Opcode: isa.OpTld4, Modifiers: "component gathers vector", Types: textureTypes + " f32", Operands: "dv t", PTX: "4.3",
		Rule: fourComponents},
	{Opcode: isa.OpTxq, Modifiers: "texquery", Types: "b32", Operands: "d t"},
	{Opcode: isa.OpTxq, Modifiers: "miplevel mipquery", Types: "b32", Operands: "d t lod:b32", PTX: "4.3"},
	{Opcode: isa.OpSuq, Modifiers: "surfquery", Types: "b32", Operands: "d t"},
	{Opcode: isa.OpSuld, Modifiers: "unformatted surface cacheld? vector? clampmode?", Types: surfaceTypes, Operands: "dv t"},
	{Opcode: isa.OpSust, Modifiers: "unformatted surface cachest? vector? clampmode?", Types: surfaceTypes, Operands: "t sv"},
	{Opcode: isa.OpSust, Modifiers: "formatted surface vector? clampmode?", Types: formattedTypes, Operands: "t sv"},
	{Opcode: isa.OpSured, Modifiers: "unformatted add surface clampmode?", Types: "u32|s32|u64", Operands: "t b"},
	{Opcode: isa.OpSured, Modifiers: "unformatted minmax surface clampmode?", Types: "u32|s32", Operands: "t b"},
	{Opcode: isa.OpSured, Modifiers: "unformatted surflogic surface clampmode?", Types: "b32", Operands: "t b"},
	{Opcode: isa.OpSured, Modifiers: "formatted surfop surface clampmode?", Types: "b32", Operands: "t b"},
	{Opcode: isa.OpIstypep, Types: "texref|samplerref|surfref", Operands: "p a:b64", PTX: "4.0"},
}

// fourComponents: a texture instruction always returns four.
func fourComponents(t *template) string {
	if t.memory.Vector != 4 {
		return "`" + t.text + "` returns four components: write .v4"
	}
	return ""
}
