package host

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/workload"
)

// filtered computes out[i] = taps[0] * 10 + taps[1] and counts threads in count. Two variables have the C++ name step.
const filtered = `.version 4.2
.target sm_35
.address_size 64
.const .align 4 .b8 taps[8];
.global .align 4 .u32 count = 5;
.global .u32 _ZN1a4stepE;
.global .u32 _ZN1b4stepE;
.visible .entry filter(.param .u64 out)
{
	.reg .b32 %r<6>; .reg .b64 %d<3>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d1, %d1, %d2;
	ld.const.u32 %r2, [taps];
	ld.const.u32 %r3, [taps+4];
	mad.lo.u32 %r2, %r2, 10, %r3;
	st.global.u32 [%d1], %r2;
	red.global.add.u32 [count], 1;
	ret;
}
`

// Module variables get initial values, take part in copies, and are compared at the end.
func TestSymbolsOfAWorkload(t *testing.T) {
	for _, launchModule := range []string{"", ", module: k.ptx"} {
		dir := folder(t, map[string]string{"k.ptx": filtered, "w.yaml": `
module: k.ptx
buffers:
  out: {type: u32, count: 4}
  later: {type: u32, count: 1}
  other: {type: u32, count: 2, init: {values: [7, 8]}}
symbols:
  weights: {symbol: taps, type: u32, count: 2, init: {values: [1, 2]}}
  count: {type: u32, count: 1}
  "a::step": {type: u32, count: 1, init: {fill: 3}}
steps:
  - launch: {kernel: filter, grid: [1], block: [4], args: [out]}
  - copy: {to: weights, from: other, bytes: 4, from_offset: 4}
  - launch: {kernel: filter, grid: [1], block: [2], args: [out]` + launchModule + `}
  - copy: {to: later, from: count}
  - copy: {to: count, from: host}
  - launch: {kernel: filter, grid: [1], block: [1], args: [{ptr: ["a::step", 0]}]}
  - copy: {to: weights, from: host}
expect:
  out: {values: [82, 82, 12, 12]}
  later: {values: [11]}
  count: {values: [6]}
  weights: {values: [1, 2]}
  "a::step": {values: [82]}
`})
		job, result := runFile(t, filepath.Join(dir, "w.yaml"), functional)
		assert.Empty(t, result.Mismatches, "%v", result.Mismatches)
		assert.Len(t, result.Checked, 5)
		assert.Equal(t, []uint32{1, 2}, words(t, job, "weights"))
	}
}

func TestSymbolMismatchIsCalledSo(t *testing.T) {
	dir := folder(t, map[string]string{"k.ptx": filtered, "w.yaml": "module: k.ptx\nsymbols:\n  count: {type: u32, count: 1}\n" +
		"buffers:\n  out: {type: u32, count: 4}\nsteps:\n  - launch: {kernel: filter, grid: [1], block: [4], args: [out]}\nexpect:\n" +
		"  count: {values: [4]}\n"})
	_, result := runFile(t, filepath.Join(dir, "w.yaml"), functional)
	require.Len(t, result.Mismatches, 1)
	assert.Equal(t, "symbol count differs from the expected result in 1 of 1 elements\n  count[0] = 9, expected 4",
		result.Mismatches[0].String())
}

// Every mistake in a symbol is found, with its place, before anything runs.
func TestSymbolMistakes(t *testing.T) {
	head := "module: k.ptx\nbuffers:\n  out: {type: u32, count: 4}\nsymbols:\n  "
	launch := "\nsteps:\n  - launch: {kernel: filter, grid: [1], block: [4], args: [out]}\n"
	for text, want := range map[string]string{
		"tap: {type: u32, count: 2}" + launch: "w.yaml:5:3: symbol tap: there is no .const or .global " +
			"variable tap; did you mean taps?",
		"weights: {type: u32, count: 2}" +
			launch: "there is no .const or .global variable weights; there are count, step, taps",
		"taps: {type: u32, count: 3}" + launch: "w.yaml:5:3: symbol taps: u32[3] is 12 bytes, but the " +
			"variable has 8",
		"taps: {type: u32}" + launch:                         `w.yaml:5:3: symbol taps needs "count"`,
		"taps: {type: u32, count: 1, space: const}" + launch: `unknown key "space" in symbol taps`,
		"step: {type: u32, count: 1}" + launch: "2 variables are called step; say which with the key " +
			"symbol: _ZN1a4stepE, _ZN1b4stepE",
		"out: {type: u32, count: 1}" + launch:                               `"out" is a buffer and a symbol: call one of them otherwise`,
		"host: {type: u32, count: 1}" + launch:                              `a symbol cannot be called "host"`,
		"taps: {type: u32, count: 1, module: other.ptx}" + launch:           "symbol taps: there is no file",
		"taps: {type: u32, count: 1, module: w.yaml}" + launch:              "symbol taps: no launch uses the module w.yaml",
		"taps: {type: u32, count: 2, init: {values: [1, 2, 3]}}" + launch:   "init of symbol taps: 3 values for a buffer of 2 elements",
		"taps: {type: u32, count: 2}" + launch + "expect: {tap: {fill: 1}}": `expect: there is no buffer "tap"; did you mean "taps"?`,
	} {
		dir := folder(t, map[string]string{"k.ptx": filtered, "w.yaml": head + text})
		_, err := Open(context.Background(), filepath.Join(dir, "w.yaml"), functional)
		assert.ErrorContains(t, err, want, text)
	}
	dir := folder(t, map[string]string{"add.ptx": increment, "w.yaml": "module: add.ptx\nsymbols:\n  x: {type: u32, count: 1}\n" +
		"buffers: {out: {type: u32, count: 4}}\nsteps:\n  - launch: {kernel: increment, grid: [1], block: [4], args: [out]}\n"})
	_, err := Open(context.Background(), filepath.Join(dir, "w.yaml"), functional)
	assert.ErrorContains(t, err, "the modules have no .const and no .global variable")
}

// If two modules have variables of one name, the workload's own is meant unless the symbol names the other module.
func TestSymbolsOfTwoModules(t *testing.T) {
	dir := folder(t, map[string]string{"k.ptx": filtered, "l.ptx": replace(t, filtered, "count = 5", "count = 50"), "w.yaml": `
module: k.ptx
buffers:
  out: {type: u32, count: 4}
symbols:
  count: {type: u32, count: 1}
  theirs: {symbol: count, module: l.ptx, type: u32, count: 1}
steps:
  - launch: {kernel: filter, grid: [1], block: [4], args: [out]}
  - launch: {kernel: filter, grid: [1], block: [3], args: [out], module: l.ptx}
expect:
  count: {values: [9]}
  theirs: {values: [53]}
`})
	_, result := runFile(t, filepath.Join(dir, "w.yaml"), functional)
	assert.Empty(t, result.Mismatches)
}

// Without a workload file, wishes set variables, and constants that stay zero get a note.
func TestSymbolsWithoutAWorkload(t *testing.T) {
	dir := folder(t, map[string]string{"k.ptx": filtered})
	job, _ := runFile(t, filepath.Join(dir, "k.ptx"), functional)
	assert.Contains(t, job.Notes, "constant variable taps (8 bytes) is zero; --symbol taps=f32[2]:random gives it a value")
	s, err := workload.ParseSymbol("taps=u32[2]:values(4,2)")
	require.NoError(t, err)
	o := functional
	o.Symbols = []workload.Buffer{s}
	job, _ = runFile(t, filepath.Join(dir, "k.ptx"), o)
	assert.Equal(t, uint32(42), words(t, job, "arg0")[0])
	for _, note := range job.Notes {
		assert.NotContains(t, note, "constant variable")
	}
	o.Symbols[0].Symbol.Name = "tap"
	_, err = Open(context.Background(), filepath.Join(dir, "k.ptx"), o)
	assert.ErrorContains(t, err, "--symbol taps: there is no .const or .global variable tap; did you mean taps?")
}
