package study

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/yamllimits"
)

// Bounds of a study: of its file and its name in bytes, of its points, and of the entries of folders that its patterns look at. A folder of
// ten thousand files is looked at in 10 ms; what is written as ../../*/*/*.yaml by mistake, or by somebody else, would walk the disk.
const (
	mostText    = 1 << 20
	mostName    = 100
	mostPoints  = 1_000_000
	mostEntries = 20_000
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

	boardFiles map[string]string // where boards of a bundle are that it has the files of
}

// boardFile returns the name under which a board is loaded.
func (s *Study) boardFile(board string) string { return cmp.Or(s.boardFiles[board], board) }

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
	data, err := files.ReadNamed(path, "read the study", mostText)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads the text of a study; path is for messages, and where the files that it names lie.
func Parse(path string, data []byte) (*Study, error) {
	return parseWith(path, data, func(names []string) ([]string, error) { return findFiles(path, names) })
}

// parseWith is Parse with another way to find what is run.
func parseWith(path string, data []byte, find func(names []string) ([]string, error)) (*Study, error) {
	var t text
	switch err := yamllimits.Unmarshal(data, &t); {
	case errors.As(err, new(*yamllimits.Refused)):
		return nil, fmt.Errorf("%s: %w", path, err)
	case err != nil:
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
		if err := checkStudyName(s.Name); err != nil {
			problem("the file's name is the study's, which %w; rename it, or give the study a name", err)
		}
	} else if err := checkStudyName(s.Name); err != nil {
		problems = append(problems, fmt.Errorf("%s: name: the study's name %w", at(path, data, "$.name"), err))
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
	found, err := find(t.Run)
	if err != nil {
		problem("run: %w", err)
	}
	s.Files = found
	for _, item := range t.Vary {
		axis, err := parseAxis(fmt.Sprint(item.Key), item.Value)
		if err != nil {
			problem("vary: %s: %w", axis.Name, err)
		}
		if slices.ContainsFunc(s.Axes, func(a Axis) bool { return a.Name == axis.Name }) {
			problem("vary: %s appears twice", axis.Name)
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

// at returns a file with the line and column of a value in it.
func at(path string, data []byte, value string) string {
	if p, err := yaml.PathString(value); err == nil {
		if node, err := p.ReadNode(bytes.NewReader(data)); err == nil {
			position := node.GetToken().Position
			return fmt.Sprintf("%s:%d:%d", path, position.Line, position.Column)
		}
	}
	return path
}

// checkStudyName refuses a name that is no name of a folder, which keplersim sweep --slurm makes of it, or does not stay on its line in
// a script.
func checkStudyName(name string) error {
	switch {
	case command.CheckLine("", name) != nil:
		return fmt.Errorf("holds a control character: %q", name)
	case strings.ContainsAny(name, `/\`) || name == "." || name == "..":
		return fmt.Errorf("is %q, and not one name of a folder; leave slashes out", name)
	case len(name) > mostName:
		return fmt.Errorf("is longer than %d bytes", mostName)
	}
	return nil
}

// findFiles resolves the names and patterns of what is run, from the folder of the study's file.
func findFiles(study string, names []string) (list []string, err error) {
	if len(names) == 0 {
		return nil, errors.New("name what is run, as in run: [kernel.yaml]; patterns such as workloads/*/*.yaml name several")
	}
	looked := 0
	for _, name := range names {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(study), path)
		}
		found, err := match(path, &looked)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("there is no file %s", path)
		}
		for _, f := range found {
			if !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	return list, nil
}

// match is filepath.Glob that looks at so many entries of folders at most; looked counts them over several patterns.
func match(pattern string, looked *int) ([]string, error) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, err
	}
	if !strings.ContainsAny(pattern, `*?[\`) {
		if _, err := os.Lstat(pattern); err != nil {
			return nil, nil
		}
		return []string{pattern}, nil
	}
	folder, last := filepath.Split(pattern)
	if strings.Contains(last, "**") {
		return nil, errors.New("** does not go into folders of folders; write a * for each of them, as in */*.yaml")
	}
	folders := []string{filepath.Clean(folder)}
	if strings.ContainsAny(folder, `*?[\`) {
		var err error
		if folders, err = match(strings.TrimRight(folder, string(filepath.Separator)), looked); err != nil {
			return nil, err
		}
	}
	var found []string
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			continue
		}
		names, err := entries(folder, mostEntries-*looked)
		if err != nil {
			return nil, err
		}
		*looked += len(names)
		for _, name := range names {
			if matches, _ := filepath.Match(last, name); matches {
				found = append(found, filepath.Join(folder, name))
			}
		}
	}
	return found, nil
}

// entries returns the names in a folder in their order. More than so many are refused; a folder that cannot be read has none.
func entries(folder string, most int) ([]string, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	names, err := f.Readdirnames(most + 1)
	if len(names) > most {
		return nil, fmt.Errorf("the patterns go through more than %d files and folders; name the folders, or fewer of them", mostEntries)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil
	}
	slices.Sort(names)
	return names, nil
}

// parseSample reads how points are chosen.
func parseSample(items yaml.MapSlice) (*Sample, error) {
	s := &Sample{Seed: 1}
	for _, item := range items {
		n, ok := toInt(item.Value)
		if !ok || n < 0 {
			return nil, fmt.Errorf("%v is not a number of points or seed", item.Value)
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
