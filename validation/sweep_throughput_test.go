package validation

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/sim"
)

// readBandwidth is the rate at which all SMXs together load from a footprint, past L1, in GB/s. Each SMX has the given number of warps, and
// each thread has inFlight loads in flight.
func readBandwidth(ctx context.Context, b *bench, footprint int64, warps, inFlight int) (float64, error) {
	data, err := b.gpu.Allocate("data", uint64(footprint))
	if err != nil {
		return 0, err
	}
	if footprint <= int64(b.config.L2.Bytes) { // a few warps would take the first misses of all their data
		full := span{long: 16, fewIterations: 4, moreIterations: 8, grid: 2 * b.config.SMX.Count, block: streamThreads, data: data}
		if _, err := b.step(ctx, b.loadKernel(footprint, 8, 17*streamThreads, streamThreads), full); err != nil {
			return 0, err
		}
	}
	blocks, threads := b.config.SMX.Count, 32*warps
	for threads > b.config.SMX.ThreadsPerBlock {
		blocks, threads = 2*blocks, threads/2
	}
	k := b.loadKernel(footprint, inFlight, threads, blocks*threads) // side by side: no block reads what another has read
	// Few warps make as many loads as many warps, or their start and end would count too much.
	more := 4 + max(8, 64/warps)
	cycles, err := b.step(ctx, k, span{long: 16, fewIterations: 4, moreIterations: more, grid: blocks, block: threads, data: data})
	if err != nil {
		return 0, err
	}
	return float64(blocks*threads*4) / cycles * float64(b.config.Clocks.Core) * 1e6 / 1e9, nil
}

// sweepOccupancy measures bandwidths with growing numbers of warps.
func sweepOccupancy(ctx context.Context, s *sweeping) ([]SweepTable, error) {
	inFlight := []int{1, 2, 4, 8}
	tables := []SweepTable{{Title: "DRAM bandwidth by occupancy"}, {Title: "L2 bandwidth by occupancy"}}
	footprints := []int64{64 << 20, int64(1) << log2(s.config.L2.Bytes/2)}
	for i := range tables {
		t := &tables[i]
		t.Rows = powers(1, s.config.SMX.Warps, func(n int) string { return fmt.Sprint(n) })
		for _, n := range inFlight {
			t.Columns = append(t.Columns, fmt.Sprintf("%d chains a thread", n))
		}
		err := s.fill(t, 2*len(t.Rows)*len(inFlight), func(row *SweepRow, column int) (float64, error) {
			b, err := s.bench(sim.Options{})
			if err != nil {
				return 0, err
			}
			return readBandwidth(ctx, b, footprints[i], int(row.X), inFlight[column])
		})
		if err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// log2 is the exponent of the largest power of two that is at most n.
func log2(n int) uint {
	shift := uint(0)
	for 2<<shift <= n {
		shift++
	}
	return shift
}

// sweepL2 measures the bandwidth of loads by footprint: within L2, and beyond.
func sweepL2(ctx context.Context, s *sweeping) ([]SweepTable, error) {
	t := SweepTable{
		Title:   "read bandwidth by footprint, past L1",
		Columns: []string{"32 warps an SMX", "64 warps an SMX"}, Rows: powers(64<<10, 16<<20, sizeText),
	}
	err := s.fill(&t, len(t.Rows)*len(t.Columns), func(row *SweepRow, column int) (float64, error) {
		b, err := s.bench(sim.Options{})
		if err != nil {
			return 0, err
		}
		return readBandwidth(ctx, b, int64(row.X), 32<<column, 8)
	})
	return []SweepTable{t}, err
}

// contention says where the lanes of a warp and the warps of the grid make their atomics.
type contention struct {
	name string
	// address is PTX that sets %s0 to the thread's byte offset, given %thread (in the block) and %s1 (in the grid). {w} is the width of a
	// word in bytes.
	address string
}

// contentions are ordered from the most contended to the least.
var contentions = []contention{
	{"one word for all", "mov.u32 %s0, 0;"},
	{"a word a warp, one line", "shr.u32 %s0, %thread, 5;\nand.b32 %s0, %s0, 7;\nmul.lo.u32 %s0, %s0, {w};"},
	{"a word a lane, one line or two for all", "and.b32 %s0, %thread, 31;\nmul.lo.u32 %s0, %s0, {w};"},
	{"one word a warp, a line each", "shr.u32 %s0, %s1, 5;\nmul.lo.u32 %s0, %s0, 256;"},
	{"a word a lane, lines of its own", "mul.lo.u32 %s0, %s1, {w};"},
	{"a line a lane", "mul.lo.u32 %s0, %s1, 128;"},
}

// atomicKinds are operations on global memory. A result is used when its register is needed again, four operations later.
var atomicKinds = []struct {
	name, register, body string
	width                int
}{
	{"red 32", "u32", "red.global.add.u32 [%l1], {b};", 4},
	{"atom 32", "u32", "xor.b32 {a}, {a}, %t{n};\natom.global.add.u32 %t{n}, [%l1], {b};", 4},
	{"red 64", "u64", "red.global.add.u64 [%l1], {b};", 8},
	{"atom 64", "u64", "xor.b64 {a}, {a}, %w{n};\natom.global.add.u64 %w{n}, [%l1], {b};", 8},
	{"load 32", "u32", "xor.b32 {a}, {a}, %t{n};\nld.global.cg.u32 %t{n}, [%l1];", 4},
}

// atomicThreads is the block size of the contention sweep; each SMX gets two blocks.
const atomicThreads = 256

// atomicRate is the number of lane operations that the whole GPU completes in a cycle.
func atomicRate(ctx context.Context, b *bench, where contention, kind int) (float64, error) {
	blocks := 2 * b.config.SMX.Count
	data, err := b.gpu.Allocate("data", uint64(blocks*atomicThreads*128))
	if err != nil {
		return 0, err
	}
	k := atomicKinds[kind]
	setup := fmt.Sprintf("mov.u32 %%s1, %%ctaid.x;\nmad.lo.u32 %%s1, %%s1, %d, %%thread;\n", atomicThreads) +
		strings.ReplaceAll(where.address, "{w}", strconv.Itoa(k.width)) +
		"\ncvt.u64.u32 %l0, %s0;\nadd.u64 %l1, %data, %l0;\nmov.u64 %w0, 0;\nmov.u64 %w1, 0;\nmov.u64 %w2, 0;\nmov.u64 %w3, 0;\n" +
		clearWords
	loop := &loopKernel{target: b.target(), register: k.register, declare: ".reg .b64 %w<4>;", setup: setup, body: k.body, ways: 4}
	cycles, err := b.step(ctx, loop, span{long: 8, fewIterations: 1, moreIterations: 3, grid: blocks, block: atomicThreads, data: data})
	if err != nil {
		return 0, err
	}
	return float64(blocks*atomicThreads) / cycles, nil
}

// sweepAtomics measures atomics by contention.
func sweepAtomics(ctx context.Context, s *sweeping) ([]SweepTable, error) {
	t := SweepTable{Title: "atomics by contention"}
	for _, k := range atomicKinds {
		t.Columns = append(t.Columns, k.name)
	}
	for _, c := range contentions {
		t.Rows = append(t.Rows, SweepRow{Label: c.name})
	}
	at := map[string]contention{}
	for _, c := range contentions {
		at[c.name] = c
	}
	err := s.fill(&t, len(t.Rows)*len(t.Columns), func(row *SweepRow, column int) (float64, error) {
		b, err := s.bench(sim.Options{})
		if err != nil {
			return 0, err
		}
		return atomicRate(ctx, b, at[row.Label], column)
	})
	return []SweepTable{t}, err
}
