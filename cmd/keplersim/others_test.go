package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// PTX that other compilers and other people write: each text is accepted by inspect, lower and run, and leaves these words in the buffer
// that is its first argument.
func TestPTXOfOthers(t *testing.T) {
	for _, test := range []struct {
		name, text string
		before     string // of the buffer
		want       []uint32
	}{
		{"a prototype of PTX 2.3 without its semicolon, and ret 0", `
.version 2.3
.target sm_20
.address_size 64
.visible .func (.param .u32 ret) f (.param .u32 a)
.visible .func (.param .u32 ret) f (.param .u32 a)
{ .reg .u32 r; ld.param.u32 r, [a]; add.u32 r, r, 1; st.param.u32 [ret], r; ret 0; }
.entry k(.param .u64 p) { .reg .u64 q; .reg .u32 x; ld.param.u64 q, [p]; ld.global.u32 x, [q];
{ .param .u32 a; .param .u32 r; st.param.u32 [a], x; call (r), f, (a); ld.param.u32 x, [r]; }
st.global.u32 [q], x; ret; }`, "7", []uint32{8}},
		{"registers and local memory outside the functions", `
.version 1.4
.target sm_13
.reg .u32 %ra<4>;
.reg .v2 .u32 pair;
.reg .u32 shadowed, %same<2>;
.local .align 4 .b8 stk[16];
.func (.reg .u32 %ra1) f (.reg .u32 %ra2) { .reg .u32 %same<2>; mov.u32 %same1, 5; add.u32 %ra1, %ra2, %same1; ret; }
.entry k(.param .u32 p) { .reg .u32 shadowed; ld.param.u32 shadowed, [p];
mov.u32 %ra0, 1; st.local.u32 [stk], %ra0; ld.local.u32 pair.y, [stk]; mov.u32 %same1, 40; call (%ra3), f, (pair.y);
add.u32 %ra3, %ra3, %same1; st.global.u32 [shadowed], %ra3; exit; }`, "0", []uint32{46}},
		{"vectors as parameters, arguments and results", `
.version 3.0
.target sm_30
.address_size 64
.func (.reg .u32 r) f(.reg .v2 .u32 a) { mov.u32 r, a.x; ret; }
.func (.reg .v4 .u32 r) turn(.reg .v4 .u32 a, .reg .u32 more) {
mov.u32 r.x, a.w; mov.u32 r.y, a.z; mov.u32 r.b, a.g; add.u32 r.w, a.x, more; ret; }
.func (.reg .v2 .u32 d) down(.reg .v2 .u32 a) { .reg .pred q; setp.eq.u32 q, a.x, 0; @q bra END;
sub.u32 a.x, a.x, 1; add.u32 a.y, a.y, 2; call (d), down, (a); ret; END: mov.v2.u32 d, a; ret; }
.entry k(.param .u64 p) { .reg .u64 q; .reg .v2 .u32 v, e; .reg .v4 .u32 w; .reg .u32 x; ld.param.u64 q, [p];
 ld.global.v2.u32 v, [q]; call (x), f, (v); st.global.u32 [q], x;
 ld.global.v4.u32 w, [q]; call (w), turn, (w, 100); st.global.v4.u32 [q], w;
 mov.u32 v.x, 3; mov.u32 v.y, 10; call (e), down, ({v.x, v.y}); st.global.v2.u32 [q+16], e; ret; }`,
			"1,2,3,4,0,0", []uint32{4, 3, 2, 101, 0, 16}},
		{"elements of arrays", `
.version 3.0
.target sm_30
.address_size 64
.global .u32 a[4] = {1, 2, 3, 4};
.global .v2 .u16 pairs[3] = {{5, 6}, {7, 8}, {9, 10}};
.global .u8 table[2][3] = {{11, 12, 13}, {14, 15, 16}};
.shared .u32 s[8];
.entry k(.param .u64 p, .param .u32 numbers[2]) { .reg .u64 q, t, i; .reg .u32 y, n; .reg .s32 m; .reg .u16 h; .local .u64 l[2];
 ld.param.u64 q, [p]; mov.u64 t, a[1]; mov.u64 i, 1; mov.u32 n, 2; mov.s32 m, -1;
 ld.global.u32 y, [t]; st.global.u32 [q], y;
 ld.global.u32 y, a[i]; st.global.u32 [q+4], y;
 ld.global.u32 y, a[i+1]; st.global.u32 [q+8], y;
 ld.global.u32 y, a[n-2]; st.global.u32 [q+12], y;
 ld.global.u32 y, a[m+4]; st.global.u32 [q+16], y;
 ld.global.u16 h, pairs[n]; cvt.u32.u16 y, h; st.global.u32 [q+20], y;
 ld.global.u8 y, table[1]; st.global.u32 [q+24], y;
 mov.u64 t, a[i+2]; ld.global.u32 y, [t]; st.global.u32 [q+28], y;
 st.shared.u32 s[n], 77; ld.shared.u32 y, s[2]; st.global.u32 [q+32], y;
 st.local.u64 l[i], 99; ld.local.u64 t, l[1]; cvt.u32.u64 y, t; st.global.u32 [q+36], y;
 ret; }`, "0,0,0,0,0,0,0,0,0,0", []uint32{2, 2, 3, 1, 4, 9, 14, 4, 77, 99}},
		{"doubles as floats", `
.version 1.4
.target sm_13, map_f64_to_f32
.global .f64 third[2] = {0d3FD5555555555555, 2.0};
.entry k(.param .u32 p) { .reg .u32 q; .reg .f64 %fd<9>; .reg .f32 f;
 ld.param.u32 q, [p]; ld.global.f64 %fd1, [third]; ld.global.f64 %fd2, [third+8]; st.global.f64 [q], %fd1;
 mul.f64 %fd3, %fd1, %fd2; cvt.rn.f32.f64 f, %fd3; st.global.f32 [q+8], f; cvt.f64.f32 %fd4, f;
 mov.f64 %fd5, 0d3FB999999999999A; add.rn.f64 %fd6, %fd4, %fd5; st.global.v2.f64 [q+16], {%fd6, %fd5}; exit; }`,
			"0,9,0,9,0,9,0,9", []uint32{0x3eaaaaab, 9, 0x3f2aaaab, 9, 0x3f444445, 9, 0x3dcccccd, 9}},
		{"a function called %1", `
.version 4.0
.target sm_35
.address_size 64
.func (.reg .u32 r) %1 (.reg .u32 a) { add.u32 r, a, 1; ret; }
.entry k(.param .u64 p) { .reg .u64 q; .reg .u32 x; ld.param.u64 q, [p];
 ld.global.u32 x, [q]; call (x), %1, (x); st.global.u32 [q], x; ret; }`, "5", []uint32{6}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			path, dump := filepath.Join(folder, "k.ptx"), filepath.Join(folder, "out")
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o644))
			for _, command := range []string{"inspect", "lower"} {
				code, _, errOut := keplersim(t, command, path)
				assert.Zero(t, code, "%s: %s", command, errOut)
			}
			for _, functional := range []string{"--functional=true", "--functional=false"} {
				buffer := "x=u32[" + strconv.Itoa(len(test.want)) + "]:values(" + test.before + ")"
				code, _, errOut := keplersim(t, "run", functional, "--grid", "1", "--block", "1", "--arg", buffer, "--dump", "x="+dump, path)
				require.Zero(t, code, errOut)
				bytes, err := os.ReadFile(dump)
				require.NoError(t, err)
				words := make([]uint32, len(bytes)/4)
				_, err = binary.Decode(bytes, binary.LittleEndian, words)
				require.NoError(t, err)
				assert.Equal(t, test.want, words, functional)
			}
		})
	}
}

// What cannot be accepted is refused once for each declaration, at its place.
func TestPTXOfOthersRefused(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string // the places
		message    string
	}{
		{"a prototype of PTX 3.0 without its semicolon", ".version 3.0\n.target sm_20\n.func f (.param .u32 a)\n.func f (.param .u32 a) { ret; }",
			[]string{"3:24"}, "`;` for a declaration"},
		{"registers outside the functions in PTX 3.0", ".version 3.0\n.target sm_20\n.reg .u32 %r<100>;\n.local .b8 l[4];\n" +
			".entry k { mov.u32 %r1, 1; ret; }",
			[]string{"3:1", "4:1"}, "a variable outside a function must be .global"},
		{"a float as an index", ".version 3.0\n.target sm_20\n.global .u32 a[4];\n" +
			".entry k { .reg .f32 f; .reg .u32 y; ld.global.u32 y, a[f]; ret; }",
			[]string{"4:55"}, "an index is an integer"},
		{"ret with an operand in PTX 3.0", ".version 3.0\n.target sm_20\n.entry k { ret 0; }", []string{"3:12"}, "takes 0 operands"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "k.ptx")
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o644))
			code, _, errOut := keplersim(t, "inspect", path)
			assert.Equal(t, exitBadInput, code)
			for _, place := range test.want {
				assert.Equal(t, 1, strings.Count(errOut, "k.ptx:"+place+": "), "%s in %s", place, errOut)
			}
			assert.Contains(t, errOut, test.message)
		})
	}
}

// A module that needs what no module defines is described; what does not need it runs.
func TestUnresolved(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "k.ptx")
	require.NoError(t, os.WriteFile(path, []byte(`.version 4.0
.target sm_35
.address_size 64
.extern .global .u32 g;
.extern .func outside;
.global .u64 pointer[1] = {generic(g)};
.func inner { call outside; ret; }
.entry k() { .reg .u32 x; ld.global.u32 x, [g]; ret; }
.entry m() { ret; }
.entry calls() { call inner; ret; }
.entry points() { .reg .u64 x; ld.global.u64 x, [pointer]; ret; }
`), 0o644))
	code, out, errOut := keplersim(t, "inspect", path)
	require.Zero(t, code, errOut)
	assert.Contains(t, out, "unresolved: no module defines the variable g ("+path+":8): link the one that does to run k, points\n")
	assert.Contains(t, out, "unresolved: no module defines the function outside ("+path+":7): link the one that does to run inner, calls\n")
	assert.Contains(t, out, "calls     outside (undefined)")
	code, out, errOut = keplersim(t, "inspect", "--kernel", "m", path)
	require.Zero(t, code, errOut)
	assert.NotContains(t, out, "unresolved")
	for _, kernel := range []string{"k", "calls", "points", "m"} {
		for _, command := range [][]string{{"lower"}, {"occupancy"}, {"run"}, {"run", "--functional"}} {
			code, _, errOut := keplersim(t, append(command, "--kernel", kernel, path)...)
			if kernel == "m" {
				assert.Zero(t, code, errOut)
				continue
			}
			assert.Equal(t, exitBadInput, code, "%v %s", command, kernel)
			want := map[string]string{
				"k":      path + ":8:27: `g` is declared .extern and no module defines it: link the module that does as well",
				"calls":  path + ":7:20: `outside` is declared but not defined: link the module that defines it as well",
				"points": path + ":6:28: `g` is declared .extern and no module defines it: link the module that does as well",
			}[kernel]
			assert.Contains(t, errOut, want, "%v %s", command, kernel)
		}
	}
}

// A module without anything is described as such.
func TestEmptyModule(t *testing.T) {
	for name, text := range map[string]string{"nothing": "", "a target alone": ".version 4.0\n.target sm_35\n"} {
		path := filepath.Join(t.TempDir(), "k.ptx")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		wanted := map[string]string{"text": "empty: no .entry, no .func and no variable", "json": `"functions": []`, "svg": "<svg ",
			"dot": "digraph"}
		for format, want := range wanted {
			code, out, errOut := keplersim(t, "inspect", "--format", format, path)
			assert.Zero(t, code, "%s: %s", name, errOut)
			assert.Contains(t, out, want, name)
		}
	}
}
