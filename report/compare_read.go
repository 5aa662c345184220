package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/keplersim/keplersim/internal/files"
)

// Saved is a report that JSON wrote, read back for a comparison.
type Saved struct {
	Name     string         `json:"-"` // what a comparison calls it
	rows     []string       // of a study, those that failed, a sentence each
	Launches []*SavedLaunch `json:"kernels"` // those of a run that are alike are one
	Checks   []jsonCheck    `json:"checks"`
	Results  []jsonResult   `json:"results"`
	Passed   *bool          `json:"passed"`
	Failure  string         `json:"failure"`
	Hazards  []jsonHazard   `json:"hazards"`

	Workload   string `json:"workload"`
	Config     string `json:"config"`
	ConfigHash string `json:"config_hash"`
	Host       struct {
		Seconds float64 `json:"seconds"`
	} `json:"wall_clock"`
	Timeline []jsonInterval `json:"timeline"`
	HostUS   float64        `json:"host_us"`
	DeviceUS float64        `json:"device_us"`
}

// Run returns what drawings of a run need of a report that was saved: its name, its chip and its timeline, nil where it has none.
func (s *Saved) Run() *Run {
	r := &Run{Workload: s.Workload, Config: s.Config}
	if len(s.Timeline) == 0 {
		return r
	}
	r.Timeline = &Timeline{HostUS: s.HostUS, DeviceUS: s.DeviceUS}
	for i := range s.Timeline {
		r.Timeline.Intervals = append(r.Timeline.Intervals, s.Timeline[i].interval())
	}
	return r
}

// SavedLaunch is a launch of such a report.
type SavedLaunch struct {
	jsonLaunch
	Metrics map[string]float64 `json:"metrics"` // in place of those to be written, whose order matters
}

// busiest is the unit that was busy for most of the time; "" where none is told.
func (l *SavedLaunch) busiest() string {
	if len(l.Units) == 0 {
		return ""
	}
	return l.Units[0].Name
}

// busy is for what part of the time a unit was busy, 0 to 1; ok is false where the launch was not timed.
func (l *SavedLaunch) busy(unit string) (part float64, ok bool) {
	for _, u := range l.Units {
		if u.Name == unit {
			return u.Busy, true
		}
	}
	return 0, !l.Functional
}

// errNoReport is in the chain of errors of files that hold something else.
var errNoReport = errors.New("is not a report of a run: keplersim run --format json -o REPORT.json FILE writes one")

// MostSaved bounds a report that is read, in bytes: thousands of launches.
const MostSaved = 128 << 20

// ReadSaved reads the reports of files, in their order. They are called by their files' names, without what all have alike.
func ReadSaved(paths []string) ([]Saved, error) {
	names := shortNames(paths)
	all := make([]Saved, len(paths))
	for i, file := range paths {
		text, err := files.ReadNamed(file, "read a report", MostSaved)
		if err != nil {
			return nil, err
		}
		all[i], err = readSaved(bytes.NewReader(text))
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
	for i, l := range s.Launches {
		if l == nil {
			s.Launches[i] = &SavedLaunch{}
		}
	}
	switch {
	case s.Launches == nil:
		return Saved{}, errNoReport
	case len(s.Launches) == 0:
		return Saved{}, errors.New("has no launch")
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
