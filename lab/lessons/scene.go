package lessons

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/lab/engine"
	"github.com/keplersim/keplersim/lab/exercise"
)

// Scene is a picture that the page draws from runs of a cell. One handle changes the kernel, its launch or the chip.
type Scene struct {
	Kind string `json:"kind" yaml:"-"` // one of SceneKinds
	Cell string `json:"cell" yaml:"-"`
	Look string `json:"look" yaml:"look"` // what to look at
	// Handle names the thing that the handle changes; "" means that there is no handle.
	Handle string   `json:"handle,omitempty" yaml:"handle"`
	Values []string `json:"values,omitempty" yaml:"values"`
	Start  string   `json:"start,omitempty" yaml:"start"` // "" starts at the first value
	// Change is a piece of the kernel's or the workload's text; the value replaces its last number. Set is a key of the configuration that
	// takes the value. A handle has one of the two.
	Change string `json:"change,omitempty" yaml:"change"`
	Set    string `json:"set,omitempty" yaml:"set"`
	// Cycles is how many cycles of an SMX the drawing needs.
	Cycles int64 `json:"cycles" yaml:"-"`
	// Recorded is the site's file with the recorded response for the first value, "" for none.
	Recorded string `json:"recorded,omitempty" yaml:"-"`

	line int
}

// SceneKinds are the drawings in web/scenes.js.
var SceneKinds = []string{"divergence", "coalescing", "banks", "occupancy", "dual-issue", "streams"}

// lastNumber matches the number that a value replaces, as in web/scene.js.
var lastNumber = pattern.Lazy(`\d+(\D*)$`)

// cyclesOf returns how many cycles a kind of scene needs. Streams are drawn from the report of whole launches; lanes until their warp ends.
func cyclesOf(kind string) int64 {
	switch kind {
	case "streams":
		return 1
	case "divergence":
		return 4000
	}
	return 3000
}

// Begin returns the first value of the handle, "" if there is no handle.
func (s *Scene) Begin() string {
	if s.Start == "" && len(s.Values) > 0 {
		return s.Values[0]
	}
	return s.Start
}

// Request returns the run of a cell with a value of the handle. kernel is the code that it runs. If the value changes the kernel's text,
// both lack the PTX.
func (s *Scene) Request(c *exercise.Cell, value string) (q *engine.Request, kernel *exercise.Code) {
	text, workload := s.Turned(c, value)
	turned := exercise.Cell{Code: *c.Kernel(), Workload: workload}
	if text != turned.Text {
		turned.Text, turned.PTX = text, ""
	}
	q = turned.Request(turned.PTX)
	if s.Set != "" && value != "" {
		q.Set = []string{s.Set + "=" + value}
	}
	q.Watch = &engine.Watch{Cycles: s.Cycles}
	return q, &turned.Code
}

// Turned returns the texts of a cell's kernel and workload with a value of the handle filled in.
func (s *Scene) Turned(c *exercise.Cell, value string) (kernel, workload string) {
	kernel = c.Kernel().Text
	if s.Change == "" {
		return kernel, c.Workload
	}
	piece := lastNumber().ReplaceAllString(s.Change, value+"${1}")
	return strings.ReplaceAll(kernel, s.Change, piece), strings.ReplaceAll(c.Workload, s.Change, piece)
}

// checkScenes checks that scenes fit the cells that they draw.
func (l *Lesson) checkScenes() error {
	for _, s := range l.Scenes {
		place := fmt.Sprintf("%s:%d: scene %s", l.file, s.line, s.Kind)
		cell := l.Cell(s.Cell)
		switch {
		case !slices.Contains(SceneKinds, s.Kind):
			return fmt.Errorf("%s: there is no such scene; there are %s", place, strings.Join(SceneKinds, ", "))
		case cell == nil:
			return fmt.Errorf("%s is of cell %q, which the lesson does not have", place, s.Cell)
		case s.Look == "":
			return fmt.Errorf("%s does not say what to look at (look)", place)
		case s.Handle == "":
			continue
		case len(s.Values) < 2 || (s.Change == "") == (s.Set == ""):
			return fmt.Errorf("%s: a handle needs at least two values, and either change or set", place)
		case s.Start != "" && !slices.Contains(s.Values, s.Start):
			return fmt.Errorf("%s starts at %s, which is not among its values", place, s.Start)
		case s.Change != "" && !lastNumber().MatchString(s.Change):
			return fmt.Errorf("%s changes %q, which has no number", place, s.Change)
		case !strings.Contains(cell.Kernel().Text+"\n"+cell.Workload, s.Change):
			return fmt.Errorf("%s changes %q, which neither the kernel nor the workload of cell %s has", place, s.Change, s.Cell)
		case s.Set != "" && !slices.ContainsFunc(configs.Keys(), func(k configs.Key) bool { return k.Path == s.Set }):
			return fmt.Errorf("%s sets %q, which is not a key of the configuration", place, s.Set)
		}
	}
	return nil
}
