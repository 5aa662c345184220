package validation

import (
	"context"
	"fmt"
	"math"

	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/memorymode"
)

// sweepCaches finds the parameters of all caches.
func sweepCaches(ctx context.Context, s *sweeping) ([]SweepTable, error) {
	found, err := RecoverCaches(ctx, s.config, s.options)
	if err != nil {
		return nil, err
	}
	t := SweepTable{
		Title: "caches, from latencies alone",
		Columns: []string{
			"capacity", "configured capacity", "line", "configured line", "sector", "configured sector", "ways", "configured ways",
			"sets", "configured sets",
		},
	}
	for _, c := range found {
		row := SweepRow{Label: c.Name}
		for _, pair := range [][2]int64{
			{c.Found.Capacity, c.Configured.Capacity}, {c.Found.Line, c.Configured.Line}, {c.Found.Sector, c.Configured.Sector},
			{c.Found.Ways, c.Configured.Ways}, {c.Found.Sets, c.Configured.Sets},
		} {
			for _, v := range pair {
				value := float64(v)
				if v == 0 {
					value = math.NaN() // not looked for
				}
				row.Values = append(row.Values, value)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return []SweepTable{t}, nil
}

// sweepStrides walks footprints around L1's capacity with growing strides, as Saavedra and Smith did. It uses global loads if the chip's L1
// caches them, else local ones.
func sweepStrides(ctx context.Context, s *sweeping) ([]SweepTable, error) {
	path := "local"
	if cachesGlobalLoads(s.config) {
		path = "global.ca"
	}
	footprints := []int{8 << 10, 16 << 10, 24 << 10, 32 << 10, 48 << 10, 64 << 10, 96 << 10, 128 << 10}
	t := SweepTable{
		Title: fmt.Sprintf("latency through L1 by stride (%s, 48 KB of L1)", path),
		Rows:  powers(8, 64<<10, sizeText),
	}
	for _, f := range footprints {
		t.Columns = append(t.Columns, sizeText(f)+"B")
	}
	p := &prober{config: s.config, path: path, cacheConfig: "l1"}
	err := s.fill(&t, len(t.Rows)*len(footprints), func(row *SweepRow, column int) (float64, error) {
		stride, footprint := int64(row.X), int64(footprints[column])
		if stride > footprint/2 {
			return math.NaN(), nil
		}
		latencies, err := p.latencies(ctx, walk(footprint, stride), warm)
		sum := 0
		for _, l := range latencies {
			sum += l
		}
		return float64(sum) / float64(max(len(latencies), 1)), err
	})
	return []SweepTable{t}, err
}

// sweepConstants chases through constant memory, and reads it at several addresses at once.
func sweepConstants(ctx context.Context, s *sweeping) ([]SweepTable, error) {
	strides := []int64{64, 256}
	chases := SweepTable{
		Title: "latency of constants by footprint", Columns: []string{"stride 64", "stride 256"},
	}
	for n := 512; n <= constantReach; n *= 2 {
		chases.Rows = append(chases.Rows, SweepRow{Label: sizeText(n), X: float64(n)})
		if half := n * 3 / 2; half < constantReach {
			chases.Rows = append(chases.Rows, SweepRow{Label: sizeText(half), X: float64(half)})
		}
	}
	divergent := SweepTable{
		Title:   "latency of a constant load by addresses in the warp",
		Columns: []string{"all in one line", "a line each"}, Rows: powers(1, 32, func(n int) string {
			return fmt.Sprint(n)
		}),
	}
	points := 2*len(chases.Rows) + 2*len(divergent.Rows)
	err := s.fill(&chases, points, func(row *SweepRow, column int) (float64, error) {
		b, err := s.bench(sim.Options{})
		if err != nil {
			return 0, err
		}
		return chaseConstant(ctx, b, int64(row.X), strides[column])
	})
	if err != nil {
		return nil, err
	}
	err = s.fill(&divergent, points, func(row *SweepRow, column int) (float64, error) {
		b, err := s.bench(sim.Options{})
		if err != nil {
			return 0, err
		}
		return divergentConstants(ctx, b, int(row.X), []int{4, 64}[column])
	})
	return []SweepTable{chases, divergent}, err
}

// divergentConstants is the time of a constant load, in cycles, if the warp's lanes read this many words, some bytes apart. The constants
// are 0, and each load's address depends on the load before.
func divergentConstants(ctx context.Context, b *bench, words, apart int) (float64, error) {
	k := &loopKernel{
		target: b.target(), register: "u32", ways: 1, module: ".const .align 256 .b8 table[2048];",
		setup: fmt.Sprintf(
			"mov.u32 %%s1, table;\nrem.u32 %%s0, %%thread, %d;\nmad.lo.u32 %%s1, %%s0, %d, %%s1;\nmov.u32 {a}, %%s1;", words, apart,
		),
		body: "ld.const.u32 {a}, [{a}];\nadd.u32 {a}, {a}, %s1;",
	}
	load, err := b.step(ctx, k, span{short: 16, long: 48, fewIterations: 2, moreIterations: 6, grid: 1, block: 32})
	if err != nil {
		return 0, err
	}
	k.body = "add.u32 {a}, {a}, %s1;" // the address computation alone
	add, err := b.step(ctx, k, span{short: 16, long: 48, fewIterations: 2, moreIterations: 6, grid: 1, block: 32})
	return load - add, err
}

// sweepShared counts the passes of shared loads whose lanes are some words apart.
func sweepShared(ctx context.Context, s *sweeping) ([]SweepTable, error) {
	kinds := []struct {
		mode  memorymode.BankMode
		width int
	}{{4, 4}, {8, 4}, {4, 8}, {8, 8}}
	t := SweepTable{Title: "passes of a shared load by stride"}
	for _, k := range kinds {
		t.Columns = append(t.Columns, fmt.Sprintf("%d-byte banks, %d-byte loads", k.mode, k.width))
	}
	for stride := range 66 {
		if stride <= 34 || stride >= 63 {
			t.Rows = append(t.Rows, SweepRow{Label: fmt.Sprint(stride), X: float64(stride)})
		}
	}
	err := s.fill(&t, len(t.Rows)*len(kinds), func(row *SweepRow, column int) (float64, error) {
		k, stride := kinds[column], int(row.X)
		if stride*4%k.width != 0 {
			return math.NaN(), nil // not aligned
		}
		b, err := s.bench(sim.Options{BankMode: k.mode})
		if err != nil {
			return 0, err
		}
		return bankPattern(ctx, b, &Row{experiment: &experiment{Width: k.width, BankMode: k.mode, Words: []int{stride}}})
	})
	return []SweepTable{t}, err
}
