package decode

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
)

// TestCalls checks kernels after their calls are inlined.
func TestCalls(t *testing.T) {
	for _, test := range []struct{ name, functions, body, want string }{
		{"a structure by value, two returns, a guard",
			`.func (.param .b32 r) f(.param .align 8 .b8 s[16]) {
  .reg .b32 %r<4>; .reg .b64 %d; .reg .pred %p;
  ld.param.b64 %d, [s+8];
  ld.param.s8 %r1, [s];
  setp.eq.s32 %p, %r1, 0;
  @%p bra ZERO;
  cvt.u32.u64 %r2, %d;
  st.param.b32 [r], %r2;
  ret;
ZERO: st.param.b32 [r], 7;
  ret;
}`,
			`{ .param .align 8 .b8 a[16]; .param .b32 q;
st.param.b8 [a], %r1; st.param.b64 [a+8], %d1;
@%p1 call.uni (q), f, (a);
ld.param.b32 %r2, [q]; }`,
			`B0: -> [4 1] joins B4
    cvt.u8.u8 a+0:b32, %r1:b32
    mov.b64 a+8:b64, %d1:b64
    @!%p1 bra B4
B1: -> [3 2] joins B4
    mov.b64 %d:b64, a+8:b64
    cvt.s8.s8 %r1:s32, a+0:b32
    setp.eq.s32 %p, %r1:s32, 0x0:s32
    @%p bra B3
B2: -> [4] joins B4
    cvt.u32.u64 %r2:u32, %d:u64
    mov.b32 q+0:b32, %r2:b32
    bra B4
B3 ZERO: -> [4] joins B4
    mov.b32 q+0:b32, 0x7:b32
B4: -> []
    mov.b32 %r2:b32, q+0:b32
    exit
`},
		{"parameters in registers, as PTX 1.x passes them",
			`.func (.reg .u32 sum) add2(.reg .u32 a, .reg .u32 b) { add.u32 sum, a, b; ret; }`,
			`call (%r1), add2, (%r2, 4);`,
			`B0: -> []
    mov.u32 a:u32, %r2:u32
    mov.u32 b:u32, 0x4:u32
    add.u32 sum:u32, a:u32, b:u32
    mov.u32 %r1:u32, sum:u32
    exit
`},
		{"an array whose address is taken lies in the frame",
			`.func f(.param .align 8 .b8 s[16]) { .reg .b64 %d<3>; .reg .b32 %x; mov.b64 %d1, s; ` +
				`add.s64 %d2, %d1, %d1; ld.param.b32 %x, [%d2]; ret; }`,
			`.local .align 4 .b8 own[4]; st.local.u32 [own], 1;
{ .param .align 8 .b8 a[16]; st.param.b64 [a+8], %d1; call f, (a); }`,
			`B0: -> []
    st.local.u32 [0x0:u64], 0x1:u32
    st.local.b64 [0x8:u64+8], %d1:b64
    mov.b64 %d1:b64, 0x8:b64
    add.s64 %d2:s64, %d1:s64, %d1:s64
    ld.local.b32 %x:b32, [%d2:u64]
    exit
`},
		{"a system call keeps its arguments in registers",
			`.extern .func (.param .b32 r) vprintf (.param .b64 format, .param .b64 arguments);`,
			`{ .param .b64 a; .param .b64 b; .param .b32 q; st.param.b64 [a], %d1; st.param.b64 [b], %d2; ` +
				`call.uni (q), vprintf, (a, b); ld.param.b32 %r1, [q]; }`,
			`B0: -> []
    mov.b64 a+0:b64, %d1:b64
    mov.b64 b+0:b64, %d2:b64
    call.uni q+0:b32, a+0:b64, b+0:b64, function 0
    mov.b32 %r1:b32, q+0:b32
    exit
`},
		{"recursion stays a call",
			`.func f(.param .b32 n) { .reg .b32 %n; ld.param.b32 %n, [n]; { .param .b32 m; st.param.b32 [m], %n; call f, (m); } ret; }`,
			`{ .param .b32 a; st.param.b32 [a], 3; call f, (a); }`,
			`B0: -> []
    mov.b32 a+0:b32, 0x3:b32
    call a+0:b32, function 0
    exit
`},
		{"an indirect call",
			`.func (.param .b32 r) f(.param .b32 x) { ret; }`,
			`P: .callprototype (.param .b32 _) _ (.param .b32 _);
mov.u64 %d1, f;
{ .param .b32 a; .param .b32 q; st.param.b32 [a], 3; call (q), %d1, (a), P; ld.param.b32 %r1, [q]; }`,
			`B0: -> []
    mov.u64 %d1:u64, function 0:u64
    mov.b32 a+0:b32, 0x3:b32
    call q+0:b32, %d1:u64, a+0:b32, function -1
    mov.b32 %r1:b32, q+0:b32
    exit
`},
	} {
		p, err := link(t, test.functions+"\n.entry k { .reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<4>;\n"+test.body+"\nexit; }")
		require.NoError(t, err, test.name)
		assert.Equal(t, test.want, p.Function("k").Listing(), test.name)
	}
}

// TestRepeatedInlining: each inlined call has its own registers and labels.
func TestRepeatedInlining(t *testing.T) {
	p, err := link(t, `
.func leaf(.reg .u32 a) { .reg .pred %p; setp.eq.u32 %p, a, 0; @%p bra END; trap; END: ret; }
.func middle(.reg .u32 a) { call leaf, (a); call leaf, (1); ret; }
.entry k { call middle, (2); call middle, (3); exit; }`)
	require.NoError(t, err)
	k := p.Function("k")
	traps, predicates := 0, map[isa.Register]bool{}
	for _, b := range k.Blocks {
		for _, i := range b.Instructions {
			if i.Op == isa.OpTrap {
				traps++
			}
			if i.Op == isa.OpSetp {
				predicates[i.Dst[0].Register] = true
			}
		}
	}
	assert.Equal(t, 4, traps)
	assert.Len(t, predicates, 4)
	wellFormed(t, p)
}

// TestInliningEnds: functions that each call the next one twice would double without end. Past a limit, calls stay calls.
func TestInliningEnds(t *testing.T) {
	text := ".func f0(.reg .u32 a) { membar.gl; ret; }\n"
	for n := 1; n <= 40; n++ {
		callee := "f" + itoa(n-1)
		text += ".func f" + itoa(n) + "(.reg .u32 a) { call " + callee + ", (a); call " + callee + ", (a); ret; }\n"
	}
	p, err := link(t, text+".entry k { call f40, (1); exit; }")
	require.NoError(t, err)
	calls := 0
	for _, f := range p.Functions {
		for _, b := range f.Blocks {
			require.LessOrEqual(t, len(b.Instructions), inlinedItems)
			for _, i := range b.Instructions {
				if i.Op == isa.OpCall {
					calls++
				}
			}
		}
	}
	assert.Positive(t, calls)
}

// TestParameters: layout by natural or written alignment, and pointers found by their use.
func TestParameters(t *testing.T) {
	p, err := link(t, `.entry k(.param .u8 a, .param .u64 in, .param .u64 out, .param .u64 count, .param .align 16 .b8 s[24], .param .u64 .ptr .global .align 4 marked, .param .f32 f) {
  .reg .b64 %d<9>; .reg .b32 %r<9>; .reg .pred %p;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u64 %d3, [count];
  cvta.to.global.u64 %d4, %d1;
  mul.wide.u32 %d5, %r1, 4;
  add.s64 %d6, %d4, %d5;
  ld.global.f32 %r2, [%d6];
  mad.lo.s64 %d7, %d3, %d5, %d2;
  st.global.v2.u16 [%d7+8], {%r2, %r2};
  setp.lt.u64 %p, %d5, %d3;
  exit;
}`)
	require.NoError(t, err)
	k := p.Function("k")
	var offsets []int
	for _, parameter := range k.Parameters {
		offsets = append(offsets, parameter.Offset)
	}
	assert.Equal(t, []int{0, 8, 16, 24, 32, 56, 64}, offsets)
	assert.Equal(t, 68, k.ParameterBytes())
	in, out, count, marked := k.Parameters[1], k.Parameters[2], k.Parameters[3], k.Parameters[5]
	assert.True(t, in.Pointer && !in.Stored)
	assert.Equal(t, isa.F32, in.Pointee)
	assert.True(t, out.Pointer && out.Stored)
	assert.Equal(t, isa.U16, out.Pointee)
	assert.False(t, count.Pointer)
	assert.True(t, marked.Pointer)
	assert.Equal(t, isa.SpaceGlobal, marked.Space)
}

// TestOffsetsAreNoPointers: a byte offset that is added to a pointer is no pointer, whichever of them is converted first.
func TestOffsetsAreNoPointers(t *testing.T) {
	p, err := link(t, `.entry k(.param .u64 offset, .param .u64 base, .param .u64 plain, .param .u64 more) {
  .reg .b64 %d<9>; .reg .b32 %r<9>;
  ld.param.u64 %d1, [offset]; ld.param.u64 %d2, [base]; ld.param.u64 %d5, [plain]; ld.param.u64 %d6, [more];
  cvta.to.global.u64 %d3, %d2;
  add.s64 %d4, %d3, %d1;
  ld.global.u8 %r1, [%d4];
  add.s64 %d7, %d5, %d6;
  st.global.u8 [%d7], %r1;
  exit;
}`)
	require.NoError(t, err)
	var pointers []bool
	for _, parameter := range p.Function("k").Parameters {
		pointers = append(pointers, parameter.Pointer)
	}
	assert.Equal(t, []bool{false, true, true, true}, pointers, "of two that nothing converts either may be the pointer")
}

// TestOldKernel: PTX 1.x declares a kernel's parameters inside it, and has vector registers and no address size.
func TestOldKernel(t *testing.T) {
	p, err := decodeText(t, `.version 1.2
.target sm_10
.entry k {
  .reg .u32 $r<3>; .reg .u16 $h1; .reg .v4 .f32 v; .reg .f32 $f1;
  .param .u32 __cudaparm_in; .param .u16 __cudaparm_n;
  ld.param.u32 $r1, [__cudaparm_in];
  ld.param.u16 $r2, [__cudaparm_n];
  cvt.u32.u16 $r2, %tid.x;
  ld.global.v4.f32 v, [$r1];
  add.f32 $f1, v.x, v.a;
  st.global.f32 [$r1], $f1;
  exit;
}`, Options{})
	require.NoError(t, err)
	k := p.Function("k")
	assert.Equal(t, 4, p.AddressBytes)
	assert.Equal(t, 6, k.ParameterBytes())
	assert.True(t, k.Parameters[0].Pointer)
	assert.Equal(t, `B0: -> []
    ld.param.u32 $r1:u32, [+0]
    ld.param.u16 $r2:u32, [+4]
    mov.u32 v9:u32, %tid.x:u32
    cvt.u32.u16 $r2:u32, v9:u32
    ld.global.v4.f32 v.x:f32, v.y:f32, v.z:f32, v.w:f32, [$r1:u32]
    add.rn.ftz.f32 $f1:f32, v.x:f32, v.w:f32
    st.global.f32 [$r1:u32], $f1:f32
    exit
`, k.Listing())
}

// TestScopes: braces scope registers, labels and variables, and inner names hide outer ones.
func TestScopes(t *testing.T) {
	p, err := link(t, `.entry k { .reg .u32 %r<3>; .reg .pred %p1;
  { .reg .u64 %r1; .reg .pred %p1; mov.u64 %r1, 1; setp.eq.u64 %p1, %r1, 0; @%p1 bra L; mov.u64 %r1, 2; L: }
  { L: mov.u32 %r1, 3; @%p1 bra L; }
  exit; }`)
	require.NoError(t, err)
	assert.Equal(t, `B0: -> [2 1] joins B2
    mov.u64 %r1:u64, 0x1:u64
    setp.eq.u64 %p1, %r1:u64, 0x0:u64
    @%p1 bra B2
B1: -> [2] joins B2
    mov.u64 %r1:u64, 0x2:u64
B2 L: -> [2 3] joins B3
    mov.u32 %r1:u32, 0x3:u32
    @%p1 bra B2
B3: -> []
    exit
`, p.Function("k").Listing())
	wellFormed(t, p)
}

// TestSharedMemory: each kernel has the shared variables that it or a function that it calls names. Dynamic ones come last.
func TestSharedMemory(t *testing.T) {
	p, err := link(t, `
.shared .u32 a; .shared .align 16 .b8 b[20]; .shared .u8 never[1000];
.extern .shared .align 8 .b8 dynamic[]; .extern .shared .u32 also[];
.func f { .reg .u32 %x; ld.shared.u32 %x, [b+4]; ret; }
.entry one { .reg .u32 %x; .shared .u8 own; ld.shared.u32 %x, [a]; call f; st.shared.u8 [own], %x; st.shared.u32 [dynamic+4], %x; st.shared.u32 [also], %x; exit; }
.entry two { .reg .u64 %d; call f; mov.u64 %d, dynamic; exit; }
.entry three { exit; }`)
	require.NoError(t, err)
	one, two, three := p.Function("one"), p.Function("two"), p.Function("three")
	assert.Equal(t, []int{40, 40}, []int{one.SharedBytes, one.DynamicShared})
	assert.Equal(t, []int{24, 24}, []int{two.SharedBytes, two.DynamicShared})
	assert.Equal(t, []int{0, 0}, []int{three.SharedBytes, three.DynamicShared})
	assert.Equal(t, `B0: -> []
    ld.shared.u32 %x:u32, [0x0:u64]
    ld.shared.u32 %x:u32, [0x10:u64+4]
    st.shared.u8 [0x24:u64], %x:u32
    st.shared.u32 [0x28:u64+4], %x:u32
    st.shared.u32 [0x28:u64], %x:u32
    exit
`, one.Listing())
	assert.Equal(t, `B0: -> []
    ld.shared.u32 %x:u32, [0x0:u64+4]
    mov.u64 %d:u64, 0x18:u64
    exit
`, two.Listing())
}

// TestLines: instructions have their PTX line and, by .loc, their source line and the inlined calls around it.
func TestLines(t *testing.T) {
	p, err := link(t, `.file 1 "kernel.cu"
.file 2 "header.h"
.entry k {
  .reg .u32 %r<3>;
  .loc 1 10 5
  mov.u32 %r1, 1;
  .loc 2 3 1, function_name $L__info, inlined_at 1 10 5
  mov.u32 %r2, 2;
  exit;
}`)
	require.NoError(t, err)
	instructions := p.Function("k").Blocks[0].Instructions
	first, second := p.Lines[instructions[0].Line], p.Lines[instructions[1].Line]
	assert.Equal(t, []any{"a.ptx", int32(9), int32(3)}, []any{p.Files[first.PTXFile], first.PTXLine, first.PTXColumn})
	assert.Equal(t, []any{"kernel.cu", int32(10), int32(5)}, []any{p.Files[first.File], first.Line, first.Column})
	assert.Equal(t, []any{"header.h", int32(3)}, []any{p.Files[second.File], second.Line})
	site := p.Lines[second.InlinedAt]
	assert.Equal(t, []any{"kernel.cu", int32(10)}, []any{p.Files[site.File], site.Line})
	assert.Zero(t, first.InlinedAt)
	assert.Equal(t, isa.SourceLine{}, p.Lines[0])
}

// TestLimits: the performance directives of a kernel.
func TestLimits(t *testing.T) {
	p, err := link(t, `.entry k .maxntid 256, 2 .minnctapersm 3 .maxnreg 40 .reqntid 32 { exit; }`)
	require.NoError(t, err)
	assert.Equal(t, isa.Limits{MaxRegisters: 40, MaxThreads: [3]int{256, 2, 1}, RequiredThreads: [3]int{32, 1, 1}, MinBlocksPerSMX: 3},
		p.Function("k").Limits)
}

// TestMembersOfStructs: the members of a struct passed by value that a kernel reads, at an offset in the code or in a register.
func TestMembersOfStructs(t *testing.T) {
	p, err := link(t, `.entry k(.param .u32 first, .param .align 8 .b8 s[24])
{
  .reg .b32 %r<4>; .reg .b64 %d<6>; .reg .f32 %f<2>;
  ld.param.v2.u32 {%r1, %r2}, [s];
  mov.b64 %d1, s;
  mov.u64 %d2, %d1;
  ld.param.u64 %d3, [%d2+8];
  cvta.to.global.u64 %d4, %d3;
  ld.global.f32 %f1, [%d4+4];
  ld.param.u32 %r3, [%d2+16];
  st.global.f32 [%d4], %f1;
  exit;
}`)
	require.NoError(t, err)
	parameters := p.Function("k").Parameters
	assert.Empty(t, parameters[0].Members)
	assert.Equal(t, []isa.Member{
		{Offset: 0, Type: isa.U32}, {Offset: 4, Type: isa.U32}, {Offset: 8, Type: isa.U64, Pointer: true, Pointee: isa.F32, Stored: true},
		{Offset: 16, Type: isa.U32},
	}, parameters[1].Members)
}
