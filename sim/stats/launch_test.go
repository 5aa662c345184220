package stats

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/isa"
)

// A block's last warp may be partial. Grids with each dimension below 2^32 are counted exactly.
func TestSizesOfALaunch(t *testing.T) {
	l := Launch{Grid: [3]int{1 << 31, 65535, 2}, Block: [3]int{33, 2, 1}, Kernel: "k"}
	assert.Equal(t, uint64(1<<32)*65535, l.BlocksTotal())
	assert.Equal(t, 66, l.ThreadsPerBlock())
	assert.Equal(t, 3, l.WarpsPerBlock())
	assert.Equal(t, "k", l.DisplayName())
	l.Name = "f(int)"
	assert.Equal(t, "f(int)", l.DisplayName())
}

// Cycle counts are found by each report's name for them, and each is part of the next.
func TestFindCycleCount(t *testing.T) {
	l := &Launch{KernelCycles: 1, LaunchCycles: 2, Cycles: 3}
	for name, want := range map[string]uint64{"kernel_cycles": 1, "launch_cycles": 2, "elapsed_cycles": 3, "cycles": 3} {
		c, ok := FindCycleCount(name)
		assert.True(t, ok, name)
		assert.Equal(t, want, c.Of(l), name)
	}
	_, ok := FindCycleCount("device_cycles")
	assert.False(t, ok)
}

func TestLedger(t *testing.T) {
	var l Ledger
	first, second := &Memory{}, &Memory{}
	l.Set(0, first)
	l.Set(1, second)
	assert.Same(t, second, l.Of(1))
	l.Set(1, first)
	assert.Same(t, first, l.Of(1))
}

// Lines of two programs add up by kind of access, in the order of the kinds.
func TestLinesMerge(t *testing.T) {
	load, store := KindsOf(isa.ClassGlobal)[0], KindsOf(isa.ClassGlobal)[1]
	assert.Empty(t, KindsOf(isa.ClassFP32))
	of := func(requests uint64) (c *AccessCount) {
		c = &AccessCount{}
		c.Requests = requests
		return c
	}
	var one, other SourceCount
	one.AddAccesses(store, of(1))
	other.AddAccesses(store, of(2))
	other.AddAccesses(load, of(4))
	other.AddAccesses(load, of(0))
	one.Operations, other.Operations = 1, 2
	one.Merge(&other)
	assert.Equal(t, 3, int(one.Operations))
	requests := map[AccessKind]int{}
	for i, a := range one.Accesses {
		requests[a.Kind] = int(a.Requests)
		assert.True(t, i == 0 || one.Accesses[i-1].Kind < a.Kind)
	}
	assert.Equal(t, map[AccessKind]int{store: 3, load: 4}, requests)
}

// Children of one kernel at one depth under one parent are one row. Failed calls are counted, and reported for chips without nested
// launches.
func TestNested(t *testing.T) {
	n := &Nested{}
	n.Add(&NestedKernel{Depth: 2, Kernel: "b", Parent: "a", Launches: 1, Blocks: 2})
	n.Add(&NestedKernel{Depth: 1, Kernel: "a", Parent: "k", Launches: 1})
	n.Add(&NestedKernel{Depth: 2, Kernel: "b", Parent: "a", Launches: 3, Blocks: 4})
	n.Sort()
	assert.Len(t, n.Kernels, 2)
	assert.Equal(t, "a", n.Kernels[0].Kernel)
	assert.Equal(t, []uint64{4, 6}, []uint64{uint64(n.Kernels[1].Launches), uint64(n.Kernels[1].Blocks)})

	l := &Launch{Kernel: "k"}
	assert.Empty(t, l.Unlaunched())
	l.Nested = n
	n.Fail(1, "cudaErrorInvalidValue", "launch in k", "thread 0")
	assert.Empty(t, l.Unlaunched())
	n.Fail(NotSupported, "cudaErrorNotSupported", "launch in k", "thread 0")
	n.Fail(NotSupported, "cudaErrorNotSupported", "launch in k", "thread 7")
	assert.Equal(t, NestedError{NotSupported, "cudaErrorNotSupported", "launch in k", "thread 0", 2}, n.Errors[1])
	assert.Contains(t, l.Unlaunched(), "k launches kernels")

	assert.Zero(t, l.LaunchShare())
	l.Total.ActiveWarpCycles, n.CallCycles = 100, 25
	assert.Equal(t, 0.25, l.LaunchShare())
}
