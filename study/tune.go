package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Tuning is how the best of a space is looked for: by successive halving, with files as the resource, and then by steps along the axes. A
// candidate is a board with values of the axes. All of a sample run a few of the files; the better ones run more of them, and so on, until
// few run all. From the best of these, the last third of the budget tries the neighbours on each axis, as long as one is better.
// K. Jamieson and A. Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", 2016.
type Tuning struct {
	// Metric is what is made least, or with Most greatest: its geometric mean over the files.
	Metric string
	Most   bool
	// Budget is how many points may be looked at, Keep the inverse part of the candidates that go on from each rung: 3 is a third.
	Budget, Keep int
	Seed         uint64
}

// Tuned is the best that was found.
type Tuned struct {
	Board  string
	Values []string
	// Score is the geometric mean of the metric, Spent how many points were looked at, of Points that the space has.
	Score         float64
	Spent, Points int
	// Rungs are the steps of the halving.
	Rungs []Rung
	// Regret is by what part the best of the whole space is better, where the store has all of it; Known says whether it has.
	Regret float64
	Known  bool
}

// Rung is a step of the halving: how many candidates ran how many files, and the best score among them.
type Rung struct {
	Candidates, Files int
	Best              float64
}

// candidate is a board with values, and what is known of it.
type candidate struct {
	points []Point // by file
	values []float64
	place  []int // on each axis
}

// tuner is a search.
type tuner struct {
	study *Study
	how   Run
	goal  Tuning
	all   []*candidate
	files int
	spent int
}

// Tune looks for the best of a study's space within a budget.
func (s *Study) Tune(ctx context.Context, goal Tuning, how Run) (*Tuned, error) {
	if !known(goal.Metric) {
		return nil, fmt.Errorf("there is no metric %s; keplersim metrics lists them", goal.Metric)
	}
	if goal.Keep < 2 || goal.Budget < 1 {
		return nil, errors.New("the budget must be 1 or more, and each rung keeps a half or less")
	}
	points, err := s.Points()
	if err != nil {
		return nil, err
	}
	t := &tuner{study: s, how: how, goal: goal, files: len(s.Files)}
	t.collect(points)
	if len(t.all) == 0 {
		return nil, fmt.Errorf("%s: no point holds the conditions of when for every file", s.Path)
	}
	if goal.Budget < t.files {
		return nil, fmt.Errorf("a budget of %d points is less than the %d files that one candidate runs", goal.Budget, t.files)
	}
	result := &Tuned{Points: len(t.all) * t.files}
	best, err := t.halve(ctx, result)
	if err != nil {
		return nil, err
	}
	if best, err = t.descend(ctx, best); err != nil {
		return nil, err
	}
	result.Score, result.Spent = t.score(best), t.spent
	if math.IsInf(result.Score, 0) {
		return nil, errors.New("no candidate that was tried ran every file; keplersim sweep says why")
	}
	result.Board, result.Values = best.points[0].Board, best.points[0].Values
	result.Regret, result.Known = t.regret(best)
	return result, nil
}

// collect makes candidates of the points; those that lack a file by a condition are none.
func (t *tuner) collect(points []Point) {
	byName := map[string]*candidate{}
	for _, p := range points {
		name := p.Board + "\x00" + strings.Join(p.Values, "\x00")
		c := byName[name]
		if c == nil {
			c = &candidate{place: []int{slices.Index(t.study.Boards, p.Board)}}
			for i, a := range t.study.Axes {
				c.place = append(c.place, slices.Index(a.Values, p.Values[i]))
			}
			byName[name] = c
			t.all = append(t.all, c)
		}
		c.points = append(c.points, p)
	}
	t.all = slices.DeleteFunc(t.all, func(c *candidate) bool { return len(c.points) != t.files })
}

// cost returns what halving costs that begins with n candidates, in points.
func (t *tuner) cost(n int) (total int) {
	before := 0
	for _, size := range t.sizes() {
		total += n * (size - before)
		before, n = size, (n+t.goal.Keep-1)/t.goal.Keep
	}
	return total
}

// sizes returns how many files the candidates of each rung have run.
func (t *tuner) sizes() (sizes []int) {
	for size := t.files; ; size = (size + t.goal.Keep - 1) / t.goal.Keep {
		sizes = append(sizes, size)
		if size == 1 {
			slices.Reverse(sizes)
			return sizes
		}
	}
}

// halve returns the best of a sample by successive halving, for two thirds of the budget.
func (t *tuner) halve(ctx context.Context, result *Tuned) (*candidate, error) {
	source := rand.New(rand.NewPCG(t.goal.Seed, 1))
	n := 1
	for n < len(t.all) && t.cost(n+1) <= max(t.goal.Budget*2/3, t.cost(1)) {
		n++
	}
	var sample []*candidate
	for _, i := range source.Perm(len(t.all))[:n] {
		sample = append(sample, t.all[i])
	}
	order := source.Perm(t.files)
	for _, c := range t.all { // every candidate runs the files in one order
		points := make([]Point, 0, t.files)
		for _, f := range order {
			points = append(points, c.points[f])
		}
		c.points = points
	}
	for i, size := range t.sizes() {
		if i > 0 {
			sample = sample[:(len(sample)+t.goal.Keep-1)/t.goal.Keep]
		}
		if err := t.evaluate(ctx, sample, size); err != nil {
			return nil, err
		}
		t.sort(sample)
		result.Rungs = append(result.Rungs, Rung{len(sample), size, t.score(sample[0])})
	}
	return sample[0], nil
}

// descend goes from a candidate to its best neighbour on an axis, as long as one is better and the budget lasts.
func (t *tuner) descend(ctx context.Context, best *candidate) (*candidate, error) {
	for {
		var near []*candidate
		for _, c := range t.all {
			if distance(c, best) == 1 && t.spent+(len(near)+1)*t.files <= t.goal.Budget && len(c.values) < t.files {
				near = append(near, c)
			}
		}
		if len(near) == 0 {
			return best, nil
		}
		if err := t.evaluate(ctx, near, t.files); err != nil {
			return nil, err
		}
		t.sort(near)
		if !t.better(t.score(near[0]), t.score(best)) {
			return best, nil
		}
		best = near[0]
	}
}

// distance returns how many steps on axes lie between two candidates; boards and other axes without an order are one step apart.
func distance(a, b *candidate) (steps int) {
	for i := range a.place {
		d := a.place[i] - b.place[i]
		if i == 0 && d != 0 {
			d = 1
		}
		steps += max(d, -d)
	}
	return steps
}

// evaluate has candidates run their first files up to a number.
func (t *tuner) evaluate(ctx context.Context, list []*candidate, size int) error {
	var points []Point
	for _, c := range list {
		points = append(points, c.points[len(c.values):max(size, len(c.values))]...)
	}
	rows, err := t.study.Do(ctx, points, t.how)
	if err != nil {
		return err
	}
	t.spent += len(rows)
	for _, c := range list {
		for len(c.values) < size {
			c.values = append(c.values, t.valueOf(rows[0].Outcome))
			rows = rows[1:]
		}
	}
	return nil
}

// valueOf returns the metric of an outcome; of one that is not ok the worst there is.
func (t *tuner) valueOf(o Outcome) float64 {
	v, ok := o.Metrics[t.goal.Metric]
	if o.Status != OK || !ok || v <= 0 {
		if t.goal.Most {
			return 0
		}
		return math.Inf(1)
	}
	return v
}

// score returns the geometric mean of what is known of a candidate.
func (t *tuner) score(c *candidate) float64 {
	sum := 0.0
	for _, v := range c.values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(c.values)))
}

func (t *tuner) better(a, b float64) bool {
	if t.goal.Most {
		return a > b
	}
	return a < b
}

// sort puts the best candidates first, equal ones as they were.
func (t *tuner) sort(list []*candidate) {
	slices.SortStableFunc(list, func(a, b *candidate) int {
		x, y := t.score(a), t.score(b)
		if t.goal.Most {
			x, y = y, x
		}
		return cmp.Compare(x, y)
	})
}

// regret returns by what part the best candidate of all is better than one, if the store has every point.
func (t *tuner) regret(found *candidate) (float64, bool) {
	best := t.score(found)
	var read inputs
	for _, c := range t.all {
		whole := candidate{}
		for _, p := range c.points {
			l, err := t.study.prepare(p)
			if err != nil {
				return 0, false
			}
			key, err := l.key(t.how.Version, &read)
			var o Outcome
			if err != nil || !t.how.Store.Get(key, &o) {
				return 0, false
			}
			whole.values = append(whole.values, t.valueOf(o))
		}
		if s := t.score(&whole); t.better(s, best) {
			best = s
		}
	}
	return math.Abs(t.score(found)-best) / best, true
}
