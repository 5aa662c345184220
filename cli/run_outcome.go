package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/smx"
)

// printNotes prints a job's notes if the report's format has no place for them.
func (o *runOptions) printNotes(cmd *cobra.Command, job *host.Job) {
	if o.format == "csv" || o.format == "source" {
		for _, n := range job.Notes {
			fmt.Fprintln(cmd.ErrOrStderr(), "note:", n)
		}
	}
}

// outcome returns what is wrong with a run, nil if nothing is. It writes the dumps of a complete run.
func (o *runOptions) outcome(ctx context.Context, job *host.Job, result *host.Result, err error, dumps [][2]string) error {
	if refused := new(host.Refused); errors.As(err, &refused) {
		return err
	}
	if err != nil {
		return runFailure{describeRunError(ctx, err, job.Notes)}
	}
	for _, d := range dumps {
		if err := job.Dump(d[0], d[1]); err != nil {
			return runFailure{fmt.Errorf("--dump: %w", err)}
		}
		job.Log().Info("dump", slog.String("buffer", d[0]), slog.String("file", d[1]))
	}
	return errors.Join(o.mistakes(result.Mistakes), o.verdict(result))
}

// mistakes returns the error for a run whose checks found mistakes, not only warnings. It lists them unless the report shows them.
func (o *runOptions) mistakes(list []*finding.Finding) error {
	n := finding.Errors(list)
	switch {
	case n == 0:
		return nil
	case report.ShowsMistakes(o.format) && o.output == "":
		return checkFailure{fmt.Errorf("the checks found %s (see above)", countedMistakes(n)), o.checkExitCode}
	}
	var all []string
	for _, f := range list {
		all = append(all, f.String())
	}
	return checkFailure{errors.New(strings.Join(all, "\n")), o.checkExitCode}
}

func countedMistakes(n int) string {
	if n == 1 {
		return "1 mistake"
	}
	return fmt.Sprintf("%d mistakes", n)
}

// kernelOutputWriter returns where a kernel's own output goes: standard output, unless a report for programs goes there.
func (o *runOptions) kernelOutputWriter(cmd *cobra.Command) io.Writer {
	if !report.ForPeople(o.format) && o.output == "" {
		return cmd.ErrOrStderr()
	}
	return cmd.OutOrStdout()
}

// describeRunError explains an error of a run: that the user stopped it, or that an access may have failed because the arguments were made
// up.
func describeRunError(ctx context.Context, err error, notes []string) error {
	madeUp := slices.ContainsFunc(notes, func(note string) bool { return strings.HasPrefix(note, host.MadeUp) })
	if fault := new(smx.Fault); madeUp && errors.As(err, &fault) && (fault.Kind == smx.FaultAddress || fault.Kind == smx.FaultAlignment) {
		return fmt.Errorf("%w\n  keplersim made up parts of the launch (see the notes), and these may not suit the kernel: give --grid, "+
			"--block and --arg, or a workload file", err)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted; the report has what ran until then: %w", err)
	}
	return err
}

// verdict returns the error for wrong results. It lists them unless the report shows them.
func (o *runOptions) verdict(result *host.Result) error {
	if len(result.Mismatches) == 0 {
		return nil
	}
	if report.ForPeople(o.format) && o.output == "" {
		return runFailure{fmt.Errorf("%d of %d checked buffers differ from the expected result", len(result.Mismatches),
			len(result.Checked))}
	}
	var all []error
	for _, m := range result.Mismatches {
		all = append(all, errors.New(m.String()))
	}
	return runFailure{errors.Join(all...)}
}
