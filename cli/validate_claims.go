package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	report "github.com/keplersim/keplersim/report/validation"
	"github.com/keplersim/keplersim/validation"
)

// asksForRows reports whether a flag or argument is about rows.
func (o *validateOptions) asksForRows() bool {
	return len(o.groups) > 0 || len(o.rows) > 0 || o.quick || o.list || o.staircase != "" || o.plot != ""
}

// runClaims runs the tuning guide's claims and writes the results.
func (o *validateOptions) runClaims(cmd *cobra.Command) error {
	if o.asksForRows() || len(o.overrides) > 0 {
		return errors.New("--claims runs no rows: leave out groups and the flags of rows")
	}
	var results []validation.ClaimResult
	err := writeReport(cmd, o.output, func(out *reportFile) (err error) {
		progress, done := validateProgress(cmd.ErrOrStderr())
		results, err = validation.RunClaims(cmd.Context(), validation.Options{Progress: progress})
		done()
		if err != nil {
			return runFailure{err}
		}
		return report.WriteClaims(out, o.format, results)
	})
	if err != nil {
		return err
	}
	for _, r := range results {
		if o.strict && !r.Holds {
			return runFailure{fmt.Errorf("the claim %s does not hold (--strict)", r.Claim.Name)}
		}
	}
	return nil
}
