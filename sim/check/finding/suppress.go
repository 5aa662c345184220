package finding

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/internal/yamllimits"
)

// Suppression hides known, intended findings. All fields that are set must match.
type Suppression struct {
	// Rule is a rule's name, Kernel a kernel's; * matches anything.
	Rule   string `yaml:"rule"`
	Kernel string `yaml:"kernel"`
	// At is file or file:line of one of the accesses. A file without a folder matches in any.
	At string `yaml:"at"`
	// Name is the variable or allocation accessed; * matches anything.
	Name string `yaml:"name"`
	// Reason says why the finding is not a mistake.
	Reason string `yaml:"reason"`
}

// Suppressions is the list in a file.
type Suppressions []Suppression

// ParseSuppressions parses a list in YAML. file is for messages.
func ParseSuppressions(file string, text []byte) (list Suppressions, err error) {
	if err := yamllimits.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i, s := range list {
		if s == (Suppression{Reason: s.Reason}) {
			return nil, fmt.Errorf("%s: entry %d names no rule, kernel, place or variable", file, i+1)
		}
		if !strings.Contains(s.Rule, "*") && s.Rule != "" && Find(s.Rule) == nil {
			return nil, fmt.Errorf("%s: entry %d: there is no rule %q (docs/checks.md lists them)", file, i+1, s.Rule)
		}
		for _, pattern := range []string{s.Rule, s.Kernel, s.Name} {
			if _, err := path.Match(pattern, ""); err != nil {
				return nil, fmt.Errorf("%s: entry %d: %q: %w", file, i+1, pattern, err)
			}
		}
	}
	return list, nil
}

// Keep reports whether no suppression matches a finding.
func (list Suppressions) Keep(f *Finding) bool {
	for i := range list {
		if list[i].fits(f) {
			return false
		}
	}
	return true
}

func (s *Suppression) fits(f *Finding) bool {
	kernel, at := s.Kernel == "", s.At == ""
	for i := range f.Places {
		kernel = kernel || matches(s.Kernel, f.Places[i].Kernel)
		at = at || s.place(&f.Places[i])
	}
	return kernel && at && (s.Rule == "" || matches(s.Rule, f.Rule.ID)) && (s.Name == "" || matches(s.Name, f.Name) || matches(s.Name,
		strings.SplitN(f.Name, "+", 2)[0]))
}

func matches(pattern, text string) bool {
	ok, err := path.Match(pattern, text)
	return ok && err == nil
}

// place reports whether a place is in the file, and at the line if given.
func (s *Suppression) place(p *Place) bool {
	file, line := s.At, 0
	if i := strings.LastIndexByte(s.At, ':'); i >= 0 {
		if n, err := strconv.Atoi(s.At[i+1:]); err == nil {
			file, line = s.At[:i], n
		}
	}
	same := func(of string, at int) bool {
		return (of == file || !strings.Contains(file, "/") && path.Base(of) == file) && (line == 0 || at == line)
	}
	return same(p.File, p.Line) || same(p.PTXFile, p.PTXLine)
}
