package cli

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/keplersim/keplersim/sim/check/finding"
)

// checkFlags are the flags of what a run looks for.
func checkFlags(f *pflag.FlagSet, o *runOptions) {
	f.StringVar(&o.check, "check", "",
		"look for mistakes in kernels: all, or some of memory, races, init and sync with commas between them "+
			"(docs/checks.md); without timing, unless --functional=false asks for it")
	f.Lookup("check").NoOptDefVal = "all"
	f.StringVar(&o.suppressions, "suppressions", "", "leave findings of --check out that this file lists")
	o.changed = f.Changed
}

// parseChecks reads what a run looks for.
func (o *runOptions) parseChecks() (err error) {
	if o.checks, err = finding.ParseSet(o.check); err != nil {
		return fmt.Errorf("--check: %w", err)
	}
	o.timed = o.changed != nil && o.changed("functional") && !o.functional
	if o.suppressions == "" {
		return nil
	}
	text, err := os.ReadFile(o.suppressions)
	if err != nil {
		return fmt.Errorf("--suppressions: %w", err)
	}
	if o.suppressed, err = finding.ParseSuppressions(o.suppressions, text); err != nil {
		return fmt.Errorf("--suppressions: %w", err)
	}
	return nil
}
