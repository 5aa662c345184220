package validation

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/keplersim/keplersim/validation"
)

// WriteText writes a table of the rows for each group, the groups' summaries, and the kernels' counters. It lists rows that missed, failed
// or did not run with the others.
func WriteText(out io.Writer, results []validation.Result) error {
	for _, group := range validation.Summarise(results) {
		if err := writeGroup(out, group.Name, results); err != nil {
			return err
		}
	}
	return writeSummaries(out, results)
}

// writeGroup writes one group's table.
func writeGroup(out io.Writer, group string, results []validation.Result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\tTHEIRS\tOURS\tERROR\tUNIT\t\n", strings.ToUpper(group))
	for i := range results {
		r := &results[i]
		if r.Row.Group() != group {
			continue
		}
		name := strings.TrimPrefix(r.Row.Name, group+"/")
		theirs, ours, deviation := valueText(r.Row.Measured), "", ""
		if r.Row.Kernel() {
			theirs = ""
		}
		if m := r.Main(); m != nil {
			theirs, ours, deviation = valueText(m.Theirs), numberText(m.Ours), errorText(m)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", name, theirs, ours, deviation, r.Row.Unit, statusText(r))
	}
	fmt.Fprintln(table)
	return table.Flush()
}

// statusText returns "" for a row that was met.
func statusText(r *validation.Result) string {
	switch {
	case r.Status == validation.Met:
		return ""
	case r.Reason != "":
		reason, _, _ := strings.Cut(r.Reason, "\n")
		return string(r.Status) + ": " + reason
	}
	return string(r.Status)
}

// writeSummaries writes the summaries of the groups and of the kernels' counters.
func writeSummaries(out io.Writer, results []validation.Result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "GROUP\tROWS\tMET\tMISSED\tNOT RUN\tNOT SIMULATED\tFAILED\tMEAN ERROR\tWORST\t")
	for _, s := range validation.Summarise(results) {
		mean, worst := "", ""
		if s.Met+s.Missed > 0 {
			mean, worst = fmt.Sprintf("%.1f %%", s.MeanError), fmt.Sprintf("%.1f %%", s.WorstError)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", s.Name, s.Rows, s.Met, s.Missed, s.NotRun, s.NotSimulated, s.Failed,
			mean, worst, s.Worst)
	}
	kernels := validation.SummariseKernels(results)
	if len(kernels) > 0 {
		fmt.Fprintln(table, "\nCOUNTER OF KERNELS\tBOARD\tROWS\tMEAN ERROR\tWORST\tCORRELATION\tOF LOGARITHMS\t")
	}
	for _, k := range kernels {
		board, unit := k.Board, "%"
		if board == "" {
			board = "all"
		}
		if k.Points {
			unit = "points"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%.1f %s\t%.1f %s\t%s\t%s\t%s\n", k.Counter, board, k.Rows, k.MeanError, unit, k.WorstError, unit,
			correlationText(k.Correlation), correlationText(k.LogCorrelation), k.Worst)
	}
	return table.Flush()
}

func correlationText(c float64) string {
	if math.IsNaN(c) {
		return ""
	}
	return fmt.Sprintf("%.3f", c)
}

// WriteList writes the rows without running them.
func WriteList(out io.Writer, rows []*validation.Row) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ROW\tMEASURED\tUNIT\tWHAT\tSOURCE")
	for _, r := range rows {
		measured := valueText(r.Measured)
		if r.Kernel() {
			measured = fmt.Sprintf("%.2f M", float64(r.Work())/1e6)
		}
		unit := r.Unit
		if r.Kernel() {
			unit = "warp instructions"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", r.Name, measured, unit, r.Title, r.Source)
	}
	return table.Flush()
}

// WriteSteps writes the latency staircase.
func WriteSteps(out io.Writer, steps []validation.Step) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "FOOTPRINT KIB\tSTRIDE KIB\tCYCLES A LOAD\tPUBLISHED\t")
	for _, s := range steps {
		published := ""
		for _, p := range validation.Plateaus {
			if s.Footprint <= p.Reach {
				published = numberText(p.Cycles)
				break
			}
		}
		fmt.Fprintf(table, "%d\t%d\t%.1f\t%s\t\n", s.Footprint>>10, s.Stride>>10, s.Cycles, published)
	}
	fmt.Fprintln(table)
	return table.Flush()
}

func valueText(v validation.Value) string {
	if v.Low == v.High {
		return numberText(v.Low)
	}
	return numberText(v.Low) + " to " + numberText(v.High)
}

// numberText formats a number with up to four decimals, fewer for larger numbers, and separates thousands.
func numberText(v float64) string {
	digits := 0
	switch a := math.Abs(v); {
	case a == math.Trunc(a) || a >= 10_000:
	case a >= 100:
		digits = 1
	case a >= 1:
		digits = 2
	default:
		digits = 4
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	var b strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 && whole[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	if fraction != "" {
		b.WriteString("." + fraction)
	}
	return b.String()
}

func errorText(c *validation.Comparison) string {
	unit := "%"
	if c.Points {
		unit = "points"
	}
	return fmt.Sprintf("%+.1f %s", c.Error, unit)
}
