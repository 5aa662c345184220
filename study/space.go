package study

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
)

// Point is one point of a study's space.
type Point struct {
	// File is run on the configuration Board.
	File, Board string
	// Values are the values of the study's axes, in their order.
	Values []string
}

// Points returns the points that meet the study's conditions, in a fixed order: by file, then by board; the last axis varies fastest.
func (s *Study) Points() ([]Point, error) {
	combinations, err := s.combinations()
	if err != nil {
		return nil, err
	}
	if total := len(combinations) * len(s.Files) * len(s.Boards); total > mostPoints {
		return nil, fmt.Errorf("%s: there are %d points, more than %d: take a sample, as in sample: {latin-hypercube: 1000}", s.Path, total,
			mostPoints)
	}
	var points []Point
	for _, file := range s.Files {
		for _, board := range s.Boards {
			for _, values := range combinations {
				p := Point{File: file, Board: board, Values: values}
				ok, err := s.holds(p)
				if err != nil {
					return nil, err
				}
				if ok {
					points = append(points, p)
				}
			}
		}
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("%s: no point holds the conditions of when", s.Path)
	}
	return points, nil
}

// combinations returns the combinations of the axes' values: all, or a sample.
func (s *Study) combinations() ([][]string, error) {
	if s.Sample != nil {
		return s.sampled(), nil
	}
	total := 1
	for _, a := range s.Axes {
		if total *= len(a.Values); total > mostPoints {
			return nil, fmt.Errorf("%s: the axes have more than %d points: take a sample, as in sample: {latin-hypercube: 1000}", s.Path,
				mostPoints)
		}
	}
	all := make([][]string, total)
	for i := range all {
		all[i] = make([]string, len(s.Axes))
		rest := i
		for n := len(s.Axes) - 1; n >= 0; n-- {
			values := s.Axes[n].Values
			all[i][n] = values[rest%len(values)]
			rest /= len(values)
		}
	}
	return all, nil
}

// sampled selects points at random, without repetition. A Latin hypercube of n points divides each axis into n equal parts and takes one
// point from each.
func (s *Study) sampled() [][]string {
	source := rand.New(rand.NewPCG(s.Sample.Seed, 0))
	n := s.Sample.Points
	columns := make([][]string, len(s.Axes))
	for a, axis := range s.Axes {
		strata := source.Perm(n)
		for i := range n {
			at := source.Float64()
			if s.Sample.Method == "latin-hypercube" {
				at = (float64(strata[i]) + at) / float64(n)
			}
			columns[a] = append(columns[a], axis.Values[min(int(at*float64(len(axis.Values))), len(axis.Values)-1)])
		}
	}
	var all [][]string
	seen := map[string]bool{}
	for i := range n {
		var values []string
		for a := range s.Axes {
			values = append(values, columns[a][i])
		}
		if key := strings.Join(values, "\x00"); !seen[key] {
			seen[key] = true
			all = append(all, values)
		}
	}
	return all
}

// holds reports whether a point meets the conditions.
func (s *Study) holds(p Point) (bool, error) {
	if len(s.When) == 0 {
		return true, nil
	}
	names := s.names(p)
	for _, condition := range s.When {
		program, err := expr.Compile(condition, expr.Env(names), expr.AsBool())
		if err != nil {
			return false, fmt.Errorf("%s: when: %s: %s", s.Path, condition, firstLine(err.Error()))
		}
		result, err := expr.Run(program, names)
		if err != nil {
			return false, fmt.Errorf("%s: when: %s: %s", s.Path, condition, firstLine(err.Error()))
		}
		if holds, _ := result.(bool); !holds {
			return false, nil
		}
	}
	return true, nil
}

// names returns the variables of conditions: the axes, where dots lead into mappings, the board and the file's name. If parameters of a
// policy are axes too, the policy itself is smx.scheduler.name.
func (s *Study) names(p Point) map[string]any {
	all := map[string]any{"board": p.Board, "workload": Title(p.File)}
	for i, a := range s.Axes {
		parts := strings.Split(a.Name, ".")
		at := all
		for _, part := range parts[:len(parts)-1] {
			inner, ok := at[part].(map[string]any)
			if !ok {
				inner = map[string]any{}
				if name, ok := at[part]; ok {
					inner["name"] = name
				}
				at[part] = inner
			}
			at = inner
		}
		last := parts[len(parts)-1]
		if inner, ok := at[last].(map[string]any); ok {
			at, last = inner, "name"
		}
		at[last] = typed(p.Values[i])
	}
	return all
}

// typed returns a value as a number or a truth value if it is one.
func typed(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	if b, err := strconv.ParseBool(text); err == nil {
		return b
	}
	return text
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
