package host

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// adding computes out[0] = in[0] + by; if the sum is below 10, it sets flag[0].
const adding = `.version 4.2
.target sm_35
.address_size 64
.visible .entry add(.param .u64 in, .param .u64 out, .param .u64 flag, .param .u32 by)
{
	.reg .b64 %d<4>; .reg .b32 %r<5>; .reg .pred %p<2>;
	ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; ld.param.u64 %d3, [flag]; ld.param.u32 %r1, [by];
	ld.global.u32 %r2, [%d1]; add.u32 %r3, %r2, %r1; st.global.u32 [%d2], %r3;
	setp.lt.u32 %p1, %r3, 10; mov.u32 %r4, 1;
	@%p1 st.global.u32 [%d3], %r4;
	ret;
}
`

// runSteps runs the steps of a workload over buffers a, b and flag of one word each, a starting at 0.
func runSteps(t *testing.T, steps string) (*Job, *Result) {
	t.Helper()
	dir := folder(t, map[string]string{"add.ptx": adding, "w.yaml": "module: add.ptx\nbuffers:\n  a: {type: u32, count: 1}\n" +
		"  b: {type: u32, count: 1}\n  flag: {type: u32, count: 1}\n" + steps})
	return runFile(t, filepath.Join(dir, "w.yaml"), functional)
}

func launchOf(args string) string {
	return "launch: {kernel: add, grid: [1], block: [1], " + args + "}\n"
}

// Two buffers swap and a number counts: the sum 1 + 2 + 3 + 4 + 5 alternates between them.
func TestRepeatedLaunchesSwapAndCount(t *testing.T) {
	job, result := runSteps(
		t, "steps:\n  - "+launchOf("repeat: 5, args: [{rotate: [a, b]}, {rotate: [b, a]}, flag, {count: {u32: 1, step: 1}}]"),
	)
	assert.Len(t, result.Launches, 5)
	assert.Equal(t, []uint32{15}, words(t, job, "b"))
	assert.Equal(t, []uint32{10}, words(t, job, "a"))
}

// The loop of a breadth-first search: the flag is cleared, the kernel sets it if there is more to do, and the host reads it.
func TestStepsRepeatUntil(t *testing.T) {
	job, result := runSteps(t, `steps:
  - repeat:
      times: 100
      until: {element: [flag, 0], equals: 0}
      steps:
        - copy: {to: flag, from: host}
        - `+launchOf("args: [{rotate: [a, b]}, {rotate: [b, a]}, flag, {u32: 3}]"))
	assert.Len(t, result.Launches, 4, "3, 6, 9, 12")
	assert.Equal(t, []uint32{12}, words(t, job, "a"))
	assert.Empty(t, job.Notes)

	// The maximum number of rounds ends a loop whose condition never holds, and a note says so.
	job, result = runSteps(t, "steps:\n  - "+launchOf("repeat: 7, until: {element: [a, 0], above: 99}, args: [a, a, flag, {u32: 1}]"))
	assert.Len(t, result.Launches, 7)
	require.Len(t, job.Notes, 1)
	assert.Contains(t, job.Notes[0], "w.yaml:7:5: after 7 rounds, the most there may be, until: {element: [a, 0], above: 99} does not hold")
}

// Nested loops count their own rounds: each of three rounds adds 1 and 2.
func TestStepsRepeatWithinEachOther(t *testing.T) {
	job, result := runSteps(t, `steps:
  - repeat:
      times: 3
      steps:
        - repeat:
            times: 2
            steps:
              - `+launchOf("args: [a, a, flag, {count: {u32: 1, step: 1}}]"))
	assert.Len(t, result.Launches, 6)
	assert.Equal(t, []uint32{9}, words(t, job, "a"))
}

// An argument comes from an earlier launch: 1, 1 + 1, 2 + 2, 4 + 4.
func TestArgumentsFromEarlierResults(t *testing.T) {
	job, _ := runSteps(
		t, "steps:\n  - "+launchOf("args: [b, a, flag, {u32: 1}]")+"  - "+launchOf("repeat: 3, args: [a, a, flag, {element: [a, 0]}]"),
	)
	assert.Equal(t, []uint32{8}, words(t, job, "a"))
}

// Every turn of a rotation is checked before anything runs.
func TestTurnsAreChecked(t *testing.T) {
	for args, want := range map[string]string{
		"a, b, flag, {rotate: [{u32: 1}, {u64: 2}]}":           "the parameter is .u32 (4 bytes), but {u64: 2} has 8 bytes",
		"a, b, {element: [a, 0]}, {u32: 1}":                    "the parameter is .u64 (8 bytes), but {u32: 0} has 4 bytes",
		"a, b, flag, {rotate: [{u32: 1}, {u32: 2}]}, {u32: 1}": "takes 4 arguments",
	} {
		dir := folder(t, map[string]string{"add.ptx": adding, "w.yaml": strings.Join([]string{"module: add.ptx",
			"buffers: {a: {type: u32, count: 1}, b: {type: u32, count: 1}, flag: {type: u32, count: 1}}", "steps:",
			"  - " + launchOf("repeat: 2, args: ["+args+"]")}, "\n")})
		_, err := Open(context.Background(), filepath.Join(dir, "w.yaml"), functional)
		assert.ErrorContains(t, err, "w.yaml:4:5: kernel add")
		assert.ErrorContains(t, err, want)
	}
}
