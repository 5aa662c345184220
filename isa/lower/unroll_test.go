package lower_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/lower"
)

// counted is a loop of a body over %r10 from 0 up to a number, as compilers write it.
func counted(body string, turns int) string {
	return fmt.Sprintf("mov.u32 %%r10, 0;\nL1:\n%s\nadd.s32 %%r10, %%r10, 1;\nsetp.lt.s32 %%p1, %%r10, %d;\n@%%p1 bra L1;\n", body, turns)
}

const (
	given  = "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+4];\n"
	kept   = "st.global.f32 [%rd3], %f1;\n"
	repeat = "fma.rn.f32 %f1, %f1, %f2, %f2;\n"
)

// TestUnrolledLoops checks which loops are unrolled, as the driver's compiler for an H200 does, and how many multiply-adds the code then
// has.
func TestUnrolledLoops(t *testing.T) {
	loop := func(start, step, compare, branch string) string {
		return start + "\nL1:\n" + repeat + step + "\n" + compare + "\n" + branch + " bra L1;\n"
	}
	tests := []struct {
		name, body string
		products   int // 1 if the loop stays
	}{
		{"up to less", counted(repeat, 12), 12},
		{"41 turns", counted(repeat, 41), 41},
		{"one turn", counted(repeat, 1), 1},
		{"down to zero", loop("mov.u32 %r10, 12;", "sub.s32 %r10, %r10, 1;", "setp.ge.s32 %p1, %r10, 0;", "@%p1"), 13},
		{"not equal", loop("mov.u32 %r10, 0;", "add.s32 %r10, %r10, 3;", "setp.ne.s32 %p1, %r10, 12;", "@%p1"), 4},
		{"64 bits", loop("mov.u64 %rd10, 0;", "add.s64 %rd10, %rd10, 1;", "setp.lt.s64 %p1, %rd10, 12;", "@%p1"), 12},
		{"bound in a register",
			loop("mov.u32 %r10, 0;\nmov.u32 %r11, 12;", "add.s32 %r10, %r10, 1;", "setp.lt.s32 %p1, %r10, %r11;", "@%p1"),
			12},
		{"barrier", counted(repeat+"bar.sync 0;", 6), 6},
		{"atomic", counted(repeat+"red.shared.add.u32 [tile], 1;", 6), 6},
		{"guarded", counted("setp.gt.f32 %p3, %f1, %f2;\n@%p3 "+repeat, 6), 6},
		{"loop in a loop",
			counted("mov.u32 %r12, 0;\nL2:\n"+repeat+
				"add.s32 %r12, %r12, 1;\nsetp.lt.s32 %p2, %r12, 4;\n@%p2 bra L2;\n", 3), 12},

		{"a branch inside", counted("setp.gt.f32 %p3, %f1, %f2;\n@%p3 bra L2;\nst.shared.f32 [tile], %f1;\nL2:\n"+repeat, 6), 6},
		{"the end in front of the beginning", "mov.u32 %r10, 0;\nbra.uni L1;\nL2:\nadd.s32 %r10, %r10, 1;\nsetp.eq.s32 %p1, %r10, 12;\n" +
			"@%p1 bra L3;\nL1:\n" + repeat + "bra.uni L2;\nL3:\n", 12},
		{"until a converted counter passes a logarithm", loop("mov.f32 %f9, 0f41800000;\nlg2.approx.f32 %f9, %f9;\nmov.u32 %r10, 1;",
			"add.s32 %r10, %r10, 1;\ncvt.rn.f32.s32 %f8, %r10;", "setp.le.f32 %p1, %f8, %f9;", "@%p1"), 4},

		{"unknown bound", loop("mov.u32 %r10, 0;", "add.s32 %r10, %r10, 1;", "setp.lt.s32 %p1, %r10, %r1;", "@%p1"), 1},
		{"unknown start", loop("mov.u32 %r10, %r1;", "add.s32 %r10, %r10, 1;", "setp.lt.s32 %p1, %r10, 12;", "@%p1"), 1},
		{"compared before its step",
			loop("mov.u32 %r10, 0;", "setp.lt.s32 %p1, %r10, 12;", "add.s32 %r10, %r10, 1;", "@%p1"), 1},
		{"shifted", loop("mov.u32 %r10, 1;", "shl.b32 %r10, %r10, 1;", "setp.lt.u32 %p1, %r10, 4096;", "@%p1"), 1},
		{"ends where the comparison holds", loop("mov.u32 %r10, 0;", "add.s32 %r10, %r10, 1;", "setp.eq.s32 %p1, %r10, 12;", "@!%p1"), 1},
		{"counted in f32",
			loop("mov.f32 %f9, 0f00000000;", "add.rn.f32 %f9, %f9, 0f3F800000;", "setp.lt.f32 %p1, %f9, 0f41400000;", "@%p1"), 1},
		{"root", counted("sqrt.rn.f32 %f3, %f2;\nst.global.f32 [%rd3+8], %f3;\n"+"add.s32 %r5, %r5, 1;\n"+repeat, 4), 0},
		{"fence", counted(repeat+"membar.gl;", 4), 1},
		{"without end", loop("mov.u32 %r10, 0;", "add.s32 %r10, %r10, 0;", "setp.lt.s32 %p1, %r10, 12;", "@%p1"), 1},
		{"nounroll", counted(".pragma \"nounroll\";\n"+repeat, 4), 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			mp := lowered(t, given+test.body+kept, lower.Options{ComputeCapability: 35})
			if test.products > 0 {
				assert.Equal(t, test.products, count(mp, "FFMA")+count(mp, "@FFMA"), "%v", mnemonics(mp))
			}
			assert.Equal(t, test.products > 1 || test.name == "one turn", count(mp, "@BRA") == 0, "%v", mnemonics(mp))
		})
	}
}

// TestUnknownLoops: a loop of unknown length is unrolled in groups of four, two and one turns if products cross turns. Then three additions
// of the first group and one of the second fuse. Other loops stay.
func TestUnknownLoops(t *testing.T) {
	const crossing = "add.f32 %f1, %f1, %f3;\nadd.rn.f32 %f2, %f2, %f4;\nmul.f32 %f3, %f2, %f4;\n"
	loop := func(body, start, step string) string {
		return "ld.global.f32 %f4, [%rd3+8];\nmul.f32 %f3, %f2, %f4;\n" + start + "\nL1:\n" + body + step + "\n@%p1 bra L1;\n"
	}
	const from, step = "mov.u32 %r10, 0;", "add.s32 %r10, %r10, 1;\nsetp.lt.s32 %p1, %r10, %r1;"
	tests := []struct {
		name, text string
		fused      int
	}{
		{"up to a register", loop(crossing, from, step), 4},
		{"from a register", loop(crossing, "mov.u32 %r10, %r1;", "add.s32 %r10, %r10, 1;\nsetp.lt.s32 %p1, %r10, 100;"), 4},
		{"down", loop(crossing, "mov.u32 %r10, %r1;", "sub.u32 %r10, %r10, 1;\nsetp.ne.u32 %p1, %r10, 0;"), 4},
		{"by a register", loop(crossing, from, "add.s32 %r10, %r10, %r1;\nsetp.lt.s32 %p1, %r10, 100;"), 0},
		{"18 instructions", loop(crossing+strings.Repeat("mul.rn.f32 %f1, %f1, %f4;\n", 15), from, step), 4},
		{"19 instructions", loop(crossing+strings.Repeat("mul.rn.f32 %f1, %f1, %f4;\n", 16), from, step), 0},
		{"barrier", loop(crossing+"bar.sync 0;\n", from, step), 0},
		{"fence", loop(crossing+"membar.gl;\n", from, step), 0},
		{"each turn by itself", loop("mul.f32 %f3, %f2, %f4;\nadd.f32 %f1, %f1, %f3;\n", from, step), 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			mp := lowered(t, given+test.text+kept, lower.Options{ComputeCapability: 35})
			assert.Equal(t, test.fused, count(mp, "FFMA")+count(mp, "@FFMA"), "%v", mnemonics(mp))
		})
	}
}

// TestNoUnroll: the pragma keeps loops wherever PTX allows it.
func TestNoUnroll(t *testing.T) {
	const pragma = ".pragma \"nounroll\";\n"
	text := kernelText(given + strings.Replace(counted(repeat, 4), "L1:\n", "L1:\nUNNAMED:\n", 1) + kept)
	for place, text := range map[string]string{
		"":         text,
		"loop":     strings.Replace(text, "UNNAMED:\n", "UNNAMED:\n"+pragma, 1),
		"function": strings.Replace(text, "u32 n)\n", "u32 n)\n"+pragma, 1),
		"module":   strings.Replace(text, ".visible", pragma+".visible", 1),
	} {
		p := decodeText(t, "k.ptx", text)
		mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{ComputeCapability: 35})
		require.NoError(t, err)
		assert.Equal(t, place != "", count(mp, "@BRA") > 0, "pragma of the %s: %v", place, mnemonics(mp))
	}
}

// TestUnrolledTurnsUseNumbers: values that depend only on the counter are constants in each turn, or offsets of addresses.
func TestUnrolledTurnsUseNumbers(t *testing.T) {
	mp := lowered(t, "mov.f32 %f1, 0f00000000;\n"+counted("mul.wide.s32 %rd11, %r10, 128;\nadd.s64 %rd12, %rd3, %rd11;\n"+
		"ld.global.f32 %f2, [%rd12];\nadd.rn.f32 %f1, %f1, %f2;\n", 8)+kept, lower.Options{ComputeCapability: 35})
	assert.Equal(t, 8, count(mp, "LD.E"), "%v", mnemonics(mp))
	assert.Less(t, len(mp.Ops), 8*2+12, "%v", mnemonics(mp))
}

// TestMostTurns: the most turns that a loop is unrolled for, by its body, are within a quarter of those that the driver's compiler for an
// H200 unrolled.
func TestMostTurns(t *testing.T) {
	bodies := map[string]string{
		"fma":         repeat,
		"shared-load": "ld.shared.f32 %f3, [%r20];\nadd.u32 %r20, %r20, 128;\nfma.rn.f32 %f1, %f3, %f2, %f1;\n",
		"global-load": "ld.global.f32 %f3, [%rd20];\nadd.u64 %rd20, %rd20, 128;\nfma.rn.f32 %f1, %f3, %f2, %f1;\n",
		"sine":        "sin.approx.f32 %f1, %f1;\n" + repeat,
		"atomic":      "atom.shared.add.u32 %r21, [tile], 1;\ncvt.rn.f32.u32 %f3, %r21;\nfma.rn.f32 %f1, %f3, %f2, %f1;\n",
		"guarded":     "setp.gt.f32 %p3, %f1, %f2;\n@%p3 " + repeat,
	}
	recorded, err := os.ReadFile("../../testdata/unrolling/recorded.tsv")
	require.NoError(t, err)
	tried := 0
	for line := range strings.Lines(string(recorded)) {
		var kind, name string
		var copies, most int
		_, err := fmt.Sscan(line, &kind, &name, &copies, &most)
		require.NoError(t, err)
		if bodies[name] == "" || kind != "turns" || most < 6 || most > 300 || copies%4 != 0 {
			continue
		}
		tried++
		t.Run(fmt.Sprintf("%d %s", copies, name), func(t *testing.T) {
			t.Parallel()
			unrolled := func(turns int) bool {
				body := given + "mov.u32 %r20, %r2;\nmov.u64 %rd20, %rd3;\n" + counted(strings.Repeat(bodies[name], copies), turns) + kept
				return count(lowered(t, body, lower.Options{ComputeCapability: 35, NoSchedule: true}), "@BRA") == 0
			}
			assert.True(t, unrolled(most*3/4), "%d turns", most*3/4)
			assert.False(t, unrolled(most*5/4+1), "%d turns", most*5/4+1)
		})
	}
	assert.Greater(t, tried, 20)
}

// TestKnownDivisors: a remainder by a divisor that each turn knows needs no reciprocal and no test for zero, and is no mask, as in nvcc
// 7.5's code for Rodinia's layerforward.
func TestKnownDivisors(t *testing.T) {
	for _, op := range []string{"rem.s32", "rem.u32", "div.s32", "div.u32"} {
		mp := lowered(t, "mov.u32 %r13, 0;\n"+counted("shl.b32 %r11, 2, %r10;\n"+op+" %r12, %r1, %r11;\nadd.s32 %r13, %r13, %r12;\n", 4)+
			"st.global.u32 [%rd3], %r13;\n", lower.Options{ComputeCapability: 35})
		assert.Zero(t, count(mp, "MUFU.RCP")+count(mp, "@BRA"), "%s: %v", op, mnemonics(mp))
		assert.Equal(t, 4, count(mp, "IMUL.HI"), "%s: %v", op, mnemonics(mp))
		assert.Equal(t, 8, count(mp, "ISETP.GE.U32"), "%s: %v", op, mnemonics(mp))
	}
}

// TestDecidedBranches: of a branch that constants decide, only the path that is taken stays, in each turn.
func TestDecidedBranches(t *testing.T) {
	body := "setp.lt.s32 %p3, %r10, 2;\n@%p3 bra L2;\nbar.sync 0;\nbra.uni L5;\nL2:\nbar.sync 1;\nL5:\n" + repeat
	mp := lowered(t, given+counted(body, 5)+kept, lower.Options{ComputeCapability: 35})
	assert.Zero(t, count(mp, "@BRA")+count(mp, "ISETP"), "%v", mnemonics(mp))
	assert.Equal(t, 5, count(mp, "BAR.SYNC"), "%v", mnemonics(mp))
}
