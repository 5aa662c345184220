package virtual

import (
	"context"
	"fmt"

	"github.com/keplersim/keplersim/isa"
	"github.com/keplersim/keplersim/isa/lower/target"
)

// Function is what a kernel or device function has in every form: its virtual registers, its frame and its options.
type Function struct {
	Context   context.Context
	Program   *isa.Program
	Kernel    *isa.Function
	Options   target.Options
	Registers []isa.VirtualRegister // the kernel's, followed by those that passes add

	FrameBytes int // local memory of the frame; spill slots follow
}

// Stopped returns the context's error once lowering is cancelled.
func (f *Function) Stopped() error { return f.Context.Err() }

// ErrorAt returns an error at a line of the program, with the kernel's name.
func (f *Function) ErrorAt(line isa.LineIndex, format string, args ...any) error {
	e := &Error{Kernel: f.Program.Title(f.Kernel.Name), Message: fmt.Sprintf(format, args...)}
	if int(line) < len(f.Program.Lines) && line > 0 {
		e.Line = f.Program.Lines[line]
		if n := int(e.Line.PTXFile); n >= 0 && n < len(f.Program.Files) {
			e.File = f.Program.Files[n]
		}
	}
	return e
}

// Error is a kernel that cannot be lowered, with the instruction at fault.
type Error struct {
	Kernel  string
	Line    isa.SourceLine
	File    string
	Message string
}

// Error says where and what.
func (e *Error) Error() string {
	if e.Line.PTXLine > 0 {
		return fmt.Sprintf("%s:%d: kernel %s: %s", e.File, e.Line.PTXLine, e.Kernel, e.Message)
	}
	return fmt.Sprintf("kernel %s: %s", e.Kernel, e.Message)
}
