// Package suite builds and runs programs of public suites from a user's checkout as timed programs, and makes one table of the results. A
// data file describes a suite: where each program is, how to build it, and its arguments at each size. The command suite uses the package.
package suite

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/internal/yamllimits"
)

//go:embed *.yaml
var known embed.FS

// Suite is a suite's file.
type Suite struct {
	Name string `yaml:"name"`
	// Source is where to get a checkout, Marker a file that identifies one.
	Source, Marker string
	Programs       []Program
}

// Program is one program. Build and Run are shell commands in its folder; SIZE is the text of the size. Programs without a text for a size
// are left out at that size.
type Program struct {
	Name, Folder, Build, Run string
	Sizes                    map[string]string
}

// mostBytes bounds a suite's file.
const mostBytes = 1 << 20

// Names returns the suites that come with keplersim.
func Names() []string {
	entries, _ := fs.ReadDir(known, ".")
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Load reads a suite by name, or from a user's own file.
func Load(name string) (*Suite, error) {
	text, err := known.ReadFile(name + ".yaml")
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = files.Read(name, mostBytes); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no suite and no file %s; suites are %s", name, strings.Join(Names(), ", "))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read the suite: %w", err)
	}
	s := &Suite{}
	if err := yamllimits.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, p := range s.Programs {
		if p.Name == "" || p.Build == "" || p.Run == "" || len(p.Sizes) == 0 || !filepath.IsLocal(p.Folder) {
			return nil, fmt.Errorf("%s: program %q needs a name, a folder in the checkout, build, run and sizes", name, p.Name)
		}
	}
	return s, nil
}

// Check returns an error if a folder is no checkout of the suite.
func (s *Suite) Check(checkout string) error {
	if _, err := os.Stat(filepath.Join(checkout, filepath.FromSlash(s.Marker))); err != nil {
		return fmt.Errorf("%s is no checkout of %s: it has no %s; git clone %s", checkout, s.Name, s.Marker, s.Source)
	}
	return nil
}

// Sizes returns the sizes of the suite's programs, sorted.
func (s *Suite) Sizes() []string {
	all := map[string]bool{}
	for _, p := range s.Programs {
		for size := range p.Sizes {
			all[size] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
