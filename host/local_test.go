package host

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
)

// localWords reads one word of a local array; each lane chooses it by its masked number.
const localWords = `.version 4.2
.target sm_30
.address_size 64
.visible .entry words(.param .u64 out, .param .u32 mask)
{
	.reg .b64 %a<6>;
	.reg .b32 %r<6>;
	.local .align 4 .b8 array[128];
	ld.param.u64 %a0, [out];
	ld.param.u32 %r1, [mask];
	mov.u32 %r0, %tid.x;
	and.b32 %r2, %r0, %r1;
	mul.wide.u32 %a1, %r2, 4;
	mov.u64 %a2, array;
	add.u64 %a2, %a2, %a1;
	st.local.u32 [%a2], %r0;
	ld.local.u32 %r3, [%a2];
	mul.wide.u32 %a3, %r0, 4;
	add.u64 %a3, %a0, %a3;
	st.global.u32 [%a3], %r3;
	ret;
}
`

// Local memory is interleaved (CUDA C Programming Guide, device memory accesses). Lanes that access the same word of their own local memory
// share a line of 128 bytes; others do not. Each lane finds its own word.
func TestLocalMemoryIsInterleaved(t *testing.T) {
	text := "module: k.ptx\nbuffers:\n  out: {type: u32, count: 32}\nsteps:\n" +
		"  - launch: {kernel: words, grid: [1], block: [32], args: [out, {u32: MASK}]}\n" +
		"expect:\n  out: {values: [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31]}\n"
	for mask, lines := range map[string]uint64{"0": 1, "1": 2, "7": 8, "31": 32} {
		dir := folder(t, map[string]string{"k.ptx": localWords, "w.yaml": replace(t, text, "MASK", mask)})
		_, result := runFile(t, filepath.Join(dir, "w.yaml"), Options{Simulator: sim.Options{Threads: 1}})
		assert.Empty(t, result.Mismatches)
		total := &result.Launches[0].Total
		assert.Equal(t, lines, total.LocalLoad.Transactions, mask)
		assert.Equal(t, lines, total.LocalStore.Transactions, mask)
		assert.Equal(t, lines, total.L1Local.Hits, "what was just stored is in L1")
	}
}

// Registers that do not fit are spilled through L1, and the results stay right.
func TestSpillsGoThroughL1(t *testing.T) {
	file := "../workloads/nbody/nbody.yaml"
	_, wide := runFile(t, file, Options{Simulator: sim.Options{Threads: 1}})
	_, narrow := runFile(t, file, Options{Simulator: sim.Options{Threads: 1, MaxRegisters: 16}})
	require.NotEmpty(t, narrow.Launches)
	assert.Empty(t, narrow.Mismatches)
	before, after := wide.Launches[0], narrow.Launches[0]
	assert.Zero(t, before.SpillBytes)
	assert.LessOrEqual(t, after.Registers, 16)
	assert.Positive(t, after.SpillBytes)
	assert.Positive(t, after.Total.L1Local.Accesses)
	assert.Equal(t, after.Total.LocalLoad.Transactions, after.Total.L1Local.Accesses)
	assert.GreaterOrEqual(t, after.Total.LocalLoad.Transactions, after.Total.LocalLoad.Requests)
	assert.LessOrEqual(
		t, after.Total.LocalLoad.Transactions, 2*after.Total.LocalLoad.Requests, "a spilled register of a warp is one line, a pair two",
	)
	assert.Greater(t, after.Cycles, before.Cycles)
}
