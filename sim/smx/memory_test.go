package smx

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa/exec"
	"github.com/keplersim/keplersim/isa/texture"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/stats"
)

// Lanes that read different words of one bank are served one after another, and each further pass takes another issue slot. The 32 banks
// are 8 bytes wide, so two words 32 apart come together. A stride of n words takes half as many passes as the greatest common divisor of n
// and 32.
func TestBankConflictsReplay(t *testing.T) {
	for stride, passes := range map[int]uint64{1: 1, 2: 1, 3: 1, 4: 2, 8: 4, 16: 8, 32: 16} {
		b := newBench(t, kernelText(fmt.Sprintf(`
	.shared .align 4 .b32 words[1024];
	mov.u32 %%r0, words;
	mul.lo.u32 %%r1, %%tid, %d;
	add.u32 %%r1, %%r1, %%r0;
	ld.shared.u32 %%r2, [%%r1];
	st.global.u32 [%%mine], %%r2;`, 4*stride)), setup{threads: 32}).timed()
		require.Nil(t, b.Fault)
		assert.Equal(t, passes, b.Counters.SharedLoad.Transactions, "stride %d", stride)
		assert.Equal(t, passes-1, b.Counters.SharedReplays, "stride %d", stride)
	}
}

// A load waits for each further pass of a bank conflict. On a GTX 780, 4 ways take 96 cycles, 8 take 158, 16 take 257 and 32 take 484 (Mei
// and Chu, 2017): 13.9 more for each way on average.
func TestBankConflictsLengthenALoad(t *testing.T) {
	const loads = 32
	latency := func(ways int) float64 { // of a load and an addition
		b := newBench(t, kernelText(fmt.Sprintf(`
	.shared .align 8 .b8 words[8192];
	mov.u32 %%r0, words;
	mad.lo.u32 %%r1, %%tid, %d, %%r0;
`, 8*ways)+strings.Repeat("\tld.volatile.shared.u32 %r2, [%r1];\n\tadd.u32 %r1, %r1, %r2;\n", loads)),
			setup{chip: "gtx780", threads: 32}).timed()
		require.Nil(t, b.Fault)
		require.EqualValues(t, loads*ways, b.Counters.SharedLoad.Transactions)
		return float64(b.Counters.ActiveCycles) / loads
	}
	assert.InEpsilon(t, 484-96, latency(32)-latency(4), 0.05)
}

// The passes of a bank conflict are replays of one operation: a warp's next operation issues after the last, even if it is independent.
func TestReplaysHoldTheirWarp(t *testing.T) {
	const accesses = 32
	apart := func(body string, ways int, overrides ...string) float64 { // cycles between two accesses of a warp that is alone
		b := newBench(t, kernelText(fmt.Sprintf(`
	.shared .align 8 .b8 words[8192];
	mov.u32 %%r0, words;
	mad.lo.u32 %%r1, %%tid, %d, %%r0;
`, 8*ways)+strings.Repeat(body, accesses)), setup{chip: "gtx780", overrides: overrides, threads: 32}).timed()
		require.Nil(t, b.Fault)
		return float64(b.Counters.ActiveCycles) / accesses
	}
	const load, store = "\tld.volatile.shared.u32 %r2, [%r1];\n", "\tst.volatile.shared.u32 [%r1], %r0;\n"
	const perPass = (484 - 257) / 16. // m Mei and Chu, as above: 32 ways and 16
	for _, body := range []string{load, store} {
		assert.InEpsilon(t, 16*perPass, apart(body, 32)-apart(body, 16), 0.05, body)
		assert.InDelta(t, apart(body, 1), apart(body, 1, "shared_memory.replays_hold=false"), 0)
	}
	assert.InDelta(t, apart(store, 1), apart(store, 8, "shared_memory.replays_hold=false"), 1)
}

// Shared atomics of n lanes on one word are a loop of n rounds, one for each lane. The result is the sum, in any mode.
func TestSharedAtomicsTakeATurnForEachLaneOfAWord(t *testing.T) {
	source := func(words int) string {
		return kernelText(fmt.Sprintf(`
	.shared .align 4 .b32 words[32];
	mov.u32 %%r0, words;
	rem.u32 %%r1, %%tid, %d;
	shl.b32 %%r1, %%r1, 2;
	add.u32 %%r1, %%r1, %%r0;
	atom.shared.add.u32 %%r2, [%%r1], %%tid;
	bar.sync 0;
	ld.shared.u32 %%r3, [%%r1];
	st.global.u32 [%%mine], %%r3;`, words))
	}
	took := map[int]engine.Cycle{}
	for _, words := range []int{1, 2, 8, 32} {
		bothWays(t, source(words), setup{threads: 32}, func(t *testing.T, b *bench) {
			require.Nil(t, b.Fault)
			for i, got := range b.words(32) {
				want := uint32(0)
				for lane := i % words; lane < 32; lane += words {
					want += uint32(lane)
				}
				require.Equal(t, want, got)
			}
		})
		j := &journal{}
		b := newBench(t, source(words), setup{threads: 32, observer: j}).timed()
		assert.Equal(t, uint64(32/words), b.Counters.SharedAtomics.Transactions)
		took[words] = j.stalled(stats.StallShared)
	}
	b := newBench(t, source(1), setup{})
	further := engine.Cycle(b.config.Atomics.Shared.FurtherPass)
	assert.GreaterOrEqual(t, took[1]-took[2], 16*further, "16 turns more")
	assert.GreaterOrEqual(t, took[2]-took[8], 12*further)
}

// A load from parameter space with n distinct addresses takes n passes.
func TestConstantLoadsTakeAPassForEachAddress(t *testing.T) {
	for n := 1; n <= 4; n *= 2 {
		source := `.version 6.4
.target sm_35
.address_size 64
.visible .entry kernel(.param .u64 out, .param .align 4 .b8 table[64])
{
	.reg .b32 %r<8>;
	.reg .b64 %d<4>;
	ld.param.u64 %d0, [out];
	mov.u32 %r0, %tid.x;
	mad.wide.u32 %d0, %r0, 4, %d0;
	rem.u32 %r1, %r0, ` + fmt.Sprint(n) + `;
	shl.b32 %r1, %r1, 2;
	mov.b64 %d1, table;
	cvt.u64.u32 %d2, %r1;
	add.u64 %d1, %d1, %d2;
	ld.param.u32 %r2, [%d1];
	st.global.u32 [%d0], %r2;
	ret;
}
`
		bothWays(t, source, setup{threads: 32, parameters: words(16, parameterWord)}, func(t *testing.T, b *bench) {
			require.Nil(t, b.Fault)
			for i, got := range b.words(32) {
				require.Equal(t, parameterWord(i%n), got)
			}
			if b.Counters.ActiveCycles > 0 { // timed
				assert.Equal(t, uint64(n-1), b.Counters.ConstantReplays)
			}
		})
	}
}

// Local memory is private to each thread. A load after a store that L1 takes is a hit.
func TestLocalMemoryIsTheThreads(t *testing.T) {
	source := kernelText(`
	.local .align 4 .b8 mine[16];
	mov.u64 %d0, mine;
	and.b32 %r0, %tid, 3;
	mul.wide.u32 %d1, %r0, 4;
	add.u64 %d1, %d0, %d1;
	mul.lo.u32 %r1, %tid, 3;
	st.local.u32 [%d1], %r1;
	ld.local.u32 %r2, [%d1];
	st.global.u32 [%mine], %r2;`)
	bothWays(t, source, setup{threads: 64}, func(t *testing.T, b *bench) {
		require.Nil(t, b.Fault)
		for i, got := range b.words(64) {
			require.Equal(t, uint32(3*i), got)
		}
	})
	for chip, hits := range map[string]bool{"k40": true} {
		b := newBench(t, source, setup{chip: chip, threads: 32}).timed()
		assert.Equal(t, uint64(4), b.Counters.LocalStore.Transactions, "a line for each of the words that the lanes name")
		assert.Equal(t, uint64(4), b.Counters.L1Local.Accesses)
		assert.Equal(t, hits, b.Counters.L1Local.Hits == 4)
	}
}

// A load through the read-only cache that hits is served by the texture units, without L2.
func TestReadOnlyLoadsHitWhatWasLoaded(t *testing.T) {
	j := &journal{}
	b := newBench(t, kernelText(`
	ld.global.nc.u32 %r0, [%mine];
	st.global.u32 [%mine+1024], %r0;
	shr.u32 %r2, %r0, 16;
	mul.wide.u32 %d0, %r2, 4;
	add.u64 %d0, %d0, %mine;
	ld.global.nc.u32 %r1, [%d0];
	st.global.u32 [%mine+2048], %r1;`), setup{threads: 32, observer: j})
	require.NoError(t, b.memory.Write(b.buffer, bytesOf(words(32, func(i int) uint32 { return uint32(100 + i) }))))
	b.timed()
	require.Nil(t, b.Fault)
	all := b.words(1024)
	assert.Equal(t, all[:32], all[512:544])
	assert.Equal(t, all[:32], all[256:288])
	assert.Equal(t, uint32(131), all[31])
	c := &b.Counters
	assert.Equal(t, c.ReadOnly.Accesses, 2*c.ReadOnly.Hits, "the second finds what the first brought")
	assert.Equal(t, uint64(16), c.TextureQuads, "8 quads a load")
	fills := 0
	for _, r := range j.requests {
		if r.Stage == observe.Submitted && r.Source == stats.SourceReadOnly {
			fills++
		}
	}
	assert.Positive(t, fills)
}

// parameterWord returns word i of the tests' parameter array.
func parameterWord(i int) uint32 { return uint32(1000 + 11*i) }

func words(n int, f func(i int) uint32) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

func bytesOf(words []uint32) (data []byte) {
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// Every request gets one response, every access of a lane is observed, and every access has one answer.
func TestRequestsAreAnswered(t *testing.T) {
	j := &journal{}
	b := newBench(t, kernelText(`
	ld.global.u32 %r0, [%mine];
	atom.global.add.u32 %r1, [%out+512], %r0;
	red.global.add.u32 [%out+516], 1;
	st.global.u32 [%mine+1024], %r1;
	.shared .align 4 .b32 words[64];
	mov.u32 %r2, words;
	st.volatile.shared.u32 [%r2], %r1;
	ld.volatile.shared.u32 %r3, [%r2];`), setup{threads: 64, observer: j}).timed()
	require.Nil(t, b.Fault)
	open := map[uint64]int{}
	for _, r := range j.requests {
		if r.Stage == observe.Submitted {
			open[r.Tag]++
			assert.NotZero(t, r.Sectors)
		} else {
			open[r.Tag]--
			assert.GreaterOrEqual(t, open[r.Tag], 0, "a response before its request")
		}
	}
	for tag, n := range open {
		assert.Zero(t, n, "tag %d", tag)
	}
	assert.Equal(t, 12, j.accesses, "six for each of two warps")
	assert.Len(t, j.answers, 12)
	for _, a := range j.answers {
		assert.Greater(t, a.Cycle, a.Issued)
		assert.Less(t, a.Cycle, never)
	}
	assert.Equal(t, uint32(64), b.words(130)[129])
}

// Passes that only narrow banks need are counted for 64-bit accesses alone.
func TestPassesOfNarrowBanks(t *testing.T) {
	for _, test := range []struct {
		kind, register       string
		lanes, stride, first int
		passes, narrow       uint64
	}{
		{"u64", "d3", 31, 8, 8, 2, 1}, // their segments differ
		{"u64", "d3", 31, 16, 0, 2, 0},
		{"u64", "d3", 31, 136, 0, 2, 1}, // a column of a tile 17 wide
		{"u32", "r3", 31, 132, 0, 1, 0},
		{"u32", "r3", 1, 128, 128, 2, 0}, // one in 8-byte mode
	} {
		b := newBench(t, kernelText(fmt.Sprintf(`
	.shared .align 8 .b8 space[8192];
	mov.u32 %%r0, space;
	and.b32 %%r1, %%tid, %d;
	mad.lo.u32 %%r0, %%r1, %d, %%r0;
	ld.shared.%s %%%s, [%%r0+%d];
	st.global.%[3]s [%%out], %%%[4]s;`, test.lanes, test.stride, test.kind, test.register, test.first)), setup{threads: 32}).timed()
		assert.Equal(t, [2]uint64{test.passes, test.narrow}, [2]uint64{b.Counters.SharedLoad.Transactions, b.Counters.SharedNarrow}, test)
	}
}

// A generic access with lanes in two spaces reads each lane's own space, and the warp waits for both.
func TestGenericAccessesGoSpaceBySpace(t *testing.T) {
	for _, space := range []string{"shared", "local"} {
		bothWays(t, kernelText(fmt.Sprintf(`
	.%[1]s .align 4 .b32 words[32];
	.%[1]s .align 4 .b32 others[32];
	mov.u32 %%r0, words;
	shl.b32 %%r1, %%tid, 2;
	add.u32 %%r0, %%r0, %%r1;
	add.u32 %%r2, %%tid, 500;
	st.%[1]s.u32 [%%r0], %%r2;
	ld.%[1]s.u32 %%r6, [%%r0];
	add.u32 %%r6, %%r6, 400;
	cvt.u64.u32 %%d0, %%r0;
	cvta.%[1]s.u64 %%d0, %%d0;
	st.global.u32 [%%mine+512], %%r6;
	membar.gl;
	and.b32 %%r4, %%tid, 1;
	setp.eq.u32 %%p0, %%r4, 0;
	cvta.global.u64 %%d1, %%mine;
	add.u64 %%d1, %%d1, 512;
	selp.b64 %%d2, %%d0, %%d1, %%p0;
	ld.u32 %%r5, [%%d2];
	st.global.u32 [%%mine], %%r5;`, space)), setup{threads: 32}, func(t *testing.T, b *bench) {
			require.Nil(t, b.Fault)
			for i, got := range b.words(32) {
				want := uint32(500 + i)
				if i%2 == 1 {
					want = uint32(900 + i)
				}
				require.Equal(t, want, got, "lane %d, %s", i, space)
			}
		})
	}
}

// A warp waits for all parts of a generic load: lanes in global memory are answered by DRAM, those in local memory by L2 before, as L1 no
// longer has them.
func TestGenericLoadsWaitForTheLastPart(t *testing.T) {
	b := newBench(t, kernelText(`
	.local .align 4 .b32 words[1024];
	mov.u32 %r0, words;
	mov.u32 %r1, 0;
again:
	st.local.u32 [%r0], %tid;
	add.u32 %r0, %r0, 4;
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p0, %r1, 1024;
	@%p0 bra again;
	membar.gl;
	cvta.local.u64 %d0, words;
	cvta.global.u64 %d1, %mine;
	add.u64 %d1, %d1, 512;
	and.b32 %r4, %tid, 1;
	setp.eq.u32 %p0, %r4, 0;
	selp.b64 %d2, %d0, %d1, %p0;
	mov.u32 %r5, 77;
	ld.u32 %r5, [%d2];
	add.u32 %r5, %r5, 1;
	st.global.u32 [%mine], %r5;`), setup{threads: 32}).timed()
	require.Nil(t, b.Fault)
	for i, got := range b.words(32) {
		want := uint32(1)
		if i%2 == 0 {
			want = uint32(i + 1)
		}
		require.Equal(t, want, got, "lane %d", i)
	}
}

// A load of shared memory with conflicts holds the unit a cycle for each further pass, five through a generic address. Without conflicts
// both take the same time, and so do stores.
func TestGenericLoadsPayMoreForFurtherPasses(t *testing.T) {
	const loads = 64
	held := func(body string, stride int) float64 { // cycles of an access of each of 32 warps, the unit being the limit
		text := fmt.Sprintf(`
	.shared .align 4 .b8 space[16384];
	and.b32 %%r1, %%tid, 31;
	mul.lo.u32 %%r1, %%r1, %d;
	mov.u32 %%r0, space;
	add.u32 %%r0, %%r0, %%r1;
	cvt.u64.u32 %%d0, %%r0;
	cvta.shared.u64 %%d0, %%d0;
`, stride)
		b := newBench(t, kernelText(text+strings.Repeat(body, loads)), setup{threads: 1024}).timed()
		require.Nil(t, b.Fault)
		return float64(b.Counters.ActiveCycles) / loads / 32
	}
	const direct, generic = "\tld.volatile.shared.u32 %r5, [%r0];\n", "\tld.volatile.u32 %r5, [%d0];\n"
	const directStore, genericStore = "\tst.volatile.shared.u32 [%r0], %r1;\n", "\tst.volatile.u32 [%d0], %r1;\n"
	assert.InDelta(t, 4.2, held(direct, 32), 0.4, "4 passes")
	assert.InDelta(t, 16.2, held(generic, 32), 0.8, "4 passes")
	assert.InDelta(t, held(direct, 4), held(generic, 4), 0.2)
	assert.InDelta(t, held(directStore, 32), held(genericStore, 32), 0.2)
}

// The texture units of a slice work on four lanes a cycle for texels of up to 8 bytes. Texels of 16 bytes take twice as long, and so do the
// eight texels of an interpolated 3-D texture.
func TestTextureFilteringTakesTime(t *testing.T) {
	config := newBench(t, kernelText(""), setup{}).config
	for _, c := range []struct {
		geometry texture.Geometry
		channels int
		linear   bool
		want     int
	}{
		{texture.Plain2D, 1, false, 1}, {texture.Plain2D, 1, true, 1}, {texture.Plain2D, 2, true, 1}, {texture.Plain2D, 4, true, 2},
		{texture.Plain3D, 1, false, 1}, {texture.Plain3D, 1, true, 2}, {texture.Plain3D, 4, true, 4}, {texture.Cube, 1, true, 1},
	} {
		a := exec.Access{Image: &texture.Image{Format: texture.F32, Channels: c.channels, Geometry: c.geometry},
			Sampling: texture.Sampling{Linear: c.linear}}
		assert.Equal(t, c.want, filterCycles(&a, config), "%+v", c)
	}
}
