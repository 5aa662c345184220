package report

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/keplersim/keplersim/sim/stats"
)

// Measured has the launches of one kernel on one device, and the chosen metrics over them.
type Measured struct {
	First    *stats.Launch
	Launches int
	Values   []Spread // by metric; all 0 for timed metrics of launches without timing
}

// Spread is a metric over several launches.
type Spread struct{ Least, Most, Sum float64 }

// Measure goes through the launches once, and returns their kernels in the order of their first launches.
func Measure(launches iter.Seq2[int, *stats.Launch], metrics []stats.Definition) (list []*Measured) {
	type key struct {
		kernel string
		device int
	}
	kernels := map[key]*Measured{}
	for _, l := range launches {
		at := key{l.Kernel, l.Device}
		k := kernels[at]
		if k == nil {
			k = &Measured{First: l, Values: make([]Spread, len(metrics))}
			kernels[at] = k
			list = append(list, k)
		}
		for i := range metrics {
			if metrics[i].Timed && k.First.Functional {
				continue
			}
			v, s := metrics[i].Value(l), &k.Values[i]
			if k.Launches == 0 || v < s.Least {
				s.Least = v
			}
			if k.Launches == 0 || v > s.Most {
				s.Most = v
			}
			s.Sum += v
		}
		k.Launches++
	}
	return list
}

// metrics writes a table of the chosen metrics for each kernel, as nvprof --metrics does: minimum, maximum and average over its launches.
func (p *printer) metrics(r *Run) {
	chosen := r.metrics()
	for _, k := range Measure(r.All(), chosen) {
		heading := fmt.Sprintf("%s on %s, %s", k.First.DisplayName(), k.First.Chip.Title(), countedLaunches(k.Launches))
		p.heading("", heading)
		rows := [][]string{{"metric", "unit", "min", "max", "average"}}
		if k.Launches == 1 {
			rows[0] = []string{"metric", "unit", "value"}
		}
		for i, d := range chosen {
			rows = append(rows, k.row(d, k.Values[i]))
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
func (k *Measured) row(d stats.Definition, s Spread) []string {
	row := []string{d.Name, string(d.Unit)}
	switch {
	case d.Timed && k.First.Functional:
		return append(row, "-")
	case k.Launches == 1:
		return append(row, metricText(s.Least, d.Unit))
	}
	return append(row, metricText(s.Least, d.Unit), metricText(s.Most, d.Unit), metricText(s.Sum/float64(k.Launches), d.Unit))
}

type level struct {
	most int
	word string
}

// levels are nvprof's words for levels of utilization, with the highest level for each word.
var levels = []level{{0, "Idle"}, {3, "Low"}, {6, "Mid"}, {9, "High"}, {10, "Max"}}

// LevelText returns a level of utilization with nvprof's word.
func LevelText(v float64) string {
	n := int(math.Round(v))
	at := slices.IndexFunc(levels, func(l level) bool { return n <= l.most })
	return fmt.Sprintf("%s (%d)", levels[at].word, n)
}

// metricText formats a value: counts as whole numbers, levels with nvprof's word, all others with three decimals.
func metricText(v float64, unit stats.Unit) string {
	if unit == stats.Level {
		return LevelText(v)
	}
	if unit == stats.Count || unit == stats.Cycles || unit == stats.Bytes {
		return count(uint64(rounded(v, stats.Count)))
	}
	return fmt.Sprintf("%.3f", v)
}
