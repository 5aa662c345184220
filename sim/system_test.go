package sim_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/smx"
)

func TestPrintf(t *testing.T) {
	for name, o := range modes {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			o.Printf = &out
			d := loadDevice(t, "system.ptx", o)
			data := d.run("print", 1, 3, 4*3)
			want := ""
			for tid := range 3 {
				want += fmt.Sprintf("block 0 thread %3d: %d %.3f kepler %c\n", tid, -1-tid, float64(tid)/2, 'a'+tid)
				assert.Equal(t, uint32(6), binary.LittleEndian.Uint32(data[4*tid:]), "vprintf returns the number of arguments")
			}
			assert.Equal(t, want+"hi\n", out.String())
		})
	}
}

// A format with too few arguments is not an error: a GPU prints what happens to be in memory.
func TestPrintfWithTooFewArguments(t *testing.T) {
	var out strings.Builder
	d := loadDevice(t, "system.ptx", sim.Options{Printf: &out})
	_, err := d.launch("few", 1, 1)
	require.NoError(t, err)
	assert.Equal(t, "7.0\n", out.String())
}

// Blocks on several multiprocessors print in the order of simulated time, whatever the host does, and each thread's output stays in order.
func TestPrintfOrder(t *testing.T) {
	var first string
	for _, threads := range []int{1, 2, 7} {
		var out strings.Builder
		d := loadDevice(t, "system.ptx", sim.Options{Threads: threads, Printf: &out})
		_, err := d.launch("order", 60, 1)
		require.NoError(t, err)
		if first == "" {
			first = out.String()
		}
		require.Equal(t, first, out.String())
	}
	next := map[int]int{}
	for _, line := range strings.Split(strings.TrimSpace(first), "\n") {
		var block, count int
		_, err := fmt.Sscanf(line, "%d.%d", &block, &count)
		require.NoError(t, err)
		assert.Equal(t, next[block], count, "block %d", block)
		next[block]++
	}
	assert.Len(t, next, 60)
}

func listSums(t *testing.T, d device, grid, block, n int) []uint32 {
	t.Helper()
	out := d.allocate("out", 4*grid*block)
	parameters := binary.LittleEndian.AppendUint64(nil, out)
	parameters = binary.LittleEndian.AppendUint32(parameters, uint32(n))
	_, err := d.Launch(
		context.Background(),
		sim.Launch{Module: d.module, Kernel: "list", Grid: [3]int{grid}, Block: [3]int{block}, Parameters: parameters},
	)
	require.NoError(t, err)
	return d.words(out, grid*block)
}

func TestLinkedListOnTheHeap(t *testing.T) {
	eachMode(t, "system.ptx", func(t *testing.T, d device) {
		for range 2 { // the second run finds the heap empty again
			for i, sum := range listSums(t, d, 5, 64, 9) {
				assert.Equal(t, uint32(9*i+36), sum, "thread %d", i)
			}
		}
	})
}

// Freeing a block takes no longer if there are many: if each free looked at every block, these would take minutes.
func TestManyBlocksOfTheHeap(t *testing.T) {
	if testing.Short() {
		t.Skip("a second")
	}
	began := time.Now()
	d := loadDevice(t, "system.ptx", modes["functional"], "heap.malloc=64M")
	for i, sum := range listSums(t, d, 1, 32, 4096) {
		require.Equal(t, uint32(4096*i+4096*4095/2), sum, "thread %d", i)
	}
	assert.Less(t, time.Since(began), time.Minute)
}

func TestHeapExhaustionGivesNull(t *testing.T) {
	for name, o := range modes {
		t.Run(name, func(t *testing.T) {
			d := loadDevice(t, "system.ptx", o, "heap.malloc=1K") // 32 blocks of 16 bytes and a guard of 16
			full := 0
			for i, sum := range listSums(t, d, 1, 8, 5) {
				if sum == 0xffffffff {
					full++
				} else {
					assert.Equal(t, uint32(5*i+10), sum)
				}
			}
			assert.Positive(t, full)
		})
	}
}

func TestHeapMistakesAreFound(t *testing.T) {
	eachMode(t, "system.ptx", func(t *testing.T, d device) {
		for which, parts := range [][]string{
			{"free of", "malloc has not returned"},
			{"double free of 40 bytes", "taken by block (0,0,0), thread (0,0,0) at system.ptx:161 (source mistakes.cu:5), freed by " +
				"block (0,0,0), thread (0,0,0) at system.ptx:172 (source mistakes.cu:7)", "(source mistakes.cu:9), SMX"},
			{"4-byte store", "use after free: 40 bytes", "were freed by block (0,0,0), thread (0,0,0) at system.ptx:172 (source " +
				"mistakes.cu:7)"},
			{"4-byte store", "it is 8 bytes after the 40 bytes"},
		} {
			parameters := binary.LittleEndian.AppendUint32(nil, uint32(which))
			_, err := d.Launch(context.Background(), sim.Launch{Module: d.module, Kernel: "mistakes", Parameters: parameters})
			for _, part := range parts {
				assert.ErrorContains(t, err, part)
			}
		}
	})
}

func TestAssertFail(t *testing.T) {
	eachMode(t, "system.ptx", func(t *testing.T, d device) {
		_, err := d.launch("asserts", 1, 5)
		assert.Equal(t, smx.FaultAssert, faultOf(t, err).Kind)
		assert.ErrorContains(t, err, "k.cu:17: void k(): block: [0,0,0], thread: [3,0,0] Assertion `x < 3` failed.")
		assert.ErrorContains(t, err, "k.cu:17: void k(): block: [0,0,0], thread: [4,0,0] Assertion `x < 3` failed.")
	})
}

func TestNanosleepTakesItsTime(t *testing.T) {
	d := loadDevice(t, "system.ptx", sim.Options{})
	megahertz := float64(d.Config().Clocks.Core)
	data := d.run("sleeps", 1, 32, 4*32)
	for lane := range 32 {
		nanoseconds := float64(binary.LittleEndian.Uint32(data[4*lane:])) * 1000 / megahertz
		assert.GreaterOrEqual(t, nanoseconds, 1999.0)
		assert.LessOrEqual(t, nanoseconds, 4000.0, "PTX: at most twice the time asked for")
	}
}

func TestTrapNamesItsThread(t *testing.T) {
	eachMode(t, "system.ptx", func(t *testing.T, d device) {
		_, err := d.launch("stops", 1, 32)
		f := faultOf(t, err)
		assert.Equal(t, smx.FaultTrap, f.Kind)
		assert.Equal(t, [3]uint32{5, 0, 0}, f.Thread)
		_, err = d.launch("breaks", 1, 32)
		assert.Equal(t, smx.FaultBreakpoint, faultOf(t, err).Kind) // a GPU without a debugger: unspecified launch failure
	})
}

func TestSystemCallsWithShortAddresses(t *testing.T) {
	for name, o := range modes {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			o.Printf = &out
			d := loadDevice(t, "short.ptx", o)
			buffer := d.allocate("out", 16)
			require.Less(t, buffer, uint64(1)<<32)
			_, err := d.Launch(context.Background(), sim.Launch{
				Module: d.module, Kernel: "k", Block: [3]int{4}, Parameters: binary.LittleEndian.AppendUint32(nil, uint32(buffer)),
			})
			require.NoError(t, err)
			assert.Equal(t, "0 0 1.5 kep\n1 -1 1.5 kep\n2 -2 1.5 kep\n3 -3 1.5 kep\n", out.String())
			assert.Equal(t, []uint32{4, 4, 4, 4}, d.words(buffer, 4))
		})
	}
}

// Mapped memory of the host takes nothing of the device's.
func TestMappedMemoryLeavesTheDeviceFree(t *testing.T) {
	d := loadDevice(t, "system.ptx", sim.Options{})
	before, total := d.Memory()
	_, err := d.AllocateMapped("mapped", total, 4096)
	require.NoError(t, err)
	free, _ := d.Memory()
	assert.Equal(t, before, free)
	_, err = d.AllocateManaged("managed", 1<<20)
	require.NoError(t, err)
	free, _ = d.Memory()
	assert.Equal(t, before-1<<20, free)
}
