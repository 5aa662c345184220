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

// Tuning describes a search for the best point of a space. A candidate is a board with values for the axes. Two thirds of the budget go to
// successive halving with files as the resource: a sample of candidates runs a few files, the better ones run more, until few have run all.
// The last third tries the neighbours of the best one on each axis, as long as one of them is better. K. Jamieson and A. Talwalkar,
// "Non-stochastic Best Arm Identification and Hyperparameter Optimization", 2016.
type Tuning struct {
	// Metric is minimised, or with Most maximised: its geometric mean over the files.
	Metric string
	Most   bool
	// Budget is the most points to look at. Of each rung's candidates, one in Keep goes on to the next.
	Budget, Keep int
	Seed         uint64
}

// Tuned is the best candidate found.
type Tuned struct {
	Board  string
	Values []string
	// Score is the geometric mean of the metric. Spent is how many points were looked at, of Points in the space.
	Score         float64
	Spent, Points int
	// Rungs are the steps of the halving.
	Rungs []Rung
	// Regret is by what part the best of the whole space is better. Known says whether the store has the whole space, so that Regret is
	// valid.
	Regret float64
	Known  bool
}

// Rung is a step of the halving: its candidates, the files that each has run, and the best score among them.
type Rung struct {
	Candidates, Files int
	Best              float64
}

// candidate is a board with values for the axes, and its results so far.
type candidate struct {
	points []Point // by file
	values []float64
	place  []int // index on each axis, the board first
}

// tuner is a search in progress.
type tuner struct {
	study *Study
	how   Run
	goal  Tuning
	all   []*candidate
	files int
	spent int
}

// Tune searches a study's space for the best point within a budget.
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

// collect groups the points into candidates. It drops candidates that lack a file because of a condition.
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

// cost returns the points that halving takes if it begins with n candidates.
func (t *tuner) cost(n int) (total int) {
	before := 0
	for _, size := range t.sizes() {
		total += n * (size - before)
		before, n = size, (n+t.goal.Keep-1)/t.goal.Keep
	}
	return total
}

// sizes returns how many files the candidates have run after each rung.
func (t *tuner) sizes() (sizes []int) {
	for size := t.files; ; size = (size + t.goal.Keep - 1) / t.goal.Keep {
		sizes = append(sizes, size)
		if size == 1 {
			slices.Reverse(sizes)
			return sizes
		}
	}
}

// halve returns the best candidate of a sample by successive halving, with two thirds of the budget.
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
	for _, c := range t.all { // all candidates run the files in the same order
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

// descend moves from a candidate to its best neighbour on any axis, as long as one is better and the budget lasts.
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

// distance returns the number of steps between two candidates, summed over the axes. Different boards are one step apart.
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

// evaluate runs the first size files of candidates, except those that they have run already.
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

// valueOf returns the metric of an outcome, or the worst possible value if the outcome is not OK.
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

// score returns the geometric mean of a candidate's results so far.
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

// sort sorts candidates, the best first; equal ones keep their order.
func (t *tuner) sort(list []*candidate) {
	slices.SortStableFunc(list, func(a, b *candidate) int {
		x, y := t.score(a), t.score(b)
		if t.goal.Most {
			x, y = y, x
		}
		return cmp.Compare(x, y)
	})
}

// regret returns by what part the best of all candidates is better than one. The result is valid, true, only if the store has every point.
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
