package validation

import (
	"context"
	"fmt"
)

// triadText is STREAM's triad on doubles, a[i] = b[i] + 3 c[i], with one element a thread.
const triadText = `.version 4.2
.target %s
.address_size 64
.visible .entry triad(.param .u64 a, .param .u64 b, .param .u64 c)
{
	.reg .b32 %%r<4>;
	.reg .b64 %%l<8>;
	.reg .f64 %%d<4>;
	mov.u32 %%r0, %%ctaid.x;
	mov.u32 %%r1, %%ntid.x;
	mov.u32 %%r2, %%tid.x;
	mad.lo.u32 %%r3, %%r0, %%r1, %%r2;
	mul.wide.u32 %%l0, %%r3, 8;
	ld.param.u64 %%l1, [a];
	ld.param.u64 %%l2, [b];
	ld.param.u64 %%l3, [c];
	add.u64 %%l4, %%l1, %%l0;
	add.u64 %%l5, %%l2, %%l0;
	add.u64 %%l6, %%l3, %%l0;
	ld.global.f64 %%d0, [%%l5];
	ld.global.f64 %%d1, [%%l6];
	fma.rn.f64 %%d2, %%d1, 0d4008000000000000, %%d0;
	st.global.f64 [%%l4], %%d2;
	ret;
}
`

// The elements of the two triads. Only their difference counts, so that a launch's own cost does not; both exceed L2 by far.
const (
	triadShort = 1 << 19
	triadLong  = 3 << 19
	triadBlock = 256
	triadBytes = 24 // an element
)

// triad is the bandwidth of STREAM's triad in MB/s, by STREAM's count: two loads and a store of 8 bytes an element.
func triad(ctx context.Context, b *bench, _ *Row) (float64, error) {
	module, err := b.gpu.Load("triad.ptx", fmt.Appendf(nil, triadText, b.target()))
	if err != nil {
		return 0, err
	}
	arrays, err := b.arrays(8*triadLong, 8*triadLong, 8*triadLong)
	if err != nil {
		return 0, err
	}
	var cycles []float64
	for _, elements := range []int{triadShort, triadLong} {
		result, err := b.launch(ctx, module, "triad", [3]int{elements / triadBlock}, [3]int{triadBlock}, arrays)
		if err != nil {
			return 0, err
		}
		cycles = append(cycles, float64(result.Cycles))
	}
	seconds := (cycles[1] - cycles[0]) / (float64(b.config.Clocks.Core) * 1e6)
	return float64(triadBytes*(triadLong-triadShort)) / seconds / 1e6, nil
}

// l2Bandwidth is the rate at which all SMXs together read Footprint bytes repeatedly from L2, past L1, in GB/s. Footprint is a power of
// two.
func l2Bandwidth(ctx context.Context, b *bench, row *Row) (float64, error) {
	footprint, err := parseBytes(row.experiment.Footprint)
	if err != nil {
		return 0, err
	}
	data, err := b.gpu.Allocate("data", uint64(footprint))
	if err != nil {
		return 0, err
	}
	// Each block begins at another place and advances by its size.
	k := b.loadKernel(footprint, 8, 17*streamThreads, streamThreads)
	blocks := 2 * b.config.SMX.Count
	s := span{long: 16, fewIterations: 4, moreIterations: 12, grid: blocks, block: streamThreads, data: data}
	cycles, err := b.step(ctx, k, s)
	if err != nil {
		return 0, err
	}
	return float64(blocks*streamThreads*4) / cycles * float64(b.config.Clocks.Core) * 1e6 / 1e9, nil
}

// clearWords initialises the words that loads overwrite.
const clearWords = "mov.u32 %t0, 0;\nmov.u32 %t1, 0;\nmov.u32 %t2, 0;\nmov.u32 %t3, 0;\nmov.u32 %t4, 0;\nmov.u32 %t5, 0;\n" +
	"mov.u32 %t6, 0;\nmov.u32 %t7, 0;"

// loadKernel loads 4 bytes a thread and step, past L1, from a footprint that is a power of two. Each thread has inFlight chains of loads: a
// load's address depends on the result, always 0, of the load that many steps before. A block begins apart words after the block before it,
// and advances by step words.
func (b *bench) loadKernel(footprint int64, inFlight, apart, step int) *loopKernel {
	return &loopKernel{
		target: b.target(), register: "u32", ways: inFlight,
		setup: fmt.Sprintf(
			"mov.u32 %%s1, %%ctaid.x;\nmad.lo.u32 %%s0, %%s1, %d, %%thread;\nmul.lo.u32 %%s0, %%s0, 4;\n%s", apart, clearWords,
		),
		body: fmt.Sprintf("xor.b32 {a}, {a}, %%t{n};\nadd.u32 %%s0, %%s0, %d;\nand.b32 %%s0, %%s0, %d;\nadd.u32 %%s2, %%s0, %%t{n};\n"+
			"cvt.u64.u32 %%l0, %%s2;\nadd.u64 %%l1, %%data, %%l0;\nld.global.cg.u32 %%t{n}, [%%l1];",
			4*step, footprint-1),
	}
}
