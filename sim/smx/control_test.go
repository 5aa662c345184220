package smx

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// Every warp reads after a barrier what any warp wrote to shared memory before it.
func TestABarrierLetsNoWarpPassEarly(t *testing.T) {
	source := kernelText(`
	.shared .align 4 .b32 words[256];
	mov.u32 %r0, words;
	shl.b32 %r1, %tid, 2;
	add.u32 %r1, %r1, %r0;
	mul.lo.u32 %r2, %tid, 7;
	st.shared.u32 [%r1], %r2;
	bar.sync 0;
	xor.b32 %r3, %tid, 255;
	shl.b32 %r3, %r3, 2;
	add.u32 %r3, %r3, %r0;
	ld.shared.u32 %r4, [%r3];
	st.global.u32 [%mine], %r4;`)
	bothWays(t, source, setup{threads: 256}, func(t *testing.T, b *bench) {
		require.Nil(t, b.Fault)
		for i, got := range b.words(256) {
			require.Equal(t, uint32(7*(255-i)), got)
		}
		assert.Equal(t, uint64(8), b.Counters.Barriers)
	})
	j := &journal{}
	b := newBench(t, source, setup{threads: 256, observer: j}).timed()
	require.Len(t, j.barriers, 9)
	last := engine.Cycle(0)
	for _, e := range j.barriers[:8] {
		assert.Equal(t, observe.Started, e.Stage)
		last = max(last, e.Cycle)
	}
	assert.Equal(t, observe.Ended, j.barriers[8].Stage)
	assert.Equal(t, last, j.barriers[8].Cycle, "it ends with the last arrival")
	for _, e := range j.of("LDS") {
		assert.GreaterOrEqual(t, e.Cycle, last+engine.Cycle(b.config.Pipelines.BarrierCycles))
	}
	assert.Positive(t, b.Counters.Stalls[stats.StallSync])
}

// A barrier does not wait for a warp that has exited.
func TestAnExitedWarpNeverBlocksABarrier(t *testing.T) {
	bothWays(t, kernelText(`
	setp.ge.u32 %p0, %tid, 64;
	@%p0 exit;
	bar.sync 0;
	st.global.u32 [%mine], 1;`), setup{threads: 128}, func(t *testing.T, b *bench) {
		require.Nil(t, b.Fault)
		assert.Equal(t, uint64(1), b.Finished)
		assert.Equal(t, append(repeat(1, 64), repeat(0, 64)...), b.words(128))
	})
}

func repeat(value uint32, n int) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = value
	}
	return list
}

// bar.red gives every thread how many, whether all and whether any of the block's predicates hold.
func TestBarriersReduce(t *testing.T) {
	bothWays(t, kernelText(`
	rem.u32 %r0, %tid, 5;
	setp.eq.u32 %p0, %r0, 0;
	bar.red.popc.u32 %r1, 0, %p0;
	bar.red.and.pred %p1, 0, %p0;
	bar.red.or.pred %p2, 0, %p0;
	selp.u32 %r2, 1000, 0, %p1;
	selp.u32 %r3, 2000, 0, %p2;
	add.u32 %r1, %r1, %r2;
	add.u32 %r1, %r1, %r3;
	st.global.u32 [%mine], %r1;`), setup{threads: 96}, func(t *testing.T, b *bench) {
		require.Nil(t, b.Fault)
		const multiples = 20 // of 5 below 96
		assert.Equal(t, repeat(2000+multiples, 96), b.words(96))
	})
}

// A producer that only arrives goes on. A consumer waits for as many threads as the barrier's count, its own included.
func TestNamedBarriersCountThreads(t *testing.T) {
	bothWays(t, kernelText(`
	setp.ge.u32 %p0, %tid, 32;
	@%p0 bra PRODUCE;
	bar.sync 3, 64;
	ld.global.volatile.u32 %r0, [%out+512];
	st.global.u32 [%mine], %r0;
	bra END;
PRODUCE:
	st.global.volatile.u32 [%out+512], 77;
	membar.gl;
	bar.arrive 3, 64;
	st.global.u32 [%mine], 5;
END:`), setup{threads: 64}, func(t *testing.T, b *bench) {
		require.Nil(t, b.Fault)
		assert.Equal(t, append(repeat(77, 32), repeat(5, 32)...), b.words(64))
	})
}

// Warps that wait for each other at different barriers are a deadlock. The error says which warp waits where.
func TestADeadlockSaysWhoWaits(t *testing.T) {
	bothWays(t, kernelText(`
	setp.ge.u32 %p0, %tid, 32;
	@%p0 bra OTHER;
	bar.sync 1, 64;
	bra END;
OTHER:
	bar.sync 2, 64;
END:`), setup{threads: 64}, func(t *testing.T, b *bench) {
		require.Nil(t, b.Fault)
		require.Zero(t, b.Finished)
		f := b.Deadlock()
		require.NotNil(t, f)
		message := f.Error()
		assert.Contains(t, message, "deadlock: every warp waits and nothing can wake one; warp 0 waits at a barrier at kernel.ptx:")
		assert.Contains(t, message, "warp 1 waits at a barrier at kernel.ptx:")
		assert.Contains(t, message, "barrier 1 has 1 warp and waits for 64 threads (2 warps)")
		where := Standing([]*SMX{b.SMX})
		assert.Contains(t, where, "2 warps have not ended:")
		assert.Contains(t, where, "1 waiting at a barrier at kernel.ptx:")
	})
	assert.Empty(t, Standing(nil))
}

// A loop that some lanes never leave blocks the other lanes of their warp. Standing says so.
func TestStandingTellsOfLanesThatWaitForOthers(t *testing.T) {
	b := newBench(t, kernelText(`
	setp.lt.u32 %p0, %tid, 4;
LOOP:
	ld.global.volatile.u32 %r0, [%out];
	setp.eq.and.u32 %p1, %r0, 0, %p0;
	@%p1 bra LOOP;
	st.global.u32 [%mine+4], 1;`), setup{threads: 32})
	for range 50 {
		require.True(t, b.RunFunctional() || b.RunNext())
	}
	text := Standing([]*SMX{b.SMX})
	assert.Contains(t, text, "1 warp has not ended:")
	assert.Contains(t, text, "warp 0 has 4 of 32 lanes there, for which the others wait")
	assert.Contains(t, text, "free the lock inside the loop")
}

// Each lane of an indexed branch goes to its own entry of the table. An index beyond the table is a fault.
func TestIndexedBranches(t *testing.T) {
	statements := `
	rem.u32 %r0, %tid, 4;
	mov.u32 %r1, 0;
	brx.idx %r0, TABLE;
TABLE: .branchtargets A, B, C;
A:	mov.u32 %r1, 10;
	bra END;
B:	mov.u32 %r1, 20;
	bra END;
C:	mov.u32 %r1, 30;
END:	st.global.u32 [%mine], %r1;`
	bothWays(t, kernelText(strings.Replace(statements, "%tid, 4", "%tid, 3", 1)), setup{threads: 32}, func(t *testing.T, b *bench) {
		require.Nil(t, b.Fault)
		for i, got := range b.words(32) {
			assert.Equal(t, uint32(10*(i%3+1)), got)
		}
		assert.Equal(t, uint64(1), b.Counters.DivergentBranches)
	})
	counted := newBench(t, kernelText(strings.Replace(statements, "%tid, 4", "%tid, 3", 1)), setup{threads: 32}).timed()
	assert.Equal(t, uint64(3), counted.Counters.Branches, "two of them to the end")
	bothWays(t, kernelText(statements), setup{threads: 32}, func(t *testing.T, b *bench) {
		require.NotNil(t, b.Fault)
		assert.Equal(t, FaultBranchIndex, b.Fault.Kind)
		assert.Contains(t, b.Fault.Error(), "brx.idx with index 3, beyond its table of targets")
		assert.Equal(t, 3, b.Fault.Lane)
	})
}

// A warp sleeps for the longest time that one of its lanes asks for, and stalls for sleep all the while. That holds even if the code behind
// is still to be fetched: a line has fewer operations than these.
func TestNanosleep(t *testing.T) {
	for before := range 20 {
		j := &journal{}
		b := newBench(t, kernelText(separate(before)+`
	mul.lo.u32 %r0, %tid, 100;
	nanosleep.u32 %r0;
	st.global.u32 [%mine], 1;`), setup{threads: 32, observer: j}).timed()
		want := engine.Cycle(3100 * b.config.Clocks.Core / 1000)
		slept := j.stalled(stats.StallSleep)
		assert.InDelta(t, int64(want), int64(slept), 2, "%d operations before", before)
	}
}

// A fence lets its warp go on when the stores before it have been acknowledged.
func TestAFenceWaitsForStores(t *testing.T) {
	j := &journal{}
	newBench(t, kernelText(`
	st.global.u32 [%mine], 1;
	membar.gl;
	mov.u32 %r0, %clock;
	st.global.u32 [%mine+128], %r0;`), setup{threads: 32, observer: j}).timed()
	firstResponse := engine.Never
	for _, r := range j.requests {
		if r.Stage == observe.Ended {
			firstResponse = min(firstResponse, r.Cycle)
		}
	}
	clock := j.of("S2R")
	require.NotEmpty(t, clock)
	assert.GreaterOrEqual(t, clock[len(clock)-1].Cycle, firstResponse)
	assert.Positive(t, j.stalled(stats.StallFence))
}

// A divergent branch runs both paths, each with its lanes, and counts once.
func TestDivergentBranchesRunBothWays(t *testing.T) {
	j := &journal{}
	b := newBench(t, kernelText(`
	and.b32 %r0, %tid, 1;
	setp.eq.u32 %p0, %r0, 0;
	@%p0 bra EVEN;
	st.global.u32 [%mine], 1;
	bar.sync 1;
	bra END;
EVEN:	st.global.u32 [%mine+128], 2;
	bar.sync 1;
END:`), setup{threads: 32, observer: j}).timed()
	assert.Equal(t, uint64(1), b.Counters.DivergentBranches)
	lanes := uint32(0)
	for _, e := range j.of("ST") {
		assert.Zero(t, lanes&e.Mask)
		lanes |= e.Mask
	}
	assert.Equal(t, 32, bits.OnesCount32(lanes))
}

// A branch that is taken holds its warp longer than one that is not, by what filling its instruction buffer takes (m Jia: 123 less 93).
func TestATakenBranchTakesLonger(t *testing.T) {
	const turns = 16
	cycles := func(branch string, taken int) uint64 {
		b := newBench(t, kernelText(fmt.Sprintf(`
	mov.u32 %%r1, 0;
TURN:
	add.u32 %%r1, %%r1, 1;
	setp.lt.u32 %%p1, %%r1, %d;
	%s
	st.global.u32 [%%mine], %%r1;`, turns, branch)),
			setup{threads: 32, overrides: []string{fmt.Sprintf("pipelines.taken_cycles=%d", taken)}}).timed()
		require.Nil(t, b.Fault)
		return b.Counters.ActiveCycles
	}
	const back = ".pragma \"nounroll\";\n\t@%p1 bra TURN;"
	assert.EqualValues(t, (turns-1)*30, cycles(back, 30)-cycles(back, 0))
	assert.Zero(t, cycles("", 30)-cycles("", 0))
}

// A barrier completes no sooner than the stores to shared memory before it are done (d PTX ISA); one behind nothing else is as it was.
func TestABarrierWaitsForStoresToSharedMemory(t *testing.T) {
	cycles := func(body string, wait bool) uint64 {
		b := newBench(t, kernelText(`
	.shared .align 4 .b32 words[64];
	mov.u32 %r0, words;
	mad.lo.u32 %r1, %tid, 4, %r0;`+body+`
	bar.sync 0;
	st.global.u32 [%mine], %r0;`),
			setup{threads: 64, overrides: []string{fmt.Sprintf("shared_memory.barriers_wait=%v", wait)}}).timed()
		require.Nil(t, b.Fault)
		return b.Counters.ActiveCycles
	}
	const store = "\n\tst.shared.u32 [%r1], %tid;"
	assert.InDelta(t, 27, cycles(store, true)-cycles(store, false), 3) // m Jia, Zhang: the latency of shared memory
	assert.Equal(t, cycles("", false), cycles("", true))
}
