package sim_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/sim/stats"
)

// modes are the modes of running a kernel, which must give the same bytes.
var modes = map[string]sim.Options{"timed": {Threads: 2}, "functional": {Functional: true}}

// eachMode loads a PTX file on a device of each mode.
func eachMode(t *testing.T, file string, f func(t *testing.T, d device)) {
	for name, o := range modes {
		t.Run(name, func(t *testing.T) { f(t, loadDevice(t, file, o)) })
	}
}

func loadDevice(t *testing.T, file string, o sim.Options, overrides ...string) device {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	return deviceWith(t, "gk110", o, file, text, overrides...)
}

// run launches one kernel with one output buffer.
func (d device) run(kernel string, grid, block, bytes int) []byte {
	d.t.Helper()
	out := d.allocate("out", bytes)
	_, err := d.launch(kernel, grid, block, out)
	require.NoError(d.t, err)
	data := make([]byte, bytes)
	require.NoError(d.t, d.Read(out, data))
	return data
}

func TestRecursion(t *testing.T) {
	eachMode(t, "calls.ptx", func(t *testing.T, d device) {
		data := d.run("fibonacci", 1, 96, 4*96)
		fibonacci := []uint32{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55}
		for i := range 96 {
			assert.Equal(t, fibonacci[i%11], binary.LittleEndian.Uint32(data[4*i:]), "thread %d", i)
		}
	})
}

func TestDeepRecursionWithDivergence(t *testing.T) {
	lanes := uint64(32)
	if testing.Short() {
		lanes = 30 // the last two make nine tenths of the calls
	}
	for name, o := range modes {
		t.Run(name, func(t *testing.T) {
			d := loadDevice(t, "calls.ptx", o, "heap.stack=16K")
			data := d.run("ackermann_all", 1, int(lanes), 8*32)
			for i := range lanes {
				m, n := i/8, i%8
				want := []uint64{n + 1, n + 2, 2*n + 3, 1<<(n+3) - 3}[m] // the closed forms
				assert.Equal(t, want, binary.LittleEndian.Uint64(data[8*i:]), "ackermann(%d,%d)", m, n)
			}
		})
	}
}

func TestMutualRecursionKeepsPredicates(t *testing.T) {
	eachMode(t, "calls.ptx", func(t *testing.T, d device) {
		data := d.run("parity", 2, 64, 4*64)
		for i := range 64 {
			assert.Equal(t, uint32(i%2), binary.LittleEndian.Uint32(data[4*i:]), "thread %d", i)
		}
	})
}

func TestTableOfFunctions(t *testing.T) {
	eachMode(t, "calls.ptx", func(t *testing.T, d device) {
		data := d.run("table", 1, 64, 4*64)
		for i := range uint32(64) {
			x, y := i+100, i
			want := []uint32{x + y, x - y, x * y, 2 * (x + y)}[i*7/2%4]
			assert.Equal(t, want, binary.LittleEndian.Uint32(data[4*i:]), "thread %d", i)
		}
	})
}

func TestStructsPassedAndReturned(t *testing.T) {
	eachMode(t, "calls.ptx", func(t *testing.T, d device) {
		data := d.run("structs", 1, 64, 16*64)
		for i := range uint32(64) {
			product, depth := uint64(1), uint32(1)
			for k := uint64(2); k <= uint64(i%16); k++ {
				product *= k
				depth++
			}
			tag := uint32(uint8(i + 3*(depth-1)))
			assert.Equal(t, product, binary.LittleEndian.Uint64(data[16*i:]), "thread %d", i)
			assert.Equal(t, depth, binary.LittleEndian.Uint32(data[16*i+8:]), "thread %d", i)
			assert.Equal(t, tag, binary.LittleEndian.Uint32(data[16*i+12:]), "thread %d", i)
		}
	})
}

func TestPointersIntoTheCallersFrameAndExitInsideACall(t *testing.T) {
	eachMode(t, "calls.ptx", func(t *testing.T, d device) {
		data := d.run("pointers", 1, 64, 4*64)
		for i := range uint32(64) {
			list := []uint32{i, i + 1, i * i, 1000, 7}
			want := uint32(0)
			for _, v := range list[:i%4+2] {
				want += v
			}
			if i%32 == 13 { // that lane exits inside the call and stores nothing
				want = 0
			}
			assert.Equal(t, want, binary.LittleEndian.Uint32(data[4*i:]), "thread %d", i)
		}
	})
}

func faultOf(t *testing.T, err error) *smx.Fault {
	t.Helper()
	var f *smx.Fault
	require.True(t, errors.As(err, &f), "%v", err)
	return f
}

func TestStackOverflowNamesTheCalls(t *testing.T) {
	eachMode(t, "calls.ptx", func(t *testing.T, d device) {
		_, err := d.launch("overflow", 1, 32)
		f := faultOf(t, err)
		assert.Equal(t, smx.FaultStack, f.Kind)
		assert.Contains(t, err.Error(), "call stack of 1024 bytes a thread is full (heap.stack")
		assert.Contains(t, err.Error(), "endless called from endless at calls.ptx:")
		assert.Contains(t, f.Calls[len(f.Calls)-1], "overflow at calls.ptx:")
		assert.Contains(t, err.Error(), "calls more")
	})
}

func TestCallOfNoFunction(t *testing.T) {
	eachMode(t, "calls.ptx", func(t *testing.T, d device) {
		_, err := d.launch("wild", 1, 1)
		assert.Equal(t, smx.FaultCallTarget, faultOf(t, err).Kind)
		assert.Contains(t, err.Error(), "0x3039")
	})
}

// A device function uses the same registers as its caller: the kernel needs those of the larger one, and the stack is in local memory.
func TestCallsAreTheSameForAnyThreads(t *testing.T) {
	var first *stats.Launch
	for _, threads := range []int{1, 3, 16} {
		d := loadDevice(t, "calls.ptx", sim.Options{Threads: threads})
		out := d.allocate("out", 4*96)
		result, err := d.launch("fibonacci", 40, 96, out)
		require.NoError(t, err)
		result.Wall = 0
		if first == nil {
			first = result
			assert.Positive(t, result.Total.LocalStore.Requests, "fib saves registers across its calls")
		}
		require.Equal(t, first, result, fmt.Sprint(threads))
	}
}

func TestDocumentExampleStoresThree(t *testing.T) {
	eachMode(t, "document.ptx", func(t *testing.T, d device) {
		out := d.allocate("p", 4)
		parameters := binary.LittleEndian.AppendUint64(nil, out)
		_, err := d.Launch(context.Background(), sim.Launch{Module: d.module, Kernel: "_Z4testPi", Parameters: parameters})
		require.NoError(t, err)
		assert.Equal(t, []uint32{3}, d.words(out, 1))
	})
}

func TestFaultInInlinedFunctions(t *testing.T) {
	eachMode(t, "inlined.ptx", func(t *testing.T, d device) {
		_, err := d.launch("k", 1, 1, d.allocate("out", 4))
		f := faultOf(t, err)
		assert.Equal(t, "inlined.ptx:9", f.Where)
		assert.Equal(t, []string{"inner() inlined at inlined.ptx:19", "outer() inlined at inlined.ptx:28"}, f.Calls)
	})
}
