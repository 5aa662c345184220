package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The kernel of hotspot has its tile's size in its text: in smaller blocks it is faster and computes something else.
func TestOccupancyChecksWhatAPointComputes(t *testing.T) {
	folder := t.TempDir()
	cache := filepath.Join(folder, "cache")
	code, out, errOut := keplersim(
		t, "occupancy", "../workloads/hotspot/hotspot.ptx", "--sweep", "block=128,256", "--simulate", "--cache", cache,
	)
	require.Equal(t, exitRan, code, errOut)
	assert.Regexp(t, `WRONG RESULT: gk110, blocks of 128, .*: even differs, odd differs`, out)
	assert.Regexp(t, `gk110: the least cycles, .* with block 256 .*its results are as expected`, out)

	code, out, errOut = keplersim(
		t, "occupancy", "../workloads/hotspot/hotspot.ptx", "--sweep", "block=128", "--simulate", "--cache", cache, "--format", "csv",
	)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, out, `,wrong,"even differs, odd differs"`)
	assert.Contains(t, errOut, "no point of the study computes what it has to: even differs, odd differs")
}

// shapes has a kernel that counts its threads, one that writes its block's size, and one that reads what the first wrote.
const shapes = `.version 4.2
.target sm_35
.address_size 64
.visible .entry threads(.param .u64 out) {
  .reg .u64 %o; .reg .u32 %r;
  ld.param.u64 %o, [out];
  red.global.add.u32 [%o], 1;
  ret;
}
.visible .entry size(.param .u64 out) {
  .reg .u64 %o; .reg .u32 %r;
  ld.param.u64 %o, [out];
  mov.u32 %r, %ntid.x;
  st.global.u32 [%o], %r;
  ret;
}
.visible .entry twice(.param .u64 in, .param .u64 out) {
  .reg .u64 %i, %o; .reg .u32 %r;
  ld.param.u64 %i, [in];
  ld.param.u64 %o, [out];
  ld.global.u32 %r, [%i];
  add.u32 %r, %r, %r;
  st.global.u32 [%o], %r;
  ret;
}
`

// Where a workload expects nothing, the unchanged launch says what is right; where it launches other kernels too, they run for the check.
func TestOccupancyChecksAgainstTheUnchangedLaunch(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "k.ptx")
	study := func(kernel, steps, expect string) (code int, out string) {
		require.NoError(t, os.WriteFile(file, []byte(shapes), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "k.yaml"), []byte("module: k.ptx\n"+
			"buffers: {x: {type: u32, count: 1}, y: {type: u32, count: 1}}\nsteps:\n"+steps+expect), 0o644))
		code, out, errOut := keplersim(
			t, "occupancy", file, "--kernel", kernel, "--sweep", "block=64,128", "--simulate", "--cache", filepath.Join(folder, "cache"),
		)
		assert.NotEqual(t, exitBadInput, code, errOut)
		return code, strings.Join(strings.Fields(out), " ")
	}
	const (
		threads = "  - launch: {kernel: threads, grid: [4], block: [64], args: [x]}\n"
		size    = "  - launch: {kernel: size, grid: [4], block: [64], args: [x]}\n"
		twice   = "  - launch: {kernel: twice, grid: [1], block: [1], args: [x, y]}\n"
	)
	code, out := study("threads", threads, "")
	assert.Equal(t, exitRan, code)
	assert.NotContains(t, out, "WRONG")
	assert.Contains(t, out, "its results are those of the unchanged launch")

	code, out = study("size", size, "")
	assert.Equal(t, exitRan, code)
	assert.Contains(t, out, "WRONG RESULT: gk110, blocks of 128, 4 registers, 0 bytes shared: x differs in 1 of 1 elements")
	assert.Contains(t, out, "with block 64 (")

	code, out = study("size", size+twice, "expect: {y: {values: [128]}}\n")
	assert.Equal(t, exitRan, code)
	assert.NotContains(t, out, "WRONG RESULT: gk110, blocks of 64")
	assert.Contains(t, out, "WRONG RESULT: gk110, blocks of 128, 4 registers, 0 bytes shared: y differs in 1 of 1 elements")

	code, out = study("threads", strings.Replace(threads, "block: [64]", "block: [64], repeat: 3", 1), "expect: {x: {values: [768]}}\n")
	assert.Equal(t, exitRan, code)
	assert.Contains(t, out, "its results are as expected")
}
