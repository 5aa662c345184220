package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/runtime"
	"github.com/keplersim/keplersim/study"
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
		Use:  "suite SUITE CHECKOUT",
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
	f.StringVar(&o.format, "format", o.format, "text, csv, jsonl or parquet")
	outputFlag(f, &o.output)
	return command
}

// run runs the command.
func (o *suiteOptions) run(cmd *cobra.Command, name, checkout string) error {
	if formats := append([]string{"text"}, study.Formats()...); !slices.Contains(formats, o.format) {
		return fmt.Errorf("--format %s: choose one of %s", o.format, strings.Join(formats, ", "))
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
	err = writeReport(cmd, o.output, func(out *reportFile) (err error) {
		step := func(p suite.Program, size string) { fmt.Fprintf(cmd.ErrOrStderr(), "%s %s\n", p.Name, size) }
		if rows, err = runner.Run(cmd.Context(), s, checkout, programs, o.sizes, o.boards, step); err != nil {
			return runFailure{err}
		}
		table := suite.Table(rows)
		if o.format == "text" {
			return writeSuite(out, table)
		}
		return table.Write(out, o.format)
	})
	if err != nil {
		return err
	}
	bad := 0
	for _, r := range rows {
		if r.Status != study.OK {
			bad++
		}
	}
	if bad > 0 {
		return runFailure{fmt.Errorf("%d of %d programs are not ok", bad, len(rows))}
	}
	return nil
}

// checkInputs checks the boards, and that outputs overwrite no input. It makes boards' paths absolute, because programs run in a copy of
// the checkout.
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
		if info, err := os.Stat(list[0]); err == nil && info.Mode().IsRegular() { // the user's own suite, not an embedded one
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

// filesBelow returns the files in a folder and in those below it.
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

// writeSuite writes the table for people: without columns that are equal in all rows, and with four digits for each figure.
func writeSuite(w io.Writer, table *study.Table) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	columns := len(table.Columns) - 3 // without config, keplersim and schema
	for _, row := range append([][]string{table.Columns}, table.Rows...) {
		var cells []string
		for i, cell := range row[:columns] {
			if v, err := strconv.ParseFloat(cell, 64); err == nil && i > table.Inputs+1 && v != math.Trunc(v) {
				cell = strconv.FormatFloat(v, 'g', 4, 64)
			}
			if name := table.Columns[i]; name != "suite" && name != "reason" {
				cells = append(cells, cell)
			}
		}
		fmt.Fprintln(t, strings.TrimRight(strings.Join(append(cells, row[table.Inputs+1]), "\t"), "\t"))
	}
	return t.Flush()
}
