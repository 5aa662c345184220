package sources

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/code"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/toolchain"
)

// Reader reads files of code. The zero value compiles CUDA C without options of the user, and knows of no standard input.
type Reader struct {
	// Compile is what the user says of every .cu file: definitions, include folders, fast mathematics, contraction. The architecture
	// is that of the chip.
	Compile toolchain.Options
	// Piped is what was read from standard input.
	Piped Piped
	// Memo keeps what was compiled, for who opens a file again and again; nil compiles each time.
	Memo *Memo
	// Included are the files that compilations have read until now, headers of ours apart.
	Included []string
}

// Memo is what was compiled in a session, in which files count as unchanged until it forgets. It is not for several goroutines.
type Memo struct{ compiled map[string]PTX }

// Forget has all files compiled again.
func (m *Memo) Forget() { m.compiled = nil }

// Piped is a text from standard input, under the name that stands for it in arguments and messages. The zero value is none.
type Piped struct {
	Name string
	Text []byte
}

// Present reports whether standard input was read.
func (p Piped) Present() bool { return p.Name != "" }

// is reports whether a file's name means this text.
func (p Piped) is(name string) bool { return p.Present() && p.Name == name }

// PTX is the PTX of one file.
type PTX struct {
	// Source has the text, under the name that messages call it.
	Source code.Source
	// Command is the compiler's command line and Warnings what the compiler printed although it succeeded; both are "" for a file that
	// is PTX.
	Command, Warnings string
	// Builtin says that the built-in compiler made it.
	Builtin bool
}

// PipedText returns the text of standard input where a name stands for it.
func (r *Reader) PipedText(name string) (text []byte, ok bool) {
	if !r.Piped.is(name) {
		return nil, false
	}
	return r.Piped.Text, true
}

// Read returns what a file holds, at most files.MostCode bytes.
func (r *Reader) Read(name string) ([]byte, error) {
	if text, ok := r.PipedText(name); ok {
		return text, nil
	}
	return files.Read(name, files.MostCode)
}

// PTX returns the PTX of a file, compiled for an architecture such as sm_35 where the file is CUDA C. A failed compilation has its
// command line in the result beside the error.
func (r *Reader) PTX(ctx context.Context, name, architecture string) (PTX, error) {
	if err := r.Check(name); err != nil {
		return PTX{}, err
	}
	p := PTX{Source: code.Source{Name: code.PTXName(name)}}
	if !code.IsCUDA(name) {
		var err error
		if p.Source.Text, err = r.Read(name); err != nil {
			return p, fmt.Errorf("read the module: %w", err)
		}
		return p, nil
	}
	o := r.Compile
	o.Arch, o.LineInfo = architecture, true
	o.Text, _ = r.PipedText(name)
	key := fmt.Sprintf("%s %+v", name, o)
	if r.Memo != nil {
		if known, ok := r.Memo.compiled[key]; ok {
			return known, nil
		}
	}
	result, err := toolchain.Compile(ctx, name, o)
	p.Source.Text, p.Warnings, p.Builtin = result.PTX, strings.TrimSpace(result.Warnings), result.Builtin
	r.Included = append(slices.Clip(r.Included), result.Read...) // readers are copied
	if len(result.Command) > 0 {
		p.Command = result.CommandLine()
	}
	if r.Memo != nil && err == nil {
		if r.Memo.compiled == nil {
			r.Memo.compiled = map[string]PTX{}
		}
		r.Memo.compiled[key] = p
	}
	return p, err
}
