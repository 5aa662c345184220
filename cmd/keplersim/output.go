package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/keplersim/keplersim/report/plots"
)

// output is standard output, which remembers that it could not be written: a command that loses its report has failed, also
// where it looks at no error of a single line.
type output struct {
	out io.Writer
	err error // the first
}

// Write writes as far as that is possible.
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.out.Write(p)
	if err != nil {
		o.err = fmt.Errorf("the output cannot be written: %w", err)
	}
	return n, o.err
}

// terminalOf is the file behind a writer, if it is a terminal.
func terminalOf(w io.Writer) (file *os.File, ok bool) {
	switch v := w.(type) {
	case *output:
		w = v.out
	case reportFile:
		w = v.file
	}
	file, ok = w.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// openOutput opens where a report goes: a file, or the command's standard output. Finish closes it.
func openOutput(cmd *cobra.Command, path string) (out io.Writer, finish func() error, err error) {
	if path == "" {
		return cmd.OutOrStdout(), func() error { return nil }, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, nil, fmt.Errorf("--output: the report cannot be written: %w", err)
	}
	return reportFile{file}, func() error {
		if err := file.Close(); err != nil {
			return runFailure{fmt.Errorf("--output: the report cannot be written: %w", err)}
		}
		return nil
	}, nil
}

// reportFile is a report's file; that it cannot be written to, once it is open, is a failure of the run.
type reportFile struct{ file *os.File }

func (f reportFile) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	if err != nil {
		err = runFailure{fmt.Errorf("--output: the report cannot be written: %w", err)}
	}
	return n, err
}

// checkPlots makes sure, before anything long runs, that the plots can be written: each a flag and its file, "" for none.
func checkPlots(flagsAndFiles ...string) error {
	for i := 0; i < len(flagsAndFiles); i += 2 {
		flag, file := flagsAndFiles[i], flagsAndFiles[i+1]
		if file == "" {
			continue
		}
		if err := plots.CheckFile(file); err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
		if err := checkWritable(file); err != nil {
			return fmt.Errorf("--%s %s: %w", flag, file, err)
		}
	}
	return nil
}

// checkOverwrite refuses to write to a file that the command reads.
func checkOverwrite(flag, file string, inputs []string) error {
	for _, input := range inputs {
		if file != "" && filepath.Clean(file) == filepath.Clean(input) {
			return fmt.Errorf("--%s %s would overwrite the input", flag, file)
		}
	}
	return nil
}

// checkWritable says why a file that is written in the end cannot be, as far as that shows before.
func checkWritable(file string) error {
	folder := filepath.Dir(file)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %s", folder)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder", file)
	}
	return nil
}
