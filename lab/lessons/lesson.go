package lessons

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/yamllimits"
	"github.com/keplersim/keplersim/lab/exercise"
)

// Lesson is one lesson.
type Lesson struct {
	Slug    string `json:"slug" yaml:"-"` // the file's name without its number and ending
	Title   string `json:"title" yaml:"title"`
	Summary string `json:"summary" yaml:"summary"`
	Minutes int    `json:"minutes" yaml:"minutes"` // reading time
	// Claim is the section of NVIDIA's Kepler Tuning Guide that the lesson demonstrates, "" for none.
	Claim string `json:"claim,omitempty" yaml:"claim"`
	// Today says in a sentence what differs on today's GPUs.
	Today string `json:"today,omitempty" yaml:"today"`
	// HTML is the text. It has elements for cells, scenes, exercises and questions, which the page makes live.
	HTML      string               `json:"html" yaml:"-"`
	Cells     []*exercise.Cell     `json:"cells" yaml:"-"`
	Scenes    []*Scene             `json:"scenes,omitempty" yaml:"-"`
	Exercises []*exercise.Exercise `json:"exercises" yaml:"-"`
	file      string
}

// Exercise returns the exercise of a name; "" means the only one.
func (l *Lesson) Exercise(name string) (*exercise.Exercise, error) {
	var names []string
	for _, e := range l.Exercises {
		if e.Name == name || name == "" && len(l.Exercises) == 1 {
			return e, nil
		}
		names = append(names, e.Name)
	}
	if name == "" {
		return nil, fmt.Errorf("%s has %d exercises: name one of %s", l.file, len(names), strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("%s has no exercise %q; it has %s", l.file, name, strings.Join(names, ", "))
}

// Cell returns the cell of a name, nil if there is none.
func (l *Lesson) Cell(name string) *exercise.Cell {
	for _, c := range l.Cells {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// ReadFile reads a lesson from a file of the host.
func ReadFile(name string) (*Lesson, error) {
	text, err := files.Read(name, mostBytes)
	if err != nil {
		return nil, fmt.Errorf("read the lesson: %w", err)
	}
	return Parse(name, text)
}

// mostBytes bounds a lesson's text.
const mostBytes = 1 << 20

// ReadAll reads all lessons of a folder, sorted by name: 01-warps.md comes before 02-latency.md. It skips README.md.
func ReadAll(folder fs.FS) ([]*Lesson, error) {
	if _, err := fs.Stat(folder, "."); err != nil {
		return nil, fmt.Errorf("list the lessons: the folder cannot be read: %w", err)
	}
	names, err := fs.Glob(folder, "*.md")
	if err != nil {
		return nil, fmt.Errorf("list the lessons: %w", err)
	}
	slices.Sort(names)
	var all []*Lesson
	for _, name := range names {
		if strings.EqualFold(name, "README.md") {
			continue
		}
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("read the lesson: %w", err)
		}
		l, err := Parse(name, text)
		if err != nil {
			return nil, err
		}
		for _, other := range all {
			if other.Slug == l.Slug {
				return nil, fmt.Errorf("%s and %s are both called %s", other.file, name, l.Slug)
			}
		}
		if err := errors.Join(l.findCompiled(folder), l.checkLaunches()); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the folder has no lessons: a lesson is a Markdown file, NUMBER-NAME.md")
	}
	return all, nil
}

// Parse reads a lesson's text. Errors name the file and the line.
func Parse(name string, text []byte) (*Lesson, error) {
	l := &Lesson{file: name}
	l.Slug = strings.TrimLeft(strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), path.Ext(name)), "0123456789-")
	head, body, first, ok := frontMatter(text)
	if !ok {
		return nil, fmt.Errorf("%s:1: a lesson begins with a line of ---, its title and minutes, and another line of ---", name)
	}
	if err := yamllimits.Unmarshal(head, l); err != nil {
		return nil, yamlError(name, 1, err)
	}
	if l.Title == "" || l.Minutes <= 0 {
		return nil, fmt.Errorf("%s:1: a lesson has a title, and minutes above 0", name)
	}
	if err := l.render(body, first); err != nil {
		return nil, err
	}
	return l, l.check()
}

// yamlError returns an error with the position of a mistake in YAML; the YAML begins after a line of the file.
func yamlError(name string, line int, err error) error {
	mistake, ok := err.(yaml.Error) //nolint:errorlint // the library returns it as it is
	if !ok || mistake.GetToken() == nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	what := mistake.GetMessage()
	if wrong := new(yaml.TypeError); errors.As(err, &wrong) {
		kind := "text"
		switch wrong.DstType.Kind() {
		case reflect.Int, reflect.Float64:
			kind = "a number"
		case reflect.Bool:
			kind = "true or false"
		case reflect.Slice:
			kind = "a list"
		case reflect.Struct:
			kind = "a section"
		}
		what = fmt.Sprintf("%q is not %s", mistake.GetToken().Value, kind)
	}
	return fmt.Errorf("%s:%d: %s", name, line+mistake.GetToken().Position.Line, what)
}

// frontMatter splits a text into the part between its first two lines of --- and the rest, which begins at line first.
func frontMatter(text []byte) (head, body []byte, first int, ok bool) {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	rest, found := bytes.CutPrefix(text, []byte("---\n"))
	if !found {
		return nil, nil, 0, false
	}
	head, body, found = bytes.Cut(rest, []byte("\n---\n"))
	return head, body, 3 + bytes.Count(head, []byte("\n")) + 1, found
}

// check checks that exercises and cells fit each other.
func (l *Lesson) check() error {
	for _, c := range l.Cells {
		if c.Text == "" || c.Workload == "" {
			return fmt.Errorf("%s: cell %s needs both: a block of code (cell=%s) and a workload (workload=%s)",
				l.file, c.Name, c.Name, c.Name)
		}
		if (c.Language == exercise.Scheduler) != (c.Fixed != nil) {
			return fmt.Errorf("%s: a scheduler (scheduler cell=%s) and the kernel that runs under it (cuda module=%s) need each other",
				l.file, c.Name, c.Name)
		}
	}
	if err := l.checkScenes(); err != nil {
		return err
	}
	for _, e := range l.Exercises {
		place := fmt.Sprintf("%s:%d: exercise %s", l.file, e.Line, e.Name)
		switch {
		case e.Line == 0:
			return fmt.Errorf("%s: exercise %s has an answer and no task", l.file, e.Name)
		case e.Task == "":
			return fmt.Errorf("%s has no task", place)
		case l.Cell(e.Cell) == nil:
			return fmt.Errorf("%s is on cell %q, which the lesson does not have", place, e.Cell)
		case e.Answer.Text == "":
			return fmt.Errorf("%s has no model answer (a block answer=%s)", place, e.Name)
		}
		for _, b := range e.Bounds {
			if !exercise.Known(b.Metric) {
				return fmt.Errorf("%s: no metric is called %q (keplersim metrics lists them, docs/metrics.md the cycles)",
					place, b.Metric)
			}
			if b.Below == nil && b.Above == nil {
				return fmt.Errorf("%s: the bound on %s says neither below nor above", place, b.Metric)
			}
		}
	}
	return nil
}
