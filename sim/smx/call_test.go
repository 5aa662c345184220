package smx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/sim/stats"
)

// recursive sums 1 to n with a function that calls itself. Each lane has its own n.
const recursive = `.version 6.4
.target sm_35
.address_size 64
.func (.param .b32 result) sum(.param .b32 n)
{
	.reg .pred %p;
	.reg .b32 %r<4>;
	ld.param.u32 %r0, [n];
	mov.u32 %r1, 0;
	setp.eq.u32 %p, %r0, 0;
	@%p bra DONE;
	sub.u32 %r2, %r0, 1;
	{
	.param .b32 a;
	.param .b32 b;
	st.param.b32 [a], %r2;
	call (b), sum, (a);
	ld.param.b32 %r1, [b];
	}
	add.u32 %r1, %r1, %r0;
DONE:
	st.param.b32 [result], %r1;
	ret;
}
.visible .entry kernel(.param .u64 out)
{
	.reg .b32 %r<4>;
	.reg .b64 %d<4>;
	ld.param.u64 %d0, [out];
	mov.u32 %r0, %tid.x;
	mad.wide.u32 %d0, %r0, 4, %d0;
	{
	.param .b32 a;
	.param .b32 b;
	st.param.b32 [a], %r0;
	call (b), sum, (a);
	ld.param.b32 %r1, [b];
	}
	st.global.u32 [%d0], %r1;
	ret;
}
`

// Lanes of one warp recurse to different depths. Each gets its own result, and each call counts a frame.
func TestLanesRecurseToTheirOwnDepth(t *testing.T) {
	bothWays(t, recursive, setup{threads: 32}, func(t *testing.T, b *bench) {
		require.Nil(t, b.Fault)
		for n, got := range b.words(32) {
			require.Equal(t, uint32(n*(n+1)/2), got)
		}
		require.Len(t, b.Entered, 2)
		assert.Equal(t, uint64(32), b.Entered[1], "depths 0 to 31: the warp enters as often as its deepest lane")
	})
}

// A call deeper than the stack is a fault that lists the chain of calls without its middle.
func TestTheStackIsFinite(t *testing.T) {
	bothWays(t, recursive, setup{threads: 32, overrides: []string{"heap.stack=256"}}, func(t *testing.T, b *bench) {
		require.NotNil(t, b.Fault)
		assert.Equal(t, FaultStack, b.Fault.Kind)
		text := b.Fault.Error()
		assert.Contains(t, text, "the call stack of 256 bytes a thread is full (heap.stack in the configuration: --set "+
			"heap.stack=BYTES gives more); sum needs")
		assert.Contains(t, text, "sum called from sum at kernel.ptx:17")
		assert.Contains(t, text, "sum called from kernel at kernel.ptx:36")
		assert.Contains(t, text, "calls more …")
	})
}

// host is a system that returns twice the first argument, or a fault.
type host struct {
	t      *testing.T
	refuse bool
	lanes  []int
	place  string
}

func (h *host) Call(c *SystemCall) *Fault {
	assert.Equal(h.t, "vprintf", c.Name)
	if h.refuse {
		return &Fault{Kind: FaultSystem, Detail: "no room for output"}
	}
	assert.Equal(h.t, 8, c.AddressBytes())
	assert.Equal(h.t, [3]uint32{}, c.Block())
	for lane := range 32 {
		if c.Lanes>>lane&1 == 0 {
			continue
		}
		h.lanes = append(h.lanes, int(c.Thread(lane)[0]))
		argument := c.Argument(lane, 0)
		var there [4]byte
		assert.True(h.t, c.Read(lane, c.Argument(lane, 1), there[:]), "lane %d's variable", lane)
		assert.Equal(h.t, byte(argument), there[0])
		assert.False(h.t, c.Read(lane, isa.SharedWindow+1<<20, there[:]), "beyond shared memory")
		c.SetResult(lane, 2*argument)
	}
	h.place = c.Place().Where
	return nil
}

// calling makes odd threads call a system function with a number and a pointer to it in shared memory.
const calling = `.version 6.4
.target sm_35
.address_size 64
.extern .func (.param .b32 result) vprintf(.param .b64 n, .param .b64 at);
.visible .entry kernel(.param .u64 out)
{
	.shared .align 4 .b32 words[32];
	.reg .pred %p;
	.reg .b32 %r<6>;
	.reg .b64 %d<4>;
	ld.param.u64 %d0, [out];
	mov.u32 %r0, %tid.x;
	mad.wide.u32 %d0, %r0, 4, %d0;
	mov.u32 %r3, words;
	shl.b32 %r2, %r0, 2;
	add.u32 %r3, %r3, %r2;
	st.shared.u32 [%r3], %r0;
	cvt.u64.u32 %d1, %r3;
	cvta.shared.u64 %d1, %d1;
	and.b32 %r2, %r0, 1;
	setp.eq.u32 %p, %r2, 0;
	@%p bra END;
	{
	.param .b64 a;
	.param .b64 p;
	.param .b32 b;
	cvt.u64.u32 %d2, %r0;
	st.param.b64 [a], %d2;
	st.param.b64 [p], %d1;
	call (b), vprintf, (a, p);
	ld.param.b32 %r1, [b];
	}
	st.global.u32 [%d0], %r1;
END:
	ret;
}
`

// A system call sees the arguments and the memory of the lanes that call, and gives each its result. A timed warp waits for it.
func TestSystemCallsServeTheirLanes(t *testing.T) {
	h := &host{t: t}
	o := setup{threads: 32, system: h}
	bothWays(t, calling, o, func(t *testing.T, b *bench) {
		require.Nil(t, b.Fault)
		for i, got := range b.words(32) {
			want := uint32(2 * i)
			if i%2 == 0 {
				want = 0
			}
			require.Equal(t, want, got)
		}
		assert.Equal(t, 1, h.lanes[0])
		assert.Contains(t, h.place, "kernel.ptx:")
		if b.Counters.ActiveCycles > 0 { // timed
			assert.Positive(t, b.Counters.Stalls[stats.StallSystem])
		}
	})
	for name, o := range map[string]setup{
		"no room for output": {threads: 32, system: &host{t: t, refuse: true}}, "vprintf is not provided": {threads: 32},
	} {
		bothWays(t, calling, o, func(t *testing.T, b *bench) {
			require.NotNil(t, b.Fault)
			assert.Equal(t, FaultSystem, b.Fault.Kind)
			assert.Contains(t, b.Fault.Error(), "system call failed; "+name)
		})
	}
}

// Faulty accesses stop the SMX. The error names the lane, the thread, the line and the nearest allocation.
func TestFaultsSayWhatAndWhere(t *testing.T) {
	for name, c := range map[string]struct {
		statements string
		dynamic    int
		kind       FaultKind
		lane       int
		says       []string
	}{
		"outside": {"\tst.global.u32 [%mine+4000], 1;\n", 0, FaultAddress, 24,
			[]string{"4-byte store at global address", "outside every allocation", "nearest allocation: buffer, 4096 bytes",
				"ends right before it\n  a card maps whole pages and goes on here: so does --memory card", "lane 24, thread (24,0,0)"}},
		"beyond": {"\tld.global.u32 %r0, [%mine+5000];\n\tst.global.u32 [%mine], %r0;\n", 0, FaultAddress, 0,
			[]string{"4-byte load", "ends 904 bytes below"}},
		"before": {
			"\tld.global.u32 %r0, [%mine-300];\n\tst.global.u32 [%mine], %r0;\n", 0, FaultAddress, 0, []string{"begins 300 bytes above"},
		},
		"null": {
			"\tmov.u64 %d0, 16;\n\tst.global.u32 [%d0], 1;\n", 0, FaultAddress, 0, []string{"that is 16 bytes from a null pointer"},
		},
		"misaligned": {"\tst.global.u32 [%out+2], 1;\n", 0, FaultAlignment, 0, []string{"misaligned 4-byte store", "not a multiple of 4"}},
		"shared": {"\t.shared .align 4 .b8 s[64];\n\tmov.u32 %r0, s;\n\tshl.b32 %r1, %tid, 2;\n\tadd.u32 %r0, %r0, %r1;\n" +
			"\tst.shared.u32 [%r0], 1;\n", 0, FaultAddress, 16,
			[]string{"the block has 64 bytes of shared memory"}},
		"local": {"\t.local .align 4 .b8 l[8];\n\tmov.u64 %d0, l;\n\tmul.wide.u32 %d1, %tid, 4;\n\tadd.u64 %d0, %d0, %d1;\n" +
			"\tst.local.u32 [%d0], 1;\n", 0, FaultAddress, 2,
			[]string{"the thread has 8 bytes of local memory"}},
		"trap":       {"\tsetp.eq.u32 %p0, %tid, 9;\n\t@%p0 trap;\n", 0, FaultTrap, 9, []string{"the kernel executed trap"}},
		"breakpoint": {"\tbrkpt;\n", 0, FaultBreakpoint, 0, []string{"brkpt, and no debugger is attached"}},
		"barrier": {
			"\tadd.u32 %r0, %tid, 16;\n\tbar.sync %r0;\n", 0, FaultBarrierNumber, 0, []string{"barrier 16: a block has barriers 0 to 15"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			bothWays(t, kernelText(c.statements), setup{threads: 32, dynamic: c.dynamic}, func(t *testing.T, b *bench) {
				require.NotNil(t, b.Fault)
				assert.Equal(t, c.kind, b.Fault.Kind)
				assert.Equal(t, c.lane, b.Fault.Lane)
				text := b.Fault.Error()
				for _, s := range append(c.says, "kernel kernel, block (0,0,0), warp 0", "at kernel.ptx:") {
					assert.Contains(t, text, s)
				}
				assert.False(t, strings.HasSuffix(text, "\n"))
			})
		})
	}
}
