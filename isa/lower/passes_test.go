package lower_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/arch"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower"
)

// kernelText makes a kernel around a body, with two pointers and a number as parameters. The body finds the pointers in %rd1 and %rd2, the
// number in %r1 and the thread's number in %r2. In %rd3 is the address of the thread's word behind %rd1.
func kernelText(body string) string {
	return `.version 4.2
.target sm_35
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{
	.reg .pred %p<20>;
	.reg .b16 %rs<20>;
	.reg .b32 %r<100>;
	.reg .f32 %f<100>;
	.reg .f64 %d<20>;
	.reg .b64 %rd<40>;
	.shared .align 16 .b8 tile[4096];
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd2, [b];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd9, %r2, 4;
	add.s64 %rd3, %rd1, %rd9;
` + body + `
	ret;
}
`
}

// lowered lowers a body and verifies it.
func lowered(t *testing.T, body string, o lower.Options) *isa.MachineProgram {
	t.Helper()
	p := decodeText(t, "k.ptx", kernelText(body))
	mp, err := lower.Program(t.Context(), p, p.Kernels()[0], o)
	require.NoError(t, err)
	require.NoError(t, lower.Verify(p, p.Kernels()[0], o))
	return mp
}

// mnemonics returns a program's operations by name, in order.
func mnemonics(mp *isa.MachineProgram) []string {
	var names []string
	for n := range mp.Ops {
		name := mp.Ops[n].Mnemonic
		if mp.Ops[n].Guard.Present {
			name = "@" + name
		}
		names = append(names, name)
	}
	return names
}

func count(mp *isa.MachineProgram, mnemonic string) int {
	n := 0
	for _, name := range mnemonics(mp) {
		if name == mnemonic {
			n++
		}
	}
	return n
}

// TestFolding compares with the operations of nvcc's machine code for sm_35 for such source.
func TestFolding(t *testing.T) {
	aligned := "mul.wide.u32 %rd5, %r2, 16;\nmov.u64 %rd4, tile;\nadd.s64 %rd6, %rd4, %rd5;\nadd.s64 %rd7, %rd6, 4;\n"
	copied := func(offsets ...int) (body string) {
		for n, o := range offsets {
			body += fmt.Sprintf("ld.global.f32 %%f%d, [%%rd3+%d];\nst.shared.f32 [%%rd6+%d], %%f%d;\n", 10+n+o, 4*(n+o), o, 10+n+o)
		}
		return body
	}
	tests := []struct {
		name string
		body string
		want map[string]int // operations of these names
	}{
		{"parameters and addresses fold into one multiply-add pair", "ld.global.u32 %r3, [%rd3+8];\nst.global.u32 [%rd3], %r3;",
			map[string]int{"ISCADD": 1, "IMAD": 0, "IMAD.HI.X": 1, "MOV32I": 1, "LD.E": 1, "ST.E": 1, "S2R": 1, "IADD": 0, "IMUL": 0}},
		{"additions of numbers go into offsets", "add.s64 %rd4, %rd3, 64;\nld.global.u32 %r3, [%rd4+4];\nadd.s64 %rd5, %rd4, 64;\n" +
			"st.global.u32 [%rd5], %r3;",
			map[string]int{"IADD": 0, "IADD.X": 0, "LD.E": 1, "ST.E": 1}},
		{"multiplication by a power of two is a shift", "mul.lo.s32 %r3, %r2, 32;\nst.global.u32 [%rd3], %r3;",
			map[string]int{"SHL": 1, "IMUL": 0}},
		{"a shift that is added is ISCADD", "shl.b32 %r3, %r2, 3;\nadd.s32 %r4, %r3, %r1;\nst.global.u32 [%rd3], %r4;",
			map[string]int{"ISCADD": 2, "SHL": 0, "IADD": 0}},
		{"products that are added are IMAD", "mul.lo.s32 %r3, %r2, %r1;\nadd.s32 %r4, %r3, %r2;\nst.global.u32 [%rd3], %r4;",
			map[string]int{"IMAD": 1, "ISCADD": 1, "IMUL": 0}},
		{"products and sums of f32 keep both roundings", "ld.global.f32 %f1, [%rd3];\nmul.rn.f32 %f2, %f1, %f1;\n" +
			"add.rn.f32 %f3, %f2, %f1;\nst.global.f32 [%rd3], %f3;",
			map[string]int{"FMUL": 1, "FADD": 1, "FFMA": 0}},
		{"but through a variable that is read once they are fused, however often it is written",
			".local .b32 v;\nld.global.f32 %f1, [%rd3];\n" +
				"st.local.f32 [v], %f1;\nmul.f32 %f2, %f1, %f1;\nst.local.f32 [v], %f2;\nld.local.f32 %f3, [v];\nadd.f32 %f4, %f3, %f1;\n" +
				"st.global.f32 [%rd3], %f4;", map[string]int{"FMUL": 0, "FADD": 0, "FFMA": 1}},
		{"not if it is read twice", ".local .b32 v;\nld.global.f32 %f1, [%rd3];\nmul.f32 %f2, %f1, %f1;\nst.local.f32 [v], %f2;\n" +
			"ld.local.f32 %f3, [v];\nadd.f32 %f4, %f3, %f1;\nst.global.f32 [%rd3], %f4;\nld.local.f32 %f5, [v];\n" +
			"st.global.f32 [%rd3+4], %f5;", map[string]int{"FMUL": 1, "FADD": 1, "FFMA": 0}},
		{"common values are computed once", "add.s32 %r3, %r2, %r1;\nadd.s32 %r4, %r1, %r2;\nst.global.u32 [%rd3], %r3;\n" +
			"st.global.u32 [%rd3+4], %r4;", map[string]int{"IADD": 1}},
		{"dead code goes", "add.s32 %r3, %r2, 5;\nmul.lo.s32 %r4, %r3, 17;\nst.global.u32 [%rd3], %r2;",
			map[string]int{"IADD": 0, "IMUL": 0}},
		{"shared addresses are computed in 32 bits", "mov.u64 %rd4, tile;\nadd.s64 %rd5, %rd4, %rd9;\nst.shared.u32 [%rd5+16], %r2;",
			map[string]int{"STS": 1, "SHL": 1, "IADD": 0, "IADD.X": 0, "IMUL": 0}},
		{"neighbouring words of aligned shared memory load together",
			"mul.wide.u32 %rd5, %r2, 16;\nmov.u64 %rd4, tile;\nadd.s64 %rd6, %rd4, %rd5;\nld.shared.f32 %f1, [%rd6];\n" +
				"ld.shared.f32 %f2, [%rd6+4];\nld.shared.f32 %f3, [%rd6+8];\nld.shared.f32 %f4, [%rd6+12];\n" +
				"add.f32 %f5, %f1, %f2;\nadd.f32 %f6, %f3, %f4;\nadd.f32 %f7, %f5, %f6;\nst.global.f32 [%rd3], %f7;",
			map[string]int{"LDS.128": 1, "LDS": 0}},
		{"and where a loop counts on from an aligned address",
			"mul.wide.u32 %rd5, %r2, 16;\nmov.u64 %rd4, tile;\nadd.s64 %rd6, %rd4, %rd5;\nmov.f32 %f5, 0f00000000;\nmov.u32 %r9, 0;\n" +
				"LOOP:\nld.shared.f32 %f1, [%rd6];\nld.shared.f32 %f2, [%rd6+4];\n" +
				"add.f32 %f3, %f1, %f2;\nadd.f32 %f5, %f5, %f3;\nadd.s64 %rd6, %rd6, 32;\nadd.u32 %r9, %r9, 1;\n" +
				"setp.lt.u32 %p1, %r9, %r1;\n@%p1 bra LOOP;\nst.global.f32 [%rd3], %f5;", map[string]int{"LDS.64": 1, "LDS": 0}},
		{"but not by steps that leave it",
			"mul.wide.u32 %rd5, %r2, 16;\nmov.u64 %rd4, tile;\nadd.s64 %rd6, %rd4, %rd5;\nmov.f32 %f5, 0f00000000;\nmov.u32 %r9, 0;\n" +
				"LOOP:\nld.shared.f32 %f1, [%rd6];\nld.shared.f32 %f2, [%rd6+4];\n" +
				"add.f32 %f3, %f1, %f2;\nadd.f32 %f5, %f5, %f3;\nadd.s64 %rd6, %rd6, 12;\nadd.u32 %r9, %r9, 1;\n" +
				"setp.lt.u32 %p1, %r9, %r1;\n@%p1 bra LOOP;\nst.global.f32 [%rd3], %f5;", map[string]int{"LDS.64": 0, "LDS": 2}},
		{"nor around a step between them",
			"mul.wide.u32 %rd5, %r2, 16;\nmov.u64 %rd4, tile;\nadd.s64 %rd6, %rd4, %rd5;\nmov.f32 %f5, 0f00000000;\nmov.u32 %r9, 0;\n" +
				"LOOP:\nld.shared.f32 %f1, [%rd6];\nadd.s64 %rd6, %rd6, 32;\nld.shared.f32 %f2, [%rd6+4];\n" +
				"add.f32 %f3, %f1, %f2;\nadd.f32 %f5, %f5, %f3;\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, %r1;\n@%p1 bra LOOP;\n" +
				"st.global.f32 [%rd3], %f5;", map[string]int{"LDS.64": 0, "LDS": 2}},
		// KTT's matrix product for a GTX 680, tiles of 16 by 16 without vectors: the card executes one shared-memory store per two words.
		{"words copied to aligned shared memory are stored together", aligned + copied(0, 64, 4, 68),
			map[string]int{"STS.64": 2, "STS": 0}},
		{"but not where a load between them may see one", aligned + copied(0) + "ld.shared.f32 %f30, [%rd7];\n" + copied(4) +
			"st.global.f32 [%rd3], %f30;", map[string]int{"STS.64": 0, "STS": 2}},
		{"nor past a barrier", aligned + copied(0) + "bar.sync 0;\n" + copied(4), map[string]int{"STS.64": 0, "STS": 2}},
		{"nor past a store to another base", aligned + copied(0) + "st.shared.u32 [%rd9], %r2;\n" + copied(4),
			map[string]int{"STS.64": 0, "STS": 3}},
		{"nor where a word is stored twice", aligned + copied(0, 4, 0), map[string]int{"STS.64": 0, "STS": 3}},
		{"nor where the address may be odd", "mov.u64 %rd4, tile;\nadd.s64 %rd6, %rd4, %rd9;\n" + copied(0, 4),
			map[string]int{"STS.64": 0, "STS": 2}},
		{"a sum under a product of a shared address goes into the offset, too", "add.s32 %r3, %r2, 16;\nmul.wide.s32 %rd5, %r3, 4;\n" +
			"mul.wide.s32 %rd6, %r2, 4;\nst.shared.u32 [%rd5], %r1;\nst.shared.u32 [%rd6], %r1;",
			map[string]int{"SHL": 1, "IADD": 0, "STS": 2}},
		{"a loaded byte is wide already", "ld.global.nc.u8 %rs1, [%rd3];\ncvt.u32.u16 %r3, %rs1;\nand.b32 %r4, %r3, 255;\n" +
			"st.global.u32 [%rd3], %r4;", map[string]int{"LDG.E.U8": 1, "LOP.AND": 0, "I2I.B32.B16": 0}},
		{"but not what a signed load fills, or a mask cuts", "ld.global.s8 %rs1, [%rd3];\ncvt.u32.u16 %r3, %rs1;\n" +
			"ld.global.u8 %rs2, [%rd3+1];\nand.b16 %rs3, %rs2, 127;\ncvt.u32.u16 %r4, %rs3;\n" +
			"add.u32 %r5, %r3, %r4;\nst.global.u32 [%rd3], %r5;", map[string]int{"LOP.AND": 1, "I2I.B32.B16": 2}},
		{"a product of 16 bits that is added is IMAD", "ld.global.u8 %rs1, [%rd3];\nmul.wide.u16 %r3, %rs1, 5;\nadd.u32 %r4, %r3, %r2;\n" +
			"st.global.u32 [%rd3], %r4;", map[string]int{"IMAD.U16.U16": 1, "IMUL.U16.U16": 0, "IADD": 0}},
		{"a negation goes into f32 arithmetic", "ld.global.f32 %f1, [%rd3];\nneg.f32 %f2, %f1;\nfma.rn.f32 %f3, %f2, %f1, %f1;\n" +
			"mul.rn.f32 %f4, %f3, %f2;\nst.global.f32 [%rd3], %f4;",
			map[string]int{"FFMA": 1, "FMUL": 1, "FADD": 0}},
		{"and into that of f64", "ld.global.f64 %d1, [%rd3];\nneg.f64 %d2, %d1;\nfma.rn.f64 %d3, %d2, %d1, %d1;\n" +
			"mul.rn.f64 %d4, %d3, %d2;\nst.global.f64 [%rd3], %d4;", map[string]int{"DFMA": 1, "DMUL": 1, "LOP32I.XOR": 0, "MOV": 1}},
		{"of a number taken apart only words that are read are moved", "ld.global.f64 %d1, [%rd3];\nmov.b64 {%r3, %r9}, %d1;\n" +
			"mov.b64 {%r9, %r4}, %d1;\nadd.u32 %r5, %r4, %r2;\nmov.b64 %d2, {%r3, %r5};\nst.global.f64 [%rd3], %d2;",
			map[string]int{"MOV": 1}}, // of R1
		{"two words that are numbers are one", "ld.global.f64 %d1, [%rd3];\nmov.u32 %r3, 0;\nmov.u32 %r4, 1072693248;\n" +
			"mov.b64 %d2, {%r3, %r4};\nadd.rn.f64 %d3, %d1, %d2;\nst.global.f64 [%rd3], %d3;",
			map[string]int{"DADD": 1, "MOV32I": 1, "MOV": 1}},
		{"extended values are added to addresses one after the other", // clang's code for Rodinia's lud_perimeter
			"ld.global.u32 %r3, [%rd1];\nld.global.u32 %r4, [%rd1+4];\ncvt.u64.u32 %rd4, %r3;\ncvt.s64.s32 %rd5, %r4;\n" +
				"add.s64 %rd6, %rd5, %rd4;\nshl.b64 %rd7, %rd6, 2;\n" +
				"add.s64 %rd8, %rd2, %rd7;\nst.global.u32 [%rd8], %r2;",
			map[string]int{"ISCADD": 1, "IMAD": 1, "IMAD.HI.X": 2, "SHL": 0, "SHR": 0, "IADD": 0, "IADD.X": 0}},
		{"but for one that something else reads", "ld.global.f32 %f1, [%rd3];\nneg.f32 %f2, %f1;\nfma.rn.f32 %f3, %f2, %f1, %f1;\n" +
			"st.global.f32 [%rd3], %f3;\nst.global.f32 [%rd3+4], %f2;",
			map[string]int{"FFMA": 1, "FADD": 1}},
		{"and for one that flushes what its reader does not", "ld.global.f32 %f1, [%rd3];\nneg.ftz.f32 %f2, %f1;\n" +
			"fma.rn.f32 %f3, %f2, %f1, %f1;\nst.global.f32 [%rd3], %f3;", map[string]int{"FFMA": 1, "FADD": 1}},
		{"words that may not be aligned stay apart", "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+4];\nadd.f32 %f3, %f1, %f2;\n" +
			"st.global.f32 [%rd3], %f3;", map[string]int{"LD.E": 2, "LD.E.64": 0}},
		{"an atomic operation whose result nothing reads is a reduction",
			"atom.global.add.u32 %r3, [%rd3], %r2;\natom.global.max.u32 %r4, [%rd3+4], %r2;\nst.global.u32 [%rd3+8], %r4;",
			map[string]int{"RED.E": 1, "ATOM.E": 1}},
		{"but no exchange, and none in shared memory", "atom.global.exch.b32 %r3, [%rd3], %r2;\natom.shared.add.u32 %r4, [tile], %r2;",
			map[string]int{"RED.E": 0, "ATOM.E": 1, "LDSLK": 1}},
		{"comparisons take a predicate in", "setp.lt.s32 %p1, %r2, %r1;\nsetp.gt.s32 %p2, %r2, 3;\nand.pred %p3, %p1, %p2;\n" +
			"selp.b32 %r3, 1, 2, %p3;\nst.global.u32 [%rd3], %r3;", map[string]int{"ISETP": 2, "PSETP.AND": 0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			mp := lowered(t, test.body, lower.Options{})
			for name, n := range test.want {
				assert.Equal(t, n, count(mp, name), "%s in %v", name, mnemonics(mp))
			}
		})
	}
}

// TestBranches checks the simplification of control flow.
func TestBranches(t *testing.T) {
	t.Run("a branch to the end is an exit", func(t *testing.T) {
		mp := lowered(t, "setp.ge.s32 %p1, %r2, %r1;\n@%p1 bra DONE;\nst.global.u32 [%rd3], %r2;\nDONE:", lower.Options{})
		assert.Equal(t, 1, count(mp, "@EXIT"))
		assert.Zero(t, count(mp, "@BRA"))
	})
	t.Run("a block goes where the only branch to it stands", func(t *testing.T) {
		mp := lowered(t, "bra FIRST;\nSECOND:\nst.global.u32 [%rd3], %r3;\nret;\nFIRST:\nadd.s32 %r3, %r2, %r1;\nbra SECOND;",
			lower.Options{})
		assert.Zero(t, count(mp, "BRA"))
	})
	t.Run("a short body runs under its predicate", func(t *testing.T) {
		mp := lowered(t, "mov.u32 %r4, 0;\nsetp.ge.s32 %p1, %r2, %r1;\n@%p1 bra JOIN;\nadd.s32 %r4, %r2, 7;\nJOIN:\n"+
			"st.global.u32 [%rd3], %r4;", lower.Options{})
		assert.Zero(t, count(mp, "@BRA"))
		assert.Equal(t, 1, count(mp, "@IADD"))
	})
	t.Run("wherever the blocks stand that follow", func(t *testing.T) {
		test := "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\nbra BODY;\n"
		loop := "LATCH:\nadd.s32 %r5, %r5, 1;\nsetp.ge.s32 %p2, %r5, %r1;\n@%p2 bra DONE;\nBODY:\nsetp.lt.s32 %p1, %r2, %r5;\n"
		for _, c := range []struct {
			name, body string
			under      int // operations under the predicate
		}{
			{"the latch of a loop", "@%p1 bra LATCH;\nadd.s32 %r4, %r4, %r5;\nbra LATCH;\n", 1},
			{"a body behind the rest", "@%p1 bra ADD;\nBACK:\nbar.sync 0;\nbra LATCH;\nADD:\nadd.s32 %r4, %r4, %r5;\nbra BACK;\n", 1},
			{"two bodies", "@%p1 bra ADD;\nsub.s32 %r4, %r4, %r5;\nbra LATCH;\nADD:\nadd.s32 %r4, %r4, %r5;\nbra LATCH;\n", 2},
		} {
			t.Run(c.name, func(t *testing.T) {
				mp := lowered(t, test+loop+c.body+"DONE:\nst.global.u32 [%rd3], %r4;", lower.Options{})
				assert.Equal(t, 1, count(mp, "@BRA"), "of the latch")
				assert.Equal(t, 2, count(mp, "BRA"), "into the loop and back")
				assert.Equal(t, c.under, count(mp, "@IADD"))
			})
		}
	})
	t.Run("a loop of as many turns for all lanes needs no meeting", func(t *testing.T) {
		mp := lowered(t, "mov.u32 %r4, 0;\nLOOP:\nadd.s32 %r4, %r4, 1;\nst.global.u32 [%rd3], %r4;\nsetp.lt.s32 %p1, %r4, %r1;\n"+
			"@%p1 bra LOOP;", lower.Options{})
		assert.Zero(t, count(mp, "SSY"))
	})
	t.Run("a loop of the thread's own number of turns does, once in front of it", func(t *testing.T) {
		mp := lowered(t, "mov.u32 %r4, 0;\nLOOP:\nadd.s32 %r4, %r4, 1;\nst.global.u32 [%rd3], %r4;\nsetp.lt.s32 %p1, %r4, %r2;\n"+
			"@%p1 bra LOOP;\nst.global.u32 [%rd3+4], %r1;", lower.Options{})
		names := mnemonics(mp)
		require.Equal(t, 1, count(mp, "SSY"))
		for n, name := range names {
			if name == "@BRA" {
				assert.Less(t, indexOf(names, "SSY"), int(mp.Ops[n].Target), "%v", names)
				assert.Equal(t, n+1, int(mp.Ops[n].Reconverge))
			}
		}
	})
	t.Run("a branch over a branch is turned round", func(t *testing.T) {
		mp := lowered(t, "setp.ge.s32 %p1, %r2, %r1;\n@%p1 bra A;\nbra B;\nA:\nbar.sync 0;\nst.global.u32 [%rd3], %r2;\nB:\n"+
			"st.global.u32 [%rd3+4], %r1;", lower.Options{})
		assert.Zero(t, count(mp, "BRA"))
		assert.Equal(t, 1, count(mp, "@BRA"))
	})
}

func indexOf(names []string, name string) int {
	for n, other := range names {
		if other == name {
			return n
		}
	}
	return -1
}

// TestExpansion: instructions of several operations have within a few as many as in nvcc's code for Kepler.
func TestExpansion(t *testing.T) {
	tests := []struct {
		name     string
		body     string
		from, to int // operations in excess of a plain add's
	}{
		{"64-bit addition", "add.s64 %rd5, %rd3, %rd9;\nst.global.u64 [%rd3], %rd5;", 1, 1},
		{"unsigned division", "div.u32 %r5, %r2, %r1;\nst.global.u32 [%rd3], %r5;", 19, 20},
		{"signed division", "div.s32 %r5, %r2, %r1;\nst.global.u32 [%rd3], %r5;", 25, 26},
		{"64-bit division", "div.u64 %rd5, %rd3, %rd9;\nst.global.u64 [%rd3], %rd5;", 60, 100},
		{"f32 division with its slow path", "ld.global.f32 %f1, [%rd3];\ndiv.rn.f32 %f2, %f1, 0f40400000;\nst.global.f32 [%rd3], %f2;", 25,
			50},
		{"sine", "ld.global.f32 %f1, [%rd3];\nsin.approx.f32 %f2, %f1;\nst.global.f32 [%rd3], %f2;", 1, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			mp := lowered(t, test.body, lower.Options{})
			plain := "add.s32 %r5, %r2, 7;\nst.global.u32 [%rd3], %r5;"
			if strings.HasPrefix(test.body, "ld.") {
				plain = "ld.global.u32 %r4, [%rd3];\nadd.s32 %r5, %r4, %r2;\nst.global.u32 [%rd3], %r5;"
			}
			more := len(mp.Ops) - len(lowered(t, plain, lower.Options{}).Ops)
			assert.GreaterOrEqual(t, more, test.from, "%v", mnemonics(mp))
			assert.LessOrEqual(t, more, test.to, "%v", mnemonics(mp))
		})
	}
}

// TestFastWays: roundings that have a slow path take the operations of nvcc's code for sm_35 where they do not need it.
func TestFastWays(t *testing.T) {
	for body, want := range map[string]string{
		// From __cuda_sm20_rcp_rn_f32 of nvcc 8.
		"ld.global.f32 %f1, [%rd3];\nrcp.rn.f32 %f2, %f1;\nst.global.f32 [%rd3], %f2;": "IADD32I LOP32I.AND ISETP.GT.U32 BRA " +
			"MUFU.RCP FFMA F2F.FTZ.F32.F32 FFMA",
		// From nvcc 10.2's code, which a user asked about in NVIDIA's forum.
		"ld.global.f64 %d1, [%rd3];\ndiv.rn.f64 %d2, %d1, %d1;\nst.global.f64 [%rd3], %d2;": "MUFU.RCP64H DFMA DFMA DFMA DMUL " +
			"DFMA FSETP FFMA FSETP BRA DFMA",
		// From nvcc 8's code for Rodinia's huffman, with a product and a sum in one operation.
		"ld.global.v2.u32 {%r3, %r4}, [%rd3];\ndiv.u32 %r5, %r3, %r4;\nst.global.u32 [%rd3], %r5;": "I2F.F32.U32.RP MUFU.RCP IADD32I " +
			"F2I.FTZ.U32.F32.TRUNC IMUL I2I.S32.S32 IMAD.HI IMUL.HI IADD IMAD ISETP.GE.U32 SEL IADD ISUB SEL ISETP.GE.U32 SEL LOP.PASS_B " +
			"ISETP.NE SEL",
	} {
		k := lowered(t, body, lower.Options{})
		loaded := slices.IndexFunc(k.Ops, func(op isa.MachineOp) bool { return strings.HasPrefix(op.Mnemonic, "LD") })
		var names []string
		for _, op := range k.Ops[loaded+1:] {
			if op.Slow == nil && op.Class != isa.ClassMove && !strings.HasPrefix(op.Mnemonic, "ST") && op.Mnemonic != "EXIT" {
				names = append(names, op.Mnemonic)
			}
		}
		assert.ElementsMatch(t, strings.Fields(want), names)
	}
}

// TestCarriers: each PTX instruction that computes ends in one operation with its effect, and slow paths stand before it.
func TestCarriers(t *testing.T) {
	mp := lowered(t, "ld.global.f32 %f1, [%rd3];\ndiv.rn.f32 %f2, %f1, %f1;\nst.global.f32 [%rd3], %f2;", lower.Options{})
	divisions, slow := 0, -1
	for n := range mp.Ops {
		op := &mp.Ops[n]
		if op.Slow != nil && slow < 0 {
			slow = n
			assert.Equal(t, isa.SlowDivF32, op.Slow.Kind)
			for k := range op.Slow.Length {
				assert.Same(t, op.Slow, mp.Ops[n+k].Slow, "operation %d of the slow path", k)
			}
		}
		if op.Effect != nil && op.Effect.Op == isa.OpDiv {
			divisions++
			assert.Greater(t, n, slow)
		}
	}
	assert.Equal(t, 1, divisions)
	assert.Positive(t, slow)
}

// TestScheduling: loads come before operations that do not need them, and a clock read keeps its place.
func TestScheduling(t *testing.T) {
	body := "ld.global.u32 %r3, [%rd3];\nadd.s32 %r4, %r3, 1;\nld.global.u32 %r5, [%rd3+4];\nadd.s32 %r6, %r5, 1;\n" +
		"st.global.u32 [%rd3+8], %r4;\nst.global.u32 [%rd3+12], %r6;"
	names := mnemonics(lowered(t, body, lower.Options{}))
	first := indexOf(names, "LD.E")
	assert.Equal(t, "LD.E", names[first+1], "%v", names)

	clocks := "mov.u32 %r3, %clock;\nadd.s32 %r4, %r2, 1;\nadd.s32 %r4, %r4, %r2;\nmov.u32 %r5, %clock;\nsub.s32 %r6, %r5, %r3;\n" +
		"st.global.u32 [%rd3], %r6;\nst.global.u32 [%rd3+4], %r4;"
	mp := lowered(t, clocks, lower.Options{})
	var order []string
	for n := range mp.Ops {
		if i := mp.Ops[n].Effect; i != nil && (i.Op == isa.OpAdd || len(i.Src) == 1 && i.Src[0].Special == isa.Clock) {
			order = append(order, i.Op.String())
		}
	}
	assert.Equal(t, []string{"mov", "add", "add", "mov"}, order)

	stores := "st.shared.u32 [tile], %r2;\nld.shared.u32 %r3, [tile];\nst.shared.u32 [tile], %r1;\nst.global.u32 [%rd3], %r3;"
	names = mnemonics(lowered(t, stores, lower.Options{}))
	assert.Equal(t, []string{"STS", "LDS", "STS"}, only(names, "STS", "LDS"))
}

func only(names []string, of ...string) []string {
	var kept []string
	for _, name := range names {
		if indexOf(of, name) >= 0 {
			kept = append(kept, name)
		}
	}
	return kept
}

// TestAllocation: alignment, spilling, limits and predicates.
func TestAllocation(t *testing.T) {
	t.Run("vectors lie in aligned registers", func(t *testing.T) {
		mp := lowered(t, "ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd3];\nst.global.v4.f32 [%rd3+16], {%f4,%f3,%f2,%f1};\n"+
			"ld.global.v2.f64 {%d1,%d2}, [%rd3];\nst.global.v2.f64 [%rd3], {%d1,%d2};", lower.Options{})
		for n := range mp.Ops {
			for _, list := range [][]isa.RegisterRange{mp.Ops[n].Reads, mp.Ops[n].Writes} {
				for _, r := range list {
					assert.Zero(t, int(r.First)%int(r.Count), lower.Text(&mp.Ops[n]))
				}
			}
		}
	})
	var many strings.Builder
	for n := range 40 {
		fmt.Fprintf(&many, "ld.volatile.global.u32 %%r%d, [%%rd3+%d];\n", 10+n, 4*n)
	}
	for n := range 40 {
		fmt.Fprintf(&many, "st.volatile.global.u32 [%%rd3+%d], %%r%d;\n", 4*n, 49-n)
	}
	t.Run("what does not fit is spilled", func(t *testing.T) {
		free := lowered(t, many.String(), lower.Options{})
		assert.Zero(t, free.SpillLoads)
		assert.GreaterOrEqual(t, free.Registers, 43)
		capped := lowered(t, many.String(), lower.Options{MaxRegisters: 24})
		assert.LessOrEqual(t, capped.Registers, 24)
		assert.Positive(t, capped.SpillLoads)
		assert.Positive(t, capped.SpillStores)
		assert.GreaterOrEqual(t, capped.LocalBytes, capped.SpillBytes)
	})
	t.Run("more predicates than there are", func(t *testing.T) {
		var b strings.Builder
		for n := range 12 {
			fmt.Fprintf(&b, "ld.volatile.global.u32 %%r%d, [%%rd3+%d];\nsetp.gt.s32 %%p%d, %%r%d, %d;\n", 10+n, 4*n, 1+n, 10+n, n)
		}
		for n := range 12 {
			fmt.Fprintf(&b, "selp.b32 %%r%d, 1, 0, %%p%d;\nst.volatile.global.u32 [%%rd3+%d], %%r%d;\n", 30+n, 12-n, 4*n, 30+n)
		}
		assert.LessOrEqual(t, lowered(t, b.String(), lower.Options{NoSchedule: true}).Predicates, 7)
	})
	t.Run("limits", func(t *testing.T) {
		p := decodeText(t, "k.ptx", strings.Replace(kernelText(many.String()), "(.param .u64 a, .param .u64 b, .param .u32 n)\n",
			"(.param .u64 a, .param .u64 b, .param .u32 n)\n.maxntid 1024, 1, 1\n.minnctapersm 2\n", 1))
		mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{})
		require.NoError(t, err)
		assert.LessOrEqual(t, mp.Registers, 32, "65,536 registers among 2,048 threads")
	})
}

// TestDeterministic: lowering makes the same program every time.
func TestDeterministic(t *testing.T) {
	p := workload(t, "../../workloads/nbody/nbody.ptx")
	first, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{MaxRegisters: 24})
	require.NoError(t, err)
	for range 4 {
		again, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{MaxRegisters: 24})
		require.NoError(t, err)
		require.True(t, reflect.DeepEqual(first.Ops, again.Ops))
	}
}

// TestVectorAdd: the kernel has the operations of nvcc's machine code for Kepler, in any order within a block. It has as many pairs per
// warp as the cards counted: none on a GTX 680, one on a K40c.
func TestVectorAdd(t *testing.T) {
	p := workload(t, "../../workloads/vectoradd/vectoradd.ptx")
	for _, c := range []struct{ capability, pairs int }{{30, 0}, {35, 1}} {
		mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{ComputeCapability: arch.Capability(c.capability)})
		require.NoError(t, err)
		low := map[int]string{30: "IMAD", 35: "ISCADD"}[c.capability]
		assert.ElementsMatch(t, []string{"MOV", "S2R", "S2R", "IMAD", "ISETP", "@EXIT", "MOV32I", low, "IMAD.HI.X", low, "IMAD.HI.X", low,
			"IMAD.HI.X", "LD.E", "LD.E", "FADD", "ST.E", "EXIT"}, mnemonics(mp))
		pairs := 0
		for i := range mp.Ops {
			if mp.Ops[i].PairWithNext {
				pairs++
			}
		}
		assert.Equal(t, c.pairs, pairs, "sm_%d", c.capability)
	}
}

// TestLargeKernel: a kernel of thousands of instructions lowers in seconds.
func TestLargeKernel(t *testing.T) {
	var b strings.Builder
	previous := 2
	for n := range 1200 {
		fmt.Fprintf(&b, "mul.lo.s32 %%r%d, %%r%d, %d;\nadd.s32 %%r%d, %%r%d, %%r2;\nld.global.u32 %%r%d, [%%rd3+%d];\n"+
			"add.s32 %%r%d, %%r%d, %%r%d;\n",
			4*n+10, previous, 2*n+3, 4*n+11, 4*n+10, 4*n+12, 4*n, 4*n+13, 4*n+11, 4*n+12)
		previous = 4*n + 13
	}
	b.WriteString("st.global.u32 [%rd3], %r4809;\n")
	text := strings.Replace(kernelText(b.String()), "%r<100>", "%r<5000>", 1)
	p := decodeText(t, "k.ptx", text)
	start := time.Now()
	mp, err := lower.Program(t.Context(), p, p.Kernels()[0], lower.Options{})
	require.NoError(t, err)
	assert.Greater(t, len(mp.Ops), 3000)
	assert.Less(t, time.Since(start), 20*time.Second)
}

// TestNumbers checks where constants are that operations cannot hold, as in nvcc's machine code for sm_35. Each is once in constant bank 2.
// If the operation has no place for a constant, a move fills a register in the block of its use, even in a loop's body.
func TestNumbers(t *testing.T) {
	loop := "mov.u32 %r9, 0;\nmov.f32 %f1, 0f00000000;\nLOOP:\nBODY\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, %r1;\n@%p1 bra LOOP;\n" +
		"st.global.f32 [%rd3], %f1;"
	tests := []struct {
		name, body string
		literals   int // bytes of constant bank 2
		moves      int // operations MOV32I in the loop
	}{
		{"an f32 of 20 bits is in its operation", "fma.rn.f32 %f1, %f1, 0f3F000000, %f1;", 0, 0},
		{"an f32 of 32 bits is in the constant bank", "fma.rn.f32 %f1, %f1, 0f3F000001, %f1;", 4, 0},
		{"twice the same number lies there once", "fma.rn.f32 %f1, %f1, 0f3F000001, %f1;\nfma.rn.f32 %f1, %f1, %f1, 0f3F000001;", 4, 0},
		{"an operation has one place for a constant", "fma.rn.f32 %f1, %f1, 0f3F000001, 0f3F000002;", 4, 1},
		{"additions of f32 hold 32 bits", "add.rn.f32 %f1, %f1, 0f3F000001;", 0, 0},
		{"an f64 takes eight bytes", "cvt.f64.f32 %d1, %f1;\nfma.rn.f64 %d1, %d1, %d1, 0d3FF0000000000001;\ncvt.rn.f32.f64 %f1, %d1;", 8,
			0},
		{"comparisons read it too", "setp.gt.u32 %p2, %r9, 16777217;\nselp.f32 %f1, %f1, 0f3F800000, %p2;", 4, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			mp := lowered(t, strings.Replace(loop, "BODY", test.body, 1), lower.Options{})
			moves := 0
			for last := range mp.Ops {
				first := int(mp.Ops[last].Target)
				for n := first; first >= 0 && n < last; n++ {
					if mp.Ops[n].Mnemonic == "MOV32I" {
						moves++
					}
				}
			}
			assert.Equal(t, []int{test.literals, test.moves}, []int{mp.LiteralBytes, moves}, mnemonics(mp))
		})
	}
}

// Operations of three sources hold an immediate as the second alone. Code that is not written as machine code may count others as held.
func TestNumbersThatMachineCodeHolds(t *testing.T) {
	for body, literals := range map[string]int{
		"mad.lo.s32 %r5, %r4, 5, %r2;": 0,
		"mad.lo.s32 %r5, %r4, %r2, 5;": 4,
		"mad.lo.s32 %r5, %r4, 16, 5;":  0, // ISCADD
		"sad.s32 %r5, %r4, %r2, 5;":    4,
		"mov.b32 %f1, %r4;\nfma.rn.f32 %f3, %f1, %f1, 0f3F000000;\nmov.b32 %r5, %f3;": 4,
		"prmt.b32 %r5, %r4, %r2, 5;": 0,
	} {
		for exact, want := range map[bool]int{true: literals, false: 0} {
			mp := lowered(t, "ld.global.u32 %r4, [%rd3];\n"+body+"\nst.global.u32 [%rd3], %r5;",
				lower.Options{ComputeCapability: 35, Encodable: exact})
			assert.Equal(t, want, mp.LiteralBytes, "%s, exact %t: %v", body, exact, mnemonics(mp))
		}
	}
}

// TestFrame: a variable of the frame is a register if only loads and stores of one width have its address, volatile or not. In nvcc's code
// the volatile variable of KTT's product is not in local memory (its private_bytes on a GTX 680).
func TestFrame(t *testing.T) {
	const head = ".local .align 8 .b8 frame[16];\nmov.u64 %rd20, frame;\ncvta.local.u64 %rd21, %rd20;\n"
	tests := []struct {
		name, body string
		local      int // bytes of local memory a thread
	}{
		{"a volatile variable", "st.volatile.u32 [%rd21], %r2;\nld.volatile.u32 %r3, [%rd21];\nst.global.u32 [%rd3], %r3;", 0},
		{"an array of known indices", "st.u32 [%rd21], %r2;\nst.u32 [%rd21+4], %r1;\nst.u64 [%rd21+8], %rd9;\nld.u32 %r3, [%rd21+4];\n" +
			"ld.u64 %rd5, [%rd21+8];\n" +
			"st.global.u32 [%rd3], %r3;\nst.global.u64 [%rd3+8], %rd5;", 0},
		{"one whose index is computed", "add.s64 %rd22, %rd21, %rd9;\nst.u32 [%rd22], %r2;\nld.u32 %r3, [%rd21];\n" +
			"st.global.u32 [%rd3], %r3;", 16},
		{"one whose address is stored", "st.u32 [%rd21], %r2;\nst.global.u64 [%rd3+8], %rd21;\nld.u32 %r3, [%rd21];\n" +
			"st.global.u32 [%rd3], %r3;", 16},
		{"one read in halves", "st.u32 [%rd21], %r2;\nld.u16 %rs1, [%rd21];\nst.global.u16 [%rd3], %rs1;", 16},
		{"one that an atomic operation changes", "st.u32 [%rd21], %r2;\natom.add.u32 %r3, [%rd21], 1;\nst.global.u32 [%rd3], %r3;", 16},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.local, lowered(t, head+test.body, lower.Options{}).LocalBytes)
		})
	}
}

// Unoptimised code does each instruction's work at its place in the PTX. Nothing is computed once for two instructions, and no operation
// comes before one of an earlier line. A variable of the frame stays in memory.
func TestUnoptimisedCodeKeepsThePlaceOfEachInstruction(t *testing.T) {
	body := `.local .align 4 .b8 depot[8];
	mov.u64 %rd4, depot;
	st.local.u32 [%rd4], %r2;
	add.s32 %r3, %r2, 1;
	ld.global.u32 %r4, [%rd3];
	add.s32 %r5, %r2, 1;
	st.local.u32 [%rd4+4], %r5;
	ld.global.u32 %r6, [%rd3+128];
	ld.local.u32 %r7, [%rd4];
	add.s32 %r8, %r4, %r6;
	add.s32 %r8, %r8, %r7;
	add.s32 %r8, %r8, %r3;
	st.global.u32 [%rd3], %r8;`
	plain := lowered(t, body, lower.Options{Unoptimised: true})
	better := lowered(t, body, lower.Options{})
	assert.Equal(t, []int{2, 1}, []int{count(plain, "STL"), count(plain, "LDL")})
	assert.Zero(t, count(better, "STL")+count(better, "LDL"), "kept in a register")
	last := int32(0)
	for n := range plain.Ops {
		line := plain.Program.Lines[plain.Ops[n].Line].PTXLine
		assert.GreaterOrEqual(t, line, last, "operation %d", n)
		last = max(last, line)
	}
}
