package decode

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/ptx"
)

// link decodes modules a.ptx, b.ptx … together.
func link(t *testing.T, texts ...string) (*isa.Program, error) {
	t.Helper()
	var files []*ptx.File
	for n, text := range texts {
		file, err := ptx.Parse(moduleName(n), ".version 4.2\n.target sm_35\n.address_size 64\n"+text)
		require.NoError(t, err)
		files = append(files, file)
	}
	return Program(files, Options{})
}

// moduleName is a.ptx, b.ptx …, and m26.ptx behind z.ptx.
func moduleName(n int) string {
	if n < 26 {
		return string(rune('a'+n)) + ".ptx"
	}
	return "m" + itoa(n) + ".ptx"
}

// symbol finds a symbol by its name.
func symbol(t *testing.T, p *isa.Program, name string) (*isa.Symbol, int32) {
	t.Helper()
	for k, s := range p.Symbols {
		if s.Name == name {
			return s, int32(k)
		}
	}
	require.Fail(t, "no symbol "+name)
	return nil, 0
}

// TestInitialisers: bytes and addresses in initialised variables.
func TestInitialisers(t *testing.T) {
	p, err := link(t, `
.global .u32 scalar = 0x01020304;
.global .s16 negative[3] = {-1, 2};
.global .s32 nested[2][2] = {{-1, 2}, {3}};
.global .u64 big = 9007199254740993;
.global .f32 floats[3] = {1.0, 0f40000000, -3};
.global .f64 double = 0d3FF8000000000000;
.global .b8 text[6] = "hi";
.global .u8 unsized[] = {1, 2, 3};
.global .v2 .u16 pair = {5, 6};
.global .u32 sum = (1 << 4) | 3;
.const .u32 first = 7;
.const .align 16 .u32 second = 8;
.func device { ret; }
.global .u64 addresses[4] = {scalar, generic(nested)+4, device, big+8};
.global .u8 low = 0xFF(scalar);
.global .u8 high = 0xFF00(scalar);
.global .u8 masked = mask(scalar, 0xFF0000);
`)
	require.NoError(t, err)
	for name, want := range map[string][]byte{
		"scalar":   {4, 3, 2, 1},
		"negative": {0xff, 0xff, 2, 0},
		"nested":   {0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 3, 0, 0, 0},
		"big":      {1, 0, 0, 0, 0, 0, 0x20, 0},
		"floats":   {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0xc0},
		"double":   {0, 0, 0, 0, 0, 0, 0xf8, 0x3f},
		"text":     {'h', 'i', 0},
		"unsized":  {1, 2, 3},
		"pair":     {5, 0, 6, 0},
		"sum":      {0x13, 0, 0, 0},
	} {
		s, _ := symbol(t, p, name)
		assert.Equal(t, want, s.Initial, name)
	}
	unsized, _ := symbol(t, p, "unsized")
	assert.Equal(t, 3, unsized.Bytes)
	nested, nestedIndex := symbol(t, p, "nested")
	assert.Equal(t, 16, nested.Bytes)
	_, scalar := symbol(t, p, "scalar")
	_, big := symbol(t, p, "big")
	addresses, _ := symbol(t, p, "addresses")
	assert.Equal(t, []isa.Relocation{
		{Offset: 0, Bytes: 8, Symbol: scalar, Function: -1},
		{Offset: 8, Bytes: 8, Symbol: nestedIndex, Function: -1, Addend: 4, Generic: true},
		{Offset: 16, Bytes: 8, Symbol: -1, Function: 0},
		{Offset: 24, Bytes: 8, Symbol: big, Function: -1, Addend: 8},
	}, addresses.Relocations)
	for name, want := range map[string]isa.Relocation{
		"low":    {Bytes: 1, Symbol: scalar, Function: -1, Mask: 0xff},
		"high":   {Bytes: 1, Symbol: scalar, Function: -1, Mask: 0xff00, Shift: 8},
		"masked": {Bytes: 1, Symbol: scalar, Function: -1, Mask: 0xff0000, Shift: 16},
	} {
		s, _ := symbol(t, p, name)
		require.Len(t, s.Relocations, 1, name)
		assert.Equal(t, want, s.Relocations[0], name)
	}
	first, _ := symbol(t, p, "first")
	second, _ := symbol(t, p, "second")
	assert.EqualValues(t, 0, first.Address)
	assert.EqualValues(t, 16, second.Address)
}

// TestLinking: one module's declaration and another's definition become one symbol, in either order.
func TestLinking(t *testing.T) {
	user := `
.extern .global .u32 counter;
.extern .func (.param .b32 r) twice (.param .b32 x);
.visible .entry kernel() {
  .reg .b32 %r<3>;
  ld.global.u32 %r1, [counter];
  { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), twice, (p); ld.param.b32 %r2, [q]; }
  st.global.u32 [counter], %r2;
  ret;
}`
	library := `
.visible .global .u32 counter = 5;
.func helper { ret; }
.visible .func (.param .b32 r) twice (.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; shl.b32 %a, %a, 1; st.param.b32 [r], %a; ret; }`
	for _, order := range [][]string{{user, library}, {library, user}} {
		p, err := link(t, order...)
		require.NoError(t, err)
		require.Len(t, p.Symbols, 1)
		assert.False(t, p.Symbols[0].Extern)
		assert.Equal(t, []byte{5, 0, 0, 0}, p.Symbols[0].Initial)
		f := p.Function("kernel")
		assert.Equal(t, `B0: -> []
    ld.global.u32 %r1:u32, [symbol 0+0x0:u64]
    mov.b32 p+0:b32, %r1:b32
    mov.b32 %a:b32, p+0:b32
    shl.b32 %a:b32, %a:b32, 0x1:u32
    mov.b32 q+0:b32, %a:b32
    mov.b32 %r2:b32, q+0:b32
    st.global.u32 [symbol 0+0x0:u64], %r2:u32
    exit
`, f.Listing())
	}
	alone, err := link(t, user)
	require.NoError(t, err)
	err = alone.Function("kernel").Resolved()
	assert.ErrorContains(t, err, "`twice` is declared but not defined: link the module that defines it as well")
	assert.ErrorContains(t, err, "`counter` is declared .extern and no module defines it")
	_, err = link(t, library, library)
	assert.ErrorContains(t, err, "b.ptx:5:23: `counter` is defined twice; the first definition is at a.ptx:5")
	assert.ErrorContains(t, err, "`twice` is defined twice; the first definition is at a.ptx:7")
}

// TestLinkage: weak and common definitions are replaced by others. Names without linkage belong to their module.
func TestLinkage(t *testing.T) {
	p, err := link(t,
		".weak .global .u32 w = 1; .common .global .u32 c; .global .u32 own = 1; .weak .func f { .reg .b32 %x; mov.u32 %x, 1; ret; } "+
			".entry first { .reg .u32 %a; ld.global.u32 %a, [own]; call f; exit; }",
		".visible .global .u32 w = 2; .common .global .u32 c[4]; .global .u32 own = 2; .visible .func f { trap; } .entry second { .reg "+
			".u32 %a; ld.global.u32 %a, [own]; exit; }")
	require.NoError(t, err)
	w, _ := symbol(t, p, "w")
	assert.Equal(t, []byte{2, 0, 0, 0}, w.Initial)
	c, _ := symbol(t, p, "c")
	assert.Equal(t, 16, c.Bytes)
	own := func(kernel string) byte {
		return p.Symbols[p.Function(kernel).Blocks[0].Instructions[0].Memory.Base.Symbol].Initial[0]
	}
	assert.Equal(t, byte(1), own("first"))
	assert.Equal(t, byte(2), own("second"))
	assert.Contains(t, p.Function("first").Listing(), "trap")

	p, err = link(t, ".func real { trap; } .alias other, real; .entry k { call other; exit; }")
	require.NoError(t, err)
	assert.Contains(t, p.Function("k").Listing(), "trap")
}

// TestModuleErrors: mistakes outside instructions.
func TestModuleErrors(t *testing.T) {
	for text, want := range map[string]string{
		".global .u32 x[2] = {1, 2, 3};":          "`x` has 8 bytes and 12 bytes of initialisers",
		".shared .u32 x = 1;":                     "only .global and .const variables can be initialised",
		".global .u32 x = nothing;":               "no variable or function `nothing` is declared",
		".global .u32 x = 1.5;":                   "a floating-point constant cannot be a .u32",
		".global .u32 x; .global .u32 x;":         "`x` is defined twice; the first definition is at a.ptx:4",
		".global .u32 x[-1];":                     "the length of an array must be a constant from 0",
		".global .align 3 .u32 x;":                "`.align` takes a power of two",
		".const .b8 x[70000];":                    "the program's .const variables take 70000 bytes; a Kepler has 65536",
		".entry k { exit; } .entry k { exit; }":   "`k` is defined twice",
		".global .u32 x; .func x { ret; }":        "`x` is declared as a variable already",
		".entry k .reqnctapercluster 2 { exit; }": "clusters of blocks were introduced with sm_90",
		".entry k { .reg .b128 %q; exit; }":       "`.b128` is not a type that a register on a Kepler can have",
		".entry k { L: L: exit; }":                "label `L` is defined twice in this block",
		".local .u32 x;":                          "a variable outside a function must be .global",
		".entry k { .sreg .u32 %x; exit; }":       "`.sreg` variables are predefined",
	} {
		_, err := link(t, text)
		assert.ErrorContains(t, err, want, text)
	}
	_, err := Program(nil, Options{})
	assert.NoError(t, err)
}

// TestAddressSize: the size that the module states, or that its declarations imply.
func TestAddressSize(t *testing.T) {
	for text, want := range map[string]int{
		".address_size 32 .entry k { exit; }":                                              4,
		".entry k(.param .u64 p) { exit; }":                                                8,
		".entry k { .reg .u64 %rd<3>; .reg .u32 %r; ld.global.u32 %r, [%rd2+4]; exit; }":   8,
		".entry k(.param .u32 p) { .reg .u32 %r<3>; ld.global.u32 %r1, [%r2]; exit; }":     4,
		".entry k { .reg .u64 %rd<3>; .reg .u32 %r<3>; ld.global.u64 %rd1, [%r1]; exit; }": 4,
	} {
		file, err := ptx.Parse("size.ptx", ".version 2.3\n.target sm_20\n"+text)
		require.NoError(t, err)
		p, err := Program([]*ptx.File{file}, Options{})
		require.NoError(t, err, text)
		assert.Equal(t, want, p.AddressBytes, text)
	}
}

// TestLargeLink links 40 modules of 300 functions each. Function f of module m calls one of the next module and one of its own, declared
// .extern in every module that needs it. Those of the last module call nothing.
func TestLargeLink(t *testing.T) {
	const modules, functions = 40, 300
	name := func(m, f int) string { return "function_" + itoa(m) + "_" + itoa(f) }
	var texts []string
	for m := range modules {
		var text strings.Builder
		fmt.Fprintf(&text, ".visible .global .u32 counter_%d = %d;\n.global .u32 own = %d;\n", m, m, m)
		if m+1 < modules {
			for f := range functions {
				fmt.Fprintf(&text, ".extern .func (.param .b32 r) %s (.param .b32 x);\n", name(m+1, f))
			}
			fmt.Fprintf(&text, ".extern .global .u32 counter_%d;\n", m+1)
		}
		for f := range functions {
			fmt.Fprintf(&text, ".visible .func (.param .b32 r) %s (.param .b32 x) {\n.reg .b32 %%r<9>;\n.reg .pred %%p<2>;\n"+
				"ld.param.b32 %%r1, [x];\nsetp.gt.s32 %%p1, %%r1, %d;\n@%%p1 bra $L1;\nadd.s32 %%r1, %%r1, %d;\n$L1:\n"+
				"ld.global.u32 %%r2, [own];\nadd.s32 %%r3, %%r1, %%r2;\n", name(m, f), f, m)
			if m+1 < modules && f%10 == 0 {
				fmt.Fprintf(&text, "ld.global.u32 %%r4, [counter_%d];\nadd.s32 %%r3, %%r3, %%r4;\n{\n.param .b32 a;\n.param .b32 b;\n"+
					"st.param.b32 [a], %%r3;\ncall (b), %s, (a);\nld.param.b32 %%r3, [b];\n}\n", m+1, name(m+1, f))
			}
			text.WriteString("st.param.b32 [r], %r3;\nret;\n}\n")
		}
		if m == 0 {
			text.WriteString(".visible .entry start(.param .u64 out) {\n.reg .b32 %r<3>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [out];\n" +
				"{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], 1;\ncall (b), function_0_0, (a);\nld.param.b32 %r1, [b];\n}\n" +
				"st.global.u32 [%rd1], %r1;\nret;\n}\n")
		}
		texts = append(texts, text.String())
	}
	begin := time.Now()
	p, err := link(t, texts...)
	took := time.Since(begin)
	require.NoError(t, err)
	t.Logf("%d modules of %d functions: %v", modules, functions, took)
	assert.Len(t, p.Functions, modules*functions+1)
	assert.Less(t, took, 10*time.Second, "about a second is expected; ten allow for a busy machine")
	start := p.Function("start")
	for _, b := range start.Blocks {
		for _, i := range b.Instructions {
			assert.NotEqual(t, isa.OpCall, i.Op, "40 calls deep, all inlined")
		}
	}
	assert.Equal(t, 2*modules, len(p.Symbols))
}
