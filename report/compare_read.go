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

// Saved is a JSON report that was read back for a comparison.
type Saved struct {
	Name     string         `json:"-"` // its name in a comparison
	rows     []string       // of a study: failed rows, a sentence each
	Launches []*SavedLaunch `json:"kernels"` // equal launches of a run share one
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

// Run returns the part of a saved report that drawings need: its name, its chip and its timeline, nil if it has none.
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

// SavedLaunch is a launch of a saved report.
type SavedLaunch struct {
	jsonLaunch
	Metrics map[string]float64 `json:"metrics"` // replaces jsonLaunch's member, which keeps the order for writing
}

// busiest returns the unit that was busy for the largest part of the time; "" if unknown.
func (l *SavedLaunch) busiest() string {
	if len(l.Units) == 0 {
		return ""
	}
	return l.Units[0].Name
}

// busy returns the part of the time in which a unit was busy, 0 to 1. ok is false if the launch was not timed.
func (l *SavedLaunch) busy(unit string) (part float64, ok bool) {
	for _, u := range l.Units {
		if u.Name == unit {
			return u.Busy, true
		}
	}
	return 0, !l.Functional
}

// errNoReport is wrapped by errors about files that are not reports.
var errNoReport = errors.New("is not a report of a run: keplersim run --format json -o REPORT.json FILE writes one")

// MostSaved bounds a report that is read, in bytes: enough for thousands of launches.
const MostSaved = 128 << 20

// ReadSaved reads reports from files, in their order. Each is named after its file (see shortNames).
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

// shortNames returns the files' names without folder and extension, or the paths if those names are not unique.
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
