package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/keplersim/keplersim/sim/stats"
)

// measured are the launches of one kernel, and the chosen metrics over them.
type measured struct {
	first    *stats.Launch
	launches int
	values   []spread // by metric
}

// spread is a metric over launches.
type spread struct{ least, most, sum float64 }

// measuredKernels goes through the launches once.
func measuredKernels(r *Run, metrics []stats.Definition) (list []*measured) {
	kernels := map[string]*measured{}
	for _, l := range r.All() {
		k := kernels[l.Kernel]
		if k == nil {
			k = &measured{first: l, values: make([]spread, len(metrics))}
			kernels[l.Kernel] = k
			list = append(list, k)
		}
		for i := range metrics {
			if metrics[i].Timed && k.first.Functional {
				continue
			}
			v, s := metrics[i].Value(l), &k.values[i]
			if k.launches == 0 || v < s.least {
				s.least = v
			}
			if k.launches == 0 || v > s.most {
				s.most = v
			}
			s.sum += v
		}
		k.launches++
	}
	return list
}

// metrics is a table of the chosen metrics for each kernel, as nvprof --metrics prints it: least, greatest and average of its launches.
func (p *printer) metrics(r *Run) {
	chosen := r.metrics()
	for _, k := range measuredKernels(r, chosen) {
		heading := fmt.Sprintf("%s on %s, %s", k.first.DisplayName(), k.first.Chip.Title(), countedLaunches(k.launches))
		p.line("%s", heading)
		p.line("%s", strings.Repeat("=", len([]rune(heading))))
		rows := [][]string{{"metric", "unit", "min", "max", "average"}}
		if k.launches == 1 {
			rows[0] = []string{"metric", "unit", "value"}
		}
		for i, d := range chosen {
			rows = append(rows, k.row(d, k.values[i]))
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

// row returns a metric's values over the launches.
func (k *measured) row(d stats.Definition, s spread) []string {
	row := []string{d.Name, string(d.Unit)}
	switch {
	case d.Timed && k.first.Functional:
		return append(row, "-")
	case k.launches == 1:
		return append(row, metricText(s.least, d.Unit))
	}
	return append(row, metricText(s.least, d.Unit), metricText(s.most, d.Unit), metricText(s.sum/float64(k.launches), d.Unit))
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
