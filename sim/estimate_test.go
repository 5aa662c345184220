package sim_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

// estimatedText is a kernel whose threads loop as often as a table says for their block, over reads and a write of memory.
const estimatedText = `.version 4.2
.target sm_35
.address_size 64
.visible .entry k(.param .u64 table, .param .u64 data)
{
	.reg .pred %p;
	.reg .b32 %r<8>;
	.reg .b64 %d<8>;
	ld.param.u64 %d1, [table];
	ld.param.u64 %d2, [data];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mov.u32 %r6, %ntid.x;
	mad.wide.u32 %d3, %r1, 4, %d1;
	ld.global.u32 %r3, [%d3];
	mad.lo.u32 %r4, %r1, %r6, %r2;
	mad.wide.u32 %d4, %r4, 4, %d2;
	mov.u32 %r5, 0;
loop:
	ld.global.u32 %r7, [%d4];
	mad.lo.u32 %r5, %r5, 5, %r7;
	sub.u32 %r3, %r3, 1;
	setp.ne.u32 %p, %r3, 0;
	@%p bra loop;
	st.global.u32 [%d4], %r5;
	ret;
}
`

// estimated launches the kernel several times on a small chip, and returns the launches and the final data.
func estimated(t *testing.T, estimate bool, blocks, launches, seed int) (list []*stats.Launch, data []byte) {
	t.Helper()
	return looping(t, sim.Options{Threads: 1, Estimate: estimate}, [2]uint32{1, 6}, blocks, launches, seed)
}

// looping is estimated with other options, and a range of loop counts.
func looping(t *testing.T, o sim.Options, times [2]uint32, blocks, launches, seed int) (list []*stats.Launch, data []byte) {
	t.Helper()
	config, err := configs.Load("gk110", []string{"smx.count=2"})
	require.NoError(t, err)
	gpu, err := sim.New(config, o)
	require.NoError(t, err)
	module, err := gpu.Load("estimated.ptx", []byte(estimatedText))
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	allocate := func(words int, value func() uint32) uint64 {
		at, err := gpu.Allocate("a", uint64(4*words))
		require.NoError(t, err)
		var contents []byte
		for range words {
			contents = binary.LittleEndian.AppendUint32(contents, value())
		}
		require.NoError(t, gpu.Write(at, contents))
		return at
	}
	table := allocate(blocks, func() uint32 { return times[0] + random.Uint32N(times[1]-times[0]+1) })
	at := allocate(256*blocks, random.Uint32)
	for range launches {
		parameters := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, table), at)
		l, err := gpu.Launch(t.Context(), sim.Launch{
			Module: module, Kernel: "k", Grid: [3]int{blocks}, Block: [3]int{256}, Parameters: parameters,
		})
		require.NoError(t, err)
		list = append(list, l)
	}
	data = make([]byte, 4*256*blocks)
	require.NoError(t, gpu.Read(at, data))
	return list, data
}

// A grid of many waves, here with blocks of different lengths, is timed in part. The results and the counts of instructions are exact, and
// the true cycles are in the interval.
func TestEstimatesOfWaves(t *testing.T) {
	inside := 0
	seeds := 6
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		whole, want := estimated(t, false, 1200, 1, seed)
		part, got := estimated(t, true, 1200, 1, seed)
		require.Equal(t, want, got)
		w, p := whole[0], part[0]
		require.Nil(t, w.Estimate)
		require.NotNil(t, p.Estimate)
		require.Less(t, p.Estimate.Detailed, 0.75)
		require.Positive(t, p.Estimate.Windows)
		require.Equal(t, w.BlocksDone, p.BlocksDone)
		for name, pair := range map[string][2]uint64{
			"executed": {w.Total.InstExecuted, p.Total.InstExecuted}, "threads": {w.Total.ThreadInstExecuted, p.Total.ThreadInstExecuted},
			"branches": {w.Total.Branches, p.Total.Branches}, "ptx": {w.Total.PTXInstructions, p.Total.PTXInstructions},
			"lanes": {w.Total.IntegerLanes, p.Total.IntegerLanes}, "warps": {w.Total.WarpsLaunched, p.Total.WarpsLaunched},
		} {
			assert.Equal(t, pair[0], pair[1], name)
		}
		for name, pair := range map[string][2]uint64{
			"active": {w.Total.ActiveCycles, p.Total.ActiveCycles}, "sectors": {w.Memory.L2ReadSectors, p.Memory.L2ReadSectors},
			"bytes": {w.Total.GlobalLoad.Bytes, p.Total.GlobalLoad.Bytes}, "issued": {w.Total.InstIssued, p.Total.InstIssued},
			"stalls": {w.Total.Stalls[stats.StallMemoryDependency], p.Total.Stalls[stats.StallMemoryDependency]},
		} {
			assert.InEpsilon(t, pair[0], pair[1], 0.1, name)
		}
		assert.InEpsilon(t, w.Cycles, p.Cycles, 0.03)
		if math.Abs(float64(w.Cycles)-float64(p.Cycles)) <= p.Estimate.Half {
			inside++
		}
	}
	require.GreaterOrEqual(t, inside, seeds-1, "of intervals with a confidence of 95 %%")
}

// A short launch is timed to its end, because leaving out parts is not worth the error. Blocks are all resident, or come in waves.
func TestShortLaunchesAreTimedWhole(t *testing.T) {
	short := 0
	sizes := []int{8, 60, 150, 300}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, blocks := range sizes {
		for turns := uint32(8); turns <= 512; turns *= 2 {
			times := [2]uint32{turns, turns}
			whole, _ := looping(t, sim.Options{Threads: 1}, times, blocks, 1, 1)
			if whole[0].Cycles < 10_000 || whole[0].Cycles > 30_000 {
				continue
			}
			part, _ := looping(t, sim.Options{Threads: 1, Estimate: true}, times, blocks, 1, 1)
			assert.Equal(t, whole[0].Cycles, part[0].Cycles, "%d blocks of %d turns", blocks, turns)
			short++
		}
	}
	assert.GreaterOrEqual(t, short, len(sizes)/2)
}

// If a wave takes long, resident blocks run without timing in between: no work is lost or done twice.
func TestEstimatesOfLongBlocks(t *testing.T) {
	for name, times := range map[string][2]uint32{"alike": {400, 400}, "of different lengths": {200, 600}} {
		t.Run(name, func(t *testing.T) {
			whole, want := looping(t, sim.Options{Threads: 1}, times, 70, 1, 1)
			part, got := looping(t, sim.Options{Threads: 1, Estimate: true}, times, 70, 1, 1)
			require.Equal(t, want, got)
			w, p := whole[0], part[0]
			require.NotNil(t, p.Estimate)
			require.Less(t, p.Estimate.Detailed, 0.75)
			require.Equal(t, w.BlocksDone, p.BlocksDone)
			require.Equal(t, w.Total.InstExecuted, p.Total.InstExecuted)
			require.Equal(t, w.Total.PTXInstructions, p.Total.PTXInstructions)
			require.InEpsilon(t, w.Total.ActiveCycles, p.Total.ActiveCycles, 0.2, "of so short a launch the end is a large part")
			require.InDelta(t, w.Cycles, p.Cycles, max(p.Estimate.Half, 0.05*float64(w.Cycles)))
		})
	}
}

// With TimeAlone, blocks are left out. The estimate is as good, and the counts of instructions are estimates, too.
func TestEstimatesOfTimeAlone(t *testing.T) {
	for name, c := range map[string]struct {
		times            [2]uint32
		blocks, launches int
	}{
		"short blocks": {[2]uint32{1, 6}, 4000, 1}, "long blocks": {[2]uint32{300, 300}, 120, 1}, "launches": {[2]uint32{1, 6}, 40, 20},
	} {
		t.Run(name, func(t *testing.T) {
			whole, _ := looping(t, sim.Options{Threads: 1}, c.times, c.blocks, c.launches, 1)
			part, _ := looping(t, sim.Options{Threads: 1, Estimate: true, TimeAlone: true}, c.times, c.blocks, c.launches, 1)
			partial := 0
			for i, w := range whole {
				p := part[i]
				if p.Estimate == nil {
					require.Equal(t, w.Total.InstExecuted, p.Total.InstExecuted)
					continue
				}
				require.True(t, p.Estimate.Partial)
				require.Less(t, p.BlocksDone, w.BlocksDone)
				require.InEpsilon(t, w.Total.InstExecuted, p.Total.InstExecuted, 0.03)
				require.InEpsilon(t, w.Total.ActiveCycles, p.Total.ActiveCycles, 0.1)
				require.InDelta(t, w.Cycles, p.Cycles, max(p.Estimate.Half, 0.03*float64(w.Cycles)))
				partial++
			}
			require.Positive(t, partial)
		})
	}
}

// A single wave has no blocks to leave out. With TimeAlone, it executes only what determines its control flow and addresses. It takes
// exactly as many cycles as with its results.
func TestEstimatesOfTheWayAlone(t *testing.T) {
	run := func(alone bool) (*stats.Launch, []byte) {
		config, err := configs.Load("gk110", []string{"smx.count=2"})
		require.NoError(t, err)
		gpu, err := sim.New(config, sim.Options{Threads: 1, Estimate: true, TimeAlone: alone})
		require.NoError(t, err)
		module, err := gpu.Load("way.ptx", []byte(strings.NewReplacer(
			"ld.global.u32 %r3, [%d3];", "mov.u32 %r3, 1500;",
			"mad.lo.u32 %r5, %r5, 5, %r7;",
			"mad.wide.u32 %d5, %r7, 4, %d1;\n\tld.global.u32 %r8, [%d5];\n\tmad.lo.u32 %r5, %r5, 5, %r8;",
			"st.global.u32 [%d4], %r5;", "st.shared.u32 [sum], %r5;",
			".reg .b32 %r<8>;", ".reg .b32 %r<9>;\n\t.shared .align 4 .b8 sum[4];",
		).Replace(estimatedText)))
		require.NoError(t, err)
		table, err := gpu.Allocate("table", 4096)
		require.NoError(t, err)
		data, err := gpu.Allocate("data", 4*256*12)
		require.NoError(t, err)
		random := rand.New(rand.NewPCG(1, 1))
		var indices []byte
		for range 256 * 12 {
			indices = binary.LittleEndian.AppendUint32(indices, random.Uint32N(1024))
		}
		require.NoError(t, gpu.Write(data, indices))
		l, err := gpu.Launch(t.Context(), sim.Launch{Module: module, Kernel: "k", Grid: [3]int{12}, Block: [3]int{256},
			Parameters: binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, table), data)})
		require.NoError(t, err)
		return l, indices
	}
	whole, _ := run(false)
	alone, _ := run(true)
	require.NotNil(t, whole.Estimate)
	require.Positive(t, whole.Estimate.Windows)
	require.Equal(t, whole.Cycles, alone.Cycles)
	require.Equal(t, whole.Estimate.Half, alone.Estimate.Half)
	require.Equal(t, whole.Total.InstExecuted, alone.Total.InstExecuted)
	require.Equal(t, whole.Total.ThreadInstExecuted, alone.Total.ThreadInstExecuted)
	require.Equal(t, whole.Total.GlobalLoad, alone.Total.GlobalLoad)
	require.False(t, whole.Estimate.Partial)
	require.True(t, alone.Estimate.Partial)
}

// Atomics on one word queue for long. However fast blocks are in the windows, the launch takes the time of the atomics unit, a lane a
// cycle.
func TestEstimatesOfAQueue(t *testing.T) {
	const blocks, times = 240, 7
	run := func(estimate bool) *stats.Launch {
		config, err := configs.Load("gk110", []string{"smx.count=2"})
		require.NoError(t, err)
		gpu, err := sim.New(config, sim.Options{Threads: 1, Estimate: estimate, TimeAlone: estimate})
		require.NoError(t, err)
		module, err := gpu.Load("queue.ptx", []byte(strings.NewReplacer(
			"ld.global.u32 %r3, [%d3];", "mov.u32 %r3, 375;", "ld.global.u32 %r7, [%d4];", "mov.u32 %r7, %r2;",
			"st.global.u32 [%d4], %r5;", strings.Repeat("red.global.min.u32 [%d1], %r5;\n\t", times),
		).Replace(estimatedText)))
		require.NoError(t, err)
		table, err := gpu.Allocate("table", 4)
		require.NoError(t, err)
		l, err := gpu.Launch(t.Context(), sim.Launch{Module: module, Kernel: "k", Grid: [3]int{blocks}, Block: [3]int{256},
			Parameters: binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, table), table)})
		require.NoError(t, err)
		return l
	}
	part := run(true)
	require.NotNil(t, part.Estimate)
	require.GreaterOrEqual(t, part.Cycles, uint64(256*blocks*times), "a lane a cycle")
	whole := run(false)
	require.InEpsilon(t, whole.Cycles, part.Cycles, 0.03)
	require.InDelta(t, whole.Cycles, part.Cycles, part.Estimate.Half)
}

// Only the first of many similar launches are timed.
func TestEstimatesOfLaunches(t *testing.T) {
	whole, want := estimated(t, false, 40, 20, 1)
	part, got := estimated(t, true, 40, 20, 1)
	require.Equal(t, want, got)
	var sums [2]float64
	left := 0
	for i, w := range whole {
		p := part[i]
		require.Equal(t, w.Total.InstExecuted, p.Total.InstExecuted, i)
		sums[0] += float64(w.Cycles)
		sums[1] += float64(p.Cycles)
		if p.Estimate == nil {
			require.Equal(t, w.Cycles, p.Cycles, fmt.Sprintf("launch %d, as in a run of which nothing is left out", i))
			continue
		}
		left++
		require.Zero(t, p.Estimate.Windows)
		require.GreaterOrEqual(t, p.Estimate.Launches, 3)
		require.InEpsilon(t, w.Memory.L2ReadSectors, p.Memory.L2ReadSectors, 0.05)
		require.InEpsilon(t, w.Total.ActiveCycles, p.Total.ActiveCycles, 0.05)
	}
	require.GreaterOrEqual(t, left, 6)
	require.InEpsilon(t, sums[0], sums[1], 0.02)
}

// grids launches the kernel on a small chip with grids of different sizes in turn, each with its own pointer to its data.
func grids(t *testing.T, o sim.Options, sizes []int) (list []*stats.Launch, data []byte) {
	t.Helper()
	config, err := configs.Load("gk110", []string{"smx.count=2"})
	require.NoError(t, err)
	gpu, err := sim.New(config, o)
	require.NoError(t, err)
	module, err := gpu.Load("estimated.ptx", []byte(estimatedText))
	require.NoError(t, err)
	most := slices.Max(sizes)
	table, err := gpu.Allocate("table", uint64(4*most))
	require.NoError(t, err)
	var times []byte
	for i := range most {
		times = binary.LittleEndian.AppendUint32(times, uint32(6+i%3))
	}
	require.NoError(t, gpu.Write(table, times))
	at, err := gpu.Allocate("data", uint64(4*256*(most+len(sizes))))
	require.NoError(t, err)
	for i, blocks := range sizes {
		parameters := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, table), at+uint64(1024*i))
		l, err := gpu.Launch(t.Context(), sim.Launch{
			Module: module, Kernel: "k", Grid: [3]int{blocks}, Block: [3]int{256}, Parameters: parameters,
		})
		require.NoError(t, err)
		list = append(list, l)
	}
	data = make([]byte, 4*256*(most+len(sizes)))
	require.NoError(t, gpu.Read(at, data))
	return list, data
}

// Launches of one kernel with different grids are no basis for each other. Each is timed, with exactly the cycles and results of a full
// run. After a budget is spent they are a basis for an approximate time.
func TestEstimatesOfLaunchesOfOtherGrids(t *testing.T) {
	var sizes []int
	for blocks := 45; blocks > 5; blocks -= 3 {
		sizes = append(sizes, blocks)
	}
	whole, want := grids(t, sim.Options{Threads: 1}, sizes)
	part, got := grids(t, sim.Options{Threads: 1, Estimate: true}, sizes)
	require.Equal(t, want, got)
	for i, w := range whole {
		p := part[i]
		require.Nil(t, p.Estimate, i)
		require.Equal(t, w.Cycles, p.Cycles, i)
		require.Equal(t, w.Total, p.Total, i)
		require.Equal(t, w.Memory, p.Memory, i)
	}
	for _, alone := range []bool{false, true} {
		now := time.Unix(0, 0)
		part, got := grids(t, sim.Options{Threads: 1, Estimate: true, TimeAlone: alone, Budget: time.Hour, Clock: func() time.Time {
			now = now.Add(time.Minute)
			return now
		}}, sizes)
		if !alone {
			require.Equal(t, want, got)
		}
		others := 0
		for i, w := range whole {
			p := part[i]
			if p.Estimate == nil || !p.Estimate.OtherGrids {
				continue
			}
			others++
			require.InEpsilon(t, w.Total.InstExecuted, p.Total.InstExecuted, 0.02)
			require.InDelta(t, w.Cycles, p.Cycles, p.Estimate.Half)
			require.InEpsilon(t, w.Cycles, p.Cycles, 0.3, i)
		}
		require.GreaterOrEqual(t, others, 3)
	}
}

func TestEstimatesAreMadeOfTimedRuns(t *testing.T) {
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	for _, o := range []sim.Options{{Estimate: true, Functional: true}, {Estimate: true, ReuseDistance: true}} {
		_, err := sim.New(config, o)
		require.ErrorContains(t, err, "needs a timed run")
	}
}

// Launches with and without timing alternate on one device, and do not disturb each other.
func TestTimedAndFunctionalLaunchesTakeTurns(t *testing.T) {
	d := newDevice(t, "gk110", sim.Options{Threads: 1})
	sum, ticket, order := d.allocate("sum", 4), d.allocate("ticket", 4), d.allocate("order", 4*orderedThreads)
	var cycles []uint64
	for i := range 4 {
		d.SetFunctional(i%2 == 1)
		for _, at := range []uint64{sum, ticket} {
			require.NoError(t, d.Write(at, make([]byte, 4)))
		}
		l, err := d.launch("ordered", orderedGrid, orderedBlock, sum, ticket, order)
		require.NoError(t, err)
		require.Equal(t, i%2 == 1, l.Functional)
		n := uint32(orderedThreads)
		require.Equal(t, []uint32{n * (n - 1) / 2}, d.words(sum, 1))
		cycles = append(cycles, l.Cycles)
	}
	require.Zero(t, cycles[1])
	require.InEpsilon(t, cycles[0], cycles[2], 0.2)
}

// Blocks that run to their ends without timing take their times one after another. The warps here never wait, so the oldest take all issue
// slots and the youngest hardly advance. These get faster when others end, but begin no later block before that. The budget is spent after
// some windows.
func TestEstimatesOfBlocksThatStarve(t *testing.T) {
	var registers, chains strings.Builder
	for i := range 12 {
		fmt.Fprintf(&registers, "\tmov.u32 %%c%d, %d;\n", i, i)
		fmt.Fprintf(&chains, "\tmad.lo.u32 %%c%d, %%c%d, %%r1, %d;\n", i, i, i+3)
	}
	text := ".version 4.0\n.target sm_35\n.address_size 64\n" +
		".visible .entry k(.param .u64 data)\n{\n\t.reg .pred %p;\n\t.reg .u32 %r<9>;\n" +
		"\t.reg .u32 %c<12>;\n\t.reg .u64 %d<9>;\n\tld.param.u64 %d1, [data];\n\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r2, 1500;\n" +
		registers.String() + "loop:\n" + chains.String() +
		"\tsub.u32 %r2, %r2, 1;\n\tsetp.ne.u32 %p, %r2, 0;\n\t@%p bra loop;\n\tst.global.u32 [%d1], %c0;\n\tret;\n}\n"
	run := func(o sim.Options) *stats.Launch {
		config, err := configs.Load("gk110", []string{"smx.count=2"})
		require.NoError(t, err)
		gpu, err := sim.New(config, o)
		require.NoError(t, err)
		module, err := gpu.Load("starving.ptx", []byte(text))
		require.NoError(t, err)
		at, err := gpu.Allocate("a", 4)
		require.NoError(t, err)
		l, err := gpu.Launch(t.Context(), sim.Launch{
			Module: module, Kernel: "k", Grid: [3]int{40}, Block: [3]int{256}, Parameters: binary.LittleEndian.AppendUint64(nil, at),
		})
		require.NoError(t, err)
		return l
	}
	whole := run(sim.Options{Threads: 1})
	for _, calls := range []int{60, 200} {
		asked := 0
		part := run(sim.Options{Threads: 1, Estimate: true, Budget: time.Hour, Clock: func() time.Time {
			if asked++; asked < calls {
				return time.Unix(0, 0)
			}
			return time.Unix(3600, 0)
		}})
		require.NotNil(t, part.Estimate)
		assert.InEpsilon(t, whole.Cycles, part.Cycles, 0.3, "%d calls", calls) // 90 times as long if the youngest keep their speed
		assert.InDelta(t, whole.Cycles, part.Cycles, part.Estimate.Half)
	}
}
