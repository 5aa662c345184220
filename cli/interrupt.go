package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/keplersim/keplersim/internal/files"
)

// grace is how long a command has to finish after a request to end: to stop the compiler, remove files, and say how far it came.
const grace = time.Second

// reportTime is the grace of a command that has a report to write.
const reportTime = 1900 * time.Millisecond

// reporting is the context key of a flag: the command ends with a report when it is interrupted.
type reporting struct{}

// expectReport says that the command, if interrupted, will write a report, until done is called.
func expectReport(ctx context.Context) (done func()) {
	mark, ok := ctx.Value(reporting{}).(*atomic.Bool)
	if !ok {
		return func() {}
	}
	mark.Store(true)
	return func() { mark.Store(false) }
}

// supervise runs a command. The first signal cancels its context. If the command then does not end within the grace, supervise ends the
// program: the command may be blocked, as by opening a pipe without a writer. A running simulation has more time, for its report. A second
// signal ends the program at once.
func supervise(signals <-chan os.Signal, errOut io.Writer, command func(context.Context) int) int {
	mark := &atomic.Bool{}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), reporting{}, mark))
	defer cancel()
	ended := make(chan int, 1)
	go func() {
		growStack()
		ended <- command(ctx)
	}()
	select {
	case code := <-ended:
		return code
	case <-signals:
	}
	timeout := grace
	if mark.Load() {
		timeout = reportTime
	}
	cancel()
	select {
	case code := <-ended:
		return code
	case <-time.After(timeout):
	case <-signals:
	}
	files.Discard()
	fmt.Fprintln(errOut, "keplersim: interrupted")
	return exitFailed
}

// growStack makes the runtime allocate the stack that a command needs. Otherwise the runtime doubles and copies it several times, which
// takes a thirtieth of a small run's time.
//
//go:noinline
func growStack() (_ byte) {
	var room [40 << 10]byte
	return room[len(os.Args)%len(room)]
}
