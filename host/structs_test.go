package host

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/workload"
)

// A struct {unsigned *from; unsigned n; unsigned **to;} by value: each thread writes element i of from, plus n, to the address of its
// pointer in to.
const scattered = `.version 4.2
.target sm_35
.address_size 64
.visible .entry scattered(.param .align 8 .b8 s[24])
{
	.reg .u64 %rd<7>;
	.reg .u32 %r<5>;
	ld.param.u64 %rd1, [s];
	ld.param.u32 %r1, [s+8];
	ld.param.u64 %rd2, [s+16];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd3, %r2, 4;
	add.u64 %rd4, %rd1, %rd3;
	ld.global.u32 %r3, [%rd4];
	add.u32 %r3, %r3, %r1;
	mul.wide.u32 %rd3, %r2, 8;
	add.u64 %rd5, %rd2, %rd3;
	ld.global.u64 %rd6, [%rd5];
	st.global.u32 [%rd6], %r3;
	ret;
}
`

func TestStructsAndPointersOfAWorkload(t *testing.T) {
	dir := folder(t, map[string]string{"k.ptx": scattered, "k.yaml": `
module: k.ptx
buffers:
  to: {type: u64, count: 3, init: {pointers: [out, {ptr: [out, 8]}, {ptr: [from, 4]}]}}
  from: {type: u32, count: 3, init: {values: [10, 20, 30]}}
  out: {type: u32, count: 3}
steps:
  - launch: {kernel: scattered, grid: [1], block: [3], args: [{struct: [from, {u32: 5}, to]}]}
expect:
  out: {values: [15, 0, 25]}
  from: {values: [10, 35, 30]}
`})
	_, result := runFile(t, filepath.Join(dir, "k.ptx"), functional)
	assert.Empty(t, result.Mismatches)
	assert.Equal(t, []string{"out", "from"}, result.Checked)
}

// The command line can describe the same arguments, and a saved file means the same.
func TestStructsAndPointersOfArguments(t *testing.T) {
	dir := folder(t, map[string]string{"k.ptx": scattered})
	file := filepath.Join(dir, "k.ptx")
	o := functional
	o.Grid, o.Block = [3]int{1, 1, 1}, [3]int{3, 1, 1}
	a, err := workload.ParseArg("struct(from=u32[3]:values(10,20,30),u32:5,u64[3]:pointers(from,from+8,from+4))")
	require.NoError(t, err)
	o.Arguments = []workload.ArgText{a}
	job, _ := runFile(t, file, o)
	assert.Equal(t, []uint32{15, 35, 25}, words(t, job, "from"))
	again := folder(t, map[string]string{"k.ptx": scattered, "saved.yaml": job.Workload.YAML()})
	require.Contains(t, job.Workload.YAML(), "{struct: [from, {u32: 5}, arg0_2]}")
	job, _ = runFile(t, filepath.Join(again, "saved.yaml"), functional)
	assert.Equal(t, []uint32{15, 35, 25}, words(t, job, "from"))
}
