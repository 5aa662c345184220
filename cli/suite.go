package cli

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/runtime"
	"github.com/keplersim/keplersim/study/suite"
)

// suiteOptions are the flags of keplersim suite.
type suiteOptions struct {
	sizes, boards  []string
	only           []string
	detail, budget string
	limit          time.Duration
	format, output string
}

// newSuiteCommand runs the programs of a public suite.
func newSuiteCommand() *cobra.Command {
	o := &suiteOptions{sizes: []string{"small"}, boards: []string{"k40"}, detail: "sample", limit: 5 * time.Minute, format: "text"}
	command := &cobra.Command{
		Use:   "suite SUITE CHECKOUT",
		Short: "Build and run the programs of a public suite as timed programs, with one table of them",
		Long: `Build and run the programs of a public suite from your checkout, unmodified, and print one table: cycles, time, counters, the
typical error, how much was timed in detail, and the host's time. The checkout stays as it is; a copy of it is built.

SUITE is ` + strings.Join(suite.Names(), " or ") + `, or a file of your own (docs/research.md). Sizes are small, medium and large; large is
the suite's own. A program is wrong if its own check says so.`,
		Example: `  keplersim suite polybench ~/polybenchGpu
  keplersim suite rodinia ~/gpu-rodinia --size small,medium --config k20,k40 -o table.csv --format csv
  keplersim suite polybench ~/polybenchGpu --size large --only gemm --budget 60s`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0], args[1]) },
	}
	f := command.Flags()
	f.StringSliceVar(&o.sizes, "size", o.sizes, "sizes: small, medium, large, or those of your file")
	f.StringSliceVar(&o.boards, "config", o.boards, "boards, with commas between them")
	f.StringSliceVar(&o.only, "only", nil, "run these programs alone, by name")
	f.StringVar(&o.detail, "detail", o.detail, "how much is timed, as keplersim run takes it")
	f.StringVar(&o.budget, "budget", "", "host time for each program, as keplersim run takes it, in place of --detail")
	f.DurationVar(&o.limit, "limit", o.limit, "the longest that a program may take to build, or to run, in time of a processor")
	f.StringVar(&o.format, "format", o.format, "text or csv")
	outputFlag(f, &o.output)
	return command
}

// run carries out one command line.
func (o *suiteOptions) run(cmd *cobra.Command, name, checkout string) error {
	if o.format != "text" && o.format != "csv" {
		return fmt.Errorf("--format %s: choose one of text, csv", o.format)
	}
	s, err := suite.Load(name)
	if err != nil {
		return err
	}
	if err := s.Check(checkout); err != nil {
		return err
	}
	programs, err := o.choose(s)
	if err != nil {
		return err
	}
	if err := o.checkInputs(cmd, name, checkout); err != nil {
		return err
	}
	toolkit, err := runtime.Toolkit(cmd.Context(), "")
	if err != nil {
		return err
	}
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("the path of keplersim: %w", err)
	}
	runner := &suite.Runner{Keplersim: own, Toolkit: toolkit, Limit: o.limit, Flags: []string{"--detail", o.detail}}
	if o.budget != "" {
		runner.Flags = []string{"--budget", o.budget}
	}
	var rows []suite.Row
	err = writeReport(cmd, o.output, func(out *reportFile) error {
		for _, size := range o.sizes {
			for _, p := range programs {
				if _, has := p.Sizes[size]; !has || cmd.Context().Err() != nil {
					continue
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "%s %s\n", p.Name, size)
				made, err := inCopy(cmd.Context(), runner, s, checkout, p, size, o.boards)
				if err != nil {
					return runFailure{err}
				}
				rows = append(rows, made...)
			}
		}
		return writeSuite(out, o.format, rows)
	})
	if err != nil {
		return err
	}
	bad := 0
	for _, r := range rows {
		if r.Status != "ok" {
			bad++
		}
	}
	if bad > 0 {
		return runFailure{fmt.Errorf("%d of %d programs are not ok", bad, len(rows))}
	}
	return nil
}

// checkInputs loads the boards, whose files have no place in a copy of the checkout, and refuses to write over what is read.
func (o *suiteOptions) checkInputs(cmd *cobra.Command, name, checkout string) error {
	if o.limit <= 0 {
		return errors.New("--limit is how long a program may take, as in 5m")
	}
	read := []string{name}
	for i, board := range o.boards {
		c, err := configs.Load(board, nil)
		if err != nil {
			return err
		}
		list := c.Files()
		read = append(read, list...)
		if info, err := os.Stat(list[0]); err == nil && info.Mode().IsRegular() { // of one's own, not embedded
			absolute, err := filepath.Abs(board)
			if err != nil {
				return fmt.Errorf("the path of %s: %w", board, err)
			}
			o.boards[i] = absolute
		}
	}
	if o.output != "" && o.output != "-" {
		files, err := filesBelow(checkout)
		if err != nil {
			return fmt.Errorf("files of the checkout: %w", err)
		}
		read = append(read, files...)
	}
	return checkFiles(cmd, read, written{"output", o.output})
}

// filesBelow returns the files in a folder and those below.
func filesBelow(folder string) (list []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			list = append(list, path)
		}
		return err
	})
	return list, err
}

// choose returns the programs to run.
func (o *suiteOptions) choose(s *suite.Suite) ([]suite.Program, error) {
	for _, size := range o.sizes {
		if !slices.Contains(s.Sizes(), size) {
			return nil, fmt.Errorf("--size %s: %s has %s", size, s.Name, strings.Join(s.Sizes(), ", "))
		}
	}
	var names []string
	for _, p := range s.Programs {
		names = append(names, p.Name)
	}
	for _, name := range o.only {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("--only %s: %s has %s", name, s.Name, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(s.Programs), func(p suite.Program) bool {
		return len(o.only) > 0 && !slices.Contains(o.only, p.Name)
	}), nil
}

// inCopy runs a program in a new copy of the checkout, so that nothing of another size is there.
func inCopy(ctx context.Context, r *suite.Runner, s *suite.Suite, checkout string, p suite.Program, size string, boards []string) (
	[]suite.Row, error,
) {
	room, err := files.Temporary("keplersim-suite-")
	if err != nil {
		return nil, err
	}
	defer room.Close()
	copied := filepath.Join(room.Path, "checkout")
	if err := suite.Copy(copied, checkout); err != nil {
		return nil, fmt.Errorf("copy the checkout: %w", err)
	}
	return r.Run(ctx, s, copied, p, size, boards), nil
}

// writeSuite writes the table.
func writeSuite(w io.Writer, format string, rows []suite.Row) error {
	table := [][]string{slices.Concat([]string{"suite", "program", "size", "board", "status", "launches", "launch_cycles", "time_us",
		"interval_percent", "typical_error_percent", "timed_percent"}, suite.Counters[:], []string{"host_seconds", "reason"})}
	for _, r := range rows {
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
		line := []string{r.Suite, r.Program, r.Size, r.Board, r.Status, strconv.Itoa(r.Launches), strconv.FormatUint(r.Cycles, 10),
			strconv.FormatFloat(r.TimeUS, 'f', 1, 64), number(r.Interval), number(r.Error), number(r.Timed)}
		for _, v := range r.Counters {
			line = append(line, number(v))
		}
		table = append(table, append(line, strconv.FormatFloat(r.HostSeconds, 'f', 1, 64), r.Reason))
	}
	if format == "csv" {
		return csv.NewWriter(w).WriteAll(table)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range table {
		fmt.Fprintln(t, strings.TrimRight(strings.Join(line[1:], "\t"), "\t"))
	}
	return t.Flush()
}
