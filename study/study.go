package study

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/yamllimits"
)

// mostText bounds the file of a study, in bytes, and mostPoints the points of one.
const (
	mostText   = 1 << 20
	mostPoints = 1_000_000
)

// Study is a space of points, and what is wanted of each.
type Study struct {
	// Path is the file that it was read from; files that it names lie beside it.
	Path string
	// Name is for people; the file's name where it says none.
	Name string
	// Files are what is run at each point: PTX, CUDA C or workload files.
	Files []string
	// Boards are names of configurations, or their files.
	Boards []string
	// Kernel chooses one of each file's kernels; "" is all that a workload launches.
	Kernel string
	// Axes are what is varied, in the order of the file.
	Axes []Axis
	// Sample takes some of the points; nil takes all.
	Sample *Sample
	// When are conditions that a point must hold to be run.
	When []string
	// Metrics are the columns that are wanted.
	Metrics []string
	// Functional runs without timing. MaxCycles ends a launch that runs longer, 0 for the simulator's own bound.
	Functional bool
	MaxCycles  int64
}

// Axis is one thing that is varied, and its values in order.
type Axis struct {
	Name   string
	Values []string
}

// Sample is how points are chosen where there are too many.
type Sample struct {
	// Method is random or latin-hypercube.
	Method string
	// Points is how many are taken of the axes' space, for each file on each board.
	Points int
	// Seed makes another choice; the same seed makes the same.
	Seed uint64
}

// defaultMetrics are those of a study that names none.
var defaultMetrics = []string{"cycles", "time_us", "ipc", "achieved_occupancy"}

// text is a study as its file has it.
type text struct {
	Name       string        `yaml:"name"`
	Run        []string      `yaml:"run"`
	Boards     []string      `yaml:"boards"`
	Kernel     string        `yaml:"kernel"`
	Vary       yaml.MapSlice `yaml:"vary"`
	Sample     yaml.MapSlice `yaml:"sample"`
	When       []string      `yaml:"when"`
	Metrics    []string      `yaml:"metrics"`
	Functional bool          `yaml:"functional"`
	MaxCycles  int64         `yaml:"max_cycles"`
}

// Load reads the file of a study. Errors name the file and what to write instead.
func Load(path string) (*Study, error) {
	data, err := files.Read(path, mostText)
	if err != nil {
		return nil, fmt.Errorf("read the study: %w", err)
	}
	return Parse(path, data)
}

// Parse reads the text of a study; path is for messages, and where the files that it names lie.
func Parse(path string, data []byte) (*Study, error) {
	if err := yamllimits.Check(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var t text
	if err := yaml.UnmarshalWithOptions(data, &t, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s:%s", path, strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	s := &Study{
		Path: path, Name: t.Name, Boards: t.Boards, Kernel: t.Kernel, When: t.When, Metrics: t.Metrics, Functional: t.Functional,
		MaxCycles: t.MaxCycles,
	}
	var problems []error
	problem := func(format string, a ...any) { problems = append(problems, fmt.Errorf(path+": "+format, a...)) }
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	if len(s.Boards) == 0 {
		s.Boards = []string{"gk110"}
	}
	if len(s.Metrics) == 0 {
		s.Metrics = defaultMetrics
	}
	for _, name := range s.Metrics {
		if !known(name) {
			problem("metrics: there is no metric %s; keplersim metrics lists them", name)
		}
	}
	if err := s.findFiles(t.Run); err != nil {
		problem("run: %w", err)
	}
	for _, item := range t.Vary {
		axis, err := parseAxis(fmt.Sprint(item.Key), item.Value)
		if err != nil {
			problem("vary: %s: %w", axis.Name, err)
		}
		if slices.ContainsFunc(s.Axes, func(a Axis) bool { return a.Name == axis.Name }) {
			problem("vary: %s stands there twice", axis.Name)
		}
		s.Axes = append(s.Axes, axis)
	}
	if t.Sample != nil {
		var err error
		if s.Sample, err = parseSample(t.Sample); err != nil {
			problem("sample: %w", err)
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return s, nil
}

// findFiles resolves the names and patterns of what is run, which lie beside the study.
func (s *Study) findFiles(names []string) error {
	if len(names) == 0 {
		return errors.New("name what is run, as in run: [kernel.yaml]; patterns such as workloads/*/*.yaml name several")
	}
	for _, name := range names {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(s.Path), path)
		}
		found, err := filepath.Glob(path)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(found) == 0 {
			return fmt.Errorf("there is no file %s", path)
		}
		for _, f := range found {
			if !slices.Contains(s.Files, f) {
				s.Files = append(s.Files, f)
			}
		}
	}
	return nil
}

// parseSample reads how points are chosen.
func parseSample(items yaml.MapSlice) (*Sample, error) {
	s := &Sample{Seed: 1}
	for _, item := range items {
		n, ok := toInt(item.Value)
		if !ok || n < 0 {
			return nil, fmt.Errorf("%v is no number of points or seed", item.Value)
		}
		switch key := fmt.Sprint(item.Key); key {
		case "random", "latin-hypercube":
			if s.Method != "" {
				return nil, errors.New("give random or latin-hypercube, not both")
			}
			s.Method, s.Points = key, int(n)
		case "seed":
			s.Seed = uint64(n)
		default:
			return nil, fmt.Errorf("there is no %s; give random: POINTS or latin-hypercube: POINTS, and seed: NUMBER", key)
		}
	}
	if s.Points == 0 {
		return nil, errors.New("give random: POINTS or latin-hypercube: POINTS")
	}
	return s, nil
}
