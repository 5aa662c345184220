package sim_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/stats"
)

// manyRegisters is a kernel in which each thread holds many words at a barrier, and then stores a sum of them.
func manyRegisters(words int, directives string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `.version 4.2
.target sm_35
.address_size 64
.visible .entry many(.param .u64 out) %s
{
	.reg .b32 %%r<%d>, %%t, %%s;
	.reg .b64 %%d, %%o;
	ld.param.u64 %%o, [out];
	mov.u32 %%t, %%tid.x;
	mul.wide.u32 %%d, %%t, 4;
	add.u64 %%o, %%o, %%d;
	mov.u32 %%s, 0;
`, directives, words)
	for n := range words {
		fmt.Fprintf(&b, "\tld.volatile.global.u32 %%r%d, [%%o];\n", n)
	}
	b.WriteString("\tbar.sync 0;\n")
	for n := range words {
		fmt.Fprintf(&b, "\tmad.lo.u32 %%s, %%s, 3, %%r%d;\n", (n*37+5)%words)
	}
	b.WriteString("\tst.global.u32 [%o], %s;\n\tret;\n}\n")
	return b.String()
}

// launchMany launches it with some threads in a block on a buffer of ones, and returns the first and the last thread's sum.
func launchMany(t *testing.T, text string, block [3]int, o sim.Options) (first, last uint32, l *stats.Launch, err error) {
	t.Helper()
	d := deviceWith(t, "gk110", o, "many.ptx", []byte(text))
	threads := block[0] * max(block[1], 1) * max(block[2], 1)
	ones := make([]byte, 4*threads)
	for n := range threads {
		ones[4*n] = 1
	}
	out := d.allocate("out", len(ones))
	require.NoError(t, d.Write(out, ones))
	l, err = d.Launch(t.Context(), sim.Launch{Module: d.module, Kernel: "many", Block: block,
		Parameters: binary.LittleEndian.AppendUint64(nil, out)})
	require.NoError(t, d.Read(out, ones))
	return binary.LittleEndian.Uint32(ones), binary.LittleEndian.Uint32(ones[4*threads-4:]), l, err
}

// A kernel with more registers than a block has room for is lowered again, unless an option fixes their number.
func TestRegistersFitTheBlock(t *testing.T) {
	sum := uint32(0)
	for range 80 {
		sum = sum*3 + 1
	}
	for _, functional := range []bool{false, true} {
		first, last, l, err := launchMany(t, manyRegisters(80, ""), [3]int{1024}, sim.Options{Functional: functional})
		require.NoError(t, err)
		assert.Equal(t, []uint32{sum, sum}, []uint32{first, last})
		assert.Greater(t, l.LoweredRegisters, 64)
		assert.LessOrEqual(t, l.Registers, 64)
		assert.Positive(t, l.SpillLoads)
		assert.Equal(t, 1, l.Occupancy.Blocks)
	}
	_, _, l, err := launchMany(t, manyRegisters(80, ""), [3]int{512}, sim.Options{})
	require.NoError(t, err)
	assert.Greater(t, l.Registers, 64, "which a block of 512 threads has room for")
	assert.Zero(t, l.LoweredRegisters)
	for name, c := range map[string]struct {
		text string
		o    sim.Options
	}{
		"-maxrregcount": {manyRegisters(80, ""), sim.Options{MaxRegisters: 96}},
		".maxnreg":      {manyRegisters(80, ".maxnreg 96"), sim.Options{}},
		"--registers":   {manyRegisters(80, ""), sim.Options{Registers: 96}},
	} {
		_, _, _, err := launchMany(t, c.text, [3]int{1024}, c.o)
		var refused *sim.Refused
		require.ErrorAs(t, err, &refused, name)
		assert.Equal(t, 701, refused.Number, name)
		assert.ErrorContains(t, err, "limited by registers); with --maxrregcount 64 (nvcc -maxrregcount=64) it does", name)
	}
}

// A block that .maxntid or .reqntid does not allow fails with CUDA's error for it.
func TestBlocksThatDirectivesDoNotAllow(t *testing.T) {
	for _, c := range []struct {
		directives string
		block      [3]int
		want       string // "" if it runs
	}{
		{".maxntid 32", [3]int{32}, ""},
		{".maxntid 32", [3]int{33}, "a block of 33 threads: the kernel's .maxntid (__launch_bounds__) allows 32"},
		{".maxntid 16, 16", [3]int{256}, ""}, // PTX limits only the product
		{".maxntid 16, 16", [3]int{32, 9}, "a block of 288 threads: the kernel's .maxntid (__launch_bounds__) allows 256"},
		{".reqntid 64", [3]int{64}, ""},
		{".reqntid 64", [3]int{32}, "a block of [32 1 1] threads: the kernel's .reqntid asks for [64 1 1]"},
		{".reqntid 8, 8", [3]int{64}, "a block of [64 1 1] threads: the kernel's .reqntid asks for [8 8 1]"},
	} {
		for _, functional := range []bool{false, true} {
			_, _, _, err := launchMany(t, manyRegisters(4, c.directives), c.block, sim.Options{Functional: functional})
			if c.want == "" {
				assert.NoError(t, err, c.directives)
				continue
			}
			var refused *sim.Refused
			if assert.ErrorAs(t, err, &refused, c.directives) {
				assert.Equal(t, 1, refused.Number)
				assert.ErrorContains(t, err, c.want)
			}
		}
	}
}
