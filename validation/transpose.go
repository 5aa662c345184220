package validation

import "context"

// The tile of kernels/transpose.cu, and its block of threads.
const (
	transposeTile  = 32
	transposeBlock = 8 // rows of the tile that a block processes at once
)

// transpose is the bandwidth of one of the kernels in transpose.cu on a matrix of Side by Side floats, in GB/s. Each element counts as read
// and written once.
func transpose(ctx context.Context, b *bench, row *Row) (float64, error) {
	side := row.experiment.Side
	tiles, bytes := side/transposeTile, 4*side*side
	seconds, err := b.second(
		ctx, "transpose", row.experiment.Kernel, [3]int{tiles, tiles}, [3]int{transposeTile, transposeBlock}, []int{bytes, bytes},
	)
	return float64(2*bytes) / seconds / 1e9, err
}
