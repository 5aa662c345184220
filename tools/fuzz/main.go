// Command fuzz makes random PTX programs and runs each one in every way that the simulator has (fuzz.Ways). All must store the same bytes,
// and the checks must find nothing. Of a program that differs, what is needed to show the difference is printed as PTX. The same seed makes
// the same program, whatever --count is.
//
//	go run ./tools/fuzz --count 100000 --seed 7
//
// With --export it writes the programs, their input and hashes of their results into a folder, and check.cc, which runs them on a real GPU:
// g++ -O2 -o check check.cc -ldl && ./check. Exit codes: 0 nothing differed, 1 something did or could not run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keplersim/keplersim/testkit/fuzz"
)

// options are the flags.
type options struct {
	count, seed uint64
	config      string
	export      string
	threads     int
}

func main() {
	o := &options{}
	flag.Uint64Var(&o.count, "count", 1000, "how many programs")
	flag.Uint64Var(&o.seed, "seed", 1, "the seed of the first program; the next one's is one more")
	flag.StringVar(&o.config, "config", "gk110", "the board")
	flag.StringVar(&o.export, "export", "", "write what a real GPU needs to run the same programs to this folder")
	flag.IntVar(&o.threads, "threads", runtime.GOMAXPROCS(0), "host threads")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

// run makes the programs and runs or exports them.
func (o *options) run(ctx context.Context, out io.Writer) error {
	if o.count == 0 || o.threads < 1 || flag.NArg() > 0 {
		return errors.New("--count and --threads must be 1 or more, and there are no arguments")
	}
	start := time.Now()
	if o.export != "" {
		if err := fuzz.Export(ctx, o.export, o.config, o.seed, o.count, o.threads); err != nil {
			return err
		}
		fmt.Fprintf(out, "%d programs in %s; on a machine with a GPU: g++ -O2 -o check check.cc -ldl && ./check\n", o.count, o.export)
		return nil
	}
	programs, differences, written, err := o.compare(ctx, out)
	if err != nil && ctx.Err() == nil {
		return err
	}
	fmt.Fprintf(out, "%d programs from seed %d on %s in %d ways (%d cubins), in %s: %d differ\n", programs, o.seed, o.config,
		len(fuzz.Ways), written, time.Since(start).Round(time.Second/10), differences)
	if err == nil && differences > 0 {
		err = fmt.Errorf("%d of %d programs differ", differences, programs)
	}
	return err
}

// compare runs the programs on all threads and prints what differs. written counts cubins of ours, which not all programs have.
func (o *options) compare(ctx context.Context, out io.Writer) (programs, differences, written uint64, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done, different, cubins atomic.Uint64
	var wait sync.WaitGroup
	var printing sync.Mutex
	for range o.threads {
		r, err := fuzz.NewRunner(o.config)
		if err != nil {
			return 0, 0, 0, err
		}
		wait.Go(func() {
			defer func() { cubins.Add(r.Written) }()
			for n := next.Add(1) - 1; n < o.count && ctx.Err() == nil; n = next.Add(1) - 1 {
				d, err := r.Compare(ctx, fuzz.Make(o.seed+n))
				if err != nil {
					cancel(err)
					return
				}
				done.Add(1)
				if d == nil {
					continue
				}
				different.Add(1)
				d = r.Shrink(ctx, d)
				printing.Lock()
				fmt.Fprintf(out, "// seed %d (%s): %s: %s\n%s\n", d.Seed, d.Kind, d.Way.Name,
					strings.ReplaceAll(d.What, "\n", "\n// "), d.Text)
				printing.Unlock()
			}
		})
	}
	wait.Wait()
	return done.Load(), different.Load(), cubins.Load(), context.Cause(ctx)
}
