package validation

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/keplersim/keplersim/internal/jsonschema"
	"github.com/keplersim/keplersim/validation"
)

func init() {
	jsonschema.Publish[document]("validation", "Cards beside the simulator, as keplersim validate --format json writes them.", 1)
}

// document is the summary of all rows as JSON.
type document struct {
	Rows      []row             `json:"rows"`
	Groups    []groupSummary    `json:"groups"`
	Kernels   []counterSummary  `json:"kernels,omitempty"`
	Staircase []validation.Step `json:"staircase,omitempty"`
}

// row is a result as JSON.
type row struct {
	Row         string       `json:"row"`
	Title       string       `json:"title"`
	Config      string       `json:"config"`
	Overrides   []string     `json:"overrides,omitempty"`
	Source      string       `json:"source"`
	Tolerance   float64      `json:"tolerance_percent"`
	Status      string       `json:"status"`
	Reason      string       `json:"reason,omitempty"`
	Comparisons []comparison `json:"comparisons,omitempty"`
	// Warp instructions simulated. The host's time is left out, so that equal simulations give equal reports.
	Instructions uint64 `json:"warp_instructions,omitempty"`
}

// comparison is one figure; a range also has theirs_high.
type comparison struct {
	Name       string   `json:"name"`
	Unit       string   `json:"unit"`
	Theirs     float64  `json:"theirs"`
	TheirsHigh *float64 `json:"theirs_high,omitempty"`
	Ours       float64  `json:"ours"`
	Error      *float64 `json:"error"` // null if theirs is 0 and ours is not
	ErrorUnit  string   `json:"error_unit"`
}

// WriteJSON writes all rows, the groups' summaries, the kernels' counters, and the staircase if there is one.
func WriteJSON(out io.Writer, results []validation.Result, steps []validation.Step) error {
	document := document{Staircase: steps}
	for i := range results {
		document.Rows = append(document.Rows, newRow(&results[i]))
	}
	for _, s := range validation.Summarise(results) {
		document.Groups = append(document.Groups, groupSummary{
			s.Name, s.Rows, s.Met, s.Missed, s.NotRun, s.NotSimulated, s.Failed, finite(s.MeanError), finite(s.WorstError), s.Worst,
		})
	}
	for _, k := range validation.SummariseKernels(results) {
		document.Kernels = append(document.Kernels, counterSummary{k.Counter, k.Board, k.Rows, errorUnit(k.Points), finite(k.MeanError),
			finite(k.WorstError), k.Worst, finite(k.Correlation), finite(k.LogCorrelation)})
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

type groupSummary struct {
	Group        string   `json:"group"`
	Rows         int      `json:"rows"`
	Met          int      `json:"met"`
	Missed       int      `json:"missed"`
	NotRun       int      `json:"not_run"`
	NotSimulated int      `json:"not_simulated"`
	Failed       int      `json:"failed"`
	MeanError    *float64 `json:"mean_error_percent"`
	WorstError   *float64 `json:"worst_error_percent"`
	Worst        string   `json:"worst,omitempty"`
}

type counterSummary struct {
	Counter        string   `json:"counter"`
	Board          string   `json:"board,omitempty"`
	Rows           int      `json:"rows"`
	ErrorUnit      string   `json:"error_unit"`
	MeanError      *float64 `json:"mean_error"`
	WorstError     *float64 `json:"worst_error"`
	Worst          string   `json:"worst"`
	Correlation    *float64 `json:"correlation"`
	LogCorrelation *float64 `json:"correlation_of_logarithms"`
}

func newRow(r *validation.Result) row {
	d := row{
		Row: r.Row.Name, Title: r.Row.Title, Config: r.Row.Config, Overrides: r.Row.Overrides, Source: r.Row.Source,
		Tolerance: r.Row.Tolerance, Status: string(r.Status), Reason: r.Reason, Instructions: r.Instructions,
	}
	for _, c := range r.Comparisons {
		e := comparison{
			Name: c.Name, Unit: c.Unit, Theirs: c.Theirs.Low, Ours: c.Ours, Error: finite(c.Error), ErrorUnit: errorUnit(c.Points),
		}
		if c.Theirs.High != c.Theirs.Low {
			e.TheirsHigh = &c.Theirs.High
		}
		d.Comparisons = append(d.Comparisons, e)
	}
	return d
}

func errorUnit(points bool) string {
	if points {
		return "points"
	}
	return "percent"
}

// finite returns nil for a number that JSON cannot represent.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// WriteCSV writes a line for each figure; rows without figures have one line.
func WriteCSV(out io.Writer, results []validation.Result) error {
	w := csv.NewWriter(out)
	lines := [][]string{
		{"row", "config", "status", "figure", "unit", "theirs_low", "theirs_high", "ours", "error", "error_unit", "reason", "source"},
	}
	number := func(v float64) string {
		if finite(v) == nil {
			return ""
		}
		return strconv.FormatFloat(v, 'g', 8, 64)
	}
	for i := range results {
		r := &results[i]
		if len(r.Comparisons) == 0 {
			low, high := number(r.Row.Measured.Low), number(r.Row.Measured.High)
			if r.Row.Kernel() {
				low, high = "", ""
			}
			lines = append(lines, []string{
				r.Row.Name, r.Row.Config, string(r.Status), "", r.Row.Unit, low, high, "", "", "", r.Reason, r.Row.Source,
			})
		}
		for _, c := range r.Comparisons {
			lines = append(lines, []string{r.Row.Name, r.Row.Config, string(r.Status), c.Name, c.Unit, number(c.Theirs.Low),
				number(c.Theirs.High), number(c.Ours), number(c.Error), errorUnit(c.Points), r.Reason, r.Row.Source})
		}
	}
	if err := w.WriteAll(lines); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
