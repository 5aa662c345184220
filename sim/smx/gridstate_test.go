package smx

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Merging the counters of two nested grids of the same program doubles every counter.
func TestSharesAddUp(t *testing.T) {
	b := newBench(t, kernelText(everyWay), setup{blocks: 3, threads: 96}).timed()
	sum := b.GridState.Clone()
	sum.Merge(b.GridState)
	assert.Equal(t, 2*b.Counters.InstExecuted, sum.Counters.InstExecuted)
	assert.Equal(t, 2*b.Counters.ActiveCycles, sum.Counters.ActiveCycles)
	assert.EqualValues(t, 6, sum.Finished)
	for i := range sum.Operations {
		assert.Equal(t, 2*b.Operations[i].Executed, sum.Operations[i].Executed)
	}
	assert.EqualValues(t, 3, b.Finished, "a clone is apart")
}

// An estimate of factor 1 from a run timed in full equals its counters. Factor 2 gives twice the cycles and the same instructions.
func TestEstimatesScaleTimeAlone(t *testing.T) {
	for _, factor := range []float64{1, 2} {
		b := newBench(t, kernelText(everyWay), setup{blocks: 2, threads: 64}).timed()
		before := b.Counters
		b.Extrapolate(b.Detail(), factor, 1)
		assert.Equal(t, before.InstExecuted, b.Counters.InstExecuted)
		assert.Equal(t, before.Barriers, b.Counters.Barriers)
		assert.Equal(t, uint64(factor)*before.ActiveCycles, b.Counters.ActiveCycles)
		executed := make([]float64, len(b.Operations))
		b.Executed(executed)
		total := 0.0
		for _, n := range executed {
			total += n
		}
		assert.EqualValues(t, before.InstExecuted, total)
	}
}

// All legal orders of a program without races end alike. Only the seed decides the order.
func TestOrdersEndAlike(t *testing.T) {
	text := kernelText(`
	.shared .align 4 .b8 tile[512];
	mov.u32 %r1, tile;
	mad.lo.u32 %r2, %tid, 4, %r1;
	st.shared.u32 [%r2], %tid;
	bar.sync 0;
	xor.b32 %r3, %r2, 4;
	ld.shared.u32 %r4, [%r3];
	atom.global.add.u32 %r5, [%out+2048], %r4;
	st.global.u32 [%mine], %r4;
`)
	want := newBench(t, text, setup{threads: 128}).functional().words(1024)
	for seed := range uint64(20) {
		b := newBench(t, text, setup{threads: 128})
		b.Order(seed)
		assert.Equal(t, want, b.functional().words(1024), "seed %d", seed)
	}
}

// An empty SMX takes as many blocks as the occupancy calculation says, and has all resources back when they have left.
func TestResourcesAreThoseOfTheOccupancy(t *testing.T) {
	b := newBench(t, kernelText(everyWay), setup{blocks: 5, threads: 250})
	whole := b.Whole(b.grid)
	require.Equal(t, b.grid.Occupancy.Blocks, whole.Fits(b.grid))
	for _, bound := range []func(*Resources){
		func(r *Resources) { r.Blocks = 2 }, func(r *Resources) { r.Warps = 3*b.grid.Warps() - 1 },
		func(r *Resources) { r.Registers = 3*b.grid.Occupancy.AllocatedRegisters - 1 },
		func(r *Resources) { r.Shared = 3*b.grid.Occupancy.AllocatedShared - 1 },
	} {
		left := whole
		bound(&left)
		require.Equal(t, 2, left.Fits(b.grid), "the scarcest resource bounds them")
	}
	require.False(t, b.Renewable(), "blocks have been offered")
	require.Equal(t, []*GridState{b.GridState}, b.GridStates())
	require.Zero(t, b.grid.LocalBytes(b.config))
	require.GreaterOrEqual(t, b.grid.Program.Bytes(b.config), 8*len(b.Operations), "an instruction of Kepler has 8 bytes")
	b.Run(b.device.EpochCycles())
	require.Equal(t, b.Resident(), b.SMX.Blocks(b.grid))
	require.Positive(t, b.Resident())
	used := whole
	used.Take(b.grid, b.Resident())
	taken, of := b.Resident(), b.grid.Occupancy
	require.Equal(t, [4]int{taken, taken * b.grid.Warps(), taken * of.AllocatedRegisters, taken * of.AllocatedShared}, [4]int{
		whole.Blocks - used.Blocks, whole.Warps - used.Warps, whole.Registers - used.Registers, whole.Shared - used.Shared})
	require.Equal(t, used, b.Unused())
	require.False(t, b.GridState.Idle())
	b.timed()
	require.Equal(t, whole, b.Unused())
	require.Zero(t, b.Resident())
	b.Rest(b.device.EpochCycles() * 100)
	require.True(t, b.Renewable())
}

// The state of a running warp that observers can query: positions of lanes, paths, registers, the reason for its wait.
func TestStateOfAWarp(t *testing.T) {
	b := newBench(t, kernelText(everyWay), setup{threads: 70})
	b.Run(b.device.EpochCycles())
	w := b.SMX.blocks[0].warps[1]
	assert.Equal(t, [3]uint32{37, 0, 0}, w.Position(5))
	assert.Equal(t, b.machine.Registers, w.RegisterCount())
	assert.Zero(t, w.Context(), "nothing is called")
	require.NotEmpty(t, w.Paths())
	assert.Equal(t, uint32(0xffffffff), w.Paths()[len(w.Paths())-1].Lanes)
	zero, ok := w.Operand(&isa.Operand{Kind: isa.OperandRegister, Register: isa.RZ}, 3)
	assert.True(t, ok && zero == 0)
	number, ok := w.Operand(&isa.Operand{Kind: isa.OperandImmediate, Immediate: 12}, 3)
	assert.True(t, ok && number == 12)
	for _, p := range w.Pending() {
		assert.Greater(t, p.Ready, engine.Cycle(w.Clock))
	}
	var power stats.Activity
	b.GridState.Counters.InstIssued = 3
	b.GridState.AddActivity(&power)
	assert.Equal(t, stats.Activity{Instructions: 3}, power)
}
