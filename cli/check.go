package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/sim/check/finding"
)

// checkFlags adds the flags for --check.
func checkFlags(f *pflag.FlagSet, o *runOptions) {
	f.StringVar(&o.check, "check", "",
		"look for mistakes in kernels: all, or some of memory, races, init and sync with commas between them "+
			"(docs/checks.md); without timing, unless --detail all asks for it")
	f.Lookup("check").NoOptDefVal = "all"
	f.StringVar(&o.suppressions, "suppressions", "", "leave findings of --check out that this file lists")
	f.IntVar(&o.schedules, "check-schedules", 0, "with --check, also run in this many other legal orders of warps and blocks, "+
		"and report results that depend on the order")
	f.IntVar(&o.checkExitCode, "check-exit-code", exitFailed, "with --check, the exit code of a run that it found mistakes in")
	f.StringVar(&o.baseline, "check-baseline", "", "findings of --check that this file has are known, and fail no run; "+
		"--format sarif -o FILE writes one")
	o.changed = f.Changed
}

// checkFailure is the error of a run whose checks found mistakes, with the exit code that the user chose.
type checkFailure struct {
	error
	code int
}

// parseChecks parses the flags for --check.
func (o *runOptions) parseChecks() (err error) {
	if o.checks, err = finding.ParseSet(o.check); err != nil {
		return fmt.Errorf("--check: %w", err)
	}
	o.timed = o.changed("functional") && !o.functional || o.program.detail == "all"
	switch {
	case o.schedules < 0:
		return errors.New("--check-schedules must be 0 or more")
	case o.schedules > 0 && (o.checks == finding.None || o.timed):
		return errors.New("--check-schedules needs --check, without timing")
	}
	if o.checkExitCode < 0 || o.checkExitCode > 255 {
		return fmt.Errorf("--check-exit-code %d: exit codes are 0 to 255", o.checkExitCode)
	}
	if o.baseline != "" {
		if o.checks == finding.None {
			return errors.New("--check-baseline needs --check")
		}
		if o.known, err = report.ReadBaseline(o.baseline); err != nil {
			return fmt.Errorf("--check-baseline: %w", err)
		}
	}
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

// otherOrders runs a job in other orders of warps and blocks, and adds the findings to its result.
func (o *runOptions) otherOrders(cmd *cobra.Command, path string, options host.Options, job *host.Job, result *host.Result) error {
	more, err := job.Orders(cmd.Context(), o.schedules, result, func(seed uint64) (*host.Job, error) {
		again := options
		again.Simulator.Order, again.Simulator.Printf, again.Simulator.Observer = seed, io.Discard, nil
		return host.Open(cmd.Context(), path, again)
	})
	for _, f := range more {
		if o.suppressed.Keep(f) {
			result.Mistakes = append(result.Mistakes, f)
		}
	}
	return err
}
