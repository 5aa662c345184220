package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var saxpyParams = []ParamInfo{
	{Name: "saxpy_param_0", Size: 4, Align: 4, Type: "u32"},
	{Name: "saxpy_param_1", Size: 4, Align: 4, Type: "f32"},
	{Name: "x", Size: 8, Align: 8, Type: "u64", IsPointer: true, PointeeSize: 4, PointeeType: "f32"},
	{Name: "saxpy_param_3", Size: 8, Align: 8, Type: "u64", IsPointer: true, PointeeSize: 4},
	{Name: "options", Size: 12, Align: 4, Type: "b8"},
	{Name: "flag", Size: 1, Align: 1, Type: "u8"},
}

func parseArgs(t *testing.T, texts ...string) []ArgText {
	t.Helper()
	var all []ArgText
	for _, text := range texts {
		a, err := ParseArg(text)
		require.NoError(t, err)
		all = append(all, a)
	}
	return all
}

func TestInferEverything(t *testing.T) {
	w, notes, err := Infer("saxpy", "saxpy.ptx", saxpyParams, Wishes{})
	require.NoError(t, err)
	assert.Equal(t, `name: saxpy
module: saxpy.ptx
buffers:
  arg2: {type: f32, count: 4096, init: {random: {seed: 3}}}
  arg3: {type: b32, count: 4096}
steps:
  - launch: {kernel: saxpy, grid: [16], block: [256],
             args: [{u32: 4096}, {f32: 1}, arg2, arg3, {bytes: "000000000000000000000000"}, {u8: 255}]}
`, w.YAML())
	assert.Equal(t, []string{
		"block: 256 threads",
		"grid: 16 blocks",
		"parameter 0 (.u32 saxpy_param_0): 4096, the number of threads",
		"parameter 1 (.f32 saxpy_param_1): 1",
		"parameter 2 (.u64 x): buffer arg2, f32[4096], random numbers from 0 to 1",
		"parameter 3 (.u64 saxpy_param_3): buffer arg3, b32[4096], zeros",
		"parameter 4 (.b8 options): 12 zero bytes; --arg 4='struct(...)' gives it members, see --help",
		"parameter 5 (.u8 flag): 255, the number of threads",
	}, notes)
	// The output is a workload file with the same meaning.
	again, err := Parse("w.yaml", []byte(w.YAML()))
	require.NoError(t, err)
	assert.Equal(t, w.YAML(), again.YAML())
}

func TestInferTakesWishes(t *testing.T) {
	w, notes, err := Infer("saxpy", "", saxpyParams, Wishes{Grid: [3]int{2, 3, 1}, Block: [3]int{32, 4, 2}, Shared: 64,
		Args: parseArgs(t, "100", "x=f32[9]:ramp", "2.5", "5=u8:1", "3=ptr:x+4")})
	require.NoError(t, err)
	assert.Equal(t, `name: saxpy
buffers:
  x: {type: f32, count: 9, init: {ramp: {start: 0, step: 1}}}
steps:
  - launch: {kernel: saxpy, grid: [2, 3], block: [32, 4, 2], shared: 64,
             args: [{u32: 100}, {f32: 2.5}, x, {ptr: [x, 4]}, {bytes: "000000000000000000000000"}, {u8: 1}]}
`, w.YAML())
	assert.Equal(t, []string{"parameter 4 (.b8 options): 12 zero bytes; --arg 4='struct(...)' gives it members, see --help"}, notes)
}

// The user's variables are part of the workload, and of the saved file.
func TestInferTakesSymbols(t *testing.T) {
	var wishes Wishes
	for _, text := range []string{"taps=f32[3]:values(1,-4,1)", "rng::seed=u32[1]"} {
		s, err := ParseSymbol(text)
		require.NoError(t, err)
		wishes.Symbols = append(wishes.Symbols, s)
	}
	w, _, err := Infer("k", "k.ptx", nil, wishes)
	require.NoError(t, err)
	w.Config, w.Link = "k40", []string{"lib.ptx", "more files.ptx"}
	assert.Equal(t, `name: k
module: k.ptx
config: k40
link: [lib.ptx, "more files.ptx"]
symbols:
  taps: {type: f32, count: 3, init: {values: [1, -4, 1]}}
  "rng::seed": {type: u32, count: 1, init: zero}
steps:
  - launch: {kernel: k, grid: [16], block: [256],
             args: []}
`, w.YAML())
	again, err := Parse("w.yaml", []byte(w.YAML()))
	require.NoError(t, err)
	assert.Equal(t, w.YAML(), again.YAML())
	_, _, err = Infer("k", "k.ptx", nil, Wishes{Symbols: append(wishes.Symbols, wishes.Symbols[0])})
	assert.EqualError(t, err, "--symbol gives taps twice")
	for text, want := range map[string]string{
		"taps": "is neither a number", "taps=3": "this makes no variable's value", "=u32[1]": "this makes no variable's value",
		"taps=u33[1]": `unknown type "u33"`, "taps=u32[1]:values(1,2)": "2 values for a buffer of 1 elements",
		"host=u32[1]": "write NAME=TYPE[COUNT]:CONTENTS", "": "write NAME=TYPE[COUNT]:CONTENTS",
	} {
		_, err := ParseSymbol(text)
		assert.ErrorContains(t, err, want, text)
		assert.ErrorContains(t, err, "--symbol "+text+": ", text)
	}
}

func TestInferMistakes(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"1", "2", "ptr:x", "0", "bytes:000000000000000000000000", "0", "9"}, "kernel saxpy takes 6 arguments"},
		{[]string{"0=1", "0=2"}, "parameter 0 of kernel saxpy is given twice: --arg 0=1 and --arg 0=2"},
		{[]string{"6=1"}, "--arg 6=1 is one too many"},
		{[]string{"-1"}, "-1 does not fit type u32"},
		{[]string{"0=1.5"}, "1.5 is not an integer"},
		{[]string{"4=7"}, "a number does not fill 12 bytes"},
		{[]string{"2=ptr:nowhere"}, `there is no buffer "nowhere"`},
		{[]string{"x=f32[1]", "x=f32[1]"}, "given twice"},
	} {
		args := parseArgs(t, c.args...)
		_, _, err := Infer("saxpy", "", saxpyParams, Wishes{Args: args})
		assert.ErrorContains(t, err, c.want, c.args)
	}
}
