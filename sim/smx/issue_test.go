package smx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// chain returns a row of multiply-adds that each need the result of the one before.
func chain(n int) string {
	text := "\tmov.f32 %f0, 0f3F800000;\n\tcvt.rn.f32.u32 %f1, %tid;\n"
	for range n {
		text += "\tfma.rn.f32 %f0, %f0, %f1, %f1;\n"
	}
	return text + "\tst.global.f32 [%mine], %f0;\n"
}

// separate returns a row of independent additions.
func separate(n int) string {
	text := "\tcvt.rn.f32.u32 %f0, %tid;\n"
	for i := range n {
		text += fmt.Sprintf("\tadd.f32 %%f%d, %%f0, 0f%08X;\n", i+1, 0x3f800000+i)
	}
	for i := range n {
		text += fmt.Sprintf("\tst.global.f32 [%%mine+%d], %%f%d;\n", 128*i, i+1)
	}
	return text
}

// An operation that reads a register issues once the latency of the operation that writes it has passed. Until then the warp stalls for an
// execution dependency.
func TestADependentOperationWaitsForTheLatency(t *testing.T) {
	for _, latency := range []int{9, 14, 20} {
		j := &journal{}
		b := newBench(t, kernelText(chain(12)),
			setup{threads: 32, observer: j, overrides: []string{fmt.Sprintf("pipelines.operations.fp32.latency=%d", latency)}}).timed()
		require.Nil(t, b.Fault)
		adds := j.of("FFMA")
		require.Len(t, adds, 12)
		for i := range adds[1:] {
			gap := adds[i+1].Cycle - adds[i].Cycle
			if i > 0 { // the first waits for its conversion and its line of code besides
				assert.GreaterOrEqual(t, gap, engine.Cycle(latency))
				assert.LessOrEqual(t, gap, engine.Cycle(latency)+1)
			}
		}
		assert.GreaterOrEqual(t, j.stalled(stats.StallExecutionDependency), engine.Cycle(10*(latency-1)))
	}
}

// A lone warp issues again only after the reissue distance, dependent or not. The second of a pair issues in the cycle of its first.
func TestAWarpKeepsItsReissueDistance(t *testing.T) {
	for _, distance := range []int{1, 3, 6} {
		j := &journal{}
		newBench(t, kernelText(separate(16)),
			setup{threads: 32, observer: j, overrides: []string{fmt.Sprintf("pipelines.reissue_cycles=%d", distance)}}).timed()
		pairs := 0
		for i := range j.issues[1:] {
			first, next := &j.issues[i], &j.issues[i+1]
			if next.Second {
				pairs++
				assert.Equal(t, first.Cycle, next.Cycle, "both of a pair issue in one cycle")
				assert.True(t, first.Warp.Operation(first.Op).PairWithNext)
				continue
			}
			assert.GreaterOrEqual(t, next.Cycle-first.Cycle, engine.Cycle(distance))
		}
		assert.Positive(t, pairs)
	}
}

// Without dual issue nothing issues as a second, and each slot counts as single.
func TestPairsNeedDualIssue(t *testing.T) {
	for _, enabled := range []bool{true, false} {
		j := &journal{}
		b := newBench(t, kernelText(separate(16)),
			setup{threads: 32, observer: j, overrides: []string{fmt.Sprintf("pipelines.dual_issue.enabled=%v", enabled)}}).timed()
		seconds := uint64(0)
		for _, e := range j.issues {
			if e.Second {
				seconds++
			}
		}
		assert.Equal(t, enabled, seconds > 0)
		assert.Equal(t, seconds, b.Counters.IssuedDual)
		assert.Equal(t, b.Counters.IssueSlots, b.Counters.IssuedSingle+b.Counters.IssuedDual)
		assert.Equal(t, b.Counters.InstIssued, b.Counters.IssuedSingle+2*b.Counters.IssuedDual)
	}
}

// A scheduler issues from one warp a cycle, at most two operations, and a warp belongs to one scheduler.
func TestASchedulerIssuesFromOneWarpACycle(t *testing.T) {
	j := &journal{}
	b := newBench(t, kernelText(separate(16)), setup{threads: 512, observer: j}).timed()
	type slot struct {
		at        engine.Cycle
		scheduler int
	}
	slots := map[slot][]int{}
	warps := map[int]int{}
	for _, e := range j.issues {
		k := slot{e.Cycle, e.Warp.Scheduler}
		slots[k] = append(slots[k], e.Warp.Index)
		before, known := warps[e.Warp.Index]
		require.True(t, !known || before == e.Warp.Scheduler, "a warp changes its scheduler")
		warps[e.Warp.Index] = e.Warp.Scheduler
	}
	for k, issued := range slots {
		require.LessOrEqual(t, len(issued), 2, "%v", k)
		require.Equal(t, issued[0], issued[len(issued)-1], "two warps in one slot")
	}
	var dealt [4]int
	for _, scheduler := range warps {
		dealt[scheduler]++
	}
	assert.Equal(t, [4]int{4, 4, 4, 4}, dealt, "a block's warps are dealt out evenly")
	assert.Equal(t, uint64(len(j.issues)), b.Counters.InstExecuted)
}

// Every cycle of a warp from its start to its end is an issue or a stall with a reason, and the operations' stalls sum to the SMX's.
func TestEveryCycleOfAWarpIsAccountedFor(t *testing.T) {
	for name, statements := range map[string]string{
		"chain": chain(30), "separate": separate(20), "barrier": "\tbar.sync 0;\n" + chain(5) + "\tbar.sync 0;\n",
	} {
		t.Run(name, func(t *testing.T) {
			j := &journal{}
			b := newBench(t, kernelText(statements), setup{threads: 256, observer: j}).timed()
			var told, booked uint64
			for _, e := range j.stalls {
				require.Less(t, e.From, e.To)
				told += uint64(e.To - e.From)
			}
			for _, cycles := range b.Counters.Stalls {
				booked += cycles
			}
			assert.Equal(t, told, booked)
			assert.Equal(t, b.Counters.ActiveWarpCycles, booked+issueSlots(j), "cycles of warps that are resident")
		})
	}
}

// issueSlots counts the issue slots that operations took, without replays.
func issueSlots(j *journal) (n uint64) {
	for _, e := range j.issues {
		if !e.Second {
			n++
		}
	}
	return n
}

// With more warps than a unit can serve, the unit's rate is the limit: 32 special functions a cycle in an SMX. Warps whose unit is taken
// stall on the pipe, and those that a scheduler passes over are not selected.
func TestUnitsLimitTheRateOfTheirClass(t *testing.T) {
	text := "\tcvt.rn.f32.u32 %f39, %tid;\n\tmov.f32 %f0, 0f00000000;\n"
	const each, warps = 24, 32
	for i := range each {
		text += fmt.Sprintf("\tadd.f32 %%f%d, %%f39, 0f%08X;\n\trcp.approx.ftz.f32 %%f%d, %%f%d;\n", i+1, 0x3f800000+i, i+1, i+1)
	}
	for i := range each {
		text += fmt.Sprintf("\tadd.f32 %%f0, %%f0, %%f%d;\n", i+1)
	}
	text += "\tst.global.f32 [%mine], %f0;\n"
	j := &journal{}
	b := newBench(t, kernelText(text), setup{threads: 32 * warps, observer: j}).timed()
	special := j.of("MUFU")
	require.Len(t, special, each*warps)
	const window, buffered = 96, 8 // of cycles; operations that the schedulers' units may have begun before
	most := 0
	for i := range special {
		n := 0
		for ; i+n < len(special) && special[i+n].Cycle < special[i].Cycle+window; n++ {
		}
		most = max(most, n)
	}
	assert.LessOrEqual(t, most, window+buffered, "no more than one a cycle")
	assert.GreaterOrEqual(t, most, window-buffered, "while no warp waits for its code, no less")
	assert.Positive(t, b.Counters.Stalls[stats.StallPipeBusy])
	assert.Positive(t, b.Counters.Stalls[stats.StallNotSelected])
}

// The first operation waits for the fetch of its line, and so does the first one beyond that line. The stall says so.
func TestCodeIsFetchedLineByLine(t *testing.T) {
	j := &journal{}
	b := newBench(t, kernelText(chain(200)), setup{threads: 32, observer: j}).timed()
	assert.GreaterOrEqual(t, b.Counters.Instruction.Accesses, uint64(len(b.machine.Ops)*8/b.config.InstructionCache.L1.Line))
	assert.GreaterOrEqual(t, j.issues[0].Cycle, engine.Cycle(b.config.InstructionCache.L2Latency), "the first line comes from L2")
	assert.Positive(t, j.stalled(stats.StallInstructionFetch))
}

// Blocks start in the order of their numbers, as many as fit. Each further one starts when an earlier one has left after its end.
func TestBlocksStartWhenOthersLeave(t *testing.T) {
	j := &journal{}
	b := newBench(t, kernelText(chain(20)), setup{threads: 1024, blocks: 5, bytes: 1 << 16, observer: j})
	require.Equal(t, 2, b.grid.Occupancy.Blocks)
	assert.True(t, b.Room(b.grid))
	assert.True(t, b.SMX.Idle(), "offered blocks are not resident")
	assert.Len(t, b.offered.blocks, 5)
	b.timed()
	require.Len(t, j.starts, 5)
	require.Len(t, j.ends, 5)
	assert.Equal(t, []engine.Cycle{0, 1}, j.starts[:2], "one a cycle, as offered")
	for i, at := range j.starts[2:] {
		assert.Equal(t, j.ends[i]+engine.Cycle(b.config.Launch.BlockStartCycles), at)
	}
	assert.Empty(t, b.offered.blocks)
	assert.Zero(t, b.SMX.Blocks(b.grid))
	assert.Equal(t, uint64(5), b.Counters.BlocksLaunched)
	assert.Equal(t, uint64(5*1024), b.Counters.ThreadsLaunched)
}

// Offered blocks without room can be withdrawn.
func TestBlocksBeyondTheRoomComeBack(t *testing.T) {
	b := newBench(t, kernelText(chain(20)), setup{threads: 1024, blocks: 5, bytes: 1 << 16})
	b.Run(400)
	assert.Equal(t, 2, b.SMX.Blocks(b.grid))
	assert.False(t, b.Room(b.grid))
	assert.Equal(t, []Offered{{b.grid, 2}, {b.grid, 3}, {b.grid, 4}}, b.Withdraw(nil))
	assert.Empty(t, b.Withdraw(nil))
	assert.False(t, b.SMX.Idle(), "its warps are at work")
}

// The lines of the observed program are those of the kernel's text.
func TestObservedOperationsSayWhereTheyAre(t *testing.T) {
	j := &journal{}
	newBench(t, kernelText("\tbar.sync 0;\n"), setup{threads: 64, observer: j}).timed()
	require.NotEmpty(t, j.barriers)
	where := j.barriers[0].Warp.Where(j.barriers[0].Op)
	line := 1 + strings.Count(kernelText("\tbar.sync 0;\n")[:strings.Index(kernelText("\tbar.sync 0;\n"), "bar.sync")], "\n")
	assert.Equal(t, fmt.Sprintf("kernel.ptx:%d", line), where)
}

// A warp that starts in the place of another finds every entry ready that its program may touch.
func TestAClearedScoreboardIsReady(t *testing.T) {
	var s scoreboard
	for n := range s {
		s[n] = readyAt(never, stats.StallMemoryDependency)
	}
	s.clear(10)
	for n := range scoreboardEntries {
		if n < 10 || n >= scoreboardPredicate {
			require.Zero(t, s[n].cycle(), "entry %d", n)
		}
	}
}
