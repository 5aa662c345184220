package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/study/suite"
)

// options are the command's flags.
type options struct {
	keplersim string
	flags     string
	limit     time.Duration
	every     int
	only      string
	list      bool
	build     bool
	costs     bool
	outputs   string
	toolkit   string
	took      time.Duration // by the current program's commands
}

func main() {
	var o options
	flag.StringVar(&o.keplersim, "keplersim", "keplersim", "the binary to test")
	flag.StringVar(&o.flags, "flags", "--functional", "flags of keplersim run for the programs")
	flag.DurationVar(&o.limit, "limit", 5*time.Minute,
		"the longest that one program may take to build, and to run, in time of a processor; by the clock four times as long")
	flag.IntVar(&o.every, "every", 1, "take every so many-th program alone, for a sample")
	flag.StringVar(&o.only, "only", "", "take programs alone whose path matches this expression")
	flag.BoolVar(&o.list, "list", false, "list the programs without building them")
	flag.BoolVar(&o.build, "build", false, "build the programs without running them")
	flag.BoolVar(&o.costs, "costs", false, "run each program under all checks, too, and tell how many times as long that takes")
	flag.StringVar(&o.outputs, "outputs", "", "keep what each program prints in this folder, to compare it with what it prints elsewhere")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: suites [flags] FOLDER...\n"+
			"Build and run the programs of a suite's checkout, and tell how each fared.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, folder := range flag.Args() {
		if err := o.suite(ctx, folder); err != nil {
			fmt.Fprintln(os.Stderr, "suites:", err)
			os.Exit(1)
		}
	}
}

// suite runs the programs of one checkout.
func (o *options) suite(ctx context.Context, folder string) error {
	copied, err := os.MkdirTemp("", "suite-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(copied)
	if err := suite.Copy(copied, folder); err != nil {
		return err
	}
	for _, built := range builtIn(copied) {
		_ = os.Remove(built) // make would take its author's for its own
	}
	if !o.list {
		if err := o.prepare(ctx); err != nil {
			return err
		}
		if err := o.install(copied); err != nil {
			return err
		}
		if err := o.setUp(ctx, copied); err != nil {
			return err
		}
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	programs, err := findPrograms(copied)
	if err != nil {
		return err
	}
	programs = slices.DeleteFunc(programs, func(p program) bool { return !only.MatchString(p.name) })
	var all tally
	for i, p := range programs {
		if i%o.every != 0 {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		r := result{program: p.name, cause: p.needs}
		switch {
		case o.list:
			fmt.Printf("%s\t%s\n", p.name, p.needs)
			continue
		case p.needs == "":
			r = o.try(ctx, p)
		}
		all.add(r)
		fmt.Println(r)
	}
	if !o.list {
		fmt.Print(all.String())
	}
	return nil
}

// prepare makes the toolkit that Makefiles look for.
func (o *options) prepare(ctx context.Context) error {
	path, err := exec.LookPath(o.keplersim)
	if err != nil {
		return err
	}
	if o.keplersim, err = filepath.Abs(path); err != nil {
		return err
	}
	out, err := command.Program(ctx, o.keplersim, "toolkit").Output()
	if err != nil {
		return fmt.Errorf("%s toolkit: %w", o.keplersim, err)
	}
	o.toolkit = strings.TrimSpace(string(out))
	return nil
}

var (
	makefileName = regexp.MustCompile(`^(GNUm|m|M)akefile(\..*)?$|\.mk$`)
	usualToolkit = regexp.MustCompile(`/usr/local/cuda(-[\d.]+)?\b`)
)

// install changes Makefiles to find the toolkit where most of them expect it.
func (o *options) install(folder string) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !makefileName.MatchString(d.Name()) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return files.Write(path, func(w io.Writer) error {
			_, err := w.Write(usualToolkit.ReplaceAllLiteral(text, []byte(o.toolkit)))
			return err
		})
	})
}

// setUp prepares a whole suite if its settings say how.
func (o *options) setUp(ctx context.Context, folder string) error {
	all, err := readSettings()
	if err != nil {
		return err
	}
	limit := o.limit
	o.limit = max(limit, 5*time.Minute) // configure is not a program of the suite
	defer func() { o.limit, o.took = limit, 0 }()
	for _, s := range all.Suites {
		if _, err := os.Stat(filepath.Join(folder, s.Marker)); err != nil {
			continue
		}
		if out, err := o.call(ctx, program{folder: folder}, "sh", "-c", s.Setup); err != nil {
			return fmt.Errorf("set up the suite: %w\n%s", err, out[max(0, len(out)-2000):])
		}
	}
	return nil
}
