package sim_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/sim"
)

// A litmus test is a few threads, each in a block on its own multiprocessor, that write to x and y and read them. "Wx" writes 1 to x, "Rx"
// reads x, "F" is the fence under test. Other words are PTX instructions with X and Y for the addresses. Outcomes are the values read, in
// the order of the text.
type litmus struct {
	name      string
	threads   []string
	fence     string
	forbidden string
	// seen are outcomes that must occur, because otherwise the test is empty.
	seen []string
}

// The tests and their verdicts are the classic ones (J. Alglave et al., "GPU concurrency: weak behaviours and programming
// assumptions", ASPLOS 2015; D. Lustig et al., "A formal analysis of the NVIDIA PTX memory consistency model", ASPLOS 2019).
var litmusTests = []litmus{
	{"message passing, membar", []string{"Wx F Wy", "Ry F Rx"}, "membar.gl;", "1 0", []string{"0 0", "1 1"}},
	{"message passing, fence.acq_rel", []string{"Wx F Wy", "Ry F Rx"}, "fence.acq_rel.gpu;", "1 0", []string{"0 0", "1 1"}},
	{"message passing, release and acquire", []string{"Wx st.release.gpu.global.u32{[Y],1}", "ld.acquire.gpu.global.u32{R,[Y]} Rx"}, "",
		"1 0", []string{"0 0", "1 1"}},
	{
		"message passing, release and acquire atomics",
		[]string{"Wx atom.release.gpu.global.exch.b32{%r9,[Y],1}", "atom.acquire.gpu.global.or.b32{R,[Y],0} Rx"}, "", "1 0",
		[]string{"0 0", "1 1"},
	},
	{"message passing, system scope", []string{"Wx F Wy", "Ry F Rx"}, "membar.sys;", "1 0", []string{"0 0", "1 1"}},
	{"store buffering", []string{"Wx F Ry", "Wy F Rx"}, "membar.gl;", "0 0", []string{"0 1", "1 0"}},
	{"store buffering, fence.sc", []string{"Wx F Ry", "Wy F Rx"}, "fence.sc.gpu;", "0 0", []string{"0 1", "1 0"}},
	{"load buffering", []string{"Rx F Wy", "Ry F Wx"}, "membar.gl;", "1 1", []string{"0 1", "1 0"}},
	{"coherence of reads", []string{"Wx", "Rx Rx"}, "", "1 0", []string{"0 0", "1 1"}},
	{"coherence of atomics", []string{"atom.relaxed.gpu.global.add.u32{%r9,[X],1}", "Rx Rx"}, "", "1 0", []string{"0 0", "1 1"}},
	{"independent reads of independent writes", []string{"Wx", "Wy", "Rx F Ry", "Ry F Rx"}, "membar.gl;", "1 0 1 0",
		[]string{"0 0 0 0", "1 1 1 1"}},
}

// text returns the test as PTX: n times the threads meet, wait for different times, and run.
func (l *litmus) text() string {
	var b strings.Builder
	b.WriteString(`.version 6.4
.target sm_70
.address_size 64
.visible .entry litmus(.param .u64 memory, .param .u64 out, .param .u32 n)
{
	.reg .pred %p<8>;
	.reg .b32 %r<64>;
	.reg .b64 %rd<16>;
	ld.param.u64 %rd1, [memory];
	ld.param.u64 %rd2, [out];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, 0;
TURN:
	mad.wide.u32 %rd3, %r3, 1024, %rd1;
	add.u64 %rd3, %rd3, 1024;
	mad.wide.u32 %rd5, %r3, 16, %rd2;
	membar.gl;
	red.global.add.u32 [%rd1], 1;
	add.u32 %r4, %r3, 1;
	mov.u32 %r5, %nctaid.x;
	mul.lo.u32 %r6, %r4, %r5;
MEET:
	ld.volatile.global.u32 %r7, [%rd1];
	setp.lt.u32 %p1, %r7, %r6;
	@%p1 bra MEET;
	mad.lo.u32 %r8, %r2, 24, 37;
	mul.lo.u32 %r8, %r8, %r4;
	rem.u32 %r8, %r8, 601;
	nanosleep.u32 %r8;
`)
	// x and y are on lines of different slices in most turns.
	place := map[byte]string{'x': "%rd3", 'y': "%rd3+512"}
	reads := 0
	for i, thread := range l.threads {
		fmt.Fprintf(&b, "\tsetp.ne.u32 %%p3, %%r2, %d;\n\t@%%p3 bra NEXT%d;\n", i, i)
		first := reads
		for _, word := range strings.Fields(thread) {
			switch {
			case word == "F":
				fmt.Fprintf(&b, "\t%s\n", l.fence)
			case word[0] == 'W':
				fmt.Fprintf(&b, "\tst.volatile.global.u32 [%s], 1;\n", place[word[1]])
			case word[0] == 'R':
				fmt.Fprintf(&b, "\tld.volatile.global.u32 %%r%d, [%s];\n", 20+reads, place[word[1]])
				reads++
			default:
				opcode, operands, _ := strings.Cut(strings.TrimSuffix(word, "}"), "{")
				if strings.HasPrefix(operands, "R") {
					operands = fmt.Sprintf("%%r%d", 20+reads) + operands[1:]
					reads++
				}
				operands = strings.NewReplacer("X", "%rd3", "Y", "%rd3+512", ",", ", ").Replace(operands)
				fmt.Fprintf(&b, "\t%s %s;\n", opcode, operands)
			}
		}
		for k := first; k < reads; k++ {
			fmt.Fprintf(&b, "\tst.global.u32 [%%rd5+%d], %%r%d;\n", 4*k, 20+k)
		}
		fmt.Fprintf(&b, "NEXT%d:\n", i)
	}
	b.WriteString("\tadd.u32 %r3, %r3, 1;\n\tsetp.lt.u32 %p4, %r3, %r1;\n\t@%p4 bra TURN;\n\tret;\n}\n")
	return b.String()
}

func (l *litmus) reads() int {
	return strings.Count(strings.Join(l.threads, " "), "R")
}

// outcomes counts the values that the threads read in n turns.
func (l *litmus) outcomes(t *testing.T, chip string, n int) map[string]int {
	t.Helper()
	config, err := configs.Load(chip, nil)
	require.NoError(t, err)
	gpu, err := sim.New(config, sim.Options{Threads: 2})
	require.NoError(t, err)
	module, err := gpu.Load("litmus.ptx", []byte(l.text()))
	require.NoError(t, err)
	memory, err := gpu.Allocate("memory", uint64(1024*(n+1)))
	require.NoError(t, err)
	out, err := gpu.Allocate("out", uint64(16*n))
	require.NoError(t, err)
	parameters := binary.LittleEndian.AppendUint64(nil, memory)
	parameters = binary.LittleEndian.AppendUint64(parameters, out)
	parameters = binary.LittleEndian.AppendUint32(parameters, uint32(n))
	_, err = gpu.Launch(
		context.Background(), sim.Launch{Module: module, Kernel: "litmus", Grid: [3]int{len(l.threads)}, Parameters: parameters},
	)
	require.NoError(t, err)
	data := make([]byte, 16*n)
	require.NoError(t, gpu.Read(out, data))
	count := map[string]int{}
	for i := range n {
		var values []string
		for k := range l.reads() {
			values = append(values, fmt.Sprint(binary.LittleEndian.Uint32(data[16*i+4*k:])))
		}
		count[strings.Join(values, " ")]++
	}
	return count
}

// Over many relative timings only allowed outcomes occur.
func TestLitmus(t *testing.T) {
	const turns = 1200
	for _, l := range litmusTests {
		for _, chip := range []string{"gk104", "gk110"} {
			t.Run(l.name+", "+chip, func(t *testing.T) {
				t.Parallel()
				count := l.outcomes(t, chip, turns)
				t.Log(count)
				assert.Zero(t, count[l.forbidden], "forbidden outcome %s in %v", l.forbidden, count)
				for _, outcome := range l.seen {
					assert.Positive(t, count[outcome], "outcome %s in %v", outcome, count)
				}
			})
		}
	}
}

// A fence waits for the earlier stores; without any it ends at once.
func TestFenceWaitsForStores(t *testing.T) {
	d := loadDevice(t, "fence.ptx", sim.Options{})
	out := d.allocate("out", 64)
	_, err := d.launch("fences", 1, 1, out)
	require.NoError(t, err)
	cycles := d.words(out, 4)
	l2 := uint32(d.Config().L2.Latency)
	t.Log(cycles, l2)
	assert.Less(t, cycles[0], uint32(100), "nothing to wait for")
	for _, with := range cycles[1:] {
		assert.Greater(t, with, cycles[0]+l2/2, "a store's way to L2 and back")
	}
}
