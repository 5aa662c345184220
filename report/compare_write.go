package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/keplersim/keplersim/internal/format"
	"github.com/keplersim/keplersim/sim/stats"
)

// comparisonFormats are the formats of comparisons.
var comparisonFormats = format.Table[Comparison]{{Name: "text", Write: compareText},
	{Name: "csv", Write: compareCSV}, {Name: "json", Write: compareJSON}}

// CheckComparisonFormat returns an error for a name that is no format of comparisons.
func CheckComparisonFormat(name string) error { return comparisonFormats.Check(name) }

// WriteComparison writes a comparison in one of comparisonFormats.
func WriteComparison(w io.Writer, format string, c *Comparison) error {
	if err := comparisonFormats.Write(w, format, c); err != nil {
		return fmt.Errorf("write the comparison: %w", err)
	}
	return nil
}

// compareText writes a table for each kernel: the first report's values, then each other report's values and differences.
func compareText(w io.Writer, c *Comparison) error {
	p := &printer{}
	for _, failure := range c.Failures {
		p.line("FAILED: %s", failure)
	}
	for _, difference := range c.Differences {
		p.line("unequal: %s", difference)
	}
	if len(c.Failures)+len(c.Differences) > 0 {
		p.line("")
	}
	for _, k := range c.Kernels {
		p.line("%s", k.Name)
		p.line("%s", strings.Repeat("=", len([]rune(k.Name))))
		rows := [][]string{{"", ""}}
		for i, r := range c.Reports {
			rows[0] = append(rows[0], r.Name)
			if i > 0 {
				rows[0] = append(rows[0], "")
			}
		}
		for _, row := range k.Rows {
			rows = append(rows, rowText(row))
		}
		p.columns(rows, 2)
		p.line("")
		if said := verdicts(c, k); len(said) > 0 {
			for _, sentence := range said {
				p.wrapped("  ", sentence)
			}
			p.line("")
		}
	}
	_, err := io.WriteString(w, p.out.String())
	return err
}

// rowText returns a row's cells: its name, its unit, the first value, then each further value with its change.
func rowText(row ComparedRow) []string {
	unit := row.Unit
	if unit == string(stats.Count) || unit == string(stats.Ratio) || unit == registersUnit {
		unit = ""
	}
	cells := []string{row.Name, unit}
	for i, v := range row.Values {
		cells = append(cells, v.text(row.Unit))
		if i > 0 {
			cells = append(cells, change(row.Values[0], v, row.Unit))
		}
	}
	return cells
}

func (v ComparedValue) text(unit string) string {
	switch {
	case v.Number == nil && v.Text == "":
		return "-"
	case v.Number == nil:
		return v.Text
	case unit == string(stats.Percent):
		return fmt.Sprintf("%.1f", *v.Number)
	case unit == string(stats.Count) || unit == string(stats.Cycles) || unit == registersUnit && *v.Number == math.Trunc(*v.Number):
		return count(uint64(*v.Number))
	}
	return significant(*v.Number)
}

// change returns the difference of a value from the first: in points for percentages, as a number for levels, registers and bytes, else in
// percent or as a multiple.
func change(base, v ComparedValue, unit string) string {
	switch {
	case base.Number == nil || v.Number == nil || *base.Number == *v.Number:
		return ""
	case unit == string(stats.Percent):
		return signed(*v.Number-*base.Number, 1, " points")
	case unit == string(stats.Level) || unit == registersUnit || unit == bytesUnit:
		return signed(*v.Number-*base.Number, 0, "")
	case *base.Number == 0:
		return ""
	case *v.Number > 10**base.Number:
		return significant(*v.Number/(*base.Number)) + " times"
	}
	return signed(100*(*v.Number / *base.Number - 1), 1, " %")
}

// signed formats a difference with its sign.
func signed(v float64, decimals int, unit string) string {
	scale := math.Pow10(decimals)
	if v = math.Round(v*scale) / scale; v == 0 {
		return "±0" + unit
	}
	return fmt.Sprintf("%+.*f%s", decimals, v, unit)
}

// verdicts returns, for each further report, how much faster or slower it is, and whether it did the same work.
func verdicts(c *Comparison, k ComparedKernel) []string {
	var out []string
	for _, row := range k.Rows {
		if row.Unit != timeUnit || row.Values[0].Number == nil || *row.Values[0].Number == 0 {
			continue
		}
		for i, v := range row.Values[1:] {
			if v.Number == nil || *v.Number == 0 || c.failed(0) || c.failed(i+1) {
				continue
			}
			text := "is as fast as"
			speedup := *row.Values[0].Number / *v.Number
			switch {
			case speedup >= 1.005:
				text = fmt.Sprintf("is %.2f times as fast as", speedup)
			case speedup <= 1/1.005:
				text = fmt.Sprintf("takes %.2f times as long as", 1/speedup)
			}
			out = append(out, fmt.Sprintf("%s %s %s", c.Reports[i+1].Name, text, c.Reports[0].Name))
			if speedup >= 1.005 || speedup <= 1/1.005 {
				out = append(out, k.Changes[i].Judge(speedup))
			}
		}
	}
	for i, work := range k.Work {
		if work != "" {
			out = append(out, fmt.Sprintf("%s does other work than %s: %s", c.Reports[i+1].Name, c.Reports[0].Name, work))
		}
	}
	return out
}

// compareCSV writes a line for each kernel and quantity, with a column for each report.
func compareCSV(w io.Writer, c *Comparison) error {
	lines := [][]string{{"kernel", "quantity", "unit"}}
	for _, r := range c.Reports {
		lines[0] = append(lines[0], r.Name)
	}
	for _, k := range c.Kernels {
		for _, row := range k.Rows {
			line := []string{k.Name, strings.TrimSpace(row.Name), row.Unit}
			for _, v := range row.Values {
				if v.Number != nil {
					v.Text = number(*v.Number)
				}
				line = append(line, v.Text)
			}
			lines = append(lines, line)
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// jsonComparison is a comparison as JSON.
type jsonComparison struct {
	Reports     []string     `json:"reports"`
	Failures    []string     `json:"failures"`
	Differences []string     `json:"differences"`
	Kernels     []jsonKernel `json:"kernels"`
}

type jsonKernel struct {
	Name string    `json:"name"`
	Rows []jsonRow `json:"rows"`
	Work []string  `json:"work_differs"` // one for each further report, "" if the work is the same
}

// jsonRow is a quantity's values: numbers, texts, or null if a report does not have it.
type jsonRow struct {
	Quantity string `json:"quantity"`
	Unit     string `json:"unit,omitempty"`
	Values   []any  `json:"values"`
}

// compareJSON writes a comparison as JSON.
func compareJSON(w io.Writer, c *Comparison) error {
	out := jsonComparison{Reports: []string{}, Failures: list(c.Failures), Differences: list(c.Differences), Kernels: []jsonKernel{}}
	for _, r := range c.Reports {
		out.Reports = append(out.Reports, r.Name)
	}
	for _, k := range c.Kernels {
		kernel := jsonKernel{Name: k.Name, Rows: []jsonRow{}, Work: list(k.Work)}
		for _, row := range k.Rows {
			r := jsonRow{Quantity: strings.TrimSpace(row.Name), Unit: row.Unit}
			for _, v := range row.Values {
				switch {
				case v.Number != nil:
					r.Values = append(r.Values, *v.Number)
				case v.Text != "":
					r.Values = append(r.Values, v.Text)
				default:
					r.Values = append(r.Values, nil)
				}
			}
			kernel.Rows = append(kernel.Rows, r)
		}
		out.Kernels = append(out.Kernels, kernel)
	}
	return writeJSON(w, out)
}
