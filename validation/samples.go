package validation

import "context"

// The tile of product and the block of attract, kernels in kernels/samples.cu.
const (
	productTile   = 32
	attractBodies = 256
)

// product is the rate of a tiled matrix product in GFLOP/s. Shape is A's rows, A's columns, and B's columns.
func product(ctx context.Context, b *bench, row *Row) (float64, error) {
	shape := row.experiment.Shape
	rows, inner, columns := shape[0], shape[1], shape[2]
	grid, block := [3]int{columns / productTile, rows / productTile}, [3]int{productTile, productTile}
	seconds, err := b.second(ctx, "samples", "product", grid, block, []int{4 * rows * inner, 4 * inner * columns, 4 * rows * columns},
		uint32(inner), uint32(columns))
	return 2 * float64(rows) * float64(inner) * float64(columns) / seconds / 1e9, err
}

// bodies is the number of body pairs computed in a nanosecond. Shape is the number of threads, each with one body, and of the attracting
// bodies.
func bodies(ctx context.Context, b *bench, row *Row) (float64, error) {
	threads, attracting := row.experiment.Shape[0], row.experiment.Shape[1]
	bytes := 16 * max(threads, attracting)
	seconds, err := b.second(
		ctx, "samples", "attract", [3]int{threads / attractBodies}, [3]int{attractBodies}, []int{bytes, bytes}, uint32(attracting),
	)
	return float64(threads) * float64(attracting) / seconds / 1e9, err
}
