package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/keplersim/keplersim/internal/files"
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
		o.err = fmt.Errorf("cannot write the output: %w", err)
	}
	return n, o.err
}

// terminalOf returns the file behind a writer, if it is a terminal.
func terminalOf(w io.Writer) (file *os.File, ok bool) {
	switch v := w.(type) {
	case *output:
		w = v.out
	case *reportFile:
		if v.file == nil {
			return terminalOf(v.out)
		}
		if w = nil; v.file.File() != nil {
			w = v.file.File()
		}
	}
	file, ok = w.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

// reportFile is where a report goes: a file, or the command's standard output. That a file cannot be written to, once it is open, is a
// failure of the run.
type reportFile struct {
	out  io.Writer
	file *files.Output // nil for standard output
	flag string        // that names the file
}

// openOutput opens where --output has a report go; the file of that name stays as it was until Commit.
func openOutput(cmd *cobra.Command, path string) (*reportFile, error) {
	return openReport(cmd, "output", path)
}

// openReport is openOutput for another flag.
func openReport(cmd *cobra.Command, flag, path string) (*reportFile, error) {
	if path == "" {
		return &reportFile{out: cmd.OutOrStdout()}, nil
	}
	file, err := files.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--%s: cannot write the report: %w", flag, err)
	}
	return &reportFile{file, file, flag}, nil
}

// writeReport has write make a report where --output says. The file is opened first, as what a report is of may take long, and is put in
// its place once the report is whole.
func writeReport(cmd *cobra.Command, path string, write func(out *reportFile) error) error {
	out, err := openOutput(cmd, path)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := write(out); err != nil {
		return err
	}
	return out.Commit()
}

// Write implements io.Writer.
func (f *reportFile) Write(p []byte) (int, error) {
	n, err := f.out.Write(p)
	if err != nil && f.file != nil {
		err = runFailure{fmt.Errorf("--%s: cannot write the report: %w", f.flag, err)}
	}
	return n, err
}

// Commit puts a whole report in its place.
func (f *reportFile) Commit() error {
	if f.file == nil {
		return nil
	}
	if err := f.file.Commit(); err != nil {
		return runFailure{fmt.Errorf("--%s: cannot write the report: %w", f.flag, err)}
	}
	return nil
}

// Close gives up a report that is not whole.
func (f *reportFile) Close() {
	if f.file != nil {
		f.file.Close()
	}
}

// writeJSON writes a value as indented JSON.
func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// checkPlots makes sure, before anything long runs, that plots have a format: each a flag and its file, "" for none.
func checkPlots(flagsAndFiles ...string) error {
	for i := 0; i < len(flagsAndFiles); i += 2 {
		flag, file := flagsAndFiles[i], flagsAndFiles[i+1]
		if file == "" {
			continue
		}
		if err := plots.CheckFile(file); err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
	}
	return nil
}

// written is a file that a command writes, with the flag that says so.
type written struct{ flag, file string }

// checkFiles makes sure, before anything long runs, that the files of a command can be written, over nothing that it reads. What is piped
// to the command is read as well, where it is a file.
func checkFiles(cmd *cobra.Command, read []string, list ...written) error {
	piped := slices.ContainsFunc(read, isPiped)
	var targets []files.Target
	for _, w := range list {
		if info, err := os.Stat(w.file); err == nil && piped && info.Mode().IsRegular() && isStandardInput(cmd, info) {
			return fmt.Errorf("--%s %s would overwrite the input, which is piped to the command", w.flag, w.file)
		}
		targets = append(targets, files.Target{Name: "--" + w.flag, Path: w.file})
	}
	return files.Claim(read, targets...)
}

// isStandardInput reports whether a command's standard input is a file.
func isStandardInput(cmd *cobra.Command, file os.FileInfo) bool {
	stdin, ok := cmd.InOrStdin().(*os.File)
	if !ok {
		return false
	}
	info, err := stdin.Stat()
	return err == nil && os.SameFile(info, file)
}
