package ptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shape writes an operand as a nested list, so that a test can state the tree that it expects.
func shape(o *Operand) string {
	sign := ""
	if o.Not {
		sign += "!"
	}
	if o.Minus {
		sign += "-"
	}
	switch o.Kind {
	case OperandName:
		if o.Component != "" {
			return sign + "(name " + o.Name + " " + o.Component + ")"
		}
		return sign + "(name " + o.Name + ")"
	case OperandSink:
		return sign + "(sink)"
	case OperandImmediate:
		return sign + expressionShape(o.Value)
	case OperandAddress:
		return sign + strings.TrimSpace("(address "+expressionShape(o.Value)+" "+strings.Join(shapes(o.Elements), " ")) + ")" + o.Component
	case OperandIndexed:
		return sign + "(indexed " + o.Name + " " + expressionShape(o.Value) + ")"
	}
	kind := map[OperandKind]string{OperandVector: "vector", OperandPair: "pair", OperandList: "list"}[o.Kind]
	return sign + strings.TrimSpace("("+kind+" "+strings.Join(shapes(o.Elements), " ")) + ")"
}

func shapes(list []Operand) []string {
	out := []string{}
	for i := range list {
		out = append(out, shape(&list[i]))
	}
	return out
}

func expressionShape(e *Expression) string {
	switch e.Kind {
	case ExpressionInteger:
		if e.Unsigned {
			return fmt.Sprintf("%dU", e.Bits)
		}
		return fmt.Sprint(e.Bits)
	case ExpressionFloat32:
		return fmt.Sprintf("f%08x", e.Bits)
	case ExpressionFloat64:
		return fmt.Sprintf("d%016x", e.Bits)
	case ExpressionName:
		return e.Text
	case ExpressionUnary:
		return "(" + e.Operator.String() + " " + expressionShape(e.X) + ")"
	case ExpressionBinary:
		return "(" + e.Operator.String() + " " + expressionShape(e.X) + " " + expressionShape(e.Y) + ")"
	case ExpressionTernary:
		return "(? " + expressionShape(e.X) + " " + expressionShape(e.Y) + " " + expressionShape(e.Z) + ")"
	case ExpressionCast:
		return "(cast " + e.Text + " " + expressionShape(e.X) + ")"
	case ExpressionMask:
		return fmt.Sprintf("(mask %#x %s)", e.Bits, expressionShape(e.X))
	}
	out := e.Text
	for _, a := range e.Arguments {
		out += " " + expressionShape(a)
	}
	return "(" + out + ")"
}

// inBody parses statements inside a function.
func inBody(t *testing.T, text string) []Statement {
	t.Helper()
	file, err := Parse("body.ptx", ".func f {\n"+text+"\n}")
	require.NoError(t, err, text)
	return file.Statements[0].(*Function).Body.Statements
}

func TestInstructionShapes(t *testing.T) {
	for text, want := range map[string]string{
		"ret;":                                         "ret",
		"@p bra L;":                                    "@p bra (name L)",
		"@!%p1 add.s32 a,b,-7;":                        "@!%p1 add.s32 (name a) (name b) (- 7)",
		"mov.u32 %r1, %tid.x;":                         "mov.u32 (name %r1) (name %tid x)",
		"mov.u32 %r1, t.w;":                            "mov.u32 (name %r1) (name t w)",
		"mov.u32 %r1, %lanemask_lt;":                   "mov.u32 (name %r1) (name %lanemask_lt)",
		"mov .u32 /* ! */ a, WARP_SZ;":                 "mov.u32 (name a) WARP_SZ",
		"mov\n.u32 a, b;":                              "mov.u32 (name a) (name b)",
		"mov.b64 {a, _}, b;":                           "mov.b64 (vector (name a) (sink)) (name b)",
		"mov.b64 b, {a, 0};":                           "mov.b64 (name b) (vector (name a) 0)",
		"setp.lt.and.s32 p|q, a, 1, !r;":               "setp.lt.and.s32 (pair (name p) (name q)) (name a) 1 !(name r)",
		"setp.lt.s32 _|q, a, b;":                       "setp.lt.s32 (pair (sink) (name q)) (name a) (name b)",
		"mov.u32 a, (1<<4)|3;":                         "mov.u32 (name a) (| (<< 1 4) 3)",
		"mov.u32 a, temp|3;":                           "mov.u32 (name a) (| temp 3)",
		"mov.u32 a, temp + 1;":                         "mov.u32 (name a) (+ temp 1)",
		"mov.u32 a, (temp);":                           "mov.u32 (name a) (name temp)",
		"mov.u32 a, global[1];":                        "mov.u32 (name a) (indexed global 1)",
		"mov.u32 a, 1+2*3-4;":                          "mov.u32 (name a) (- (+ 1 (* 2 3)) 4)",
		"mov.u32 a, -1 ? 2 : 3 ? 4 : 5;":               "mov.u32 (name a) (? (- 1) 2 (? 3 4 5))",
		"mov.u64 a, (.u64)-1;":                         "mov.u64 (name a) (cast u64 (- 1))",
		"mov.u64 a, generic(s)+4;":                     "mov.u64 (name a) (+ (generic s) 4)",
		"ld.u32 a, [s+4];":                             "ld.u32 (name a) (address (+ s 4))",
		"ld.u32 a, [%r1+-8];":                          "ld.u32 (name a) (address (+ %r1 (- 8)))",
		"ld.u32 a, [%r1-8];":                           "ld.u32 (name a) (address (- %r1 8))",
		"ld.u32 a, [4096];":                            "ld.u32 (name a) (address 4096)",
		"ld.u32 a, [(s)];":                             "ld.u32 (name a) (address s)",
		"ld.u32 a, [b].unified, c;":                    "ld.u32 (name a) (address b)unified (name c)",
		"tex.2d.v4.f32.f32 v, [t, {x,y}];":             "tex.2d.v4.f32.f32 (name v) (address t (vector (name x) (name y)))",
		"tex.1d.v4.f32.s32 v, [t,s,{x}];":              "tex.1d.v4.f32.s32 (name v) (address t (name s) (vector (name x)))",
		"vadd.s32.u32.s32 a, b.b0, -c.h1;":             "vadd.s32.u32.s32 (name a) (name b b0) -(name c h1)",
		"vadd4.s32.u32.s32 d.b3210, a.b7654, b.b0, c;": "vadd4.s32.u32.s32 (name d b3210) (name a b7654) (name b b0) (name c)",
		"vadd2.s32.s32.s32 d.h10, a.h32, b.h1, c;":     "vadd2.s32.s32.s32 (name d h10) (name a h32) (name b h1) (name c)",
		"mov.u32 a, v.h4; ":                            "mov.u32 (name a) (name v.h4)",
		"@ ! %r23 bra L;":                              "@!%r23 bra (name L)",
		"tcgen05.ld.sync.x1.b32 {a}, [b + 32];":        "tcgen05.ld.sync.x1.b32 (vector (name a)) (address (+ b 32))",
		"elect.sync _|p, 0xffffffff;":                  "elect.sync (pair (sink) (name p)) 4294967295",
		"call f;":                                      "call (name f)",
		"call.uni (_), f.x, (a, 5), p;":                "call.uni (list (sink)) (name f x) (list (name a) 5) (name p)",
		"call (a),\nf,\n(\n)\n;":                       "call (list (name a)) (name f) (list)",
		"mov.f32 a, 0f3F800000;":                       "mov.f32 (name a) f3f800000",
		"mov.f64 a, 0dBff0000000000000;":               "mov.f64 (name a) dbff0000000000000",
		"mov.f32 a, -1.5;":                             "mov.f32 (name a) (- d3ff8000000000000)",
		"mov.f32 a, .5;":                               "mov.f32 (name a) d3fe0000000000000",
		"mov.f32 a, 1e1;":                              "mov.f32 (name a) d4024000000000000",
		"mov.u64 a, 18446744073709551615;":             "mov.u64 (name a) 18446744073709551615",
		"mov.u64 a, 9007199254740993U;":                "mov.u64 (name a) 9007199254740993U",
		"mov.u32 a, 0x1fU;":                            "mov.u32 (name a) 31U",
		"mov.u32 a, 017;":                              "mov.u32 (name a) 15",
		"mov.u32 a, 0b101;":                            "mov.u32 (name a) 5",
		"mov.u32 a, 7 % 4;":                            "mov.u32 (name a) (% 7 4)",
		"mov.u32 %1, %2;":                              "mov.u32 (name %1) (name %2)",
		"ld.L2::evict_last.b32 a, [b];":                "ld.L2::evict_last.b32 (name a) (address b)",
	} {
		body := inBody(t, text)
		require.Len(t, body, 1, text)
		i := body[0].(*Instruction)
		parts := []string{}
		if i.Guard.Register != "" {
			not := ""
			if i.Guard.Not {
				not = "!"
			}
			parts = append(parts, "@"+not+i.Guard.Register)
		}
		parts = append(parts, i.Mnemonic.Text)
		assert.Equal(t, want, strings.Join(append(parts, shapes(i.Operands)...), " "), text)
	}
}

func TestMnemonicsAreSharedAndSplit(t *testing.T) {
	body := inBody(t, "ld.global.v4.f32 a,[b]; ld .global.v4 .f32 c,[d]; bra L;")
	first, second := body[0].(*Instruction).Mnemonic, body[1].(*Instruction).Mnemonic
	assert.Same(t, first, second)
	assert.Equal(t, Mnemonic{Text: "ld.global.v4.f32", Opcode: "ld", Modifiers: []string{"global", "v4", "f32"}}, *first)
	assert.Equal(t, Mnemonic{Text: "bra", Opcode: "bra", Modifiers: []string{}}, *body[2].(*Instruction).Mnemonic)
}

func TestStatementsOfABody(t *testing.T) {
	body := inBody(t, `
	a: $b: c.d:
	{ .reg .pred %p1; { } }
	t: .branchtargets a, $b;
	u: .calltargets f;
	v: .callprototype (.param .b32 _) _ (.param .align 8 .b8 x[4]) .noreturn;
	.loc 1 2 3, function_name $L+4, inlined_at 5 6 7
	.pragma "nounroll";
	.param .b32 param0;`)
	kinds := []string{}
	for _, s := range body {
		kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", s), "*ptx."))
	}
	assert.Equal(t, []string{"Label", "Label", "Label", "Block", "TargetList", "TargetList", "CallPrototype", "Location", "Pragma",
		"Variable"}, kinds)
	assert.Equal(t, "c.d", body[2].(*Label).Name)
	inner := body[3].(*Block).Statements
	assert.Equal(t, SpaceRegister, inner[0].(*Variable).Space)
	assert.Empty(t, inner[1].(*Block).Statements)
	targets := body[4].(*TargetList)
	assert.False(t, targets.Calls)
	assert.Equal(t, "t", targets.Label.Text)
	assert.Equal(t, "$b", targets.Targets[1].Text)
	assert.True(t, body[5].(*TargetList).Calls)
	prototype := body[6].(*CallPrototype)
	assert.Equal(t, "v", prototype.Label.Text)
	assert.Equal(t, "_", prototype.Returns[0].Declarators[0].Name.Text)
	assert.Equal(t, "noreturn", prototype.Directives[0].Name)
	location := body[7].(*Location)
	assert.Equal(t, []int{1, 2, 3}, []int{location.File, location.Line, location.Column})
	assert.Equal(t, CallSite{5, 6, 7}, *location.InlinedAt)
	assert.Equal(t, "(+ $L 4)", expressionShape(location.FunctionName))
}

func TestDeclarationShapes(t *testing.T) {
	file := parseFile(t, "testdata/declarations.ptx")
	variables := map[string]*Variable{}
	functions := map[string]*Function{}
	for _, s := range file.Statements {
		switch s := s.(type) {
		case *Variable:
			for _, d := range s.Declarators {
				variables[d.Name.Text] = s
			}
		case *Function:
			functions[s.Name.Text] = s
		}
	}
	assert.Equal(t, &Version{Node: Node{file.Statements[0].Start()}, Major: 9}, file.Statements[0])
	target := file.Statements[1].(*Target)
	assert.Equal(t, []string{"sm_90a", "texmode_independent", "debug"},
		[]string{target.Options[0].Text, target.Options[1].Text, target.Options[2].Text})
	assert.Equal(t, 64, file.Statements[2].(*AddressSize).Bits)
	source := file.Statements[3].(*SourceFile)
	assert.Equal(t, "kernel.cu", source.Path)
	assert.Equal(t, uint64(4096), source.Size.Bits)

	scalar := variables["scalar"]
	assert.Equal(t, LinkageVisible, scalar.Linkage)
	require.Len(t, scalar.Declarators, 3)
	assert.Equal(t, uint64(0o17), scalar.Declarators[1].Initializer.Value.Bits)
	assert.Equal(t, LinkageWeak, variables["wide"].Linkage)
	assert.Equal(t, LinkageCommon, variables["shared_by_modules"].Linkage)
	assert.Equal(t, "managed", variables["managed"].Attributes[0].Text)
	assert.Equal(t, uint64(95), variables["unified"].Attributes[0].Arguments[1].Bits)
	matrix := variables["matrix"].Declarators[0]
	require.Len(t, matrix.Dimensions, 2)
	assert.Nil(t, matrix.Dimensions[0])
	assert.Equal(t, uint64(3), matrix.Dimensions[1].Bits)
	require.Len(t, matrix.Initializer.Elements, 3)
	assert.Equal(t, "(- 1)", expressionShape(matrix.Initializer.Elements[0].Elements[0].Value))
	assert.Equal(t, 2, variables["pair"].Vector)
	assert.Equal(t, 4, variables["quad"].Vector)
	pointers := variables["pointers"].Declarators[0].Initializer.Elements
	assert.Equal(t, "(+ (generic plain) 8)", expressionShape(pointers[3].Value))
	bytes := variables["bytes"].Declarators[0].Initializer.Elements
	assert.Equal(t, "(mask 0xff00 plain)", expressionShape(bytes[1].Value))
	assert.Equal(t, "(mask 0xff0000 (+ (generic plain) 4))", expressionShape(bytes[2].Value))
	assert.Equal(t, "(mask plain 1)", expressionShape(bytes[3].Value))
	assert.Equal(t, "hello\n\"AA\\", variables["text"].Declarators[0].Initializer.String)
	texture := variables["texture"].Declarators[0].Initializer.Elements
	assert.Equal(t, InitializerField, texture[1].Kind)
	assert.Equal(t, "addr_mode_0", texture[1].Field)
	assert.Equal(t, "clamp_to_edge", texture[1].Value.Text)
	assert.Equal(t, 3, variables["banked"].Bank)
	assert.Equal(t, -1, variables["constants"].Bank)
	assert.Equal(t, LinkageExtern, variables["dynamic"].Linkage)
	assert.Equal(t, SpaceShared, variables["dynamic"].Space)

	assert.Nil(t, functions["vprintf"].Body)
	assert.False(t, functions["trap_function"].HasParameters)
	assert.Equal(t, "noreturn", functions["trap_function"].Directives[0].Name)
	structures := functions["structures"]
	assert.Equal(t, uint64(16), structures.Returns[0].Align.Bits)
	assert.Equal(t, []*Expression{nil}, structures.Parameters[1].Declarators[0].Dimensions)
	assert.Equal(t, []string{"a", "b"}, functions["other"].Directives[1].Strings)
	assert.NotNil(t, functions["other"].Body)
	kernel := functions["kernel"]
	assert.True(t, kernel.Entry)
	require.Len(t, kernel.Parameters, 6)
	assert.Equal(t, SpaceGlobal, kernel.Parameters[0].Pointer.Space)
	assert.Equal(t, SpaceNone, kernel.Parameters[1].Pointer.Space)
	assert.Equal(t, 4, kernel.Parameters[5].Vector)
	require.Len(t, kernel.Directives, 10)
	assert.Equal(t, "maxntid", kernel.Directives[0].Name)
	assert.Len(t, kernel.Directives[0].Arguments, 3)
}

func TestLegacyEntry(t *testing.T) {
	file := parseFile(t, "testdata/legacy.ptx")
	entries := map[string]*Function{}
	paths := []string{}
	dwarf := 0
	for _, s := range file.Statements {
		switch s := s.(type) {
		case *Function:
			entries[s.Name.Text] = s
		case *SourceFile:
			paths = append(paths, s.Path)
		case *Dwarf:
			dwarf++
		}
	}
	assert.False(t, entries["withoutParameters"].HasParameters)
	assert.Len(t, entries["withoutParameters"].Body.Statements, 4)
	assert.Len(t, entries["_Z3addPfS_i"].Parameters, 3)
	assert.Equal(t, SpaceRegister, entries["legacyFunction"].Returns[0].Space)
	assert.Equal(t, []string{"<command-line>", `C:\cuda\new\kernel.cu`}, paths)
	assert.Equal(t, 2, dwarf)
}
