// Command build makes the .ptx files of all workloads from their .cu files. It also makes the index arrays of the sparse matrix and the
// graph, and the twiddle factors of the Fourier transform. It runs in the workloads folder ("make workloads") and needs clang.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/tools/compile"
)

func main() {
	if err := build(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "build workloads:", err)
		os.Exit(1)
	}
}

func build(ctx context.Context) error {
	// Row lengths 1 to 57 with many short rows, and node degrees 0 to 9.
	if err := writeStarts("spmv/row_start.bin", 91, 4000, func(z uint64) uint32 { return 1 + uint32(z%8*(z>>8%8+1)) }); err != nil {
		return err
	}
	if err := writeStarts("bfs/edge_start.bin", 101, 16384, func(z uint64) uint32 { return uint32(z % 10) }); err != nil {
		return err
	}
	if err := writeTwiddles("fft/twiddles.bin", 512); err != nil {
		return err
	}
	sources, err := filepath.Glob("*/*.cu")
	if err != nil {
		return err
	}
	if len(sources) == 0 {
		return errors.New("no .cu file here: run this in the workloads folder")
	}
	for _, source := range sources {
		base := strings.TrimSuffix(source, ".cu")
		if slices.Contains(compile.Kept, filepath.Base(base)+".ptx") {
			continue
		}
		if err := compile.Targets(ctx, source, base); err != nil {
			return err
		}
	}
	return nil
}

// writeStarts writes where each row or node begins: count+1 running sums of lengths drawn from splitmix64.
func writeStarts(path string, seed uint64, count int, length func(uint64) uint32) error {
	starts := make([]uint32, count+1)
	state := seed
	for i := range count {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		starts[i+1] = starts[i] + length(z^z>>31)
	}
	var out bytes.Buffer
	if err := binary.Write(&out, binary.LittleEndian, starts); err != nil {
		return err
	}
	fmt.Println(path, starts[count], "entries")
	return os.WriteFile(path, out.Bytes(), 0o644)
}

// writeTwiddles writes the factors for each stage of a Fourier transform, real and imaginary parts in single precision. For stages that
// begin with transforms of n = 1, 2, 4, ... points, exp(-pi i k / n) for k below n is at index n + k.
func writeTwiddles(path string, points int) error {
	twiddles := make([]float32, 2*points)
	for n := 1; n < points; n *= 2 {
		for k := range n {
			sine, cosine := math.Sincos(-math.Pi * float64(k) / float64(n))
			twiddles[2*(n+k)], twiddles[2*(n+k)+1] = float32(cosine), float32(sine)
		}
	}
	var out bytes.Buffer
	if err := binary.Write(&out, binary.LittleEndian, twiddles); err != nil {
		return err
	}
	fmt.Println(path, points-1, "factors")
	return os.WriteFile(path, out.Bytes(), 0o644)
}
