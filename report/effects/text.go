package effects

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/keplersim/keplersim/report"
)

// mostListed bounds the rows of the text's lists, mostReasons the reasons.
const (
	mostListed  = 40
	mostReasons = 5
)

// Text writes the analysis for people.
func (a *Analysis) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s of %d points", a.Metric, len(a.Points))
	if len(a.Left) > 0 {
		rows := 0
		for _, r := range a.Left {
			rows += r.Rows
		}
		fmt.Fprintf(t, "; %d more are left out:\n", rows)
		for _, r := range a.Left[:min(len(a.Left), mostReasons)] {
			rows -= r.Rows
			fmt.Fprintf(t, "  %d × %s\n", r.Rows, strings.Join(strings.Fields(r.Text), " "))
		}
		if rows > 0 {
			fmt.Fprintf(t, "  %d for other reasons, in the table's column reason\n", rows)
		}
	}
	fmt.Fprint(t, "\n\nMain effects (share of the variance of its logarithm within workloads; factor to the mean of points that differ in "+
		"this alone)\n")
	for _, x := range a.Axes {
		if x.Name == "workload" {
			continue
		}
		fmt.Fprintf(t, "%s\t%s\n", x.Name, percent(x.Share))
		for _, e := range x.Values {
			fmt.Fprintf(t, "  %s\t× %.3f\tin %d groups\n", e.Value, e.Factor, e.Groups)
		}
		if ratio := x.ratio(); ratio > 1 && (a.Metric == "cycles" || a.Metric == "time_us") {
			fmt.Fprintf(t, "  %s\n", report.ChangeOf(x.Name).Judge(ratio))
		}
	}
	if len(a.Pairs) > 0 {
		fmt.Fprint(t, "\nInteractions\n")
		for _, p := range a.Pairs[:min(len(a.Pairs), mostListed)] {
			fmt.Fprintf(t, "%s with %s\t%s\n", p.A, p.B, percent(p.Share))
		}
	}
	fmt.Fprint(t, "\nBest points\n")
	best := a.Best()
	for _, p := range best[:min(len(best), mostListed)] {
		fmt.Fprintf(t, "%s\t%s\n", number(p.Value), a.describe(p))
	}
	if a.Against != "" {
		fmt.Fprintf(t, "\nPareto front of %s and %s, for each workload\n", a.Metric, a.Against)
		for _, front := range a.Fronts() {
			for _, p := range front[:min(len(front), mostListed)] {
				fmt.Fprintf(t, "%s\t%s\t%s\n", number(p.Value), number(p.Against), a.describe(p))
			}
		}
	}
	return t.Flush()
}

// ratio returns the ratio of an axis's greatest and least factor, 0 if it has none.
func (x Axis) ratio() float64 {
	least, most := math.Inf(1), 0.0
	for _, e := range x.Values {
		if e.Groups > 0 {
			least, most = min(least, e.Factor), max(most, e.Factor)
		}
	}
	if most == 0 {
		return 0
	}
	return most / least
}

// describe returns a point's values on the axes.
func (a *Analysis) describe(p Point) string {
	var parts []string
	for _, x := range a.byColumn() {
		parts = append(parts, x.Name+"="+p.Inputs[x.column])
	}
	return strings.Join(parts, " ")
}

func percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// number formats a value with four digits.
func number(v float64) string {
	if math.Abs(v) >= 1e4 && math.Abs(v) < 1e15 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}
