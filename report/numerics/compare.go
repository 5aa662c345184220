package numerics

import (
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/keplersim/keplersim/isa/fp"
	"github.com/keplersim/keplersim/report/plots"
)

// Comparison is the difference of two buffers of the same format, in units in the last place.
type Comparison struct {
	Format *fp.Format
	Count  int // elements
	Equal  int // bit for bit, or NaN in both
	Zeros  int // +0 against -0: the distance is 0, but the bits differ
	NaNs   int // NaN in only one
	Most   uint64
	At     int // element with the largest distance
	A, B   uint64
	// Bins counts elements by distance: 0, 1, 2, 3-4, 5-8, … up to the largest.
	Bins []int
}

// distance returns the number of values of the format between two patterns that are not NaN. Infinities are next to the largest finite
// values.
func distance(f *fp.Format, a, b uint64) uint64 {
	sign := uint64(1) << (4*hexDigits(f) - 1)
	place := func(x uint64) int64 {
		if x&sign != 0 {
			return -int64(x &^ sign)
		}
		return int64(x)
	}
	p, q := place(a), place(b)
	if p < q {
		p, q = q, p
	}
	return uint64(p) - uint64(q)
}

// Compare compares two buffers of equal length.
func Compare(f *fp.Format, a, b []uint64) (*Comparison, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("%d elements against %d: the buffers must be of equal length", len(a), len(b))
	}
	c := &Comparison{Format: f, Count: len(a), Bins: make([]int, 1)}
	for i := range a {
		nanA, nanB := f.Unpack(a[i]).Class == fp.NaN, f.Unpack(b[i]).Class == fp.NaN
		switch {
		case nanA && nanB || a[i] == b[i]:
			c.Equal++
			c.Bins[0]++
			continue
		case nanA || nanB:
			c.NaNs++
			continue
		}
		d := distance(f, a[i], b[i])
		if d == 0 {
			c.Zeros++
			c.Bins[0]++
			continue
		}
		bin := 1 + bits.Len64(d-1)
		for len(c.Bins) <= bin {
			c.Bins = append(c.Bins, 0)
		}
		c.Bins[bin]++
		if d > c.Most {
			c.Most, c.At, c.A, c.B = d, i, a[i], b[i]
		}
	}
	return c, nil
}

// binLabel returns the distances of a bin.
func binLabel(bin int) string {
	switch bin {
	case 0:
		return "0"
	case 1:
		return "1"
	case 2:
		return "2"
	}
	if bin > 32 {
		return fmt.Sprintf("≤2^%d", bin-1)
	}
	return fmt.Sprintf("%d-%d", 1<<(bin-2)+1, 1<<(bin-1))
}

// Write writes the comparison with a text histogram.
func (c *Comparison) Write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	share := func(n int) string {
		if c.Count == 0 {
			return "-"
		}
		return fmt.Sprintf("%.4g %%", 100*float64(n)/float64(c.Count))
	}
	fmt.Fprintf(w, "elements\t%d\t%s\n", c.Count, c.Format.Name)
	fmt.Fprintf(w, "equal\t%d\t%s\n", c.Equal, share(c.Equal))
	if c.Zeros > 0 {
		fmt.Fprintf(w, "zeros of unlike sign\t%d\t%s\n", c.Zeros, share(c.Zeros))
	}
	if c.NaNs > 0 {
		fmt.Fprintf(w, "NaN in one only\t%d\t%s\n", c.NaNs, share(c.NaNs))
	}
	if c.Most > 0 {
		fmt.Fprintf(w, "largest distance\t%d ulp\telement %d: %s (%s) against %s (%s)\n", c.Most, c.At,
			Decimal(c.Format, c.A), Hex(c.Format, c.A), Decimal(c.Format, c.B), Hex(c.Format, c.B))
	}
	fmt.Fprintln(w, "\nULP\tELEMENTS\t")
	most := 1
	for _, n := range c.Bins {
		most = max(most, n)
	}
	for bin, n := range c.Bins {
		fmt.Fprintf(w, "%s\t%d\t%s\n", binLabel(bin), n, strings.Repeat("█", (50*n+most-1)/most))
	}
	return w.Flush()
}

// Plot writes the histogram to a file, .svg, .png or .pdf.
func (c *Comparison) Plot(path string) error {
	p := plots.New(fmt.Sprintf("Distance of %d %s values", c.Count, c.Format.Name), "units in the last place, at most", "elements")
	values := make(plotter.Values, len(c.Bins))
	labels := make([]string, len(c.Bins))
	every := (len(c.Bins)-1)/mostLabels + 1
	for bin, n := range c.Bins {
		values[bin] = float64(n)
		if bin%every == 0 {
			labels[bin] = boundLabel(bin)
		}
	}
	bars, err := plotter.NewBarChart(values, vg.Points(max(3, 360/float64(len(values)))))
	if err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	bars.Color, bars.LineStyle.Width = plots.Colors[0], 0
	p.Add(bars)
	p.NominalX(labels...)
	p.Y.Min, p.Y.Max = 0, max(1, p.Y.Max*1.05)
	p.Y.Tick.Marker = plot.TickerFunc(plots.WholeTicks)
	return plots.SavePlot(path, 480, 300, p)
}

// mostLabels is the most labelled bars of the plot.
const mostLabels = 16

// boundLabel returns the largest distance of a bin.
func boundLabel(bin int) string {
	switch {
	case bin < 2:
		return strconv.Itoa(bin)
	case bin < 12:
		return strconv.Itoa(1 << (bin - 1))
	}
	return fmt.Sprintf("2^%d", bin-1)
}
