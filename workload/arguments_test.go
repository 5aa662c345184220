package workload

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/testkit/executions"
	"github.com/keplersim/keplersim/testkit/mutate"
)

type fixedAddresses map[string]uint64

func (f fixedAddresses) BufferAddress(name string) (uint64, error) {
	if a, ok := f[name]; ok {
		return a, nil
	}
	return 0, fmt.Errorf("no buffer %s", name)
}

func (f fixedAddresses) Handle(_ ObjectKind, name string) (uint64, error) {
	return f.BufferAddress(name)
}

func params(types ...string) []ParamInfo {
	var all []ParamInfo
	for i, t := range types {
		size := Type(t).Size()
		all = append(all, ParamInfo{Name: fmt.Sprintf("p%d", i), Size: size, Align: size, Type: t})
	}
	return all
}

func number(v float64) Number { return Number{IsFloat: true, Float: v} }

func TestPackArguments(t *testing.T) {
	addresses := fixedAddresses{"x": 0x0000000701000200, "low": 0x1000, "image": 9}
	for _, c := range []struct {
		name   string
		params []ParamInfo
		args   []Argument
		want   string
	}{
		{"addresses", params("u64", "u64"), []Argument{{Buffer: "x"}, {Buffer: "x", Offset: -16}}, "0002000107000000" + "f001000107000000"},
		{"32-bit address", params("u32"), []Argument{{Buffer: "low"}}, "00100000"},
		{"padding", params("u8", "u32", "u16", "f64"), []Argument{{Type: "u8", Value: integer(255)}, {Type: "u32", Value: integer(1)},
			{Type: "u16", Value: integer(2)}, {Type: "f64", Value: number(1)}}, "ff000000" + "01000000" + "0200000000000000" +
			"000000000000f03f"},
		{"signs", params("s8", "s16", "s32", "s64"), []Argument{{Type: "s8", Value: integer(-1)}, {Type: "s16", Value: integer(-2)},
			{Type: "s32", Value: integer(-3)}, {Type: "s64", Value: integer(-4)}}, "ff00feff" + "fdffffff" + "fcffffffffffffff"},
		{"floats", params("f16", "f32"), []Argument{{Type: "f16", Value: number(-2)}, {Type: "f32", Value: integer(2)}}, "00c00000" +
			"00000040"},
		{
			"types of one size", params("b32", "s32"),
			[]Argument{{Type: "f32", Value: integer(1)}, {Type: "u32", Value: Number{Magnitude: 1<<32 - 1}}}, "0000803fffffffff",
		},
		{"struct", []ParamInfo{{Size: 4, Align: 4, Type: "u32"}, {Size: 12, Align: 16, Type: "b8"}},
			[]Argument{{Type: "u32", Value: integer(1)}, {Bytes: []byte("abcdefghijkl")}}, "01000000000000000000000000000000" +
				hex.EncodeToString([]byte("abcdefghijkl"))},
		{"members", []ParamInfo{{Size: 32, Align: 8, Type: "b8"}},
			[]Argument{{Members: []Argument{{Type: "s16", Value: integer(-1)}, {Buffer: "x", Offset: 1}, {Type: "u8", Value: integer(7)},
				{Bytes: []byte{1, 2}}, {Members: []Argument{{Type: "f32", Value: integer(1)}, {Type: "u8", Value: integer(9)}}}}}},
			"ffff000000000000" + "0102000107000000" + "07010200" + "0000803f" + "09000000" + "00000000"},
		{"members, more aligned", []ParamInfo{{Size: 16, Align: 16, Type: "b8"}},
			[]Argument{{Members: []Argument{{Type: "u32", Value: integer(3)}}}}, "03000000000000000000000000000000"},
		{"texture", params("u64"), []Argument{{Kind: ObjectTexture, Object: "image"}}, "0900000000000000"},
		{"none", nil, nil, ""},
	} {
		got, err := PackArguments("k", c.params, c.args, addresses)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, hex.EncodeToString(got), c.name)
	}
	for _, c := range []struct {
		params []ParamInfo
		args   []Argument
		want   string
	}{
		{params("u64", "u32"), []Argument{{Buffer: "x"}}, "kernel k takes 2 arguments (.u64 p0, .u32 p1), but 1 are given"},
		{params("u64"), []Argument{{Type: "u32", Value: integer(7)}},
			"argument 0 (p0): the parameter is .u64 (8 bytes), but {u32: 7} has 4 bytes"},
		{params("u32"), []Argument{{Buffer: "x"}}, "cannot hold the address of x"},
		{params("u32"), []Argument{{Kind: ObjectTexture, Object: "x"}}, "cannot hold the 64-bit handle of texture x"},
		{params("u64"), []Argument{{Buffer: "gone"}}, "no buffer gone"},
		{params("u64"), []Argument{{Members: []Argument{{Type: "u32"}, {Type: "u64"}}}},
			"the parameter has 8 bytes, but the members of the struct take 16, each at a multiple of its size"},
		{params("u64"), []Argument{{Members: []Argument{{Type: "u32"}, {Buffer: "gone"}}}}, "member 1: no buffer gone"},
		{params("u64"), []Argument{{Bytes: []byte{1}}}, "the parameter has 8 bytes, but 1 are given"},
	} {
		_, err := PackArguments("k", c.params, c.args, addresses)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestParseArg(t *testing.T) {
	for _, c := range []struct{ text, name, want string }{
		{"7", "", "bare {b64: 7}"},
		{"-1", "", "bare {b64: -1}"},
		{"0x1f", "", "bare {b64: 31}"},
		{"2.5", "", "bare {b64: 2.5}"},
		{"n=7", "n", "bare {b64: 7}"},
		{"u32:7", "", "{u32: 7}"},
		{"f32:2.0", "", "{f32: 2.0}"},
		{"f32:1e-7", "", "{f32: 1.0e-07}"},
		{"b32:0xffffffff", "", "{b32: 4294967295}"},
		{"ptr:x", "", "x"},
		{"ptr:x+64", "", "{ptr: [x, 64]}"},
		{"bytes:0000803f", "", `{bytes: "0000803f"}`},
		{"f32[1024]", "", "{type: f32, count: 1024}"},
		{"x=f32[1024]:random", "x", "{type: f32, count: 1024, init: {random: {seed: 1}}}"},
		{"u32[64]:random(1,6)", "", "{type: u32, count: 64, init: {random: {seed: 1, min: 1, max: 6}}}"},
		{"u32[64]:random(1, 6, 42)", "", "{type: u32, count: 64, init: {random: {seed: 42, min: 1, max: 6}}}"},
		{"s32[8]:ramp", "", "{type: s32, count: 8, init: {ramp: {start: 0, step: 1}}}"},
		{"s32[8]:ramp(5,-2)", "", "{type: s32, count: 8, init: {ramp: {start: 5, step: -2}}}"},
		{"f32[8]:fill(1.5)", "", "{type: f32, count: 8, init: {fill: 1.5}}"},
		{"u32[8]:values(3,1,4)", "", "{type: u32, count: 8, init: {values: [3, 1, 4]}}"},
		{"u8[9]:file(a=b:c.raw)", "", `{type: u8, count: 9, init: {file: "a=b:c.raw"}}`},
		{"u64[3]:pointers(x, y+8)", "", "{type: u64, count: 3, init: {pointers: [x, {ptr: [y, 8]}]}}"},
		{"struct(f32[8]:random(0,1), n=u8[4], s32:-7, struct(ptr:n+1,bytes:00))", "",
			"f32[8]:random(0,1) | n=u8[4] | s32:-7 | struct(ptr:n+1,bytes:00)"},
		{"u8[9]:zero", "", "{type: u8, count: 9, init: zero}"},
	} {
		a, err := ParseArg(c.text)
		require.NoError(t, err, c.text)
		assert.Equal(t, c.name, a.Name, c.text)
		assert.Equal(t, -1, a.Index, c.text)
		var got string
		if a.Members != nil {
			var members []string
			for _, m := range a.Members {
				members = append(members, strings.TrimSpace(m.Text))
			}
			got = strings.Join(members, " | ")
		} else if a.Buffer != nil {
			got = fmt.Sprintf("{type: %s, count: %d%s}", a.Buffer.Type, a.Buffer.Count, a.Buffer.Init.yaml())
		} else if got = a.Argument.String(); a.Bare {
			got = "bare " + got
		}
		assert.Equal(t, c.want, got, c.text)
	}
	a, err := ParseArg("2=u32:7")
	require.NoError(t, err)
	assert.Equal(t, 2, a.Index)
	for _, c := range []struct{ text, want string }{
		{"", "is neither a number"},
		{"x", `"x" is neither a number nor TYPE:NUMBER nor TYPE[COUNT]`},
		{"=7", `"" is not a name`},
		{"i32:7", `unknown type "i32"; did you mean "s32"?`},
		{"float[4]", `unknown type "float"; did you mean "f32"?`},
		{"u33:7", `unknown type "u33"; did you mean "u32"?`},
		{"u8:256", "256 does not fit type u8"},
		{"u32:seven", `"seven" is not a number`},
		{"u32:1.5", "1.5 is not an integer"},
		{"f32[4", `the "]" is missing`},
		{"f32[-4]", "is not a number of elements"},
		{"f32[4]random", `contents begin with ":"`},
		{"f32[4]:rand", `unknown contents "rand"`},
		{"f32[4]:random(1", `the ")" is missing`},
		{"f32[4]:random(1)", "random does not take 1 numbers"},
		{"u32[4]:random(6,1)", "min 6 is above max 1"},
		{"u32[4]:file()", "file needs a name"},
		{"u32[1]:values(1,2)", "2 values for a buffer of 1 elements"},
		{"ptr:", "needs a buffer's name"},
		{"ptr:x+y", "is not a number of bytes"},
		{"struct()", "a struct has members"},
		{"struct(1", `the ")" of the struct is missing`},
		{"struct(f32:1,7)", `member "7" of the struct: a number in a struct says its type, as in s32:7`},
		{"struct(n=f32:1)", "only a buffer has a name here"},
		{"struct(f32:1,zz)", `"zz" is neither a number`},
		{"u64[1]:pointers(x,y)", "2 pointers for a buffer of 1 elements"},
		{"f64[1]:pointers(x)", "pointers are of type u64, not f64"},
		{"u64[1]:pointers()", "ptr: needs a buffer's name"},
		{"bytes:0g", "pairs of hexadecimal digits"},
	} {
		_, err := ParseArg(c.text)
		assert.ErrorContains(t, err, c.want, c.text)
	}
}

func FuzzParseArg(f *testing.F) {
	for _, s := range []string{"x=f32[1024]:random(0,1,3)", "u32:7", "ptr:x+64", "bytes:00", "u8[9]:file(a)", "s8[3]:ramp(1,2)",
		"struct(f32[2],u32:1)", "u64[2]:pointers(x,y)"} {
		f.Add(s)
		for seed := range uint64(20) {
			f.Add(mutate.Text(seed, s))
		}
	}
	executions.Fuzz(f, func(t *testing.T, text string) {
		a, err := ParseArg(text)
		forms := 0
		for _, given := range []bool{a.Buffer != nil, a.Argument != nil, a.Members != nil} {
			if given {
				forms++
			}
		}
		if err == nil && forms != 1 {
			t.Fatalf("%q gives %d forms", text, forms)
		}
		if s, err := ParseSymbol(text); err == nil && (s.Symbol == nil || s.Name == "" || s.Init.Kind == "") {
			t.Fatalf("%q gives %+v", text, s)
		}
	})
}
