package workload

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Repeat repeats steps: the loop of a host program.
type Repeat struct {
	Times int    // rounds, at least 1; with Until, the most
	Until *Until // nil: all rounds
	Steps []Step
}

// Element is one element of a buffer, with its value at the time of reading.
type Element struct {
	Buffer string
	Index  int64
}

// Until is a condition that ends a repetition. It is evaluated after each round.
type Until struct {
	Element  Element
	Compare  string // a key of comparisons
	Value    Number
	Position Position
}

// Count is a number that changes from round to round.
type Count struct {
	Type  Type
	Start Number
	// Change says how By makes a round's number from the one before: "step" adds it, "times" multiplies by it, "divide" divides by it. ""
	// keeps the number.
	Change string
	By     Number
}

// comparisons are the conditions for an element, by their keys.
var comparisons = map[string]func(float64, float64) bool{
	"equals":   func(a, b float64) bool { return a == b },
	"not":      func(a, b float64) bool { return a != b },
	"below":    func(a, b float64) bool { return a < b },
	"above":    func(a, b float64) bool { return a > b },
	"at_least": func(a, b float64) bool { return a >= b },
	"at_most":  func(a, b float64) bool { return a <= b },
}

// changes compute a count's number in a round, from 0, by their keys.
var changes = map[string]struct {
	whole func(start, by int64, round int) int64
	float func(start, by float64, round int) float64
}{
	"step": {
		func(start, by int64, round int) int64 { return start + int64(round)*by },
		func(start, by float64, round int) float64 { return start + float64(round)*by },
	},
	"times":  {repeated(func(a, b int64) int64 { return a * b }), repeated(func(a, b float64) float64 { return a * b })},
	"divide": {repeated(func(a, b int64) int64 { return a / b }), repeated(func(a, b float64) float64 { return a / b })},
}

// repeated applies an operation once a round, until it changes nothing.
func repeated[T int64 | float64](operation func(a, b T) T) func(start, by T, round int) T {
	return func(v, by T, round int) T {
		for range round {
			next := operation(v, by)
			if next == v {
				break
			}
			v = next
		}
		return v
	}
}

// Met tells whether an element's bytes, read from the buffer, meet the condition.
func (u *Until) Met(t Type, raw []byte) bool {
	return comparisons[u.Compare](numberOf(t, t.get(raw)).float(), u.Value.float())
}

// String formats the condition as in a workload file.
func (u *Until) String() string {
	return fmt.Sprintf("{element: [%s, %d], %s: %v}", u.Element.Buffer, u.Element.Index, u.Compare, u.Value)
}

// numberOf is an element's value.
func numberOf(t Type, bits uint64) Number {
	switch {
	case t.IsFloat():
		return Number{IsFloat: true, Float: t.floatValue(bits)}
	case t.IsSigned():
		return integer(t.signed(bits))
	}
	return Number{Magnitude: bits}
}

// At is the count's number in a round, from 0.
func (c *Count) At(round int) (Number, error) {
	change, ok := changes[c.Change]
	if !ok {
		return c.Start, nil
	}
	if c.Type.IsFloat() {
		return Number{IsFloat: true, Float: change.float(c.Start.float(), c.By.float(), round)}, nil
	}
	n := integer(change.whole(int64(c.Start.wrapped()), int64(c.By.wrapped()), round))
	if _, err := n.bits(c.Type); err != nil {
		return n, fmt.Errorf("round %d: %w", round+1, err)
	}
	return n, nil
}

// At returns the argument's value in a round, from 0: the one whose turn it is of rotating arguments, a count's number, or the value that
// read gives for a buffer's element.
func (a Argument) At(round int, read func(Element) (Type, []byte, error)) (Argument, error) {
	switch {
	case a.Rotate != nil:
		return a.Rotate[round%len(a.Rotate)].At(round, read)
	case a.Count != nil:
		n, err := a.Count.At(round)
		return Argument{Type: a.Count.Type, Value: n, Position: a.Position}, err
	case a.Element != nil:
		t, raw, err := read(*a.Element)
		if err != nil {
			return a, err
		}
		return Argument{Type: t, Value: numberOf(t, t.get(raw)), Position: a.Position}, nil
	case a.Members != nil:
		members := slices.Clone(a.Members)
		for i := range members {
			var err error
			if members[i], err = members[i].At(round, read); err != nil {
				return a, err
			}
		}
		a.Members = members
	}
	return a, nil
}

// ArgumentsAt returns a launch's arguments in a round, from 0.
func (l *Launch) ArgumentsAt(round int, read func(Element) (Type, []byte, error)) ([]Argument, error) {
	all := make([]Argument, len(l.Args))
	for i, a := range l.Args {
		var err error
		if all[i], err = a.At(round, read); err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
	}
	return all, nil
}

// Each calls visit with the argument and all arguments within it.
func (a Argument) Each(visit func(Argument)) {
	visit(a)
	for _, inner := range slices.Concat(a.Rotate, a.Members) {
		inner.Each(visit)
	}
}

// EachStep calls visit for all steps in order, repeated ones once.
func EachStep(steps []Step, visit func(*Step)) {
	for i := range steps {
		visit(&steps[i])
		if repeat := steps[i].Repeat; repeat != nil {
			EachStep(repeat.Steps, visit)
		}
	}
}

// changing formats an argument that changes from round to round; "" for others.
func (a Argument) changing() string {
	switch {
	case a.Rotate != nil:
		words := make([]string, len(a.Rotate))
		for i, turn := range a.Rotate {
			words[i] = turn.String()
		}
		return fmt.Sprintf("{rotate: [%s]}", strings.Join(words, ", "))
	case a.Count != nil && a.Count.Change == "":
		return fmt.Sprintf("{count: {%s: %v}}", a.Count.Type, a.Count.Start)
	case a.Count != nil:
		return fmt.Sprintf("{count: {%s: %v, %s: %v}}", a.Count.Type, a.Count.Start, a.Count.Change, a.Count.By)
	case a.Element != nil:
		return fmt.Sprintf("{element: [%s, %d]}", a.Element.Buffer, a.Element.Index)
	}
	return ""
}

// repeat reads a step that repeats others.
func (r *reader) repeat(w *Workload, n ast.Node, events map[string]bool) *Repeat {
	repeat := &Repeat{Times: 1}
	if r.nested++; r.nested > mostNested {
		r.fail(position(n), "repetitions within each other are %d at most", mostNested)
		return repeat
	}
	defer func() { r.nested-- }()
	seen := r.mapping(n, "repeat", fields{
		"times": func(v ast.Node) { repeat.Times = int(r.whole(v, "times of repeat", 1, mostRounds)) },
		"until": func(v ast.Node) { repeat.Until = r.until(w, v) },
		"steps": func(v ast.Node) { repeat.Steps = r.stepList(w, v, events) },
	})
	if !seen["times"] || !seen["steps"] {
		r.fail(position(n), "a repetition needs times, which is the most rounds where it has until, and steps, as in {times: 100, "+
			"steps: [{launch: …}]}")
	}
	return repeat
}

// Limits of repetitions.
const (
	mostRounds = 1 << 30
	mostNested = 8
	mostSteps  = 100_000 // in a file, repeated ones once
)

// until reads a condition.
func (r *reader) until(w *Workload, n ast.Node) *Until {
	u := &Until{Position: position(n)}
	known := fields{"element": func(v ast.Node) { u.Element = r.element(w, v, "element of until") }}
	for _, key := range sortedKeys(comparisons) {
		known[key] = func(v ast.Node) {
			if u.Compare != "" {
				r.fail(position(v), "until has %s and %s: one comparison decides", u.Compare, key)
			}
			u.Compare = key
			u.Value, _ = r.number(v, key+" of until")
		}
	}
	if seen := r.mapping(n, "until", known); !seen["element"] || u.Compare == "" {
		r.fail(position(n), "until needs an element and one of %s, as in {element: [changed, 0], equals: 0}",
			strings.Join(sortedKeys(comparisons), ", "))
	}
	return u
}

// element reads [buffer, index].
func (r *reader) element(w *Workload, n ast.Node, what string) (e Element) {
	count := 0
	r.list(n, what, func(i int, v ast.Node) {
		count++
		switch i {
		case 0:
			e.Buffer = r.bufferName(w, v, what)
		case 1:
			e.Index = r.whole(v, "the index of "+what, 0, MaxBufferBytes)
		}
	})
	b, ok := w.Buffer(e.Buffer)
	switch {
	case count != 2:
		r.fail(position(n), "%s is [buffer, index], not %d entries", what, count)
	case ok && e.Index >= b.Count:
		r.fail(position(n), "%s: %s has %d elements, so the last is %d", what, b.what(), b.Count, b.Count-1)
	}
	return e
}

// rotation reads arguments that take turns.
func (r *reader) rotation(w *Workload, n ast.Node) []Argument {
	turns := []Argument{}
	if r.rotating {
		r.fail(position(n), "rotate within rotate: write all turns in one list")
		return []Argument{{Type: "u32"}}
	}
	r.rotating = true
	r.list(n, "rotate", func(_ int, v ast.Node) { turns = append(turns, r.argument(w, v)) })
	r.rotating = false
	if len(turns) < 2 {
		r.fail(position(n), "rotate has arguments that take turns, as in {rotate: [a, b]}")
		turns = append(turns, Argument{Type: "u32"})
	}
	return turns
}

// count reads {TYPE: START, step: BY}.
func (r *reader) count(n ast.Node) *Count {
	c := &Count{}
	known := fields{}
	for _, t := range typeNames {
		known[t] = func(v ast.Node) {
			if c.Type != "" {
				r.fail(position(v), "a count has one type, not %s and %s", c.Type, t)
			}
			c.Type = Type(t)
			c.Start, _ = r.number(v, "count")
		}
	}
	for _, key := range sortedKeys(changes) {
		known[key] = func(v ast.Node) {
			if c.Change != "" {
				r.fail(position(v), "a count changes in one way, not by %s and %s", c.Change, key)
			}
			c.Change = key
			c.By, _ = r.number(v, key+" of a count")
		}
	}
	r.mapping(n, "count", known)
	if err := c.check(); err != nil {
		r.fail(position(n), "a count: %v", err)
		return &Count{Type: "u32"}
	}
	return c
}

func (c *Count) check() error {
	if c.Type == "" || c.Change == "" {
		return fmt.Errorf(
			"it has a type with its start, and one of %s, as in {count: {u32: 0, step: 1}}", strings.Join(sortedKeys(changes), ", "),
		)
	}
	if _, err := c.Start.bits(c.Type); err != nil {
		return err
	}
	if !c.Type.IsFloat() && c.By.IsFloat {
		return fmt.Errorf("%s: %v is not an integer, as type %s needs", c.Change, c.By, c.Type)
	}
	if by := c.By.float(); c.Change == "divide" && by == 0 || math.IsNaN(by) {
		return errors.New("it cannot be divided by zero")
	}
	return nil
}
