package effects

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/study"
)

// Analysis is the analysis of one metric in a table.
type Analysis struct {
	// Metric is the column to explain, Against a second one, "" for none. Most says that a larger metric is better.
	Metric, Against string
	Most            bool
	// Points are the rows that have the metrics. Left counts the other rows by reason, the most frequent first.
	Points []Point
	Left   []Reason
	// Axes are the columns that vary, and Pairs their interactions; both begin with those that explain most.
	Axes  []Axis
	Pairs []Pair
}

// Point is a row of the table.
type Point struct {
	Inputs  []string // of the axes that vary, in the table's order
	Value   float64
	Against float64
	log     float64 // of Value, minus its mean over the workload
}

// Reason is why rows are left out.
type Reason struct {
	Text string
	Rows int
}

// leave counts a row that is left out.
func (a *Analysis) leave(reason string) {
	at := slices.IndexFunc(a.Left, func(r Reason) bool { return r.Text == reason })
	if at < 0 {
		at = len(a.Left)
		a.Left = append(a.Left, Reason{Text: reason})
	}
	a.Left[at].Rows++
}

// Axis is a column that varies, with the effect of each of its values.
type Axis struct {
	Name string
	// Share is the part that the axis explains, 0 to 1, of the variance of the metric's logarithm within workloads. The axis of the
	// workloads has none: how they differ among themselves explains nothing.
	Share  float64
	Values []Effect
	column int
}

// Effect is the effect of one value of an axis.
type Effect struct {
	Value string
	// Factor is the geometric mean of the metric, relative to its mean over the points that differ only in this axis. Groups is the number
	// of such groups of points.
	Factor float64
	Groups int
}

// Pair is an interaction: what two axes explain together beyond what each explains.
type Pair struct {
	A, B  string
	Share float64
}

// New analyses a table. metric is one of its columns; "" takes the first metric. Values of 0 or less are left out because they have no
// logarithm.
func New(t *study.Table, metric, against string, most bool) (*Analysis, error) {
	metrics := t.Metrics()
	if metric == "" && len(metrics) > 0 {
		metric = metrics[0]
	}
	a := &Analysis{Metric: metric, Against: against, Most: most}
	column := func(name string) (int, error) {
		if i := slices.Index(metrics, name); i >= 0 {
			return t.Inputs + 2 + i, nil
		}
		return 0, fmt.Errorf("the table has no metric %q; it has %s", name, strings.Join(metrics, ", "))
	}
	m, err := column(metric)
	if err != nil {
		return nil, err
	}
	second := m
	if against != "" {
		if second, err = column(against); err != nil {
			return nil, err
		}
	}
	var varied []int
	for i := range t.Inputs {
		if slices.ContainsFunc(t.Rows, func(r []string) bool { return r[i] != t.Rows[0][i] }) {
			varied = append(varied, i)
			a.Axes = append(a.Axes, Axis{Name: t.Columns[i], column: len(varied) - 1})
		}
	}
	for _, row := range t.Rows {
		v, err := strconv.ParseFloat(row[m], 64)
		w, errSecond := strconv.ParseFloat(row[second], 64)
		switch status := row[t.Inputs]; {
		case status != string(study.OK):
			a.leave(strings.TrimSuffix(status+": "+row[t.Inputs+1], ": "))
			continue
		case err != nil, v <= 0:
			a.leave("no " + metric + " above 0")
			continue
		case errSecond != nil:
			a.leave("no " + against)
			continue
		}
		p := Point{Value: v, Against: w}
		for _, i := range varied {
			p.Inputs = append(p.Inputs, row[i])
		}
		a.Points = append(a.Points, p)
	}
	if len(a.Points) == 0 {
		return nil, fmt.Errorf("no row is ok and has a %s above 0", metric)
	}
	a.Axes = slices.DeleteFunc(a.Axes, func(x Axis) bool { // the rows left out may have had all other values
		return !slices.ContainsFunc(a.Points, func(p Point) bool { return p.Inputs[x.column] != a.Points[0].Inputs[x.column] })
	})
	slices.SortStableFunc(a.Left, func(x, y Reason) int { return cmp.Compare(y.Rows, x.Rows) })
	a.explain()
	return a, nil
}

// explain computes effects and interactions.
func (a *Analysis) explain() {
	a.center()
	total := 0.0
	for _, p := range a.Points {
		total += p.log * p.log
	}
	for i := range a.Axes {
		x := &a.Axes[i]
		x.Values = a.effects(x.column)
		if total > 0 {
			x.Share = a.between([]int{x.column}) / total
		}
	}
	for i := range a.Axes {
		for j := range i {
			share := 0.0
			if total > 0 {
				share = a.between([]int{a.Axes[i].column, a.Axes[j].column})/total - a.Axes[i].Share - a.Axes[j].Share
			}
			if share > 0.0005 && a.complete(a.Axes[i].column, a.Axes[j].column) {
				a.Pairs = append(a.Pairs, Pair{a.Axes[j].Name, a.Axes[i].Name, share})
			}
		}
	}
	slices.SortStableFunc(a.Axes, func(x, y Axis) int { return cmp.Compare(y.Share, x.Share) })
	slices.SortStableFunc(a.Pairs, func(x, y Pair) int { return cmp.Compare(y.Share, x.Share) })
}

// between returns the sum of squares between the groups that some axes make. It needs values with mean 0.
func (a *Analysis) between(columns []int) float64 {
	mean, count := map[string]float64{}, map[string]float64{}
	for _, p := range a.Points {
		mean[key(p, columns)] += p.log
		count[key(p, columns)]++
	}
	total := 0.0
	for group, sum := range mean {
		total += sum * sum / count[group]
	}
	return total
}

// center subtracts each workload's mean from the logarithms of its points.
func (a *Analysis) center() {
	var workload []int
	for _, x := range a.Axes {
		if x.Name == "workload" {
			workload = []int{x.column}
		}
	}
	mean, count := map[string]float64{}, map[string]float64{}
	for _, p := range a.Points {
		mean[key(p, workload)] += math.Log(p.Value)
		count[key(p, workload)]++
	}
	for i := range a.Points {
		p := &a.Points[i]
		p.log = math.Log(p.Value) - mean[key(*p, workload)]/count[key(*p, workload)]
	}
}

// complete reports whether all combinations of two axes' values occur equally often.
func (a *Analysis) complete(x, y int) bool {
	count, one, other := map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, p := range a.Points {
		count[key(p, []int{x, y})]++
		one[p.Inputs[x]], other[p.Inputs[y]] = true, true
	}
	first := count[key(a.Points[0], []int{x, y})]
	for _, n := range count {
		if n != first {
			return false
		}
	}
	return len(count) == len(one)*len(other)
}

func key(p Point, columns []int) string {
	var parts []string
	for _, c := range columns {
		parts = append(parts, p.Inputs[c])
	}
	return strings.Join(parts, "\x00")
}

// effects compares the values of an axis among points that agree in everything else. If a sample has no such points, they need to agree
// only in workload and board.
func (a *Analysis) effects(column int) []Effect {
	others := func(p Point) string {
		var rest []int
		for i := range p.Inputs {
			if i != column {
				rest = append(rest, i)
			}
		}
		return key(p, rest)
	}
	effects, compared := a.compare(column, others)
	if compared == 0 {
		effects, _ = a.compare(column, func(p Point) string {
			var rest []int
			for _, x := range a.Axes {
				if (x.Name == "workload" || x.Name == "board") && x.column != column {
					rest = append(rest, x.column)
				}
			}
			return key(p, rest)
		})
	}
	return effects
}

// compare returns the effects among the points of each group, and how many groups have several values.
func (a *Analysis) compare(column int, group func(Point) string) (effects []Effect, compared int) {
	groups := map[string][]Point{}
	var order []string
	for _, p := range a.Points {
		if groups[group(p)] == nil {
			order = append(order, group(p))
		}
		groups[group(p)] = append(groups[group(p)], p)
	}
	sums, counts := map[string]float64{}, map[string]int{}
	for _, g := range order {
		points := groups[g]
		if !slices.ContainsFunc(points, func(p Point) bool { return p.Inputs[column] != points[0].Inputs[column] }) {
			continue
		}
		compared++
		mean := 0.0
		for _, p := range points {
			mean += math.Log(p.Value) / float64(len(points))
		}
		for _, p := range points {
			sums[p.Inputs[column]] += math.Log(p.Value) - mean
			counts[p.Inputs[column]]++
		}
	}
	seen := map[string]bool{}
	for _, p := range a.Points {
		v := p.Inputs[column]
		if seen[v] || counts[v] == 0 {
			continue
		}
		seen[v] = true
		effects = append(effects, Effect{v, math.Exp(sums[v] / float64(counts[v])), counts[v]})
	}
	return effects, compared
}

// better compares two values of the metric, -1 if the first is better.
func (a *Analysis) better(x, y float64) int {
	if a.Most {
		return cmp.Compare(y, x)
	}
	return cmp.Compare(x, y)
}

// byWorkload returns the points of each workload, in the order of the table.
func (a *Analysis) byWorkload() (groups [][]Point) {
	w := slices.IndexFunc(a.byColumn(), func(x Axis) bool { return x.Name == "workload" })
	if w < 0 {
		return [][]Point{slices.Clone(a.Points)}
	}
	column := a.byColumn()[w].column
	at := map[string]int{}
	for _, p := range a.Points {
		i, ok := at[p.Inputs[column]]
		if !ok {
			i = len(groups)
			at[p.Inputs[column]] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	return groups
}

// Best returns the best point of each workload, in the order of the table.
func (a *Analysis) Best() (list []Point) {
	for _, points := range a.byWorkload() {
		list = append(list, slices.MinFunc(points, func(x, y Point) int { return a.better(x.Value, y.Value) }))
	}
	return list
}

// Gain is the metric of a workload's first point in the table and of its best point.
type Gain struct {
	Workload    string // "" if the table has only one
	First, Best float64
}

// Gains returns each workload's gain from its first point to its best, in the order of the table.
func (a *Analysis) Gains() (list []Gain) {
	w := slices.IndexFunc(a.Axes, func(x Axis) bool { return x.Name == "workload" })
	best := a.Best()
	for i, points := range a.byWorkload() {
		g := Gain{First: points[0].Value, Best: best[i].Value}
		if w >= 0 {
			g.Workload = points[0].Inputs[a.Axes[w].column]
		}
		list = append(list, g)
	}
	return list
}

// byColumn returns the axes in the table's order.
func (a *Analysis) byColumn() []Axis {
	axes := slices.Clone(a.Axes)
	slices.SortFunc(axes, func(x, y Axis) int { return cmp.Compare(x.column, y.column) })
	return axes
}

// Fronts returns each workload's Pareto front, in the order of the table: the points that no other point beats in both metrics. More of the
// second metric is better. Points of a front are sorted by the first. Workloads are not compared, because they do different work.
func (a *Analysis) Fronts() (fronts [][]Point) {
	for _, points := range a.byWorkload() {
		slices.SortStableFunc(points, func(x, y Point) int { return cmp.Or(a.better(x.Value, y.Value), cmp.Compare(y.Against, x.Against)) })
		var front []Point
		for _, p := range points {
			if len(front) == 0 || p.Against > front[len(front)-1].Against {
				front = append(front, p)
			}
		}
		fronts = append(fronts, front)
	}
	return fronts
}
