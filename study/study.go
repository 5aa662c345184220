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

// Bounds of a study: its file and its name in bytes, its points, and the folder entries that its patterns look at. A folder of ten thousand
// files takes 10 ms to look at; a mistaken or hostile pattern such as ../../*/*/*.yaml would walk the whole disk.
const (
	mostText    = 1 << 20
	mostName    = 100
	mostPoints  = 1_000_000
	mostEntries = 20_000
)

// Study is a space of points and the metrics wanted for each.
type Study struct {
	// Path is the file that the study was read from; files that it names are relative to its folder.
	Path string
	// Name is for people; by default the file's name.
	Name string
	// Files are run at each point: PTX, CUDA C or workload files.
	Files []string
	// Boards are names or files of configurations.
	Boards []string
	// Kernel restricts the run to one kernel of each file; "" runs everything that a workload launches.
	Kernel string
	// Axes are the things that vary, in the order of the file.
	Axes []Axis
	// Sample selects some of the points; nil takes all.
	Sample *Sample
	// When are conditions; a point that fails one is not run.
	When []string
	// Metrics are the columns of the table.
	Metrics []string
	// Functional runs without timing. MaxCycles ends launches that run longer; 0 is the simulator's own bound.
	Functional bool
	MaxCycles  int64

	boardFiles map[string]string // for boards of a bundle: the files in it, by name
}

// boardFile returns the name or file from which a board is loaded.
func (s *Study) boardFile(board string) string { return cmp.Or(s.boardFiles[board], board) }

// Axis is one thing that varies, with its values in order.
type Axis struct {
	Name   string
	Values []string
}

// Sample selects points where there are too many.
type Sample struct {
	// Method is random or latin-hypercube.
	Method string
	// Points is how many points of the axes' space are taken, for each file on each board.
	Points int
	// Seed determines the choice.
	Seed uint64
}

// defaultMetrics are the metrics of a study that names none.
var defaultMetrics = []string{"cycles", "time_us", "ipc", "achieved_occupancy"}

// text is a study as in its file.
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

// Parse reads the text of a study. path is for messages, and files that the study names are relative to its folder.
func Parse(path string, data []byte) (*Study, error) {
	return parseWith(path, data, func(names []string) ([]string, error) { return findFiles(path, names) })
}

// parseWith is Parse with a function that finds the files to run.
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

// at returns path:line:column of a value in a file.
func at(path string, data []byte, value string) string {
	if p, err := yaml.PathString(value); err == nil {
		if node, err := p.ReadNode(bytes.NewReader(data)); err == nil {
			position := node.GetToken().Position
			return fmt.Sprintf("%s:%d:%d", path, position.Line, position.Column)
		}
	}
	return path
}

// checkStudyName checks that a name can be a folder's name, which keplersim sweep --slurm makes of it, and stays on its line in a script.
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

// findFiles resolves the names and patterns of the files to run, relative to the folder of the study's file.
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

// match is filepath.Glob with a bound on the folder entries that it looks at; looked counts them over several patterns.
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

// entries returns the sorted names in a folder. It fails if there are more than most; a folder that cannot be read has none.
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

// parseSample reads how to select points.
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
