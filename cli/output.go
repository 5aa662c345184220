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

// output is standard output, and remembers its first write error. So a command that loses its report fails, even if it ignores errors of
// single writes.
type output struct {
	out io.Writer
	err error // the first error
}

// Write writes unless an earlier write failed.
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

// terminalOf returns the file behind a writer if it is a terminal.
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

// reportFile is the destination of a report: a file, or the command's standard output. A write error after opening is a failure of the run.
type reportFile struct {
	out  io.Writer
	file *files.Output // nil for standard output
	flag string        // the flag that names the file
}

// openOutput opens the destination that --output names. An earlier file stays until Commit.
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

// writeReport lets write make a report for --output. It opens the file first, because the report's content may take long, and gives the
// file its name once the report is complete.
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

// Commit gives a complete report its name.
func (f *reportFile) Commit() error {
	if f.file == nil {
		return nil
	}
	if err := f.file.Commit(); err != nil {
		return runFailure{fmt.Errorf("--%s: cannot write the report: %w", f.flag, err)}
	}
	return nil
}

// Close abandons an incomplete report.
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

// checkPlots checks, before a long run, that plots have a supported format. Arguments are pairs of a flag and its file, "" for none.
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

// written is an output file of a command, with the flag that names it.
type written struct{ flag, file string }

// checkFiles checks, before a long run, that a command's files can be written and overwrite no input. If standard input is a file, it is an
// input too.
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

// isStandardInput reports whether a file is the command's standard input.
func isStandardInput(cmd *cobra.Command, file os.FileInfo) bool {
	stdin, ok := cmd.InOrStdin().(*os.File)
	if !ok {
		return false
	}
	info, err := stdin.Stat()
	return err == nil && os.SameFile(info, file)
}
