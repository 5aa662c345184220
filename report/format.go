package report

import (
	"errors"
	"io"

	"github.com/keplersim/keplersim/internal/format"
	"github.com/keplersim/keplersim/internal/registry"
)

// runFormat is a way to write the report of one run, and those of several.
type runFormat struct {
	one     func(io.Writer, *Run) error
	several func(io.Writer, []*Run) error
}

// formats are the ways to write a report; text is the usual one.
var formats = registry.NewKind[runFormat]("report format")

// RegisterFormat makes a format available to --format by name. Each format's file calls it once, in its init. several writes the reports
// of one workload on one chip after another; where it is nil, they stand one below the other.
func RegisterFormat(name, does string, one func(io.Writer, *Run) error, several func(io.Writer, []*Run) error) {
	if several == nil {
		several = func(w io.Writer, runs []*Run) error {
			for _, r := range runs {
				if err := one(w, r); err != nil {
					return err
				}
			}
			return nil
		}
	}
	formats.Register(name, does, runFormat{one, several})
}

// Formats returns the names of the formats, the usual one first.
func Formats() []string {
	names := []string{"text"}
	for _, name := range registry.Names("report format") {
		if name != names[0] {
			names = append(names, name)
		}
	}
	return names
}

// CheckFormat refuses a name that is no format.
func CheckFormat(name string) error { return format.Check(name, Formats()) }

// Write writes a run's report in a format.
func Write(w io.Writer, format string, r *Run) error { return WriteAll(w, format, []*Run{r}) }

// WriteAll writes the reports of one run or several in a format. Several are, as text, one after another with a comparison in the end; as
// JSON, a list; as CSV and source lines, lines below one head, which say their chip.
func WriteAll(w io.Writer, format string, runs []*Run) error {
	if err := CheckFormat(format); err != nil {
		return err
	}
	f, err := formats.Find(format)
	switch {
	case err != nil:
	case len(runs) == 1:
		err = f.one(w, runs[0])
	default:
		err = f.several(w, runs)
	}
	for _, r := range runs {
		err = errors.Join(err, r.kept())
	}
	return err
}
