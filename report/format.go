package report

import (
	"errors"
	"io"

	"github.com/keplersim/keplersim/internal/format"
	"github.com/keplersim/keplersim/internal/registry"
)

// runFormat writes the report of one run, and the reports of several.
type runFormat struct {
	one     func(io.Writer, *Run) error
	several func(io.Writer, []*Run) error
}

// formats are the formats of reports; text is the default.
var formats = registry.NewKind[runFormat]("report format")

// RegisterFormat makes a format available to --format. Each format's file calls it once, in its init. several writes the reports of one
// workload on several chips; nil writes them one after another.
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

// Formats returns the names of the formats, the default first.
func Formats() []string {
	names := []string{"text"}
	for _, name := range registry.Names("report format") {
		if name != names[0] {
			names = append(names, name)
		}
	}
	return names
}

// CheckFormat returns an error for a name that is no format.
func CheckFormat(name string) error { return format.Check(name, Formats()) }

// Write writes a run's report in a format.
func Write(w io.Writer, format string, r *Run) error { return WriteAll(w, format, []*Run{r}) }

// WriteAll writes the reports of one or more runs in a format. As text, several follow each other with a comparison at the end. As JSON,
// they are a list. As CSV and source lines, they share one head line, and each line names its chip.
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
