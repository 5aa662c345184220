package lessons

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/exercise"
)

// Finding is a mistake in a lesson, or advice.
type Finding struct {
	Line   int // of the lesson's file, 0 for the whole
	Text   string
	Advice bool // the lesson works without it
}

// nearBound is how near to a bound an answer's value may be, as a part of the bound, before Inspect warns: a change of the model could move
// it across.
const nearBound = 0.01

// inspection runs everything in a lesson and collects findings.
type inspection struct {
	lesson   *Lesson
	limits   engine.Limits
	findings []Finding
	host     error // an error of the host, not of the lesson
}

// Inspect runs everything in a lesson and returns its mistakes, by line. An error is the host's own. Mistakes are:
//
//   - kernels that do not compile or run, and launches of kernels that are missing,
//   - answers that fail, wrong answers that pass, and exercises whose starting text already passes,
//   - scenes that cannot be drawn.
func (l *Lesson) Inspect(ctx context.Context, limits engine.Limits) ([]Finding, error) {
	i := &inspection{lesson: l, limits: limits}
	if err := l.checkLaunches(); err != nil {
		i.say(0, "%s", strings.TrimPrefix(err.Error(), l.file+": "))
	}
	for _, c := range l.Codes() {
		i.compile(ctx, c)
	}
	for _, c := range l.Cells {
		i.cell(ctx, c)
	}
	for _, e := range l.Exercises {
		i.exercise(ctx, e)
	}
	for _, s := range l.Scenes {
		i.scene(ctx, s)
	}
	i.adviseAdditions()
	slices.SortStableFunc(i.findings, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
	return i.findings, i.host
}

func (i *inspection) say(line int, format string, values ...any) {
	i.findings = append(i.findings, Finding{Line: line, Text: fmt.Sprintf(format, values...)})
}

func (i *inspection) advise(line int, format string, values ...any) {
	i.say(line, format, values...)
	i.findings[len(i.findings)-1].Advice = true
}

// compile compiles a text that has no PTX yet.
func (i *inspection) compile(ctx context.Context, c *exercise.Code) {
	if c.PTX != "" || c.Text == "" {
		return
	}
	ptx, err := engine.Compile(ctx, c.Text)
	if err == nil {
		c.PTX = ptx
		return
	}
	line, _ := engine.Place(err.Error())
	i.say(c.Line+max(0, line-1), "it does not compile: %s", firstLine(err.Error()))
}

// cell runs a cell unchanged.
func (i *inspection) cell(ctx context.Context, c *exercise.Cell) {
	inUse := slices.ContainsFunc(i.lesson.Exercises, func(e *exercise.Exercise) bool { return e.Cell == c.Name })
	if !strings.Contains("\n"+c.Workload, "\nexpect:") && inUse {
		i.say(c.Line, "the workload of cell %s expects nothing (expect), so that a wrong answer can pass", c.Name)
	}
	if r := i.run(ctx, c.Line, c.Request(c.PTX)); r != nil && len(r.Wrong) > 0 && !inUse {
		i.say(c.Line, "cell %s gives another result than its workload expects: %s", c.Name, firstLine(r.Wrong[0]))
	}
}

// run runs a request that has code, and reports errors. It returns nil if nothing ran.
func (i *inspection) run(ctx context.Context, line int, q *engine.Request) *engine.Response {
	if q.Files["kernel.ptx"] == "" {
		return nil // compile has reported it
	}
	r, err := engine.Run(ctx, q, i.limits)
	if err != nil {
		i.host = errors.Join(i.host, err)
		return nil
	}
	if r.Error != "" {
		i.say(line, "it does not run: %s", firstLine(r.Error))
		return nil
	}
	return r
}

// exercise grades an exercise's answers and its starting text.
func (i *inspection) exercise(ctx context.Context, e *exercise.Exercise) {
	cell := i.lesson.Cell(e.Cell)
	grade := func(c *exercise.Code) *exercise.Grade {
		if c.PTX == "" {
			return &exercise.Grade{}
		}
		g, err := e.Grade(ctx, cell, c.PTX, i.limits)
		if err != nil {
			i.host = errors.Join(i.host, err)
			return &exercise.Grade{}
		}
		return g
	}
	answer := grade(&e.Answer)
	for _, c := range answer.Checks {
		if !c.Passed {
			i.say(e.Answer.Line, "the model answer of %s is refused: %s: %s", e.Name, c.Name, firstLine(c.Detail))
		}
	}
	start := grade(&cell.Code)
	closely := func(g *exercise.Grade, passed bool, says string) {
		for _, c := range g.Checks {
			if c.Bound != nil && c.Passed == passed && (near(c.Value, c.Bound.Below) || near(c.Value, c.Bound.Above)) {
				i.advise(e.Line, says, e.Name, c.Name, c.Detail)
			}
		}
	}
	closely(answer, true, "the model answer of %s only just passes: %s: %s")
	closely(start, false, "what %s begins with nearly passes: %s: %s")
	switch {
	case e.Wrong.Text == "":
		i.say(e.Line, "exercise %s has no wrong answer (wrong=%s): nothing shows that its checks refuse one", e.Name, e.Name)
	case grade(&e.Wrong).Passed:
		i.say(e.Wrong.Line, "the wrong answer of %s passes", e.Name)
	}
	if start.Passed {
		i.say(e.Line, "exercise %s is solved as it stands", e.Name)
	}
	if len(e.Hints) == 0 {
		i.advise(e.Line, "exercise %s has no hints", e.Name)
	}
}

// near reports whether a value is very close to a bound. A value of exactly 100, as for 100 %, is no near miss.
func near(value float64, bound *float64) bool {
	return bound != nil && *bound != 0 && value != 100 && math.Abs(value-*bound) < nearBound*math.Abs(*bound)
}

// scene runs the cell of a scene at each value of its handle.
func (i *inspection) scene(ctx context.Context, s *Scene) {
	cell := i.lesson.Cell(s.Cell)
	values := s.Values
	if len(values) == 0 {
		values = []string{""}
	}
	for _, v := range values {
		q, kernel := s.Request(cell, v)
		if kernel.PTX == "" {
			i.compile(ctx, kernel)
			q.Files["kernel.ptx"] = kernel.PTX
		}
		q.Watch.Cycles = 1
		i.run(ctx, s.line, q)
	}
}

// adviseAdditions advises what a lesson could add.
func (i *inspection) adviseAdditions() {
	if len(i.lesson.Scenes) == 0 {
		i.advise(0, "the lesson has no picture (a block scene=KIND cell=NAME)")
	}
	if len(i.lesson.Exercises) == 0 {
		i.advise(0, "the lesson has no exercise")
	}
	if i.lesson.Today == "" {
		i.advise(0, "the lesson does not say what differs on today's GPUs (today)")
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
