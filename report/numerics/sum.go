package numerics

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/keplersim/keplersim/isa/fp"
)

// reduce adds like a block of threads: each thread adds every threads-th element serially, then the partial sums are added pairwise in a
// tree.
func reduce(m Machine, f *fp.Format, values []fp.Number, threads int) fp.Number {
	partial := make([]fp.Number, threads)
	for i, v := range values {
		partial[i%threads] = m.Add(f, partial[i%threads], v)
	}
	for n := threads; n > 1; n = (n + 1) / 2 {
		half := (n + 1) / 2
		for i := range n / 2 {
			partial[i] = m.Add(f, partial[i], partial[i+half])
		}
	}
	return partial[0]
}

// WriteSums writes the sum of the values, reduced by blocks of each number of threads, and the exact sum.
func WriteSums(out io.Writer, machine Machine, f *fp.Format, patterns []uint64, threads []int) error {
	m, err := machine.For(f)
	if err != nil {
		return err
	}
	exact := newFloat()
	for _, x := range patterns {
		n := f.Unpack(x)
		if n.Class == fp.NaN || n.Class == fp.Infinite {
			return fmt.Errorf("the values hold %s, which has no exact sum", Decimal(f, x))
		}
		exact.Add(exact, Exact(n))
	}
	values := loaded(m, f, patterns)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "THREADS\tSUM OF %d\tBITS\tERROR IN ULP\tSHAPE\n", len(values))
	for _, t := range append([]int{1}, threads...) {
		if t < 1 {
			return fmt.Errorf("%d threads: give at least 1", t)
		}
		shape := fmt.Sprintf("%d serial sums of %d, then a tree of depth %d", t, (len(values)+t-1)/t, depth(t))
		if t == 1 {
			shape = "one serial sum"
		}
		result := m.Store(f, reduce(m, f, values, t))
		fmt.Fprintf(w, "%d\t%s\t%s\t%+.3f\t%s\n", t, Decimal(f, result), Hex(f, result), ErrorULP(f, result, exact), shape)
	}
	fmt.Fprintf(w, "exact\t%s\t\t\t\n", Shown(exact))
	return w.Flush()
}

func depth(threads int) int {
	d := 0
	for n := 1; n < threads; n *= 2 {
		d++
	}
	return d
}

// Sample makes count values of a format in [0, 1), the same for the same seed: the upper bits of a splitmix64 sequence (Steele and Vigna).
func Sample(f *fp.Format, count int, seed uint64) []uint64 {
	out := make([]uint64, count)
	for i := range out {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		keep := min(f.Precision, 53)
		v := newFloat().SetUint64(z >> (64 - keep))
		out[i] = f.Pack(numberOf(v.SetMantExp(v, -int(keep))), fp.RoundNearest)
	}
	return out
}
