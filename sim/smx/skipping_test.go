package smx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim/engine"
)

// mixed makes warps of one scheduler wait for many things: narrow units, constants, divisions with a slow path that some warps take, bank
// conflicts, scattered loads, a barrier, and divergent warps.
const mixed = `.version 4.3
.target sm_35
.address_size 64
.visible .entry mixed(.param .u64 words)
{
	.shared .align 4 .f32 sums[1024];
	.reg .u32 %r<8>;
	.reg .u64 %d<3>;
	.reg .f32 %f<8>;
	.reg .f64 %g<3>;
	.reg .pred %p<3>;
	ld.param.u64 %d0, [words];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %d1, %r0, 128;
	add.u64 %d0, %d0, %d1;
	mov.u32 %r1, 0;
	cvt.rn.f32.u32 %f0, %r0;
again:
	ld.global.f32 %f1, [%d0];
	sqrt.approx.f32 %f2, %f0;
	sin.approx.f32 %f3, %f2;
	div.rn.f32 %f4, %f3, %f0;
	cvt.f64.f32 %g0, %f4;
	fma.rn.f64 %g1, %g0, %g0, %g0;
	cvt.rn.f32.f64 %f5, %g1;
	add.f32 %f0, %f1, %f5;
	shl.b32 %r2, %r0, 3;
	and.b32 %r2, %r2, 4092;
	mov.u32 %r3, sums;
	add.u32 %r3, %r3, %r2;
	st.shared.f32 [%r3], %f0;
	bar.sync 0;
	ld.shared.f32 %f6, [%r3];
	and.b32 %r4, %r0, 64;
	setp.ne.u32 %p0, %r4, 0;
	@%p0 bra apart;
	mul.lo.u32 %r5, %r0, %r1;
	popc.b32 %r6, %r5;
	cvt.rn.f32.u32 %f7, %r6;
	add.f32 %f0, %f0, %f7;
apart:
	add.f32 %f0, %f0, %f6;
	st.global.f32 [%d0], %f0;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p1, %r1, 6;
	@%p1 bra again;
	ret;
}
`

// A scheduler skips only cycles in which it would find nothing: if it has to look in every cycle, the counters are the same.
func TestNothingHappensInCyclesThatAreSkipped(t *testing.T) {
	const threads = 512
	for name, settings := range map[string][]string{
		"k40":       nil,
		"two-level": {"smx.scheduler=two-level"},
		"narrow":    {"load_store.queue=3", "load_store.outstanding=96"},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := configs.Load("k40", settings)
			require.NoError(t, err)
			skipping, itsDevice := alone(t, config, mixed, "mixed", threads, 128*threads)
			looking, device := alone(t, config, mixed, "mixed", threads, 128*threads)
			skipped := 0
			for now := engine.Cycle(1); looking.Finished == 0 || !looking.SMX.Idle(); now++ {
				require.Less(t, now, engine.Cycle(100_000), "the kernel does not end")
				for i := range looking.schedulers {
					sc := &looking.schedulers[i]
					if *sc.next >= now && sc.awake != 0 {
						skipped++
					}
					*sc.next = now - 1
				}
				looking.Run(now)
				skipping.Run(now)
				device.Step(now)
				itsDevice.Step(now)
			}
			looking.Leave(looking.GridState)
			skipping.Leave(skipping.GridState)
			require.Nil(t, looking.Fault)
			require.Equal(t, looking.Counters, skipping.Counters)
			require.Equal(t, looking.Operations, skipping.Operations)
			require.Greater(t, skipped, 100, "nothing was skipped")
		})
	}
}
