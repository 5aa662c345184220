package validation

import (
	"context"
	"fmt"
)

// The elements of the two triads. Only their difference counts, so that a launch's own cost does not; both exceed L2 by far.
const (
	triadShort = 1 << 19
	triadLong  = 3 << 19
	triadBlock = 256
	triadBytes = 24 // an element
)

// triad is the bandwidth of STREAM's triad in MB/s, by STREAM's count: two loads and a store of 8 bytes an element.
func triad(ctx context.Context, b *bench, _ *Row) (float64, error) {
	module, err := b.loadFile("triad")
	if err != nil {
		return 0, err
	}
	arrays, err := b.arrays(8*triadLong, 8*triadLong, 8*triadLong)
	if err != nil {
		return 0, err
	}
	seconds, err := b.more(ctx, module, "triad", triadBlock, triadShort/triadBlock, triadLong/triadBlock, arrays)
	return float64(triadBytes*(triadLong-triadShort)) / seconds / 1e6, err
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
