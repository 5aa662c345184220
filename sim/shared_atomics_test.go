package sim_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
)

// counts adds 1 to words[warp * step] in shared memory, eight times a lane, and stores the words.
const counts = `.version 4.3
.target sm_35
.address_size 64
.visible .entry counts(.param .u64 result, .param .u64 step)
{
	.shared .align 4 .u32 words[1024];
	.reg .u32 %r<8>;
	.reg .u64 %d<4>;
	mov.u32 %r0, %tid.x;
	shl.b32 %r1, %r0, 2;
	mov.u32 %r2, words;
	add.u32 %r3, %r2, %r1;
	st.shared.u32 [%r3], 0;
	bar.sync 0;
	ld.param.u32 %r4, [step];
	shr.u32 %r5, %r0, 5;
	mad.lo.u32 %r5, %r5, %r4, %r2;
	red.shared.add.u32 [%r5], 1;
	red.shared.add.u32 [%r5], 1;
	red.shared.add.u32 [%r5], 1;
	red.shared.add.u32 [%r5], 1;
	red.shared.add.u32 [%r5], 1;
	red.shared.add.u32 [%r5], 1;
	red.shared.add.u32 [%r5], 1;
	red.shared.add.u32 [%r5], 1;
	bar.sync 0;
	ld.shared.u32 %r6, [%r3];
	ld.param.u64 %d0, [result];
	cvt.u64.u32 %d1, %r1;
	add.u64 %d0, %d0, %d1;
	st.global.u32 [%d0], %r6;
	ret;
}
`

// Warps of a block that want one word take its lock in turn, lane by lane. With a word for each warp they do not wait.
func TestWarpsTakeTheLockOfASharedWordInTurn(t *testing.T) {
	const warps, times = 8, 8
	cycles := func(step uint64) uint64 {
		config, err := configs.Load("k40", nil)
		require.NoError(t, err)
		gpu, err := sim.New(config, sim.Options{})
		require.NoError(t, err)
		module, err := gpu.Load("counts.ptx", []byte(counts))
		require.NoError(t, err)
		result, err := gpu.Allocate("result", 4*32*warps)
		require.NoError(t, err)
		parameters := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, result), step)
		l, err := gpu.Launch(context.Background(), sim.Launch{
			Module: module, Kernel: "counts", Grid: [3]int{1}, Block: [3]int{32 * warps}, Parameters: parameters,
		})
		require.NoError(t, err)
		var first [4]byte
		require.NoError(t, gpu.Read(result, first[:]))
		want := uint32(32 * times)
		if step == 0 {
			want *= warps
		}
		require.Equal(t, want, binary.LittleEndian.Uint32(first[:]))
		return uint64(l.Cycles)
	}
	config, err := configs.Load("k40", nil)
	require.NoError(t, err)
	one, own := cycles(0), cycles(4)
	t.Logf("%d cycles on one word, %d on a word a warp", one, own)
	require.GreaterOrEqual(t, one, uint64(32*warps*times*config.Atomics.Shared.LockHeld))
	require.Less(t, 3*own, one)
}

// The locks belong to the SMX: words of two blocks whose distance is the number of locks share one.
func TestBlocksWhoseSharedWordsMeetInALockTakeItInTurn(t *testing.T) {
	const warps, times = 8, 8
	config, err := configs.Load("k40", []string{"smx.count=1"})
	require.NoError(t, err)
	cycles := func(blocks, words int) uint64 {
		gpu, err := sim.New(config, sim.Options{})
		require.NoError(t, err)
		module, err := gpu.Load("counts.ptx", []byte(strings.Replace(counts, "words[1024]", fmt.Sprintf("words[%d]", words), 1)))
		require.NoError(t, err)
		result, err := gpu.Allocate("result", 4*32*warps)
		require.NoError(t, err)
		l, err := gpu.Launch(context.Background(), sim.Launch{
			Module: module, Kernel: "counts", Grid: [3]int{blocks}, Block: [3]int{32 * warps},
			Parameters: binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, result), 0),
		})
		require.NoError(t, err)
		return uint64(l.Cycles)
	}
	locks, held := config.Atomics.Shared.Locks, config.Atomics.Shared.LockHeld
	one, apart, same := cycles(1, locks), cycles(2, locks/2), cycles(2, locks)
	t.Logf("%d cycles alone, %d with a lock each, %d with one lock", one, apart, same)
	require.InEpsilon(t, one, apart, 0.1)
	require.GreaterOrEqual(t, same, uint64(2*32*warps*times*held))
}
