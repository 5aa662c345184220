package decode

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/ptx"
)

// TestErrors: one mistake each, in line 11 of the kernel. The message names file, line and column, and shows the line with a caret. It says
// what is wrong and, if known, what to write.
func TestErrors(t *testing.T) {
	for statement, want := range map[string]string{
		// Unknown, newer, and close to something known.
		"addd.s32 %r1, %r2, %r3;": "1: unknown opcode `addd`: did you mean `add`?",
		"frobnicate.b32 %r1;": "1: unknown opcode `frobnicate`: PTX ISA 1.0 to 9.0 has no such " +
			"instruction",
		"mma.sync.aligned.m8n8k4 %r1, %r2;": "1: `mma.sync.aligned.m8n8k4` needs later hardware: introduced " +
			"with sm_70 and PTX ISA 6.4; refused, since no Kepler (sm_30 to sm_37) can run it",
		"cp.async.ca.shared.global [%r1], [%d1], 4;":                 "introduced with sm_80",
		"wgmma.fence.sync.aligned;":                                  "introduced with sm_90",
		"add.f16 %h1, %h2, %h3;":                                     "introduced with sm_53",
		"ld.global.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%d1];": "introduced with sm_100",
		// Modifiers and types.
		"add.u8 %r1, %r2, %r3;":         "1: `add.u8`: `.u8` is not a type that `add` takes here",
		"mul.s32 %r1, %r2, %r3;":        "1: `mul.s32` lacks a modifier: one of .hi .lo",
		"add %r1, %r2, %r3;":            "1: `add` lacks a type",
		"add.rn.fzt.f32 %r1, %r2, %r3;": "`.fzt` is not a modifier of this form; did you mean `.ftz`?",
		"add.rn.rz.f32 %r1, %r2, %r3;":  "`.rz` is one modifier too many",
		"cvt.sat.u32.u8 %r1, %r2;":      ".sat is not allowed: every .u8 is a .u32 already",
		"div.f32 %r1, %r2, %r3;":        "lacks a rounding mode (.rn .rz .rm .rp) or .approx, which PTX ISA 1.4 and later require",
		// Operands.
		"add.s32 %r1, %r2;":                "1: `add.s32` takes 3 operands, not 2",
		"setp.eq.s32 %p1, %r1;":            "takes 3 operands, not 2",
		"bar.sync;":                        "takes 1 to 2 operands, not 0",
		"add.s32 %r1, %r2, %d3;":           "19: `%d3` is a .b64 register; a register of 32 bits is expected here",
		"add.s32 %r1, %r2, %p3;":           "19: `%p3` is a predicate; a .s32 register is expected here",
		"selp.b32 %r1, %r2, %r3, %r4;":     "`%r4` is a .b32 register; a predicate is expected here",
		"add.s32 %r1, %r2, %r44;":          "19: `%r44` is not declared",
		"mov.u32 %r1, %tid.q;":             "`%tid.q` is not declared",
		"mov.u32 %r1, %cluster_ctaid.x;":   "the special register `%cluster_ctaid.x` was introduced with sm_90",
		"mov.u64 %d1, %pm0_64;":            "the special register `%pm0_64` was introduced with sm_50",
		"mov.u32 %tid.x, %r1;":             "the special register `%tid.x` can only be read",
		"mov.u32 5, %r1;":                  "a register is expected here",
		"add.s32 %r1, %r2, 1.5;":           "a floating-point constant cannot be a .s32",
		"add.s32 %r1, [%r2], 1;":           "memory can only be read by ld",
		"mov.b64 {%r1,%r2,%r3}, %d1;":      "a .b64 cannot be packed from 3 registers",
		"mov.b64 {%r1,%r2}, {%r3,%r4};":    "`mov.b64` packs or unpacks one vector; write `mov.v2` to move one",
		"mov.v4.u32 {%r1,%r2}, {%r3,%r4};": "`mov.v4.u32` takes two vectors of 4 elements",
		"@%r1 add.s32 %r1, %r2, 1;":        "1: the guard `%r1` is not a predicate register",
		"add.s32 _, %r2, _;":               "`_` can only be a destination",
		// Memory.
		"ld.global.u32 %r1, %d1;":                    "an address in brackets is expected here",
		"ld.shared.u32 %r1, [input];":                "`input` is a kernel parameter; read it with ld.param",
		"st.param.u32 [input], %r1;":                 "`input` is a kernel parameter, which cannot be written",
		"ld.global.u32 %r1, [constant];":             "`constant` is a .const variable; it cannot be accessed as .global",
		"st.u32 [constant], %r1;":                    "`constant` is a .const variable, which cannot be written",
		"ld.global.v2.u32 %r1, [%d1];":               "takes 2 registers in its vector, not 1",
		"ld.global.v4.u64 {%d1,%d2,%d3,%d4}, [%d1];": "at most 16 can be accessed at once",
		"ld.global.u32 %r1, [%h1];":                  "`%h1` is a .b16 register; an address is expected here",
		"ld.global.u32 %r1, [nowhere];":              "`nowhere` is not declared",
		// Control.
		"bra NOWHERE;": "5: no label `NOWHERE` is in reach",
		".reg .b32 %zb1, %zc1, %ze1, %zf1; mov.b32 %zd1, 0;": "`%zd1` is not declared; did you mean `%zb1`?", // the first of equals
		"bra ENDE;":                   "no label `ENDE` is in reach; did you mean `END`?",
		"call nothing;":               "no function `nothing` is declared",
		"call kernel;":                "`kernel` is a kernel; only device functions (.func) can be called",
		"call callee, (%r1);":         "`callee` takes 0 arguments and the call passes 1",
		"call %d1;":                   "an indirect call takes the label of a .callprototype or .calltargets list last",
		"brx.idx %r1, LOST;":          "no .branchtargets list `LOST` is in reach",
		".reg .b32 %x; .reg .b32 %x;": "`%x` is declared twice in this block",
		".local .b8 big[1000000];":    "a thread has at most 524288 bytes of local memory",
		"tex.2d.v2.f32.f32 {%r1,%r2}, [texture, {%r1, %r2}];": "returns four components: write .v4",
		"tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [texture, {%r1,%r2}], " +
			"{%r1,%r2};": "offsets of coordinates and depth comparisons are not simulated",
		"tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [surface, {%r1,%r2}];":          "`surface` is a .surfref; `tex` takes a .texref here",
		"suld.b.1d.b32.trap %r1, [texture, {%r1}];":                           "`texture` is a .texref; `suld` takes a .surfref here",
		"tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [texture, surface, {%r1,%r2}];": "`surface` is a .surfref; `tex` takes a .samplerref here",
		"tex.2dms.v4.f32.s32 {%r1,%r2,%r3,%r4}, [texture, " +
			"{%r1,%r2,%r3}];": "is refused: multisample textures come from graphics programs alone",
		"tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [texture, {%r1}];":      "geometry .2d takes 2 coordinates, not 1",
		"tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [constant, {%r1,%r2}];": "`constant` is not a texture, sampler or surface",
	} {
		text := strings.Replace(kernelOf(statement), ".entry", ".const .u32 constant; .extern .func outside; .entry", 1)
		_, err := decodeText(t, text, Options{})
		require.Error(t, err, statement)
		var list ptx.ErrorList
		require.ErrorAs(t, err, &list)
		assert.Contains(t, list[0].Error(), want, statement)
		assert.Contains(t, err.Error(), "test.ptx:11:", statement)
		assert.Contains(t, err.Error(), "\n    "+statement+"\n", statement)
		assert.Contains(t, err.Error(), "^", statement)
		if column, _, ok := strings.Cut(want, ": "); ok && len(column) <= 2 {
			assert.Equal(t, column, fmt.Sprint(list[0].Pos.Column), statement)
		}
	}
}

// TestManyErrors: up to 20 errors are reported at once.
func TestManyErrors(t *testing.T) {
	_, err := decodeText(t, kernelOf(strings.Repeat("add.s32 %r1, %r2;\n", 30)), Options{})
	var list ptx.ErrorList
	require.ErrorAs(t, err, &list)
	assert.Len(t, list, ptx.MaximumErrors)
	var one *ptx.Diagnostic
	assert.True(t, errors.As(err, &one))
}

// TestTargets: a target newer than Kepler is accepted with one note; a form newer than the chip is refused.
func TestTargets(t *testing.T) {
	newer := strings.Replace(kernelOf("shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;"), "sm_35", "sm_90", 1)
	p, err := decodeText(t, newer, Options{})
	require.NoError(t, err)
	require.Len(t, p.Notes, 1)
	assert.Contains(t, p.Notes[0].Message, "sm_90 is newer than Kepler")
	require.Len(t, p.Emulated, 1)
	assert.Equal(t, "shfl.sync.idx.b32", p.Emulated[0].Name)
	assert.EqualValues(t, 11, p.Lines[p.Emulated[0].Line].PTXLine)

	_, err = decodeText(t, newer, Options{StrictTarget: true})
	assert.ErrorContains(t, err, "`shfl.sync.idx.b32` is not a Kepler instruction (introduced with PTX ISA 6.0)")
	_, err = decodeText(t, kernelOf("shf.l.wrap.b32 %r1, %r2, %r3, %r4;"), Options{ComputeCapability: 30})
	assert.ErrorContains(t, err, "was introduced with sm_32; this chip is sm_30")
	_, err = decodeText(t, kernelOf("shf.l.wrap.b32 %r1, %r2, %r3, %r4;"), Options{ComputeCapability: 35})
	assert.NoError(t, err)
}
