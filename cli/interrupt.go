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

// grace is how long a command that was asked to end has for what it does last: to end the compiler, to remove its files, to say how
// far it came.
const grace = time.Second

// reportTime is how long a command may take that has a report to write.
const reportTime = 1900 * time.Millisecond

// reporting is the key of a context's mark that its command ends with a report when it is interrupted.
type reporting struct{}

// reportsFromNow says that an interrupted command still has something to tell, until done is called.
func reportsFromNow(ctx context.Context) (done func()) {
	mark, ok := ctx.Value(reporting{}).(*atomic.Bool)
	if !ok {
		return func() {}
	}
	mark.Store(true)
	return func() { mark.Store(false) }
}

// supervise carries a command out until it ends. The first signal asks it to end, and ends the program where it does not within the
// grace: it may be opening a pipe that nobody writes to. A running simulation has a little more time, for its report. A second signal ends
// the program at once.
func supervise(signals <-chan os.Signal, errOut io.Writer, command func(context.Context) int) int {
	mark := &atomic.Bool{}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), reporting{}, mark))
	defer cancel()
	ended := make(chan int, 1)
	go func() {
		makeRoom()
		ended <- command(ctx)
	}()
	select {
	case code := <-ended:
		return code
	case <-signals:
	}
	patience := grace
	if mark.Load() {
		patience = reportTime
	}
	cancel()
	select {
	case code := <-ended:
		return code
	case <-time.After(patience):
	case <-signals:
	}
	files.Discard()
	fmt.Fprintln(errOut, "keplersim: interrupted")
	return exitFailed
}

// makeRoom has the runtime give the goroutine the stack that a command needs. It would double it again and again otherwise, and copy it
// each time: a thirtieth of the time of a small run.
//
//go:noinline
func makeRoom() (_ byte) {
	var room [40 << 10]byte
	return room[len(os.Args)%len(room)]
}
