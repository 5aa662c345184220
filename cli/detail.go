package cli

import (
	"fmt"
	"slices"
	"strings"
)

// details are the values of --detail, how much of a run is timed. full is an older name of all; --functional, --sample and --sample=time
// are those of none, sample and time.
var details = []string{"auto", "all", "sample", "time", "none", "full"}

// detailValue is the value of --detail.
type detailValue struct{ run *runOptions }

// String returns what was given.
func (d detailValue) String() string {
	if d.run == nil {
		return ""
	}
	return d.run.program.detail
}

// Set takes what the user gave.
func (d detailValue) Set(text string) error {
	if !slices.Contains(details, text) {
		return fmt.Errorf("choose %s", strings.Join(details[:5], ", "))
	}
	d.run.program.detail, d.run.functional, d.run.sample = text, text == "none", ""
	switch text {
	case "sample":
		d.run.sample = sampleResults
	case "time":
		d.run.sample = sampleTime
	}
	return nil
}

// Type returns what nameValues replaces by the name of the value.
func (d detailValue) Type() string { return "string" }

// checkDetail refuses two flags that say how much is timed.
func (o *runOptions) checkDetail() error {
	for _, name := range []string{"functional", "sample"} {
		if o.changed("detail") && o.changed(name) {
			return fmt.Errorf("--detail %s and --%s both say how much is timed: give one of them", o.program.detail, name)
		}
	}
	return nil
}
