package decode

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/testkit/oracle"
)

// mnemonic makes a mnemonic from its text.
func mnemonic(text string) *ptx.Mnemonic {
	words := strings.Split(text, ".")
	return &ptx.Mnemonic{Text: text, Opcode: words[0], Modifiers: words[1:]}
}

// registerFor names a register that an operand of a type can be.
func registerFor(t isa.Type, n int) string {
	if t == isa.Pred {
		return fmt.Sprintf("%%p%d", n)
	}
	switch t.Bytes() {
	case 1, 2:
		return fmt.Sprintf("%%h%d", n)
	case 8:
		return fmt.Sprintf("%%d%d", n)
	}
	return fmt.Sprintf("%%r%d", n)
}

// operandText writes the operands that a template's form takes, optional ones included when asked for.
func operandText(t *template, optional bool) string {
	var out []string
	for n := range t.form.operands {
		spec := &t.form.operands[n]
		if spec.optional && !optional {
			continue
		}
		ty := spec.of(&t.ins)
		register := registerFor(ty, n)
		vector := func() string {
			if t.memory.Vector == 1 {
				return register
			}
			parts := make([]string, t.memory.Vector)
			for k := range parts {
				parts[k] = registerFor(ty, k)
			}
			return "{" + strings.Join(parts, ", ") + "}"
		}
		switch spec.role {
		case roleAddress:
			if t.memory.Space == isa.SpaceParam && t.ins.Op == isa.OpLd {
				register = "[input+16]"
			} else {
				register = "[%d9+16]"
			}
		case roleLoaded, roleStored:
			register = vector()
		case roleImmediate:
			register = "7"
		case roleTexture:
			register = textureText(t)
		case roleLevel:
			register = "%r8"
		case roleGradient:
			register = "{%r1, %r2, %r3, %r4}"
		case roleLabel:
			register = map[string]string{"label": "END", "list": "LIST", "call": "callee"}[spec.name]
		case roleDestination:
			if spec.pair && (optional || spec.pairNeeds) {
				register += "|%p8"
			}
		}
		out = append(out, register)
	}
	return strings.Join(out, ", ")
}

func textureText(t *template) string {
	switch {
	case t.ins.Op == isa.OpTxq:
		return "[texture]"
	case t.ins.Op == isa.OpSuq:
		return "[surface]"
	case t.ins.Op == isa.OpTex || t.ins.Op == isa.OpTld4:
		return "[texture, sampler, {%r1, %r2, %r3, %r4}]"
	}
	return "[surface, {%r1, %r2, %r3, %r4}]"
}

// kernelOf wraps statements in a module.
func kernelOf(statements string) string {
	return `.version 4.2
.target sm_35
.address_size 64
.global .texref texture;
.global .samplerref sampler;
.global .surfref surface;
.func callee { ret; }
.entry kernel(.param .align 16 .b8 input[64]) {
.reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %d<10>;
LIST: .branchtargets END;
` + statements + `
END: exit;
}
`
}

// decodeText decodes a module.
func decodeText(t *testing.T, text string, o Options) (*isa.Program, error) {
	t.Helper()
	file, err := ptx.Parse("test.ptx", text)
	require.NoError(t, err, text)
	return Program([]*ptx.File{file}, o)
}

// illegal are forms of the list that no assembler accepts for any architecture. They come from tests of other tools.
var illegal = map[string]string{
	"div.rn.u64":      "`.u64` is not a type that `div` takes here", // integer division has no rounding modes
	"cvt.rzi.f32.f64": "`.f64` is not a type that `cvt` takes here", // rounding to integers only between equal float types
	"mov.v8.u16":      "`.v8` is not a modifier",
}

// laterForms are the forms of the list that a Kepler cannot run, with the architecture that introduced them (PTX ISA 9.0). 0 is a form that
// no architecture has.
var laterForms = map[string]int{
	"suld.p.1d.v4.f32.trap": 0,
	"fma.rn.f16x2":          53,
	"set.eq.f16x2.f16x2":    53,
	"set.gt.f16x2.f16x2":    53,
	"set.gtu.u32.f16":       53,
	"set.gtu.u32.f16x2":     53,
	"atom.add.noftz.f16":    70,
	"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32": 70,
	"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32":   70,
	"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32":     70,
	"cvt.pack.sat.s8.s32.b32":                             72,
	"cvt.pack.sat.u8.s32.b32":                             72,
	"ldmatrix.sync.aligned.m8n8.x2.b16":                   75,
	"ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16":      75,
	"tanh.approx.f32":                                     75,
	"cp.async.ca.shared.global":                           80,
	"cp.async.commit_group":                               80,
	"cp.async.wait_group":                                 80,
	"createpolicy.fractional.L2::evict_last.b64":          80,
	"cvt.rn.bf16.f32":                                     80,
	"cvt.rn.bf16x2.f32":                                   80,
	"cvt.rn.f16x2.f32":                                    80,
	"cvt.rn.relu.f16x2.f32":                               80,
	"fma.rn.bf16x2":                                       80,
	"max.f16":                                             80,
	"min.NaN.f16":                                         80,
	"min.f16":                                             80,
	"cvt.rn.f16x2.e4m3x2":                                 89,
	"cvt.rn.f16x2.e5m2x2":                                 89,
	"cvt.rn.satfinite.e4m3x2.f32":                         89,
	"cvt.rn.satfinite.e5m2x2.f32":                         89,
	"max.relu.s32":                                        90,
	"min.relu.s32":                                        90,
	"ld.global.v8.u32":                                    100,
	"ld.global.v8.u8":                                     100,
	"st.global.v8.u8":                                     100,
}

// TestEveryFormMet decodes every instruction form of real programs. Each decodes with the fewest and with all operands, or is named above
// with the reason.
func TestEveryFormMet(t *testing.T) {
	table, err := os.ReadFile("../ptx/testdata/opcodes.tsv")
	require.NoError(t, err)
	rows := strings.Split(strings.TrimSpace(string(table)), "\n")[1:]
	require.Greater(t, len(rows), 1600)
	for _, row := range rows {
		form, _, _ := strings.Cut(row, "\t")
		tpl, message := resolve(mnemonic(form))
		if want, ok := illegal[form]; ok {
			assert.Contains(t, message, want, form)
			continue
		}
		if !assert.Empty(t, message, form) {
			continue
		}
		if since, ok := laterForms[form]; ok {
			assert.Equal(t, Refused, tpl.form.Status, form)
			assert.Equal(t, since, tpl.form.Since, form)
			continue
		}
		if !assert.NotEqual(t, Refused, tpl.form.Status, form) {
			continue
		}
		for _, optional := range []bool{false, true} {
			_, err := decodeText(t, kernelOf(form+" "+operandText(tpl, optional)+";"), Options{})
			assert.NoError(t, err, form)
		}
	}
}

// TestOracleForms decodes the bodies of every form that was run on a GPU, and refuses those that the assembler refused.
func TestOracleForms(t *testing.T) {
	o, err := oracle.Open()
	require.NoError(t, err)
	for _, form := range o.Forms {
		_, err := decodeText(t, oracleKernel(form.Body, form.Inputs, form.Output), Options{StrictTarget: true})
		assert.NoError(t, err, form.Name)
	}
	for _, refused := range o.Refused {
		_, err := decodeText(t, oracleKernel(refused.Name+" %r1, %r2;", nil, "u32"), Options{})
		assert.ErrorContains(t, err, ".sat is not allowed", refused.Name)
	}
}

// oracleKernel puts an oracle body between declarations of its operands.
func oracleKernel(body string, inputs []string, output string) string {
	var declarations strings.Builder
	pairs := []string{"{p}", "%p1", "{x}", "%r1", "{y}", "%r2", "{d}", "%out"}
	declare := func(name, ptxType string) {
		switch ptxType {
		case "u8", "s8", "b8":
			ptxType = "b32"
		case "f16":
			ptxType = "b16"
		}
		fmt.Fprintf(&declarations, ".reg .%s %s; ", ptxType, name)
	}
	declare("%out", output)
	for k, input := range inputs {
		name := "%in" + string(rune('a'+k))
		declare(name, input)
		pairs = append(pairs, "{"+string(rune('a'+k))+"}", name)
	}
	return kernelOf(declarations.String() + strings.NewReplacer(pairs...).Replace(body))
}
