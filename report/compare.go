package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

// Comparison has reports side by side. The first one is the base for the others.
type Comparison struct {
	Reports []Saved
	Kernels []ComparedKernel
	// Failures describe runs that failed; their times mean nothing.
	Failures []string
	// Differences describe what else makes the runs unequal: other results, kernels without a counterpart.
	Differences []string
}

// ComparedKernel is a kernel of the first report with its counterparts in the others.
type ComparedKernel struct {
	Name string
	Rows []ComparedRow
	// Work says, for each further report, how its work differs from that of the first; "" if it does not.
	Work []string
	// Changes are the changes of each further report from the first.
	Changes []Change
}

// Times returns the kernel's time in each report, in microseconds; NaN if a report has none.
func (k *ComparedKernel) Times() []float64 {
	var times []float64
	for _, row := range k.Rows {
		if row.Name != "time" {
			continue
		}
		for _, v := range row.Values {
			time := math.NaN()
			if v.Number != nil {
				time = *v.Number
			}
			times = append(times, time)
		}
	}
	return times
}

// ComparedRow is one quantity in all reports.
type ComparedRow struct {
	Name, Unit string
	Values     []ComparedValue // one for each report
}

// ComparedValue is a number, or a text if there is no number to compare. Both are empty if the report does not have the quantity.
type ComparedValue struct {
	Number *float64
	Text   string
}

// compared are the metrics that a comparison shows by default, except those that are zero in all reports.
var compared = []string{
	"inst_executed", "ipc", "issue_slot_utilization", "warp_execution_efficiency", "inst_replay_overhead", "eligible_warps_per_cycle",
	"sm_efficiency", "flop_sp_efficiency", "flop_dp_efficiency", "gld_transactions", "gld_efficiency", "gst_transactions", "gst_efficiency",
	"local_load_transactions", "local_store_transactions", "shared_load_transactions", "shared_store_transactions", "shared_efficiency",
	"atomic_transactions", "tex_cache_hit_rate", "nc_cache_global_hit_rate", "l1_cache_global_hit_rate", "l2_read_transactions",
	"l2_write_transactions", "l2_read_hit_rate", "dram_read_transactions", "dram_write_transactions", "dram_peak_percent",
}

// leastStall is the share of all stalls, in percent, from which a comparison shows a reason.
const leastStall = 2.0

// Compare puts reports side by side. metrics are names to show; nil shows the most informative ones.
func Compare(reports []Saved, metrics []string) *Comparison {
	c := &Comparison{Reports: reports}
	partners := pair(reports)
	c.recordDifferences(partners)
	for i := range kernelsOf(&reports[0]) {
		launches := make([][]*SavedLaunch, len(reports))
		var names []string
		for r := range reports {
			if partners[r][i] != "" {
				launches[r] = launchesOf(&reports[r], partners[r][i])
				if other := launches[r][0].Name; !slices.Contains(names, other) {
					names = append(names, other)
				}
			}
		}
		k := ComparedKernel{Name: strings.Join(names, "; ")}
		for _, q := range quantities(launches, metrics) {
			if row := q.row(launches); row.hasValue() {
				k.Rows = append(k.Rows, row)
			}
		}
		for _, other := range launches[1:] {
			k.Work = append(k.Work, workDifference(launches[0], other))
			change := VariantChange
			if len(launches[0]) > 0 && len(other) > 0 {
				change = changeOf(launches[0][0], other[0])
			}
			k.Changes = append(k.Changes, change)
		}
		c.Kernels = append(c.Kernels, k)
	}
	return c
}

// recordDifferences records failed runs, and differences between the runs as a whole.
func (c *Comparison) recordDifferences(partners [][]string) {
	base := &c.Reports[0]
	for r := range c.Reports {
		report := &c.Reports[r]
		for _, failure := range report.failures() {
			c.Failures = append(c.Failures, report.Name+": "+failure)
		}
		for i, symbol := range partners[r] {
			if symbol == "" {
				c.Differences = append(c.Differences,
					fmt.Sprintf("%s launches no kernel to compare with %s", report.Name, launchesOf(base, kernelsOf(base)[i])[0].Name))
			}
		}
		for _, symbol := range kernelsOf(report) {
			if !slices.Contains(partners[r], symbol) {
				c.Differences = append(c.Differences,
					fmt.Sprintf("%s launches %s too, which is left out", report.Name, launchesOf(report, symbol)[0].Name))
			}
		}
		if storesNothing(report.Launches) {
			c.Differences = append(c.Differences, report.Name+" stores nothing to global memory: its kernels may have done nothing")
		}
		c.Differences = append(c.Differences, resultDifferences(base, report)...)
	}
}

// failed reports whether the run of a report failed.
func (c *Comparison) failed(report int) bool { return len(c.Reports[report].failures()) > 0 }

// kernelsOf returns the symbols of a report's kernels in the order of their first launches.
func kernelsOf(s *Saved) []string {
	var symbols []string
	for i := range s.Launches {
		if symbol := s.Launches[i].Symbol; !slices.Contains(symbols, symbol) {
			symbols = append(symbols, symbol)
		}
	}
	return symbols
}

func launchesOf(s *Saved, symbol string) []*SavedLaunch {
	var all []*SavedLaunch
	for i := range s.Launches {
		if s.Launches[i].Symbol == symbol {
			all = append(all, s.Launches[i])
		}
	}
	return all
}

// pair returns, for each report, its counterparts of the first report's kernels. A counterpart has the same name. Kernels without one are
// paired in order with the kernels whose names the first report does not have, because two versions of a kernel may have different names.
func pair(reports []Saved) [][]string {
	base := kernelsOf(&reports[0])
	partners := make([][]string, len(reports))
	for r := range reports {
		own := kernelsOf(&reports[r])
		others := slices.DeleteFunc(slices.Clone(own), func(name string) bool { return slices.Contains(base, name) })
		for _, name := range base {
			switch {
			case slices.Contains(own, name):
				partners[r] = append(partners[r], name)
			case len(others) > 0:
				partners[r] = append(partners[r], others[0])
				others = others[1:]
			default:
				partners[r] = append(partners[r], "")
			}
		}
	}
	return partners
}

// quantity is one row of a comparison.
type quantity struct {
	name, unit string
	number     func([]*SavedLaunch) (float64, bool) // nil if there is only a text
	text       func([]*SavedLaunch) string
}

// row returns the quantity's values in all reports.
func (q *quantity) row(launches [][]*SavedLaunch) ComparedRow {
	row := ComparedRow{Name: q.name, Unit: q.unit}
	for _, list := range launches {
		var v ComparedValue
		if len(list) > 0 && q.number != nil {
			if n, ok := q.number(list); ok {
				n = rounded(n, stats.Unit(q.unit))
				v.Number = &n
			}
		}
		if len(list) > 0 && q.text != nil {
			v.Text = q.text(list)
		}
		row.Values = append(row.Values, v)
	}
	return row
}

// hasValue reports whether any report has a text or a number other than 0.
func (r *ComparedRow) hasValue() bool {
	return slices.ContainsFunc(r.Values, func(v ComparedValue) bool { return v.Text != "" || v.Number != nil && *v.Number != 0 })
}

// Units of comparisons that metrics do not have.
const (
	timeUnit      = "µs"
	bytesUnit     = string(stats.Bytes)
	registersUnit = "registers"
)

// quantities returns the rows of a comparison, in order.
func quantities(launches [][]*SavedLaunch, metrics []string) []quantity {
	all := []quantity{
		{name: "chip", text: func(l []*SavedLaunch) string { return l[0].Config }},
		{name: "overrides", text: func(l []*SavedLaunch) string { return strings.Join(l[0].Overrides, " ") }},
		{name: "launches", unit: string(stats.Count), number: func(l []*SavedLaunch) (float64, bool) {
			return float64(len(l)), slices.ContainsFunc(launches, several)
		}},
		{name: "grid", text: func(l []*SavedLaunch) string {
			return commonText(l, shapeOf(func(l *SavedLaunch) [3]int { return l.Grid }))
		}},
		{name: "block", text: func(l []*SavedLaunch) string {
			return commonText(l, shapeOf(func(l *SavedLaunch) [3]int { return l.Block }))
		}},
		{name: "time", unit: timeUnit, number: timedSum(func(l *SavedLaunch) float64 { return l.TimeUS })},
		{name: "cycles", unit: string(stats.Cycles), number: timedSum(func(l *SavedLaunch) float64 { return float64(l.Cycles) })},
		{name: "registers a thread", unit: registersUnit, number: mean(known(func(l *SavedLaunch) float64 {
			return float64(l.Registers)
		}))},
		{name: "shared memory a block", unit: bytesUnit, number: mean(known(func(l *SavedLaunch) float64 {
			return float64(l.StaticShared + l.DynamicShared)
		}))},
		{name: "local memory a thread", unit: bytesUnit, number: mean(known(func(l *SavedLaunch) float64 {
			return float64(l.LocalBytes)
		}))},
		{name: "theoretical occupancy", unit: string(stats.Percent), number: mean(known(func(l *SavedLaunch) float64 {
			return 100 * l.Occupancy.Theoretical
		}))},
		{name: "achieved occupancy", unit: string(stats.Percent), number: mean(func(l *SavedLaunch) (float64, bool) {
			return 100 * l.Occupancy.Achieved, !l.Functional && !l.row()
		})},
		{name: "limited by", text: func(l []*SavedLaunch) string {
			return commonText(l, func(l *SavedLaunch) string {
				return strings.ReplaceAll(strings.Join(l.Occupancy.Limiters, ", "), "_", " ")
			})
		}},
		{name: "busiest unit", text: func(l []*SavedLaunch) string {
			return commonText(l, (*SavedLaunch).busiest)
		}},
	}
	all = append(all, rooflineQuantities()...)
	for _, unit := range busiestUnits(launches) {
		all = append(all, quantity{name: "  " + unit + " busy", unit: string(stats.Percent),
			number: mean(func(l *SavedLaunch) (float64, bool) {
				busy, ok := l.busy(unit)
				return 100 * busy, ok
			})})
	}
	for _, d := range comparedMetrics(launches, metrics) {
		all = append(all, quantity{name: d.Name, unit: string(d.Unit), number: mean(func(l *SavedLaunch) (float64, bool) {
			v, ok := l.Metrics[d.Name]
			return v, ok && (!d.Timed || !l.Functional)
		})})
	}
	return all
}

// busiestUnits returns the units that were the busiest of any launch, in the order of reports and launches.
func busiestUnits(launches [][]*SavedLaunch) []string {
	var units []string
	for _, list := range launches {
		for _, l := range list {
			if unit := l.busiest(); unit != "" && !slices.Contains(units, unit) {
				units = append(units, unit)
			}
		}
	}
	return units
}

// comparedMetrics returns the metrics to show: those chosen, or the default ones and the stalls that matter in any report.
func comparedMetrics(launches [][]*SavedLaunch, metrics []string) []stats.Definition {
	return slices.DeleteFunc(stats.Metrics(), func(d stats.Definition) bool {
		switch {
		case metrics != nil:
			return !slices.Contains(metrics, d.Name)
		case d.Name != "cycles" && d.Name != "time_us" && inRows(launches, d.Name): // the metrics of a study were chosen by the user
			return false
		case strings.HasPrefix(d.Name, "stall_"):
			return d.Kind == stats.Own || !slices.ContainsFunc(launches, func(list []*SavedLaunch) bool {
				return slices.ContainsFunc(list, func(l *SavedLaunch) bool { return l.Metrics[d.Name] >= leastStall })
			})
		}
		return !slices.Contains(compared, d.Name)
	})
}

// inRows reports whether any row of a study has a metric.
func inRows(launches [][]*SavedLaunch, metric string) bool {
	return slices.ContainsFunc(launches, func(list []*SavedLaunch) bool {
		return slices.ContainsFunc(list, func(l *SavedLaunch) bool {
			_, has := l.Metrics[metric]
			return has && l.row()
		})
	})
}

// shapeOf formats a grid or a block, "" if it is unknown.
func shapeOf(of func(*SavedLaunch) [3]int) func(*SavedLaunch) string {
	return func(l *SavedLaunch) string {
		if l.row() {
			return ""
		}
		return extent(of(l))
	}
}

func several(l []*SavedLaunch) bool { return len(l) > 1 }

// commonText returns the text that all launches share, or how many different texts there are.
func commonText(launches []*SavedLaunch, text func(*SavedLaunch) string) string {
	var texts []string
	for _, l := range launches {
		if t := text(l); !slices.Contains(texts, t) {
			texts = append(texts, t)
		}
	}
	if len(texts) > 1 {
		return fmt.Sprintf("%d different", len(texts))
	}
	return texts[0]
}

// timedSum returns a sum over launches. ok is false if all of them lack timing.
func timedSum(of func(*SavedLaunch) float64) func([]*SavedLaunch) (float64, bool) {
	return func(launches []*SavedLaunch) (sum float64, ok bool) {
		for _, l := range launches {
			sum += of(l)
			ok = ok || !l.Functional && !(l.row() && of(l) == 0)
		}
		return sum, ok
	}
}

// mean returns the mean over the launches that have a value.
func mean(of func(*SavedLaunch) (float64, bool)) func([]*SavedLaunch) (float64, bool) {
	return func(launches []*SavedLaunch) (float64, bool) {
		sum, n := 0.0, 0
		for _, l := range launches {
			if v, ok := of(l); ok {
				sum += v
				n++
			}
		}
		return ratio(sum, float64(n)), n > 0
	}
}
