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

// Reader reads files of code. The zero value compiles CUDA C without user options, and has no standard input.
type Reader struct {
	// Compile are the user's options for every .cu file: definitions, include folders, fast mathematics, contraction. The architecture is
	// the chip's.
	Compile toolchain.Options
	// Piped is the text read from standard input.
	Piped Piped
	// Memo caches compiled files for users that open them again and again; nil compiles each time.
	Memo *Memo
	// Included are the files that compilations have read so far, without our own headers.
	Included []string
}

// Memo caches the files compiled in a session; it assumes that they do not change until Forget. Not safe for concurrent use.
type Memo struct{ compiled map[string]PTX }

// Forget drops the cache.
func (m *Memo) Forget() { m.compiled = nil }

// Piped is a text from standard input, with its name in arguments and messages. The zero value is none.
type Piped struct {
	Name string
	Text []byte
}

// Present reports whether standard input was read.
func (p Piped) Present() bool { return p.Name != "" }

// is reports whether a file's name refers to this text.
func (p Piped) is(name string) bool { return p.Present() && p.Name == name }

// PTX is the PTX of one file.
type PTX struct {
	// Source has the text, with its name for messages.
	Source code.Source
	// Command is the compiler's command line, and Warnings is its output on success. Both are "" for a file that is PTX.
	Command, Warnings string
	// Builtin says that the built-in compiler compiled it.
	Builtin bool
}

// PipedText returns the text of standard input, if a name refers to it.
func (r *Reader) PipedText(name string) (text []byte, ok bool) {
	if !r.Piped.is(name) {
		return nil, false
	}
	return r.Piped.Text, true
}

// Read returns a file's content, at most files.MostCode bytes.
func (r *Reader) Read(name string) ([]byte, error) {
	if text, ok := r.PipedText(name); ok {
		return text, nil
	}
	return files.Read(name, files.MostCode)
}

// PTX returns the PTX of a file; CUDA C is compiled for an architecture such as sm_35. If compilation fails, the result has its command
// line, in addition to the error.
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
	r.Included = append(slices.Clip(r.Included), result.Read...) // copies of the Reader share the slice
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
