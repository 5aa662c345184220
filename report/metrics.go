package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

// metrics is a table of the chosen metrics for each kernel, as nvprof --metrics prints it: least, greatest and average of its launches.
func (p *printer) metrics(r *Run) {
	var order []string
	launches := map[string][]*stats.Launch{}
	for _, l := range r.Launches {
		if launches[l.Kernel] == nil {
			order = append(order, l.Kernel)
		}
		launches[l.Kernel] = append(launches[l.Kernel], l)
	}
	for _, kernel := range order {
		of := launches[kernel]
		heading := fmt.Sprintf("%s on %s, %s", of[0].DisplayName(), of[0].Chip.Title(), countedLaunches(len(of)))
		p.line("%s", heading)
		p.line("%s", strings.Repeat("=", len([]rune(heading))))
		rows := [][]string{{"metric", "unit", "min", "max", "average"}}
		if len(of) == 1 {
			rows[0] = []string{"metric", "unit", "value"}
		}
		for _, d := range r.metrics() {
			rows = append(rows, metricRow(d, of))
		}
		p.columns(rows, 2)
		p.line("")
	}
}

func countedLaunches(n int) string {
	if n == 1 {
		return "1 launch"
	}
	return count(uint64(n)) + " launches"
}

// metricRow returns a metric's values over a kernel's launches.
func metricRow(d stats.Definition, launches []*stats.Launch) []string {
	row := []string{d.Name, string(d.Unit)}
	if d.Timed && launches[0].Functional {
		return append(row, "-")
	}
	least, most, sum := 0.0, 0.0, 0.0
	for i, l := range launches {
		v := d.Value(l)
		if i == 0 || v < least {
			least = v
		}
		if i == 0 || v > most {
			most = v
		}
		sum += v
	}
	if len(launches) == 1 {
		return append(row, metricText(least, d.Unit))
	}
	return append(row, metricText(least, d.Unit), metricText(most, d.Unit), metricText(sum/float64(len(launches)), d.Unit))
}

// levels are nvprof's words for levels of utilization, by the highest level that has the word.
var levels = []struct {
	most int
	word string
}{{0, "Idle"}, {3, "Low"}, {6, "Mid"}, {9, "High"}, {10, "Max"}}

// metricText writes a value: counts whole, levels with nvprof's word, all else with three decimals.
func metricText(v float64, unit stats.Unit) string {
	if unit == stats.Level {
		n := int(math.Round(v))
		for _, l := range levels {
			if n <= l.most {
				return fmt.Sprintf("%s (%d)", l.word, n)
			}
		}
	}
	if unit == stats.Count || unit == stats.Cycles || unit == stats.Bytes {
		return count(uint64(rounded(v, stats.Count)))
	}
	return fmt.Sprintf("%.3f", v)
}
