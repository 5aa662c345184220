package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Saved is a report that JSON wrote, read back for a comparison.
type Saved struct {
	Name     string        `json:"-"` // what a comparison calls it
	Launches []SavedLaunch `json:"kernels"`
}

// SavedLaunch is a launch of such a report.
type SavedLaunch struct {
	jsonLaunch
	Metrics map[string]float64 `json:"metrics"` // in place of those to be written, whose order matters
}

// busiest is the unit that was busy for most of the time, with the part of it; "" where none is told.
func (l *SavedLaunch) busiest() (unit string, busy float64) {
	if len(l.Units) == 0 {
		return "", 0
	}
	return l.Units[0].Name, l.Units[0].Busy
}

// errNoReport is in the chain of errors of files that hold something else.
var errNoReport = errors.New("is no report of a run: keplersim run --format json -o REPORT.json FILE writes one")

// ReadSaved reads the reports of files, in their order. They are called by their files' names, without what all have alike.
func ReadSaved(files []string) ([]Saved, error) {
	names := shortNames(files)
	all := make([]Saved, len(files))
	for i, file := range files {
		f, err := os.Open(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: there is no such file", file)
		} else if err != nil {
			return nil, fmt.Errorf("read a report: %w", err)
		}
		all[i], err = readSaved(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s %w", file, err)
		}
		all[i].Name = names[i]
	}
	return all, nil
}

// readSaved reads one report.
func readSaved(r io.Reader) (s Saved, err error) {
	if err := json.NewDecoder(r).Decode(&s); err != nil {
		return Saved{}, fmt.Errorf("%w (%w)", errNoReport, err)
	}
	switch {
	case s.Launches == nil:
		return Saved{}, errNoReport
	case len(s.Launches) == 0:
		return Saved{}, errors.New("tells of no launch")
	}
	return s, nil
}

// shortNames are the files' names without folders and ending, or their paths where those are alike.
func shortNames(files []string) []string {
	names := make([]string, len(files))
	seen := map[string]bool{}
	for i, file := range files {
		names[i] = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		if seen[names[i]] {
			return files
		}
		seen[names[i]] = true
	}
	return names
}
