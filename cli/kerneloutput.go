package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/internal/files"
)

// kernelOutput is where a kernel's own output goes as it comes: a file, or the stream next to the report.
type kernelOutput struct {
	out  io.Writer
	file *files.Output // of --printf; nil without it
	bar  *progress     // cleared before each output
	last byte
}

// open opens the file of --printf, or takes the stream next to the report.
func (p *kernelOutput) open(cmd *cobra.Command, o *runOptions) error {
	p.out = o.kernelOutputWriter(cmd)
	if o.printf == "" {
		return nil
	}
	file, err := files.Create(o.printf)
	if err != nil {
		return fmt.Errorf("--printf: cannot write what kernels print: %w", err)
	}
	p.file, p.out = file, file
	return nil
}

// Write implements io.Writer.
func (p *kernelOutput) Write(text []byte) (int, error) {
	if len(text) > 0 {
		p.last = text[len(text)-1]
	}
	if p.file == nil {
		p.bar.clear()
	}
	return p.out.Write(text)
}

// finish ends the output, so that the report begins on its own line, and gives the file its name.
func (p *kernelOutput) finish() error {
	var err error
	switch {
	case p.file != nil:
		err = p.file.Commit()
	case p.last != 0 && p.last != '\n':
		_, err = io.WriteString(p.out, "\n")
	}
	if err != nil {
		return runFailure{fmt.Errorf("write what the kernel printed: %w", err)}
	}
	return nil
}

// close abandons an unfinished file.
func (p *kernelOutput) close() {
	if p.file != nil {
		p.file.Close()
	}
}
