package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/fuzz"
)

// fuzzOptions are the flags of keplersim fuzz.
type fuzzOptions struct {
	count, seed uint64
	config      string
	export      string
	threads     int
	c           bool
}

// newFuzzCommand runs random programs in every way.
func newFuzzCommand() *cobra.Command {
	o := &fuzzOptions{}
	command := &cobra.Command{
		Use:   "fuzz",
		Short: "Run random programs in every way the simulator has, and shrink what differs",
		Long: `Make random PTX programs and run each one in every way that the simulator has: ` + fuzzWays() + `.
A program that we write no machine code for is not run as a cubin.
All must store the same bytes, and the checks must find nothing. Of a program that differs, what is needed to show the difference is
printed as PTX.

Programs have integers, f16 to f64, predicates, branches, loops, calls, barriers, shuffles, votes, atomics, local memory, carries, video
instructions, and paths that leave the kernel. The same seed makes the same program, whatever --count is.

With --c, programs are kernels in C: clang compiles them for all these ways, and the built-in compiler for two more.

--export writes the programs, their input and hashes of their results into a folder, and check.cc, which runs them on a real GPU:

    g++ -O2 -o check check.cc -ldl && ./check

Exit codes: 0 nothing differed; 1 something did; 2 bad input.`,
		Example: `  keplersim fuzz
  keplersim fuzz --count 100000 --seed 7
  keplersim fuzz --count 500 --export programs`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := command.Flags()
	f.Uint64Var(&o.count, "count", 1000, "how many programs")
	f.Uint64Var(&o.seed, "seed", 1, "the seed of the first program; the next one's is one more")
	f.StringVar(&o.config, "config", "gk110", "the board")
	f.StringVar(&o.export, "export", "", "write what a real GPU needs to run the same programs to this folder")
	f.BoolVar(&o.c, "c", false, "kernels in CUDA C in place of PTX, through clang and the built-in compiler")
	f.IntVar(&o.threads, "threads", 0, "host threads; 0 is one for each processor")
	return command
}

// fuzzWays names the ways as a list in a sentence.
func fuzzWays() string {
	var names []string
	for _, w := range fuzz.Ways {
		names = append(names, w.Name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func (o *fuzzOptions) run(cmd *cobra.Command) error {
	if o.count == 0 || o.threads < 0 {
		return errors.New("--count must be 1 or more, --threads 0 or more")
	}
	if o.c && o.export != "" {
		return errors.New("--export writes programs in PTX alone")
	}
	if o.threads == 0 {
		o.threads = goruntime.GOMAXPROCS(0)
	}
	start := time.Now()
	if o.export != "" {
		if err := fuzz.Export(cmd.Context(), o.export, o.config, o.seed, o.count, o.threads); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%d programs in %s; on a machine with a GPU: g++ -O2 -o check check.cc -ldl && ./check\n",
			o.count, o.export)
		return nil
	}
	programs, differences, written, err := o.compare(cmd.Context(), cmd.OutOrStdout())
	if err != nil && cmd.Context().Err() == nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d programs from seed %d on %s in %d ways (%d cubins), in %s: %d differ\n", programs, o.seed, o.config,
		len(o.ways()), written, time.Since(start).Round(time.Second/10), differences)
	if err != nil {
		return runFailure{err}
	}
	if differences > 0 {
		return runFailure{fmt.Errorf("%d of %d programs differ", differences, programs)}
	}
	return nil
}

// ways are those in which the programs run.
func (o *fuzzOptions) ways() []fuzz.Way {
	if o.c {
		return fuzz.KernelWays
	}
	return fuzz.Ways
}

// compare runs the programs on all threads and prints what differs. written counts cubins of ours, which not all programs have.
func (o *fuzzOptions) compare(ctx context.Context, out io.Writer) (programs, differences, written uint64, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done, different, cubins atomic.Uint64
	var wait sync.WaitGroup
	var printing sync.Mutex
	newRunner := fuzz.NewRunner
	if o.c {
		newRunner = fuzz.NewKernelRunner
	}
	for range o.threads {
		r, err := newRunner(o.config)
		if err != nil {
			return 0, 0, 0, err
		}
		wait.Go(func() {
			defer func() { cubins.Add(r.Written) }()
			for n := next.Add(1) - 1; n < o.count && ctx.Err() == nil; n = next.Add(1) - 1 {
				d, err := r.Compare(ctx, r.Make(o.seed+n))
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
