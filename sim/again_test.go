package sim_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

const againPTX = `.version 4.0
.target sm_35
.address_size 64
.visible .entry fold(.param .u64 at, .param .u32 turns)
{
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<4>;
	.shared .align 4 .b8 tile[512];
	ld.param.u64 %rd1, [at];
	ld.param.u32 %r1, [turns];
	mov.u32 %r2, %tid.x;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd3, %rd1, %rd2;
	mov.u32 %r3, tile;
	shl.b32 %r4, %r2, 2;
	add.u32 %r3, %r3, %r4;
	mov.u32 %r5, 0;
next:
	st.shared.u32 [%r3], %r5;
	bar.sync 0;
	and.b32 %r6, %r2, 3;
	setp.gt.u32 %p1, %r6, %r5;
	@%p1 bra odd;
	ld.global.u32 %r7, [%rd3];
	red.global.add.u32 [%rd1+4096], %r7;
odd:
	add.u32 %r5, %r5, 1;
	setp.lt.u32 %p2, %r5, %r1;
	@%p2 bra next;
	st.global.u32 [%rd3], %r5;
	ret;
}
.visible .entry other(.param .u64 at)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [at];
	ld.global.u32 %r1, [%rd1];
	st.global.u32 [%rd1+8192], %r1;
	ret;
}
`

// A launch without timing leaves no trace in what its SMXs reuse: its counters are those of a first launch, whatever ran before. A timed
// launch after it takes as many cycles as one on a new device.
func TestLaunchesWithoutTimingLeaveNoTrace(t *testing.T) {
	config, err := configs.Load("gk110", nil)
	require.NoError(t, err)
	type device struct {
		*sim.GPU
		module *sim.Module
		data   uint64
	}
	fresh := func(functional bool) *device {
		gpu, err := sim.New(config, sim.Options{Threads: 1, Functional: functional})
		require.NoError(t, err)
		module, err := gpu.Load("again.ptx", []byte(againPTX))
		require.NoError(t, err)
		data, err := gpu.Allocate("data", 1<<14)
		require.NoError(t, err)
		return &device{gpu, module, data}
	}
	launch := func(d *device, kernel string, turns uint32, cache string) *stats.Launch {
		parameters := binary.LittleEndian.AppendUint64(nil, d.data)
		if kernel == "fold" {
			parameters = binary.LittleEndian.AppendUint32(parameters, turns)
		}
		l, err := d.Launch(context.Background(), sim.Launch{
			Module: d.module, Kernel: kernel, Grid: [3]int{40}, Block: [3]int{96}, Parameters: parameters, CacheConfig: cache,
		})
		require.NoError(t, err)
		l.Number, l.Wall, l.StartUS, l.EndUS, l.FirstUS, l.LastUS = 0, 0, 0, 0, 0, 0
		return l
	}
	want := map[uint32]*stats.Launch{}
	for turns := range uint32(4) {
		want[turns] = launch(fresh(true), "fold", turns, "")
	}
	d := fresh(true)
	for n := range 24 {
		switch {
		case n%3 == 1:
			launch(d, "other", 0, []string{"l1", "shared"}[n%2])
		case n%7 == 0:
			_, err := d.Allocate("more", 64) // so that earlier allocations have to be found again
			require.NoError(t, err)
		}
		turns := uint32(n % 4)
		require.Equal(t, want[turns], launch(d, "fold", turns, ""), "launch %d", n)
	}
	d.SetFunctional(false)
	timed := launch(d, "fold", 3, "")
	require.Equal(t, launch(fresh(false), "fold", 3, ""), timed)
	require.Positive(t, timed.KernelCycles)
	d.SetFunctional(true)
	require.Equal(t, want[3], launch(d, "fold", 3, ""), "after a timed launch")
}
