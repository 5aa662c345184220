// Package version says which keplersim this is: its number, and, if the build records it, its commit.
package version

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// Number is the version of this tree, without the v of its tag. CHANGELOG.md has a section of this name.
const Number = "0.3.0"

const module = "github.com/keplersim/keplersim"

// Build describes a program.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`  // twelve digits; "" if the build does not record it
	Date    string `json:"date,omitempty"`    // of the commit, as in 2026-11-23
	Changed bool   `json:"changed,omitempty"` // files differed from the commit
	Schema  int    `json:"report_schema"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// pseudo is a version that Go makes from a commit: its time and hash.
var pseudo = regexp.MustCompile(`[-.](\d{4})(\d\d)(\d\d)\d{6}-([0-9a-f]{12})(\+dirty)?$`)

// Of returns what Go recorded when it built a program; info is nil if it recorded nothing. A build in a clone records the commit. After go
// install, the module's version has the commit; of a tagged version, only the number is known. schema is the version of JSON reports.
func Of(info *debug.BuildInfo, schema int) Build {
	b := Build{Version: Number, Schema: schema, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info == nil {
		return b
	}
	ours := info.Main
	for _, d := range info.Deps { // for a program of another module, with its own policies
		if d.Path == module {
			ours = *d
		}
	}
	if m := pseudo.FindStringSubmatch(ours.Version); m != nil {
		b.Date, b.Commit, b.Changed = m[1]+"-"+m[2]+"-"+m[3], m[4], m[5] != ""
	}
	if info.Main.Path != module {
		return b // the version-control settings are the other module's
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value[:min(12, len(s.Value))]
		case "vcs.time":
			b.Date, _, _ = strings.Cut(s.Value, "T")
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}

// This returns what is known about the running program. It leaves out the version of JSON reports, for documents with a version of their
// own.
func This() Build {
	info, _ := debug.ReadBuildInfo() // nil if Go recorded nothing
	return Of(info, 0)
}

// Short returns the version for a cell of a table: 0.3.0+af959bd82a1c.dirty, or the number alone if the commit is unknown.
func (b Build) Short() string {
	text := b.Version
	if b.Commit != "" {
		text += "+" + b.Commit
	}
	if b.Changed {
		text += ".dirty"
	}
	return text
}

// String returns one line, without the program's name.
func (b Build) String() string {
	commit := "commit " + cmp.Or(b.Commit, "unknown")
	if b.Date != "" {
		commit += " of " + b.Date
	}
	if b.Changed {
		commit += " with changes"
	}
	return fmt.Sprintf("%s, %s, report schema %d, %s %s/%s", b.Version, commit, b.Schema, b.Go, b.OS, b.Arch)
}
