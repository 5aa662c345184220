package cli

import (
	"fmt"
	"slices"
	"strings"
)

// details are the values of --detail, which says how much of a run is timed. full is an older name of all. --functional, --sample and
// --sample=time are older forms of none, sample and time.
var details = []string{"auto", "all", "sample", "time", "none", "full"}

// detailValue is --detail as a flag's value.
type detailValue struct{ run *runOptions }

// String returns the given value.
func (d detailValue) String() string {
	if d.run == nil {
		return ""
	}
	return d.run.program.detail
}

// Set takes the given value.
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

// Type returns "string", so that nameValues replaces it by a name for the value.
func (d detailValue) Type() string { return "string" }

// checkDetail returns an error if two flags say how much is timed.
func (o *runOptions) checkDetail() error {
	for _, name := range []string{"functional", "sample"} {
		if o.changed("detail") && o.changed(name) {
			return fmt.Errorf("--detail %s and --%s both say how much is timed: give one of them", o.program.detail, name)
		}
	}
	return nil
}
