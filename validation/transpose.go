package validation

import (
	"context"
	"fmt"
)

// A tile of kernels/transpose.cu, and its block of threads.
const (
	transposeTile  = 32
	transposeBlock = 8 // rows of the tile that a block handles at once
)

// transpose is the bandwidth of one of the kernels of transpose.cu on a matrix of Side by Side floats, in GB/s: each element
// is read and written once. What counts is the second of two launches, as measurements repeat theirs.
func transpose(ctx context.Context, b *bench, row *Row) (float64, error) {
	name := fmt.Sprintf("kernels/transpose.%s.ptx", b.target())
	text, err := kernelFiles.ReadFile(name)
	if err != nil {
		return 0, fmt.Errorf("kernel of row %s: %w", row.Name, err)
	}
	module, err := b.gpu.Load(name, text)
	if err != nil {
		return 0, err
	}
	side := row.experiment.Side
	var matrices []uint64
	for _, matrix := range []string{"in", "out"} {
		address, err := b.gpu.Allocate(matrix, uint64(4*side*side))
		if err != nil {
			return 0, err
		}
		matrices = append(matrices, address)
	}
	tiles := side / transposeTile
	var cycles float64
	for range 2 {
		result, err := b.launch(ctx, module, row.experiment.Kernel, [3]int{tiles, tiles}, [3]int{transposeTile, transposeBlock}, matrices)
		if err != nil {
			return 0, err
		}
		cycles = float64(result.Cycles)
	}
	seconds := cycles / (float64(b.config.Clocks.Core) * 1e6)
	return float64(2*4*side*side) / seconds / 1e9, nil
}
