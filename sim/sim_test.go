package sim_test

import (
	"context"
	"encoding/binary"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// device is a GPU with the test module loaded.
type device struct {
	*sim.GPU
	t      *testing.T
	module *sim.Module
}

func newDevice(t *testing.T, config string, o sim.Options) device {
	t.Helper()
	text, err := os.ReadFile("testdata/ordered.ptx")
	require.NoError(t, err)
	return deviceWith(t, config, o, "ordered.ptx", text)
}

// deviceWith makes a GPU with a module loaded.
func deviceWith(t *testing.T, config string, o sim.Options, name string, text []byte, overrides ...string) device {
	t.Helper()
	c, err := configs.Load(config, overrides)
	require.NoError(t, err)
	gpu, err := sim.New(c, o)
	require.NoError(t, err)
	module, err := gpu.Load(name, text)
	require.NoError(t, err)
	return device{gpu, t, module}
}

func (d device) allocate(name string, bytes int) uint64 {
	d.t.Helper()
	address, err := d.Allocate(name, uint64(bytes))
	require.NoError(d.t, err)
	return address
}

func (d device) words(address uint64, count int) []uint32 {
	d.t.Helper()
	data := make([]byte, 4*count)
	require.NoError(d.t, d.Read(address, data))
	words := make([]uint32, count)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return words
}

func (d device) launch(kernel string, grid, block int, parameters ...uint64) (*stats.Launch, error) {
	var data []byte
	for _, p := range parameters {
		data = binary.LittleEndian.AppendUint64(data, p)
	}
	return d.Launch(
		context.Background(), sim.Launch{Module: d.module, Kernel: kernel, Grid: [3]int{grid}, Block: [3]int{block}, Parameters: data},
	)
}

const (
	orderedGrid, orderedBlock = 100, 192
	orderedThreads            = orderedGrid * orderedBlock
)

func runOrdered(t *testing.T, o sim.Options) (*stats.Launch, []uint32) {
	d := newDevice(t, "gk110", o)
	sum, ticket, order := d.allocate("sum", 4), d.allocate("ticket", 4), d.allocate("order", 4*orderedThreads)
	result, err := d.launch("ordered", orderedGrid, orderedBlock, sum, ticket, order)
	require.NoError(t, err)
	n := uint32(orderedThreads)
	assert.Equal(t, []uint32{n * (n - 1) / 2}, d.words(sum, 1))
	assert.Equal(t, []uint32{n}, d.words(ticket, 1))
	return result, d.words(order, orderedThreads)
}

func TestEveryTicketIsTakenOnce(t *testing.T) {
	for _, functional := range []bool{false, true} {
		_, order := runOrdered(t, sim.Options{Functional: functional})
		slices.Sort(order)
		for i, ticket := range order {
			require.Equal(t, uint32(i), ticket)
		}
	}
}

// Without timing, blocks run in the order of their numbers, across multiprocessors too.
func TestBlocksRunInOrderWithoutTiming(t *testing.T) {
	_, order := runOrdered(t, sim.Options{Functional: true})
	require.IsIncreasing(t, order)
}

// A racing program's reads depend on simulated time, and not on the host.
func TestSameBytesAndCountersForAnyThreads(t *testing.T) {
	first, order := runOrdered(t, sim.Options{Threads: 1})
	first.Wall = 0
	for _, threads := range []int{2, 5, 64} {
		result, again := runOrdered(t, sim.Options{Threads: threads})
		result.Wall = 0
		require.Equal(t, order, again)
		require.Equal(t, first, result)
	}
}

func TestCountersAddUp(t *testing.T) {
	l, _ := runOrdered(t, sim.Options{Threads: 1})
	s := &l.Total
	warps := uint64(orderedThreads / 32)
	assert.Equal(t, warps, s.WarpsLaunched)
	assert.Equal(t, uint64(orderedGrid), s.BlocksLaunched)
	assert.Equal(t, uint64(orderedGrid), l.BlocksDone)
	assert.Equal(t, warps, s.Atomics.Requests)
	assert.Equal(t, warps, s.Reductions.Requests)
	assert.Equal(t, warps, s.GlobalStore.Requests)
	assert.Equal(t, uint64(orderedThreads)*4, s.GlobalStore.Bytes)
	assert.Equal(t, s.IssuedSingle+2*s.IssuedDual, s.InstIssued)
	assert.Equal(t, s.IssueSlots, s.IssuedSingle+s.IssuedDual)
	assert.GreaterOrEqual(t, s.InstIssued, s.InstExecuted)
	byClass := uint64(0)
	for _, n := range s.ByClass {
		byClass += n
	}
	assert.Equal(t, s.InstExecuted, byClass)
	for i := range l.SMXs {
		x := &l.SMXs[i]
		assert.LessOrEqual(t, x.ActiveCycles, x.ElapsedCycles)
		assert.LessOrEqual(t, x.ActiveWarpCycles, x.ActiveCycles*64)
	}
}

// A launch may reuse the memory of an earlier one's counters, after these are dropped except for the part in reports.
func TestCountersOfSlimResultsAreTakenAgain(t *testing.T) {
	d := newDevice(t, "gk110", sim.Options{Threads: 1})
	sum, ticket, order := d.allocate("sum", 4), d.allocate("ticket", 4), d.allocate("order", 4*orderedThreads)
	var taken []*stats.SMX
	for _, grid := range []int{orderedGrid, 2} { // the second leaves most SMXs without a block
		l, err := d.launch("ordered", grid, orderedBlock, sum, ticket, order)
		require.NoError(t, err)
		shares, blocks := l.Shares(), uint64(0)
		for i := range l.SMXs {
			assert.Equal(t, l.Cycles, l.SMXs[i].ElapsedCycles)
			blocks += l.SMXs[i].BlocksLaunched
		}
		assert.Equal(t, uint64(grid), blocks)
		taken = append(taken, &l.SMXs[0])
		d.Slim(l)
		assert.Nil(t, l.SMXs)
		assert.Equal(t, shares, l.Shares())
	}
	assert.Same(t, taken[0], taken[1])
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		kernel  string
		block   int
		buffer  int
		message []string
	}{
		{
			"astray", 32, 128, []string{"4-byte store at global " +
				"address", "outside every allocation", "lane 16", "thread (16,0,0)", "ordered.ptx:47", "where, 128 bytes", "ends"},
		},
		{"crooked", 1, 128, []string{"misaligned 4-byte load", "not a multiple of 4", "ordered.ptx:55"}},
		{
			"stuck", 64, 0, []string{"deadlock", "warp 0 waits at a barrier at " +
				"ordered.ptx:30", "warp 1 waits at a barrier at ordered.ptx:31", "barrier 1 has 1 warp and waits for 64 threads"},
		},
	} {
		for _, functional := range []bool{false, true} {
			d := newDevice(t, "gk110", sim.Options{Functional: functional})
			var parameters []uint64
			if c.buffer > 0 {
				parameters = append(parameters, d.allocate("where", c.buffer))
			}
			_, err := d.launch(c.kernel, 1, c.block, parameters...)
			var fault *smx.Fault
			require.ErrorAs(t, err, &fault, c.kernel)
			for _, part := range c.message {
				assert.ErrorContains(t, err, part)
			}
		}
	}
}

func TestRunawayEnds(t *testing.T) {
	for _, functional := range []bool{false, true} {
		d := newDevice(t, "gk110", sim.Options{MaxCycles: 10_000, Functional: functional})
		result, err := d.launch("endless", 1, 32)
		require.ErrorIs(t, err, sim.ErrMaxCycles)
		assert.True(t, result.Interrupted)
	}
}

func TestInterruptedRunReportsWhatItDid(t *testing.T) {
	d := newDevice(t, "gk110", sim.Options{})
	for patience := 100 * time.Millisecond; ; patience *= 4 { // on a loaded machine it may not have begun
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		result, err := d.Launch(ctx, sim.Launch{Module: d.module, Kernel: "endless", Block: [3]int{32}})
		cancel()
		require.ErrorIs(t, err, sim.ErrInterrupted)
		if result.Total.InstExecuted > 0 || patience > 5*time.Second {
			assert.NotZero(t, result.Total.InstExecuted)
			return
		}
	}
}

func TestImpossibleLaunches(t *testing.T) {
	d := newDevice(t, "gk110", sim.Options{})
	_, err := d.launch("endless", 1, 1025)
	assert.ErrorContains(t, err, "1025 threads")
	assert.ErrorContains(t, err, "at most 1024")
	_, err = d.Launch(context.Background(), sim.Launch{Module: d.module, Kernel: "greedy", Block: [3]int{32}, Shared: 10_000})
	assert.ErrorContains(t, err, "can never be resident")
	_, err = d.launch("ordered", 1, 32)
	assert.ErrorContains(t, err, "0 bytes of parameters were given, the kernel has 24")
	_, err = d.launch("nothing", 1, 32)
	assert.ErrorContains(t, err, "no kernel nothing")
	_, err = d.Launch(context.Background(), sim.Launch{Module: d.module, Kernel: "stuck", Block: [3]int{32}, BankMode: 16})
	assert.ErrorContains(t, err, "bank mode 16")
}

// Errors name a kernel as reports do: debug information may have another name than the symbol.
func TestErrorsNameKernelsAsReportsDo(t *testing.T) {
	d := loadDevice(t, "inlined.ptx", sim.Options{})
	d.module.Program().Titles["k"] = "image::blur(float*)"
	l, err := d.launch("k", 1, 32, d.allocate("out", 4))
	require.ErrorContains(t, err, "launch of image::blur(float*): ")
	assert.ErrorContains(t, err, "\n  kernel image::blur(float*), block (0,0,0)")
	assert.Equal(t, "image::blur(float*)", l.DisplayName())
	_, err = d.launch("k", 1, 4096, d.allocate("more", 4))
	assert.ErrorContains(t, err, "launch of image::blur(float*): a block of 4096 threads")
}
