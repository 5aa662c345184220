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
	Name     string // what a comparison calls it
	Workload string
	Config   string
	Launches []SavedLaunch
}

// SavedLaunch is what a comparison tells of a launch.
type SavedLaunch struct {
	Name, Symbol, Config               string
	Grid, Block                        [3]int
	Registers, SharedBytes, LocalBytes int // a thread, a block, a thread
	Functional                         bool
	Cycles                             uint64
	TimeUS                             float64
	Theoretical, Achieved              float64 // occupancy, 0 to 1
	Limiters                           []string
	Busiest                            string // unit; "" where none is told
	Busy                               float64
	Metrics                            map[string]float64
}

// savedRun and savedLaunch are the members of jsonRun and jsonLaunch that a comparison needs.
type savedRun struct {
	Workload string        `json:"workload"`
	Config   string        `json:"config"`
	Kernels  []savedLaunch `json:"kernels"`
}

type savedLaunch struct {
	Name          string             `json:"name"`
	Symbol        string             `json:"symbol"`
	Config        string             `json:"config"`
	Grid          [3]int             `json:"grid"`
	Block         [3]int             `json:"block"`
	Registers     int                `json:"registers"`
	StaticShared  int                `json:"static_shared_bytes"`
	DynamicShared int                `json:"dynamic_shared_bytes"`
	LocalBytes    int                `json:"local_bytes"`
	Functional    bool               `json:"functional"`
	Cycles        uint64             `json:"cycles"`
	TimeUS        float64            `json:"time_us"`
	Occupancy     jsonOccupancy      `json:"occupancy"`
	Metrics       map[string]float64 `json:"metrics"`
	Units         []jsonUnit         `json:"units"`
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
func readSaved(r io.Reader) (Saved, error) {
	var in savedRun
	if err := json.NewDecoder(r).Decode(&in); err != nil {
		return Saved{}, fmt.Errorf("%w (%w)", errNoReport, err)
	}
	if in.Kernels == nil {
		return Saved{}, errNoReport
	}
	out := Saved{Workload: in.Workload, Config: in.Config}
	for _, k := range in.Kernels {
		l := SavedLaunch{
			Name: k.Name, Symbol: k.Symbol, Config: k.Config, Grid: k.Grid, Block: k.Block, Registers: k.Registers, SharedBytes: k.StaticShared + k.DynamicShared,
			LocalBytes: k.LocalBytes, Functional: k.Functional, Cycles: k.Cycles, TimeUS: k.TimeUS, Theoretical: k.Occupancy.Theoretical, Achieved: k.Occupancy.Achieved,
			Limiters: k.Occupancy.Limiters, Metrics: k.Metrics,
		}
		if len(k.Units) > 0 {
			l.Busiest, l.Busy = k.Units[0].Name, k.Units[0].Busy
		}
		out.Launches = append(out.Launches, l)
	}
	if len(out.Launches) == 0 {
		return Saved{}, errors.New("tells of no launch")
	}
	return out, nil
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
