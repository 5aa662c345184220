package sim_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/cubin"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/sass"
	"github.com/keplersim/keplersim/sim"
)

// computed has instructions to translate to machine code. Operands a to c are 32-bit numbers, aa to cc 64-bit numbers, d and dd results, p
// a predicate that differs between lanes. Numbers are of every kind.
var computed = []string{
	"add.s64 %dd, %aa, %bb;", "sub.s64 %dd, %aa, %bb;", "add.s64 %dd, %aa, 1099511627777;", "neg.s64 %dd, %aa;", "abs.s64 %dd, %aa;",
	"mul.lo.s64 %dd, %aa, %bb;", "mul.hi.u64 %dd, %aa, %bb;", "mul.hi.s64 %dd, %aa, %bb;", "mul.wide.u32 %dd, %a, %b;",
	"mul.wide.s32 %dd, %a, %b;", "mad.wide.u32 %dd, %a, %b, %cc;", "mad.wide.s32 %dd, %a, %b, %cc;", "mad.lo.s64 %dd, %aa, %bb, %cc;",
	"mad.wide.s32 %dd, %a, 8, %cc;", "mul.wide.s32 %dd, %a, 12;",
	"min.u64 %dd, %aa, %bb;", "min.s64 %dd, %aa, %bb;", "max.u64 %dd, %aa, %bb;", "max.s64 %dd, %aa, %bb;",
	"setp.lt.s64 %q, %aa, %bb; selp.u32 %d, 1, 0, %q;", "setp.ge.u64 %q, %aa, %bb; selp.u32 %d, 5, 6, %q;",
	"setp.eq.s64 %q, %aa, %bb; selp.u32 %d, 1, 0, %q;", "setp.le.and.s64 %q, %aa, 77, %p; selp.u32 %d, 1, 0, %q;",
	"set.gt.u32.s64 %d, %aa, %bb;", "set.lt.f32.u64 %d, %aa, %bb;",
	"shl.b64 %dd, %aa, %b;", "shl.b64 %dd, %aa, 3;", "shr.u64 %dd, %aa, %b;", "shr.s64 %dd, %aa, %b;", "shr.s64 %dd, %aa, 40;",
	"shl.b64 %dd, %aa, 32;", "shr.u64 %dd, %aa, 63;", "shr.s64 %dd, %aa, 0;", "@%p shl.b64 %aa, %aa, %b; mov.b64 %dd, %aa;",

	"and.b64 %dd, %aa, %bb;", "xor.b64 %dd, %aa, %bb;", "not.b64 %dd, %aa;", "selp.b64 %dd, %aa, %bb, %p;",
	"popc.b64 %d, %aa;", "brev.b64 %dd, %aa;", "clz.b64 %d, %aa;", "clz.b32 %d, %a;", "brev.b32 %d, %a;",
	"div.u32 %d, %a, %b;", "div.s32 %d, %a, %b;", "rem.u32 %d, %a, %b;", "rem.s32 %d, %a, %b;", "div.u32 %d, %a, 7;", "rem.s32 %d, %a, 10;",
	"@%p div.u32 %d, %a, %b;", "@!%p rem.s32 %d, %a, %b;",
	"mul24.lo.u32 %d, %a, %b;", "mul24.lo.s32 %d, %a, %b;", "mad24.lo.s32 %d, %a, %b, %c;", "cnot.b32 %d, %a;",
	"slct.s32.s32 %d, %a, %b, %c;", "sad.u32 %d, %a, %b, %c;", "min.s32 %d, %a, %b;", "max.u32 %d, %a, 1000;",
	"mul.hi.u32 %d, %a, %b;", "mul.hi.s32 %d, %a, 1717986919;", "mad.hi.u32 %d, %a, %b, %c;", "mad.hi.sat.s32 %d, %a, %b, %c;",
	"mad.lo.s32 %d, %a, 100000, %c;",
	"mad.lo.s32 %d, %a, 16, %c;", "sub.s32 %d, 31, %a;", "sub.s32 %d, %a, 305419896;", "add.sat.s32 %d, %a, %b;",
	"sub.sat.s32 %d, %a, 0x80000000;",
	"bfe.u32 %d, %a, 5, 9;", "bfe.s32 %d, %a, 5, 9;", "bfi.b32 %d, %a, %b, 4, 7;", "bfind.u32 %d, %a;", "bfind.shiftamt.s32 %d, %a;",
	"popc.b32 %d, %a;", "prmt.b32 %d, %a, %b, 0x5140;", "prmt.b32.rc8 %d, %a, %b, %c;", "shf.l.wrap.b32 %d, %a, %b, %c;",
	"shf.r.clamp.b32 %d, %a, %b, 11;",
	"setp.lt.s16 %q, %ha, %hb; selp.u32 %d, 1, 0, %q;", "setp.gt.u16 %q, %ha, 4660; selp.u32 %d, 1, 0, %q;",
	"shr.s16 %hd, %ha, 3; cvt.s32.s16 %d, %hd;", "mul.wide.s16 %d, %ha, %hb;", "mul.wide.u16 %d, %ha, %hb;",
	"add.u16 %hd, %ha, %hb; cvt.u32.u16 %d, %hd;", "mad.lo.s16 %hd, %ha, %hb, %hc; cvt.s32.s16 %d, %hd;",
	"max.s16 %hd, %ha, %hb; cvt.s32.s16 %d, %hd;",
	"cvt.s64.s32 %dd, %a;", "cvt.u64.u32 %dd, %a;", "cvt.s32.s8 %d, %a;", "cvt.u32.u8 %d, %a;", "cvt.u16.u32 %hd, %a; cvt.u32.u16 %d, %hd;",
	"add.rn.f32 %f, %x, %y;", "sub.rn.f32 %f, 0f3F800000, %x;", "mul.rn.ftz.f32 %f, %x, 0f40490FDB;", "add.rz.f32 %f, %x, 0f3DCCCCCD;",
	"fma.rn.f32 %f, %x, %y, %z;", "fma.rn.f32 %f, %x, 0f3FB8AA3B, %z;", "fma.rp.ftz.f32 %f, %x, %y, 0fBF000000;",
	"neg.f32 %t, %y; fma.rn.f32 %f, %x, %t, %z;", "neg.f32 %f, %x;", "abs.f32 %f, %x;", "neg.ftz.f32 %f, %x;", "abs.ftz.f32 %f, %x;",
	"min.f32 %f, %x, %y;", "max.ftz.f32 %f, %x, 0f00000000;", "setp.ltu.f32 %q, %x, %y; selp.f32 %f, 0f3F800000, %z, %q;",
	"setp.gt.and.ftz.f32 %q, %x, 0f3F000000, !%p; selp.u32 %d, 1, 0, %q;", "set.ge.f32.f32 %f, %x, %y;", "copysign.f32 %f, %x, %y;",
	"div.rn.f32 %f, %x, %y;", "div.rn.ftz.f32 %f, %x, %y;", "rcp.rn.f32 %f, %x;", "rcp.rn.ftz.f32 %f, %x;", "sqrt.rn.f32 %f, %x;",
	"sqrt.rn.ftz.f32 %f, %x;", "@%p div.rn.f32 %f, %x, %y;",
	"rcp.approx.ftz.f32 %f, %x;", "div.approx.ftz.f32 %f, %x, %y;", "rsqrt.approx.ftz.f32 %f, %x;",
	"ex2.approx.ftz.f32 %f, %x;", "lg2.approx.ftz.f32 %f, %x;", "sin.approx.f32 %f, %x;", "cos.approx.ftz.f32 %f, %x;",
	"cvt.rzi.s32.f32 %d, %x;", "cvt.rni.u32.f32 %d, %x;", "cvt.rmi.f32.f32 %f, %x;", "cvt.rn.f32.s32 %f, %a;", "cvt.rn.f32.u64 %f, %aa;",
	"cvt.f64.f32 %g, %x;", "neg.f32 %t, %x; cvt.f64.f32 %g, %t;", "abs.f32 %t, %x; cvt.f64.f32 %g, %t;",
	"cvt.rn.f32.f64 %f, %u;", "cvt.rzi.s64.f64 %dd, %u;", "cvt.rn.f64.s64 %g, %aa;",
	"cvt.rzi.u16.f32 %hd, %x; cvt.u32.u16 %d, %hd;",
	"add.rn.f64 %g, %u, %v;", "sub.rn.f64 %g, %u, %v;", "mul.rn.f64 %g, %u, 0d3FE0000000000000;", "fma.rn.f64 %g, %u, %v, %w;",
	"mul.rn.f64 %g, %u, 0d400921FB54442D18;", "neg.f64 %g, %u;", "abs.f64 %g, %u;", "min.f64 %g, %u, %v;",
	"setp.lt.f64 %q, %u, %v; selp.f64 %g, %u, %v, %q;", "copysign.f64 %g, %u, %v;",
	"and.pred %q, %p, %p; not.pred %q, %q; selp.u32 %d, 1, 0, %q;", "setp.lt.s32 %q, %a, %b; xor.pred %q, %q, %p; selp.u32 %d, 1, 0, %q;",
	"vote.ballot.b32 %d, %p;", "vote.all.pred %q, %p; selp.u32 %d, 1, 0, %q;",
	"shfl.bfly.b32 %d, %a, 5, 31;", "shfl.up.b32 %d|%q, %a, 3, 0;",
	"mov.u32 %d, %laneid;", "mov.u32 %d, %ntid.x;", "mov.b32 %d, {%ha, %hb};", "mov.b64 {%d, %a}, %aa; xor.b32 %d, %d, %a;",
}

// module returns PTX with a kernel for each row.
func module(rows []string) string {
	var b strings.Builder
	b.WriteString(".version 4.3\n.target sm_35\n.address_size 64\n")
	for n, row := range rows {
		fmt.Fprintf(&b, `.visible .entry k%d(.param .u64 in, .param .u64 out) {
.reg .b16 %%ha, %%hb, %%hc, %%hd; .reg .b32 %%a, %%b, %%c, %%d, %%i; .reg .b64 %%aa, %%bb, %%cc, %%dd, %%in, %%out, %%o;
.reg .f32 %%x, %%y, %%z, %%f, %%t; .reg .f64 %%u, %%v, %%w, %%g; .reg .pred %%p, %%q;
ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%i, %%tid.x;
mul.wide.u32 %%o, %%i, 64; add.s64 %%in, %%in, %%o; add.s64 %%out, %%out, %%o;
ld.global.u32 %%a, [%%in]; ld.global.u32 %%b, [%%in+4]; ld.global.u32 %%c, [%%in+8];
ld.global.u64 %%aa, [%%in+16]; ld.global.u64 %%bb, [%%in+24]; ld.global.u64 %%cc, [%%in+32];
ld.global.f32 %%x, [%%in]; ld.global.f32 %%y, [%%in+4]; ld.global.f32 %%z, [%%in+8];
ld.global.f64 %%u, [%%in+16]; ld.global.f64 %%v, [%%in+24]; ld.global.f64 %%w, [%%in+32];
ld.global.u16 %%ha, [%%in]; ld.global.u16 %%hb, [%%in+4]; ld.global.u16 %%hc, [%%in+8];
and.b32 %%d, %%c, 1; setp.ne.u32 %%p, %%d, 0; mov.b32 %%d, 7; mov.b64 %%dd, 9; mov.f32 %%f, 0f3F800000; mov.f64 %%g, 0d3FF0000000000000;
%s
st.global.u32 [%%out], %%d; st.global.u64 [%%out+8], %%dd; st.global.f32 [%%out+4], %%f; st.global.f64 [%%out+16], %%g;
ret; }
`, n, row)
	}
	return b.String()
}

const threads, bytesEach = 256, 64

// numbersOf are inputs of the threads: numbers of every kind.
func numbersOf(r *rand.Rand) []byte {
	special := []uint32{0, 1, 31, 32, 33, 63, 64, 0x80000000, 0x7fffffff, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
		0x00800000, 0x007fffff, 0x7f7fffff, 0x00000005, math.Float32bits(1e-3), math.Float32bits(-123.75), math.Float32bits(3.2e38)}
	in := make([]byte, threads*bytesEach)
	for at := 0; at < len(in); at += 4 {
		v := r.Uint32()
		switch r.IntN(6) {
		case 0:
			v = special[r.IntN(len(special))]
		case 1:
			v = math.Float32bits(float32(r.NormFloat64()))
		case 2:
			v = v&0x807fffff | uint32(r.IntN(60))<<23 | uint32(r.IntN(4))<<29
		case 3:
			v %= 1000
		}
		binary.LittleEndian.PutUint32(in[at:], v)
		if at%64 == 20 || at%64 == 28 { // doubles of usual size
			if r.IntN(2) == 0 {
				binary.LittleEndian.PutUint64(in[at-4:], math.Float64bits(r.NormFloat64()*math.Exp2(float64(r.IntN(80)-40))))
			}
		}
	}
	return in
}

// outputs runs each kernel of a module on the same inputs.
func outputs(t *testing.T, chip, name string, text, in []byte, kernels int, o sim.Options) [][]byte {
	t.Helper()
	config, err := configs.Load(chip, nil)
	require.NoError(t, err)
	gpu, err := sim.New(config, o)
	require.NoError(t, err)
	module, err := gpu.Load(name, text)
	require.NoError(t, err)
	from, err := gpu.Upload("in", in)
	require.NoError(t, err)
	list := make([][]byte, kernels)
	for n := range list {
		to, err := gpu.Allocate(fmt.Sprint("out", n), uint64(len(in)))
		require.NoError(t, err)
		parameters := binary.LittleEndian.AppendUint64(nil, from)
		parameters = binary.LittleEndian.AppendUint64(parameters, to)
		_, err = gpu.Launch(t.Context(), sim.Launch{Module: module, Kernel: fmt.Sprint("k", n), Grid: [3]int{1, 1, 1},
			Block: [3]int{threads, 1, 1}, Parameters: parameters})
		require.NoError(t, err)
		list[n] = make([]byte, len(in))
		require.NoError(t, gpu.Read(to, list[n]))
	}
	return list
}

// funnel are instructions that shift two registers as one, which sm_30 cannot.
var funnel = regexp.MustCompile(`shf\.`)

// The machine code of an instruction computes the same as the instruction, on numbers of every kind.
func TestMachineCodeComputesTheSame(t *testing.T) {
	t.Run("sm_35", func(t *testing.T) { computesTheSame(t, "gk110", computed) })
	t.Run("sm_30", func(t *testing.T) {
		computesTheSame(t, "gk104", slices.DeleteFunc(slices.Clone(computed), func(row string) bool { return funnel.MatchString(row) }))
	})
}

func computesTheSame(t *testing.T, chip string, computed []string) {
	t.Helper()
	text := []byte(module(computed))
	config, err := configs.Load(chip, nil)
	require.NoError(t, err)
	program, _, err := code.Link([]code.Source{{Name: "k.ptx", Text: text}}, decode.Options{ComputeCapability: config.ComputeCapability})
	require.NoError(t, err)
	made, _, err := code.Cubin(t.Context(), program, config, 0)
	require.NoError(t, err)
	in := numbersOf(rand.New(rand.NewPCG(5, 6)))
	want := outputs(t, chip, "k.ptx", text, in, len(computed), sim.Options{})
	got := outputs(t, chip, "k.cubin", made, in, len(computed), sim.Options{})
	for n, row := range computed {
		for at := 0; at < len(in); at += 8 {
			// The sign of a negated NaN is unknown.
			if bits := binary.LittleEndian.Uint64(in[at/64*64+16:]); strings.Contains(row, ".f64 %g, %u;") && at%64 == 16 &&
				math.IsNaN(math.Float64frombits(bits)) {
				want[n][at+7] = got[n][at+7]
			}
			if !assert.Equal(t, fmt.Sprintf("%x", want[n][at:at+8]), fmt.Sprintf("%x", got[n][at:at+8]),
				"%s: thread %d, byte %d, of %x", row, at/64, at%64, in[at/64*64:at/64*64+40]) {
				break
			}
		}
	}
}

// A branch by a table of literals goes to the targets of brx.idx, lane by lane.
func TestBranchByATableInMachineCode(t *testing.T) {
	var words []byte
	for n, text := range []string{
		"S2R R0, SR_TID.X", "LOP.AND R2, R0, 0x7", "IMNMX.U32 R2, R2, 0x3, PT", "SHL R2, R2, 0x2", "LDC R2, c[0x2][R2+0x4]", "BRX R2 -0x30",
		"MOV32I R3, 0xa", "BRA 0x58", "MOV32I R3, 0xb", "BRA 0x58", "MOV32I R3, 0xc",
		"SHL R6, R0, 0x2", "IADD R4.CC, R6, c[0x0][0x148]", "IADD.X R5, RZ, c[0x0][0x14c]", "ST.E [R4], R3", "EXIT",
	} {
		word, err := sass.SM35.Encode(text, uint64(n*sass.WordBytes))
		require.NoError(t, err)
		words = binary.LittleEndian.AppendUint64(words, word)
	}
	var literals []byte
	for _, v := range []uint32{math.Float32bits(1), 0x30, 0x40, 0x50, 0x40, 0x58} { // an index never reaches the last
		literals = binary.LittleEndian.AppendUint32(literals, v)
	}
	parameters := []cubin.Parameter{{Offset: 0, Bytes: 8}, {Offset: 8, Bytes: 8}}
	made := cubin.Write(&cubin.Module{Architecture: 35, Functions: []*cubin.Function{{Name: "k0", Kernel: true, Code: words, Registers: 8,
		Literals: literals, Base: isa.ParameterBase, Bytes: 16, Parameters: parameters}}})
	text := `.version 6.0
.target sm_35
.address_size 64
.visible .entry k0(.param .u64 in, .param .u64 out) {
.reg .b32 %i, %c, %d; .reg .b64 %out, %o;
ld.param.u64 %out, [out]; mov.u32 %i, %tid.x; mul.wide.u32 %o, %i, 4; add.s64 %out, %out, %o;
and.b32 %c, %i, 7; min.u32 %c, %c, 3;
brx.idx %c, CASES;
CASES: .branchtargets A, B, C, B;
A: mov.u32 %d, 10; bra END;
B: mov.u32 %d, 11; bra END;
C: mov.u32 %d, 12;
END: st.global.u32 [%out], %d;
ret; }
`
	in := make([]byte, threads*bytesEach)
	for _, o := range []sim.Options{{}, {Functional: true}} {
		want := outputs(t, "gk110", "k.ptx", []byte(text), in, 1, o)
		assert.Equal(t, []byte{10, 0, 0, 0, 11, 0, 0, 0, 12, 0, 0, 0, 11}, want[0][:13])
		assert.Equal(t, want, outputs(t, "gk110", "k.cubin", made, in, 1, o))
	}
}
