package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/fuzz"
	"github.com/keplersim/keplersim/internal/files"
)

// fuzzOptions are the flags of keplersim fuzz.
type fuzzOptions struct {
	count, seed uint64
	config      string
	export      string
	tally       string
	compiler    string
	threads     int
	within      time.Duration
	c           bool
}

// newFuzzCommand runs random programs in every way that the simulator has.
func newFuzzCommand() *cobra.Command {
	o := &fuzzOptions{}
	command := &cobra.Command{
		Use:  "fuzz",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := command.Flags()
	f.Uint64Var(&o.count, "count", 1000, "how many programs")
	f.Uint64Var(&o.seed, "seed", 1, "the seed of the first program; the next one's is one more")
	f.StringVar(&o.config, "config", "gk110", "the board")
	f.StringVar(&o.export, "export", "", "write what a real GPU needs to run the same programs to this folder")
	f.BoolVar(&o.c, "c", false, "kernels in CUDA C in place of PTX, through clang and the built-in compiler")
	f.StringVar(&o.compiler, "compiler", "clang", "of kernels in C: clang, or builtin for all ways")
	f.StringVar(&o.tally, "tally", "", "add what came of the run to this file")
	f.DurationVar(&o.within, "within", 0, "begin no further program after so long; 0 is no limit")
	f.IntVar(&o.threads, "threads", 0, "host threads; 0 is one for each processor")
	return command
}

// fuzzWays lists the ways in a sentence.
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
	if o.compiler != "clang" && o.compiler != "builtin" {
		return errors.New("--compiler is clang or builtin")
	}
	if o.threads == 0 {
		o.threads = goruntime.GOMAXPROCS(0)
	}
	start, out := time.Now(), cmd.OutOrStdout()
	if o.export != "" {
		if err := fuzz.Export(cmd.Context(), o.export, o.config, o.seed, o.count, o.threads); err != nil {
			return err
		}
		fmt.Fprintf(out, "%d programs in %s; on a machine with a GPU: g++ -O2 -o check check.cc -ldl && ./check\n", o.count, o.export)
		return nil
	}
	total := fuzz.NewTally(o.config, o.language())
	if err := o.readTally(total); err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(fuzzCollection))
	tally, err := o.compare(cmd.Context(), out)
	if err != nil && cmd.Context().Err() == nil {
		return err
	}
	programs := tally.Programs()
	took := time.Since(start)
	printTally(out, tally, o.ways())
	fmt.Fprintf(out, "%d programs from seed %d on %s, in %s (%.0f a minute): %d differ\n", programs, o.seed, o.config,
		took.Round(time.Second/10), float64(programs)/took.Minutes(), len(tally.Differing))
	if o.tally != "" && programs > 0 {
		if err := total.Add(tally); err != nil {
			return err
		}
		if err := writeTally(o.tally, total); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d programs, %d differ\n", o.tally, total.Programs(), len(total.Differing))
	}
	if err != nil {
		return runFailure{err}
	}
	if n := len(tally.Differing); n > 0 {
		return runFailure{fmt.Errorf("%d of %d programs differ", n, programs)}
	}
	return nil
}

// fuzzCollection is how far the heap grows between two collections of garbage, in percent: what a program leaves behind is all garbage.
const fuzzCollection = 800

// compare runs the programs on all threads and prints the differences. The error is a failure, or the context's.
func (o *fuzzOptions) compare(ctx context.Context, out io.Writer) (*fuzz.Tally, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	end := time.Now().Add(o.within)
	var next atomic.Uint64
	var wait sync.WaitGroup
	var one sync.Mutex // for printing and counting
	tally := fuzz.NewTally(o.config, o.language())
	for range o.threads {
		r, err := o.runner()
		if err != nil {
			return tally, err
		}
		wait.Go(func() {
			for o.within == 0 || time.Now().Before(end) {
				n := next.Add(1) - 1
				if n >= o.count || ctx.Err() != nil {
					break
				}
				p := r.Make(o.seed + n)
				d, err := r.Compare(ctx, p)
				if err != nil {
					cancel(err)
					break
				}
				if d != nil {
					d = r.Shrink(ctx, d)
				}
				one.Lock()
				if err := tally.Count(p, d); err != nil { // no program is counted twice
					cancel(err)
				}
				if d != nil {
					fmt.Fprintf(out, "// seed %d (%s): %s: %s\n%s\n", d.Seed, d.Kind, d.Way.Name,
						strings.ReplaceAll(d.What, "\n", "\n// "), d.Text)
				}
				one.Unlock()
			}
			one.Lock()
			defer one.Unlock()
			for way, n := range r.Ran {
				tally.Ran[way] += n
			}
		})
	}
	wait.Wait()
	return tally, context.Cause(ctx)
}

// language returns the language of the programs.
func (o *fuzzOptions) language() string {
	switch {
	case !o.c:
		return "PTX"
	case o.compiler == "builtin":
		return "C (built-in compiler)"
	}
	return "C"
}

// ways returns the ways in which the programs run.
func (o *fuzzOptions) ways() []fuzz.Way {
	if o.c && o.compiler != "builtin" {
		return fuzz.KernelWays
	}
	return fuzz.Ways
}

func (o *fuzzOptions) runner() (*fuzz.Runner, error) {
	if o.c {
		return fuzz.NewKernelRunner(o.config, o.compiler == "builtin")
	}
	return fuzz.NewRunner(o.config)
}

// printTally prints how many programs of each kind there were, and how many ran in each way.
func printTally(out io.Writer, t *fuzz.Tally, ways []fuzz.Way) {
	const row = "%-32s %9v %7v\n"
	fmt.Fprintf(out, row, "", "programs", "differ")
	for _, name := range slices.Sorted(maps.Keys(t.Kinds)) {
		fmt.Fprintf(out, row, name, t.Kinds[name].Programs, t.Kinds[name].Differ)
	}
	for _, way := range ways {
		differ := 0
		for _, d := range t.Differing {
			if d.Way == way.Name {
				differ++
			}
		}
		fmt.Fprintf(out, row, "by "+way.Name, t.Ran[way.Name], differ)
	}
}

// readTally reads the file to add to. It may be missing.
func (o *fuzzOptions) readTally(t *fuzz.Tally) error {
	if o.tally == "" {
		return nil
	}
	content, err := os.ReadFile(o.tally)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(content, t)
	}
	if err == nil { // check before the run, which may take hours
		err = t.Add(fuzz.NewTally(o.config, o.language()))
	}
	if err == nil && t.Has(o.seed) {
		err = fmt.Errorf("seed %d is counted already", o.seed)
	}
	if err != nil {
		return fmt.Errorf("--tally %s: %w", o.tally, err)
	}
	return nil
}

func writeTally(name string, t *fuzz.Tally) error {
	return files.Write(name, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(t)
	})
}
