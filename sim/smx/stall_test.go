package smx

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// late is a kernel whose second warp reaches its barrier while its load is in flight, and long before the first.
var late = kernelText(`
	setp.gt.u32 %p0, %tid, 31;
	selp.u32 %r0, 0, 150, %p0;
	ld.global.u32 %r31, [%mine];
	nanosleep.u32 %r0;
	bar.sync 0;
	add.u32 %r31, %r31, 1;
	st.global.u32 [%mine], %r31;`)

// A warp's wait at a barrier, from its arrival to the last one's, is counted at the barrier as sync, whatever else it waits for.
func TestAWaitAtABarrierCountsAtTheBarrier(t *testing.T) {
	j := &journal{}
	newBench(t, late, setup{threads: 64, observer: j}).timed()
	arrivals := j.of("BAR")
	require.Len(t, arrivals, 2)
	first, last := arrivals[0], arrivals[1]
	require.Greater(t, last.Cycle, first.Cycle+50, "the warps arrive at %d and %d", first.Cycle, last.Cycle)
	counted := engine.Cycle(0)
	for _, e := range j.stalls {
		if e.Warp == first.Warp && e.From > first.Cycle && e.From < last.Cycle {
			assert.Equal(t, stats.StallSync, e.Reason)
			assert.Equal(t, first.Op, e.Op)
			counted += e.To - e.From
		}
	}
	assert.Equal(t, last.Cycle-first.Cycle-1, counted)
	assert.Positive(t, j.stalled(stats.StallMemoryDependency), "the load is in flight behind the barrier")
}

// Both loops charge stalls to the same operations where random kernels do not go: at slow paths that are skipped, barriers, fences, sleeps,
// calls.
func TestBothLoopsChargeTheSameOperations(t *testing.T) {
	sources := map[string]string{
		"barrier": late,
		"sleep": kernelText(separate(5) + `
	mul.lo.u32 %r0, %tid, 10;
	nanosleep.u32 %r0;` + chain(40)),
		"fence": kernelText(`
	st.global.u32 [%mine], 1;
	membar.gl;
	ld.global.u32 %r1, [%mine+128];
	bar.sync 0;
	add.u32 %r1, %r1, 1;
	st.global.u32 [%mine+128], %r1;`),
	}
	for before := range 15 { // so that the slow path begins a line of code, too, at which warps wait
		sources[fmt.Sprintf("slow path behind %d", before)] = kernelText(separate(before) + `
	cvt.rn.f32.u32 %f38, %tid;
	add.f32 %f39, %f38, 0f3F800000;
	div.rn.f32 %f38, %f38, %f39;
	sqrt.rn.f32 %f38, %f38;
	st.global.f32 [%mine], %f38;`)
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			fast := newBench(t, source, setup{threads: 96}).timed()
			observed := newBench(t, source, setup{threads: 96, observer: &journal{}}).timed()
			Plainly(func() {
				plain := newBench(t, source, setup{threads: 96}).timed()
				require.Nil(t, plain.Fault)
				for i := range plain.Operations {
					what := plain.machine.Ops[i].Mnemonic
					assert.Equal(t, plain.Operations[i], fast.Operations[i], "%d: %s", i, what)
					assert.Equal(t, plain.Operations[i], observed.Operations[i], "%d: %s", i, what)
				}
				assert.Equal(t, plain.Counters, fast.Counters)
			})
		})
	}
}
