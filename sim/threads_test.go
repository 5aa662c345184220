package sim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

// raceText is a kernel whose result depends on the order of every access. Each thread reads words that others change, in an order that
// depends on what it has read, and adds its sums. Argument load is the load instruction. One of writes steps, a power of two, is a write.
func raceText(load string, writes int) string {
	return fmt.Sprintf(`.version 6.4
.target sm_35
.address_size 64
.visible .entry race(.param .u64 data, .param .u64 out)
{
	.reg .pred %%p<4>;
	.reg .b32 %%r<16>;
	.reg .b64 %%d<12>;
	ld.param.u64 %%d1, [data];
	ld.param.u64 %%d2, [out];
	mov.u32 %%r1, %%tid.x;
	mov.u32 %%r2, %%ctaid.x;
	mov.u32 %%r3, %%ntid.x;
	mad.lo.u32 %%r4, %%r2, %%r3, %%r1;
	mov.u32 %%r5, %%r4;
	mov.u32 %%r6, 0;
	and.b32 %%r14, %%r2, 7;
	add.u32 %%r14, %%r14, 4;
again:
	mad.lo.u32 %%r5, %%r5, 1664525, 1013904223;
	shr.u32 %%r7, %%r5, 20;
	mul.wide.u32 %%d3, %%r7, 1028;
	add.u64 %%d4, %%d1, %%d3;
	%s %%r8, [%%d4];
	add.u32 %%r5, %%r5, %%r8;
	xor.b32 %%r9, %%r7, 2049;
	mul.wide.u32 %%d5, %%r9, 1028;
	add.u64 %%d6, %%d1, %%d5;
	shr.u32 %%r12, %%r5, 12;
	and.b32 %%r12, %%r12, %d;
	setp.ne.u32 %%p3, %%r12, 0;
	@%%p3 bra next;
	and.b32 %%r10, %%r5, 3;
	setp.eq.u32 %%p1, %%r10, 0;
	@%%p1 atom.global.add.u32 %%r11, [%%d6], %%r5;
	@!%%p1 st.global.u32 [%%d6], %%r5;
	@%%p1 xor.b32 %%r5, %%r5, %%r11;
next:
	add.u32 %%r6, %%r6, 1;
	setp.lt.u32 %%p2, %%r6, %%r14;
	@%%p2 bra again;
	mul.wide.u32 %%d7, %%r4, 4;
	add.u64 %%d8, %%d2, %%d7;
	st.global.u32 [%%d8], %%r5;
	ret;
}
`, load, writes-1)
}

// Reads of a kernel, and every counter and cycle, are the same with any number of threads, whatever its accesses race for.
func TestThreadsChangeNothing(t *testing.T) {
	const blocks, block, words = 150, 96, 4096 * 1028 / 4 // on more pages than an SMX has translations
	for _, c := range []struct {
		load, chip string
		writes     int
		overrides  []string
	}{
		{"ld.volatile.global.u32", "k40", 1, []string{"interconnect.queue=4"}},
		{"ld.global.u32", "k20", 1, []string{"interconnect.request_latency=20"}},
		{"ld.global.u32", "k40", 1, []string{"l2.latency=20", "dram.controller_latency=35"}},
		{"ld.global.u32", "k40", 1, []string{"smx.count=1"}},
		{"ld.global.nc.u32", "k40", 1, nil},
		{"ld.global.ca.u32", "k40", 1, nil},
		{"ld.global.nc.u32", "k40", 64, []string{"read_only.latency=40"}},
		{"ld.global.ca.u32", "k40", 1024, []string{"interconnect.request_latency=30"}},
	} {
		t.Run(fmt.Sprint(c.load, " ", c.chip, " ", c.writes), func(t *testing.T) {
			config, err := configs.Load(c.chip, c.overrides)
			require.NoError(t, err)
			run := func(threads int) (list []*stats.Launch, after []uint32) {
				gpu, err := sim.New(config, sim.Options{Threads: threads})
				require.NoError(t, err)
				module, err := gpu.Load("race.ptx", []byte(raceText(c.load, c.writes)))
				require.NoError(t, err)
				d := device{gpu, t, module}
				data, out := d.allocate("data", 4*words), d.allocate("out", 4*blocks*block)
				for range 2 {
					l, err := d.launch("race", blocks, block, data, out)
					require.NoError(t, err)
					l.Wall = 0
					list = append(list, l)
				}
				return list, append(d.words(data, words), d.words(out, blocks*block)...)
			}
			launches, memory := run(1)
			counts := []int{2, 3, 7, 8}
			if testing.Short() {
				counts = []int{2, 7}
			}
			for _, threads := range counts {
				l, m := run(threads)
				require.Equal(t, launches, l)
				assert.Equal(t, memory, m)
			}
		})
	}
}
