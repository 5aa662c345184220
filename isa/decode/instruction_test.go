package decode

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
)

// decoded gives the instructions of kernelOf(statements) as text, without the exit at the end.
func decoded(t *testing.T, statements string) []string {
	t.Helper()
	p, err := decodeText(t, kernelOf(statements), Options{})
	require.NoError(t, err, statements)
	f := p.Function("kernel")
	var out []string
	for _, b := range f.Blocks {
		for _, i := range b.Instructions {
			out = append(out, i.Format(f))
		}
	}
	require.Equal(t, "exit", out[len(out)-1])
	return out[:len(out)-1]
}

// TestInstructions: PTX on the left, the decoded instruction on the right. Each operand shows the type that it is read or written in.
func TestInstructions(t *testing.T) {
	for statement, want := range map[string]string{
		// Immediates take the bits of the operand's type.
		"add.s32 %r1, %r2, -1;":              "add.s32 %r1:s32, %r2:s32, 0xffffffff:s32",
		"add.s64 %d1, %d2, -1;":              "add.s64 %d1:s64, %d2:s64, 0xffffffffffffffff:s64",
		"mov.u64 %d1, 9007199254740993;":     "mov.u64 %d1:u64, 0x20000000000001:u64",
		"mov.u64 %d1, 18446744073709551615;": "mov.u64 %d1:u64, 0xffffffffffffffff:u64",
		"and.b16 %h1, %h2, -256;":            "and.b16 %h1:b16, %h2:b16, 0xff00:b16",
		"add.f32 %r1, %r2, 0f3F800000;":      "add.rn.f32 %r1:f32, %r2:f32, 0x3f800000:f32",
		"add.f32 %r1, %r2, 0.1;":             "add.rn.f32 %r1:f32, %r2:f32, 0x3dcccccd:f32",
		"add.f64 %d1, %d2, 0.1;":             "add.rn.f64 %d1:f64, %d2:f64, 0x3fb999999999999a:f64",
		"mov.f32 %r1, 0fFFA00001;":           "mov.f32 %r1:f32, 0xffa00001:f32",
		"mov.f64 %d1, -0d3FF0000000000000;":  "mov.f64 %d1:f64, 0xbff0000000000000:f64",
		"mov.b32 %r1, 0f3F800000;":           "mov.b32 %r1:b32, 0x3f800000:b32",
		"mov.u32 %r1, WARP_SZ;":              "mov.u32 %r1:u32, 0x20:u32",
		"mov.u32 %r1, (1<<4)|3;":             "mov.u32 %r1:u32, 0x13:u32",
		"add.u32 %r1, %r2, WARP_SZ-1;":       "add.u32 %r1:u32, %r2:u32, 0x1f:u32",
		"setp.gt.f32 %p1, %r1, 0f7F800000;":  "setp.gt.f32 %p1, %r1:f32, 0x7f800000:f32",
		"mov.pred %p1, 1;":                   "setp.eq.u32 v40, 0x0:u32, 0x0:u32\nmov.pred %p1, v40",
		// Special registers.
		"mov.u32 %r1, %tid.x;":       "mov.u32 %r1:u32, %tid.x:u32",
		"add.u32 %r1, %r2, %ntid.y;": "mov.u32 v40:u32, %ntid.y:u32\nadd.u32 %r1:u32, %r2:u32, v40:u32",
		"cvt.u32.u16 %r1, %tid.x;":   "mov.u32 v40:u32, %tid.x:u32\ncvt.u32.u16 %r1:u32, v40:u32",
		"mov.u16 %h1, %ctaid.x;":     "mov.u32 v40:u32, %ctaid.x:u32\ncvt.u16.u32 v41:u16, v40:u32\nmov.u16 %h1:u16, v41:u16",
		"mov.u64 %d1, %clock64;":     "mov.u64 %d1:u64, %clock64:u64",
		"cvt.u64.u32 %d1, %laneid;":  "cvt.u64.u32 %d1:u64, %laneid:u32",
		// Registers wider than the type.
		"ld.global.s8 %r1, [%d1];": "ld.global.s8 %r1:s32, [%d1:u64]",
		"ld.global.u8 %d2, [%d1];": "ld.global.u8 %d2:u64, [%d1:u64]",
		"st.global.u8 [%d1], %r1;": "st.global.u8 [%d1:u64], %r1:u32",
		"cvt.u8.u32 %r1, %r2;":     "cvt.u8.u32 %r1:u32, %r2:u32",
		"cvt.s64.s8 %d1, %r2;":     "cvt.s64.s8 %d1:s64, %r2:s32",
		"cvt.f32.f16 %r1, %h1;":    "cvt.f32.f16 %r1:f32, %h1:f16",
		// Arithmetic.
		"add.ftz.sat.f32 %r1, %r2, %r3;":     "add.rn.ftz.sat.f32 %r1:f32, %r2:f32, %r3:f32",
		"add.s32.sat %r1, %r2, %r3;":         "add.sat.s32 %r1:s32, %r2:s32, %r3:s32",
		"mad.rn.f32 %r1, %r2, %r3, %r4;":     "fma.rn.f32 %r1:f32, %r2:f32, %r3:f32, %r4:f32",
		"mad.f64 %d1, %d2, %d3, %d4;":        "fma.rn.f64 %d1:f64, %d2:f64, %d3:f64, %d4:f64",
		"mad.wide.s16 %r1, %h2, %h3, %r4;":   "mad.wide.s16 %r1:s32, %h2:s16, %h3:s16, %r4:s32",
		"mul.wide.u32 %d1, %r2, 4;":          "mul.wide.u32 %d1:u64, %r2:u32, 0x4:u32",
		"madc.hi.cc.u32 %r1, %r2, %r3, %r4;": "madc.hi.cc.u32 %r1:u32, %r2:u32, %r3:u32, %r4:u32",
		"shl.b64 %d1, %d2, 3;":               "shl.b64 %d1:b64, %d2:b64, 0x3:u32",
		"bfi.b64 %d1, %d2, %d3, %r4, %r5;":   "bfi.b64 %d1:b64, %d2:b64, %d3:b64, %r4:u32, %r5:u32",
		"popc.b64 %r1, %d1;":                 "popc.b64 %r1:u32, %d1:b64",
		"prmt.b32.f4e %r1, %r2, %r3, %r4;":   "prmt.f4e.b32 %r1:b32, %r2:b32, %r3:b32, %r4:b32",
		"shf.l.wrap.b32 %r1, %r2, %r3, %r4;": "shf.l.wrap.b32 %r1:b32, %r2:b32, %r3:b32, %r4:u32",
		"lop3.b32 %r1, %r2, %r3, %r4, 0xE8;": "lop3.b32 %r1:b32, %r2:b32, %r3:b32, %r4:b32, 0xe8:u32",
		"dp4a.u32.s32 %r1, %r2, %r3, %r4;":   "dp4a.u32.s32 %r1:s32, %r2:b32, %r3:b32, %r4:s32",
		"cos.approx.f32.ftz %r1, %r2;":       "cos.approx.ftz.f32 %r1:f32, %r2:f32",
		// Comparisons and selections.
		"setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;": "setp.lt.and.u32 %p1, %p2, %r1:u32, %r2:u32, !%p3",
		"setp.gt.and.ftz.f32 %p1, %r1, %r2, %p3;":  "setp.gt.and.ftz.f32 %p1, %r1:f32, %r2:f32, %p3",
		"setp.eq.s32 %p1|_, %r1, 0;":               "setp.eq.s32 %p1, _, %r1:s32, 0x0:s32",
		"set.geu.u32.f64 %r1, %d1, %d2;":           "set.geu.u32.f64 %r1:u32, %d1:f64, %d2:f64",
		"selp.f32 %r1, %r2, 0f00000000, !%p1;":     "selp.f32 %r1:f32, %r2:f32, 0x0:f32, !%p1",
		"slct.f64.f32 %d1, %d2, %d3, %r1;":         "slct.f64.f32 %d1:f64, %d2:f64, %d3:f64, %r1:f32",
		"testp.subnormal.f32 %p1, %r1;":            "testp.subnormal.f32 %p1, %r1:f32",
		"xor.pred %p1, %p2, %p3;":                  "xor.pred %p1, %p2, %p3",
		// Moves.
		"mov.b64 {%r1, %r2}, %d1;":         "mov.b64 %r1:b32, %r2:b32, %d1:b64",
		"mov.b64 %d1, {%r1, 7};":           "mov.b64 %d1:b64, %r1:b32, 0x7:b32",
		"mov.b32 {%h1, _}, %r1;":           "mov.b32 %h1:b16, _, %r1:b32",
		"mov.v2.u32 {%r1,%r2}, {%r3,%r4};": "mov.u32 %r1:u32, %r3:u32\nmov.u32 %r2:u32, %r4:u32",
		"mov.v2.u32 {%r1,%r2}, {%r2,%r1};": "mov.u32 v40:u32, %r1:u32\nmov.u32 %r1:u32, %r2:u32\nmov.u32 %r2:u32, v40:u32",
		"mov.u64 %d1, input;":              "mov.u64 %d1:u64, 0x0:u64",
		"mov.u64 %d1, input+8;":            "mov.u64 %d1:u64, 0x8:u64",
		// Memory.
		"ld.param.u64 %d1, [input+8];":                  "ld.param.u64 %d1:u64, [+8]",
		"ld.param.v4.b32 {%r1,%r2,_,%r4}, [input+16];":  "ld.param.v4.b32 %r1:b32, %r2:b32, _, %r4:b32, [+16]",
		"ld.global.nc.f32 %r1, [%d1+-8];":               "ld.global.nc.f32 %r1:f32, [%d1:u64-8]",
		"ld.volatile.shared.u32 %r1, [%r2-4];":          "ld.volatile.shared.u32 %r1:u32, [%r2:u32-4]",
		"ld.u32 %r1, [%d1];":                            "ld.generic.u32 %r1:u32, [%d1:u64]",
		"ldu.global.v2.f32 {%r1,%r2}, [%d1];":           "ld.u.global.v2.f32 %r1:f32, %r2:f32, [%d1:u64]",
		"ld.acquire.gpu.u32 %r1, [%d1];":                "ld.acquire.gpu.generic.u32 %r1:u32, [%d1:u64]",
		"ld.global.u32 %r1, [4096];":                    "ld.global.u32 %r1:u32, [0x1000:u64]",
		"st.global.v4.f32 [%d1+16], {%r1,%r2,%r3,%r4};": "st.global.v4.f32 [%d1:u64+16], %r1:f32, %r2:f32, %r3:f32, %r4:f32",
		"atom.global.add.u32 %r1, [%d1], 1;":            "atom.global.add.u32 %r1:u32, [%d1:u64], 0x1:u32",
		"atom.shared.cas.b64 %d1, [%r1], %d2, %d3;":     "atom.shared.cas.b64 %d1:b64, [%r1:u32], %d2:b64, %d3:b64",
		"red.global.add.f32 [%d1], %r1;":                "red.global.add.f32 [%d1:u64], %r1:f32",
		"membar.gl;":                                    "membar.sc.gpu",
		"fence.acq_rel.sys;":                            "fence.acq_rel.sys",
		"cvta.to.shared.u64 %d1, %d2;":                  "cvta.to.shared.u64 %d1:u64, %d2:u64",
		"isspacep.local %p1, %d1;":                      "isspacep.local %p1, %d1:u64",
		"prefetch.global.L2 [%d1];":                     "prefetch.global.cg [%d1:u64]",
		// Warp and block.
		"shfl.down.b32 %r1|%p1, %r2, 1, 31;":    "shfl.down.b32 %r1:b32, %p1, %r2:b32, 0x1:u32, 0x1f:u32",
		"shfl.sync.up.b32 %r1, %r2, 1, 0, -1;":  "shfl.up.b32 %r1:b32, %r2:b32, 0x1:u32, 0x0:u32, 0xffffffff:b32",
		"vote.ballot.b32 %r1, !%p1;":            "vote.ballot.b32 %r1:b32, !%p1",
		"vote.sync.all.pred %p1, %p2, %r1;":     "vote.all.pred %p1, %p2, %r1:b32",
		"match.all.sync.b64 %r1|%p1, %d1, %r2;": "match.all.b64 %r1:b32, %p1, %d1:b64, %r2:b32",
		"redux.sync.max.s32 %r1, %r2, -1;":      "redux.max.s32 %r1:s32, %r2:s32, 0xffffffff:b32",
		"activemask.b32 %r1;":                   "activemask.b32 %r1:b32",
		"bar.sync 0;":                           "bar.sync 0x0:u32",
		"barrier.sync.aligned 1, 64;":           "bar.sync 0x1:u32, 0x40:u32",
		"bar.arrive %r1, %r2;":                  "bar.arrive %r1:u32, %r2:u32",
		"bar.red.popc.u32 %r1, 0, !%p1;":        "bar.red.popc.u32 %r1:u32, 0x0:u32, !%p1",
		"bar.red.and.pred %p1, 1, 32, %p2;":     "bar.red.and.pred %p1, 0x1:u32, 0x20:u32, %p2",
		"bar.warp.sync 0xffffffff;":             "bar.warp 0xffffffff:b32",
		"pmevent 3;":                            "pmevent 0x8:u32",
		"@!%p1 add.s32 %r1, %r2, %r3;":          "@!%p1 add.s32 %r1:s32, %r2:s32, %r3:s32",
		// Video.
		"vadd.s32.u32.s32.sat %r1, %r2.b1, %r3.h0;":            "vadd.sat.s32.u32.s32 %r1:u32, %r2.b1:u32, %r3.h0:u32",
		"vsub.u32.u32.u32.max %r1, %r2, %r3.b3, %r4;":          "vsub.max.u32.u32.u32 %r1:u32, %r2:u32, %r3.b3:u32, %r4:b32",
		"vadd.u32.u32.u32 %r1.b1, %r2.b2, %r3, %r4;":           "vadd.u32.u32.u32 %r1.b1:u32, %r2.b2:u32, %r3:u32, %r4:b32",
		"vmad.s32.s32.s32.sat.shr7 %r1, %r2.h1, -%r3.b0, %r4;": "vmad.sat.shr7.s32.s32.s32 %r1:u32, %r2.h1:u32, -%r3.b0:u32, %r4:u32",
		"vset.u32.s32.lt %r1, %r2, %r3;":                       "vset.lt.u32.s32 %r1:u32, %r2:u32, %r3:u32",
		"vadd2.s32.u32.s32.add %r1, %r2, %r3.h01, %r4;":        "vadd2.add.s32.u32.s32 %r1:u32, %r2.10:u32, %r3.1:u32, %r4:b32",
		"vabsdiff4.u32.u32.u32 %r1.b20, %r2.b7610, %r3, %r4;":  "vabsdiff4.u32.u32.u32 %r1:u32, %r2.7610:u32, %r3.7654:u32, %r4:b32",
		// Textures.
		"tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [texture, {%r5, %r6}];": "tex.tex.2d.v4.f32.f32 %r1:f32, %r2:f32, %r3:f32, " +
			"%r4:f32, [symbol 0+0x0:u64, %r5:f32, %r6:f32]",
		"tex.level.a1d.v4.u32.f32 {%r1,%r2,%r3,%r4}, [%d1, %d2, {%r5, %r6}], %r7;": "tex.tex.level.a1d.v4.u32.f32 %r1:u32, %r2:u32, " +
			"%r3:u32, %r4:u32, [%d1:b64, %d2:b64, %r5:u32, %r6:f32, level %r7:f32]",
		"sust.b.1d.v2.b16.zero [surface, {%r1}], {%h1,%h2};": "sust.surf.1d.zero.v2.b16 [symbol 2+0x0:u64, %r1:b32], %h1:b16, %h2:b16",
		"txq.width.b32 %r1, [texture];":                      "txq.tex.width.b32 %r1:b32, [symbol 0+0x0:u64]",
	} {
		assert.Equal(t, want, strings.Join(decoded(t, statement), "\n"), statement)
	}
}

// TestMaskOfVideo: the write mask of a SIMD video instruction.
func TestMaskOfVideo(t *testing.T) {
	p, err := decodeText(t, kernelOf("vadd4.u32.u32.u32 %r1.b20, %r2, %r3, %r4; vadd2.u32.u32.u32 %r1, %r2, %r3, %r4;"), Options{})
	require.NoError(t, err)
	instructions := p.Function("kernel").Blocks[0].Instructions
	assert.Equal(t, uint8(0b0101), instructions[0].Mod.SelectMask)
	assert.Equal(t, uint8(0), instructions[1].Mod.SelectMask)
	assert.Equal(t, [3]isa.Type{isa.U32, isa.U32, isa.U32}, instructions[0].Mod.SIMDTypes)
}

// TestOldDefaults: code for sm_1x flushes subnormals, and approximate forms before PTX 1.4 need no .approx.
func TestOldDefaults(t *testing.T) {
	for statement, want := range map[string]string{
		"add.f32 %r1, %r2, %r3;":      "add.rn.ftz.f32 %r1:f32, %r2:f32, %r3:f32",
		"mad.f32 %r1, %r2, %r3, %r4;": "fma.rn.ftz.f32 %r1:f32, %r2:f32, %r3:f32, %r4:f32",
		"div.f32 %r1, %r2, %r3;":      "div.approx.ftz.f32 %r1:f32, %r2:f32, %r3:f32",
		"sin.f32 %r1, %r2;":           "sin.approx.ftz.f32 %r1:f32, %r2:f32",
		"sqrt.f64 %d1, %d2;":          "sqrt.rn.f64 %d1:f64, %d2:f64",
		"mov.f32 %r1, %r2;":           "mov.f32 %r1:f32, %r2:f32",
		"setp.lt.f32 %p1, %r1, %r2;":  "setp.lt.ftz.f32 %p1, %r1:f32, %r2:f32",
		"add.s32 %r1, %r2, %r3;":      "add.s32 %r1:s32, %r2:s32, %r3:s32",
	} {
		p, err := decodeText(t, legacyKernelOf(statement), Options{})
		require.NoError(t, err, statement)
		f := p.Function("kernel")
		assert.Equal(t, want, f.Blocks[0].Instructions[0].Format(f), statement)
	}
}
