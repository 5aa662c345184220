package validation

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed rows/*.yaml
var rowFiles embed.FS

// rowFile is one file of rows.
type rowFile struct {
	Tolerance float64    `yaml:"tolerance"` // percent; a row may have its own
	Unit      string     `yaml:"unit"`
	Source    string     `yaml:"source"`
	Rows      []rowEntry `yaml:"rows"`
}

// rowEntry is a measurement as written in the file: one experiment, on one board or several.
type rowEntry struct {
	Name       string       `yaml:"name"`
	Title      string       `yaml:"title"`
	Unit       string       `yaml:"unit"`
	Source     string       `yaml:"source"`
	Tolerance  *float64     `yaml:"tolerance"`
	Quick      bool         `yaml:"quick"`
	Missing    string       `yaml:"missing"`
	Experiment experiment   `yaml:"experiment"`
	On         []boardEntry `yaml:"on"`
}

// boardEntry is a measurement on one board.
type boardEntry struct {
	Config   string   `yaml:"config"`
	Set      []string `yaml:"set"`
	Note     string   `yaml:"note"` // distinguishes two measurements on one board in the row's name
	Measured Value    `yaml:"measured"`
	Source   string   `yaml:"source"`
}

// Rows returns all measurements: those of rows/*.yaml by file and place, then those of kernels.csv.
func Rows() ([]*Row, error) {
	files, err := rowFiles.ReadDir("rows")
	if err != nil {
		return nil, fmt.Errorf("rows of validation: %w", err)
	}
	var rows []*Row
	for _, file := range files {
		data, err := rowFiles.ReadFile("rows/" + file.Name())
		if err != nil {
			return nil, fmt.Errorf("rows of validation: %w", err)
		}
		list, err := parseRows(file.Name(), data)
		if err != nil {
			return nil, err
		}
		rows = append(rows, list...)
	}
	kernels, err := kernelRows()
	if err != nil {
		return nil, err
	}
	rows = append(rows, kernels...)
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.Name] {
			return nil, fmt.Errorf("two rows of validation are named %s", r.Name)
		}
		seen[r.Name] = true
	}
	return rows, nil
}

// Groups returns the groups of rows, in order.
func Groups(rows []*Row) []string {
	var groups []string
	for _, r := range rows {
		if g := r.Group(); !slices.Contains(groups, g) {
			groups = append(groups, g)
		}
	}
	return groups
}

// parseRows reads one file of rows; unknown keys are errors.
func parseRows(name string, data []byte) ([]*Row, error) {
	var file rowFile
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&file); err != nil {
		return nil, fmt.Errorf("rows/%s: %w", name, err)
	}
	var rows []*Row
	for i := range file.Rows {
		e := &file.Rows[i]
		if !strings.Contains(e.Name, "/") || len(e.On) == 0 || e.Title == "" {
			return nil, fmt.Errorf("rows/%s: row %d (%q): name is GROUP/NAME, title and on are required", name, i+1, e.Name)
		}
		if e.Missing == "" {
			if err := e.Experiment.check(); err != nil {
				return nil, fmt.Errorf("rows/%s: %s: %w", name, e.Name, err)
			}
		}
		for _, b := range e.On {
			row := &Row{
				Name: e.Name + "@" + b.Config, Title: e.Title, Config: b.Config, Overrides: b.Set, Unit: orElse(e.Unit, file.Unit),
				Measured: b.Measured, Tolerance: file.Tolerance, Source: orElse(b.Source, orElse(e.Source, file.Source)), Quick: e.Quick,
				Missing: e.Missing, experiment: &e.Experiment,
			}
			if b.Note != "" {
				row.Name += "," + b.Note
			}
			if e.Tolerance != nil {
				row.Tolerance = *e.Tolerance
			}
			if row.Unit == "" || row.Source == "" {
				return nil, fmt.Errorf("rows/%s: %s has no unit or no source", name, row.Name)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
