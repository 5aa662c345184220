package cli

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

// PTX by other compilers and other people. inspect, lower and run accept each file, and its buffer, the first argument, then holds these
// words.
func TestPTXOfOthers(t *testing.T) {
	for _, test := range []struct {
		name, file string
		before     string // the buffer's initial content
		want       []uint32
	}{
		{"a prototype of PTX 2.3 without its semicolon, and ret 0", "prototypes.ptx", "7", []uint32{8}},
		{"registers and local memory outside the functions", "outside-functions.ptx", "0", []uint32{46}},
		{"vectors as parameters, arguments and results", "vector-arguments.ptx",
			"1,2,3,4,0,0", []uint32{4, 3, 2, 101, 0, 16}},
		{"elements of arrays", "array-elements.ptx", "0,0,0,0,0,0,0,0,0,0", []uint32{2, 2, 3, 1, 4, 9, 14, 4, 77, 99}},
		{"doubles as floats", "doubles-as-floats.ptx",
			"0,9,0,9,0,9,0,9", []uint32{0x3eaaaaab, 9, 0x3f2aaaab, 9, 0x3f444445, 9, 0x3dcccccd, 9}},
		{"a function called %1", "percent-name.ptx", "5", []uint32{6}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			path, dump := filepath.Join("../isa/decode/testdata", test.file), filepath.Join(folder, "out")
			for _, command := range []string{"inspect", "lower"} {
				code, _, errOut := keplersim(t, command, path)
				assert.Zero(t, code, "%s: %s", command, errOut)
			}
			for _, functional := range []string{"--functional=true", "--functional=false"} {
				buffer := "x=u32[" + strconv.Itoa(len(test.want)) + "]:values(" + test.before + ")"
				code, _, errOut := keplersim(
					t, "run", functional, "--grid", "1", "--block", "1", "--arg", buffer, "--dump", "x="+dump, path,
				)
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

// Declarations that cannot be accepted give one error each, with their place.
func TestPTXOfOthersRefused(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string // the places
		message    string
	}{
		{"a prototype of PTX 3.0 without its semicolon", ".version 3.0\n.target sm_20\n.func f (.param .u32 a)\n" +
			".func f (.param .u32 a) { ret; }",
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

// A module that uses undefined symbols is described, and its kernels that do not need them run.
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

// A module without contents is described as empty.
func TestEmptyModule(t *testing.T) {
	for name, text := range map[string]string{"nothing": "", "a target alone": ".version 4.0\n.target sm_35\n"} {
		path := filepath.Join(t.TempDir(), "k.ptx")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		wanted := map[string]string{"text": "empty: no .entry, no .func and no variable", "json": `"functions": []`, "dot": "digraph"}
		for format, want := range wanted {
			code, out, errOut := keplersim(t, "inspect", "--format", format, path)
			assert.Zero(t, code, "%s: %s", name, errOut)
			assert.Contains(t, out, want, name)
		}
	}
}
