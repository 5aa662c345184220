package validation

import (
	"context"
	"fmt"
)

// A tile of product and a block of attract, kernels of kernels/samples.cu.
const (
	productTile   = 32
	attractBodies = 256
)

// product is the rate of a tiled matrix product in GFLOP/s. Shape holds the rows of A, its columns, and the columns of B. What
// counts is the second of two launches, as the sample repeats its own.
func product(ctx context.Context, b *bench, row *Row) (float64, error) {
	shape := row.experiment.Shape
	rows, inner, columns := shape[0], shape[1], shape[2]
	grid, block := [3]int{columns / productTile, rows / productTile}, [3]int{productTile, productTile}
	seconds, err := sample(ctx, b, "product", grid, block, []int{4 * rows * inner, 4 * inner * columns, 4 * rows * columns}, uint32(inner), uint32(columns))
	return 2 * float64(rows) * float64(inner) * float64(columns) / seconds / 1e9, err
}

// bodies is how many pairs of bodies are computed each nanosecond. Shape holds the number of threads, a body each, and of the
// bodies that attract theirs.
func bodies(ctx context.Context, b *bench, row *Row) (float64, error) {
	threads, attracting := row.experiment.Shape[0], row.experiment.Shape[1]
	bytes := 16 * max(threads, attracting)
	seconds, err := sample(ctx, b, "attract", [3]int{threads / attractBodies}, [3]int{attractBodies}, []int{bytes, bytes}, uint32(attracting))
	return float64(threads) * float64(attracting) / seconds / 1e9, err
}

// sample is the time of the second of two launches of a kernel of samples.cu, in seconds.
func sample(ctx context.Context, b *bench, kernel string, grid, block [3]int, buffers []int, words ...uint32) (float64, error) {
	name := fmt.Sprintf("kernels/samples.%s.ptx", b.target())
	text, err := kernelFiles.ReadFile(name)
	if err != nil {
		return 0, fmt.Errorf("kernel %s: %w", kernel, err)
	}
	module, err := b.gpu.Load(name, text)
	if err != nil {
		return 0, err
	}
	var addresses []uint64
	for i, bytes := range buffers {
		address, err := b.gpu.Allocate(fmt.Sprint("buffer", i), uint64(bytes))
		if err != nil {
			return 0, err
		}
		addresses = append(addresses, address)
	}
	var cycles float64
	for range 2 {
		result, err := b.launch(ctx, module, kernel, grid, block, addresses, words...)
		if err != nil {
			return 0, err
		}
		cycles = float64(result.Cycles)
	}
	return cycles / (float64(b.config.Clocks.Core) * 1e6), nil
}
