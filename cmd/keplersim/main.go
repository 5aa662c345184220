package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// Exit codes.
const (
	exitRan      = 0 // it ran, and every expectation held
	exitFailed   = 1 // the run or an expectation failed
	exitBadInput = 2 // the input or the command line is wrong
)

// runFailure marks an error of the run itself, not of its input; main exits with exitFailed.
type runFailure struct{ error }

func (f runFailure) Unwrap() error { return f.error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command line and gives its exit code. A panic is a mistake of the simulator's: it becomes a report
// that a user can send.
func execute(ctx context.Context, args []string, out, errOut io.Writer) (code int) {
	defer func() {
		if cause := recover(); cause != nil {
			reportBug(errOut, args, cause, debug.Stack())
			code = exitFailed
		}
	}()
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	var failed runFailure
	switch {
	case err == nil:
		return exitRan
	case errors.As(err, &failed):
		fmt.Fprintln(errOut, "keplersim:", err)
		return exitFailed
	default:
		fmt.Fprintln(errOut, "keplersim:", err)
		return exitBadInput
	}
}
