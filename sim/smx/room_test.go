package smx

import (
	"encoding/binary"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/decode"
	"github.com/keplersim/keplersim/isa/lower"
	"github.com/keplersim/keplersim/isa/ptx"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/memory"
	"github.com/keplersim/keplersim/sim/smx/occupancy"
)

// scattered loads two words of a line of its own in each lane, and stores their sum there and in shared memory.
const scattered = `.version 4.3
.target sm_35
.address_size 64
.visible .entry scattered(.param .u64 words)
{
	.shared .align 4 .u32 sums[512];
	.reg .u32 %r<6>;
	.reg .u64 %d<3>;
	ld.param.u64 %d0, [words];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %d1, %r0, 128;
	add.u64 %d0, %d0, %d1;
	ld.global.u32 %r1, [%d0];
	ld.global.u32 %r2, [%d0+64];
	shl.b32 %r3, %r0, 2;
	mov.u32 %r4, sums;
	add.u32 %r4, %r4, %r3;
	add.u32 %r5, %r1, %r2;
	st.shared.u32 [%r4], %r5;
	st.global.u32 [%d0+32], %r5;
	ret;
}
`

// alone makes an SMX with one block of a kernel to run, whose only parameter is a pointer to so many bytes, and its memory system.
func alone(t *testing.T, config *configs.Config, source, kernel string, threads uint32, bytes uint64) (*SMX, *memory.System) {
	t.Helper()
	file, err := ptx.Parse(kernel+".ptx", source)
	require.NoError(t, err)
	code, err := decode.Program([]*ptx.File{file}, decode.Options{})
	require.NoError(t, err)
	machine, err := lower.Program(code, code.Function(kernel), lower.Options{
		ComputeCapability: 35, PerThread: config.Registers.PerThread, RegistersPerSMX: config.Registers.PerSMX,
		ThreadsPerSMX: config.SMX.Threads, RegisterGranularity: config.Registers.ThreadGranularity,
		Latency: func(c isa.Class) int { return config.Pipelines.Operations[c].Latency },
	})
	require.NoError(t, err)
	program, err := Prepare(machine, config)
	require.NoError(t, err)
	global := memory.NewGlobal(config)
	words, err := global.Allocate("words", bytes)
	require.NoError(t, err)
	device := memory.New(config, global)
	s, err := New(0, config, global, device.Port(0), config.SharedMemory.CarveOuts[0], 0)
	require.NoError(t, err)
	s.Offer(&Grid{
		Program: program, Launch: program.Code.Launch(binary.LittleEndian.AppendUint64(nil, words)), Dim: [3]uint32{1, 1, 1}, Block: [3]uint32{threads, 1, 1},
		Shared: machine.SharedBytes, BankMode: 4, CacheGlobalLoads: true,
		Occupancy: occupancy.FromConfig(config).Calculate(occupancy.Launch{Threads: int(threads), Registers: machine.Registers, Shared: machine.SharedBytes}),
	}, []uint64{0}, 0, 1)
	return s, device
}

// A warp that is passed over because the load/store unit had no room for it is asked again in the first cycle in which there is some,
// whether the head of the queue has left or answers have come.
func TestWarpsSetAsideAreAskedAgainAsSoonAsThereIsRoom(t *testing.T) {
	const threads = 512
	for name, limits := range map[string][]string{
		"queue":   {"load_store.queue=2", "load_store.outstanding=4096"},
		"answers": {"load_store.queue=64", "load_store.outstanding=48"},
		"both":    {"load_store.queue=3", "load_store.outstanding=96"},
		"misses":  {"l1.global_loads=always", "l1.miss_registers=8", "load_store.queue=8"},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := configs.Load("k40", limits)
			require.NoError(t, err)
			s, device := alone(t, config, scattered, "scattered", threads, 128*threads)

			passedOver := 0
			for now := engine.Cycle(1); s.Finished == 0 || !s.Idle(); now++ {
				require.Less(t, now, engine.Cycle(100_000), "the kernel does not end")
				s.Run(now)
				device.Step(now)
				require.Nil(t, s.Fault)
				for i := range s.schedulers {
					sc := &s.schedulers[i]
					if sc.room <= now { // it will ask in this cycle
						continue
					}
					for m := sc.aside; m != 0; m &= m - 1 {
						w := sc.warps[bits.TrailingZeros64(m)]
						require.False(t, s.loadStore.room(w.op.class, now), "cycle %d, scheduler %d, slot %d: room that the warp is not told of", now, i, w.slot)
						passedOver++
					}
				}
			}
			require.Greater(t, passedOver, 100, "no warp waited")
		})
	}
}
