package smx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/machinecode"
	"github.com/keplersim/keplersim/sim/observe"
)

// everyWay is a kernel of loops, branches that diverge, guards, barriers, atomics and a call of a block's shared memory.
const everyWay = `
	.shared .align 4 .b8 tile[1024];
	mov.u32 %r1, 0;
	mov.u32 %r2, tile;
	shl.b32 %r3, %tid, 2;
	and.b32 %r3, %r3, 1020;
	add.u32 %r2, %r2, %r3;
	st.shared.u32 [%r2], %tid;
	bar.sync 0;
loop:
	and.b32 %r4, %tid, 3;
	setp.ge.u32 %p1, %r4, %r1;
	@%p1 bra odd;
	mad.lo.u32 %r5, %r1, %tid, %r4;
	red.global.add.u32 [%out], %r5;
	bra.uni joined;
odd:
	ld.shared.u32 %r6, [%r2];
	add.u32 %r6, %r6, %r1;
	st.shared.u32 [%r2], %r6;
joined:
	@!%p1 add.u32 %r7, %r7, %r5;
	@%p1 popc.b32 %r7, %r7;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p2, %r1, 9;
	@%p2 bra loop;
	bar.sync 0;
	ld.shared.u32 %r8, [%r2];
	add.u32 %r8, %r8, %r7;
	st.global.u32 [%mine+16], %r8;
	setp.gt.u32 %p3, %tid, 77;
	@%p3 exit;
	ld.global.u32 %r9, [%mine+16];
	add.u32 %r9, %r9, 1;
	st.global.u32 [%mine+16], %r9;
`

// The interpreter and machine code give the same memory and counters. With an observer, which hears of each operation, the interpreter runs
// them all. Without one, machine code runs most.
func TestMachineCodeDoesAndCountsAsTheInterpreter(t *testing.T) {
	if !machinecode.Supported() {
		t.Skip("this host runs no machine code made here")
	}
	for _, threads := range []uint32{128, 250, 7} {
		o := setup{blocks: 5, threads: threads}
		native := newBench(t, kernelText(everyWay), o).functional()
		o.observer = observe.Silent{}
		interpreted := newBench(t, kernelText(everyWay), o).functional()
		require.NotNil(t, native.GridState.tally)
		require.Nil(t, interpreted.GridState.tally)
		require.Equal(t, interpreted.words(300), native.words(300))
		native.Leave(native.GridState)
		interpreted.Leave(interpreted.GridState)
		require.Equal(t, interpreted.Operations, native.Operations)
		require.Equal(t, interpreted.Counters, native.Counters)
	}
}

// A fault, which ends a run in the middle, leaves the same state in both.
func TestFaultInMachineCode(t *testing.T) {
	source := kernelText(`
	mov.u32 %r1, 5;
	mad.lo.u32 %r2, %tid, %r1, %r1;
	ld.global.u32 %r3, [%mine+4000];
	add.u32 %r3, %r3, %r2;
	@%p1 add.u32 %r3, %r3, %r2;
	mul.lo.u32 %r3, %r3, %r3;
	st.global.u32 [%mine], %r3;`)
	o := setup{threads: 64}
	native := newBench(t, source, o).functional()
	o.observer = observe.Silent{}
	interpreted := newBench(t, source, o).functional()
	require.NotNil(t, native.Fault)
	require.Equal(t, FaultAddress, native.Fault.Kind)
	for _, f := range []*Fault{native.Fault, interpreted.Fault} {
		f.Cycle, f.Address, f.Nearby = 0, 0, ""
	}
	require.Equal(t, interpreted.Fault, native.Fault)
	native.Leave(native.GridState)
	interpreted.Leave(interpreted.GridState)
	require.Equal(t, interpreted.Counters, native.Counters)
}
