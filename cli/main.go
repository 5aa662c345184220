package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/largepages"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/study"
	"github.com/keplersim/keplersim/toolchain"
)

// Exit codes.
const (
	exitRan      = 0 // the run ended, and every expectation was met
	exitFailed   = 1 // the run or an expectation failed
	exitBadInput = 2 // the input or the command line is wrong
)

// runFailure marks an error of the run itself, not of its input; the exit code is then exitFailed.
type runFailure struct{ error }

func (f runFailure) Unwrap() error { return f.error }

// Main runs the command line of this process and exits with the code that the commands' help promises.
func Main() {
	sampleAllocations(false)
	largepages.Plan(growHeap)
	collectLater()
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // ignored under nohup, and in background jobs of a script
			signal.Notify(signals, s)
		}
	}
	os.Exit(supervise(signals, os.Stderr, func(ctx context.Context) int { return execute(ctx, os.Args[1:], os.Stdout, os.Stderr) }))
}

// execute runs one command line and returns its exit code. A panic is a bug in the simulator: execute turns it into a report that a user
// can send.
func execute(ctx context.Context, args []string, out, errOut io.Writer) (code int) {
	return executeWith(ctx, args, os.Stdin, out, errOut)
}

// executeWith is execute with a given standard input.
func executeWith(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) (code int) {
	defer func() {
		if cause := recover(); cause != nil {
			reportBug(errOut, args, cause, debug.Stack())
			code = exitFailed
		}
	}()
	root := newRootFor(args)
	root.SetArgs(args)
	root.SetIn(in)
	written := &output{out: out}
	root.SetOut(written)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	var status programStatus
	if errors.As(err, &status) { // a whole program's own exit code; the program has said why
		return int(status)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) && !errors.Is(err, sim.ErrInterrupted) {
		err = runFailure{interrupted(err)}
	}
	if written.err != nil && !errors.Is(err, written.err) {
		err = errors.Join(err, written.err)
	}
	if err != nil {
		name := "keplersim:"
		if colored(root, errOut) {
			name = report.Bad(name)
		}
		fmt.Fprintln(errOut, name, err)
	}
	return exitCode(err, written.err)
}

// interrupted returns the message for an interrupted command. For a study it says how far the study came.
func interrupted(err error) error {
	var stopped *study.Stopped
	if errors.As(err, &stopped) {
		return fmt.Errorf("interrupted: %w", stopped)
	}
	return errors.New("interrupted")
}

// exitCode returns the exit code that the commands' help promises: exitBadInput if the request is impossible, exitFailed if the run failed.
// An output that cannot be written is no mistake of the input.
func exitCode(err, unwritten error) int {
	var failed runFailure
	var found checkFailure
	var refused *host.Refused
	var unwritable *toolchain.Unwritable
	switch {
	case err == nil:
		return exitRan
	case errors.As(err, &unwritable):
		return exitFailed
	case errors.As(err, &found):
		return found.code
	case errors.As(err, &refused):
		return exitBadInput
	case unwritten != nil, errors.As(err, &failed):
		return exitFailed
	}
	return exitBadInput
}
