package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/toolchain"
)

// Source is CUDA C to compile.
type Source struct {
	Text string `json:"text"`
}

// Compiled is a kernel's PTX, or why there is none.
type Compiled struct {
	PTX    string `json:"ptx,omitempty"`
	Error  string `json:"error,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// Answer compiles the source.
func (q *Source) Answer(ctx context.Context, limits Limits) *Compiled {
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	ptx, err := Compile(ctx, q.Text)
	if err == nil {
		return &Compiled{PTX: ptx}
	}
	c := &Compiled{Error: ofKernel(err.Error())}
	c.Line, c.Column = Place(c.Error)
	return c
}

// cudaName is what messages call a page's CUDA C.
const cudaName = "kernel.cu"

// Architecture is what the lab's kernels are compiled for: all of the chips but GK104 run it, and the lessons' chip is GK110.
const Architecture = "sm_35"

// Compile returns the PTX of CUDA C, which includes the toolkit's headers and no other file: by clang, or by the built-in compiler where
// there is none, as in a browser. The error is the compiler's.
func Compile(ctx context.Context, text string) (string, error) {
	r := sources.Reader{Piped: sources.Piped{Name: cudaName, Text: []byte(text)}, Compile: toolchain.Options{Confined: true}}
	p, err := r.PTX(ctx, cudaName, Architecture)
	if err != nil {
		return "", err
	}
	return strings.ReplaceAll(string(p.Source.Text), "<stdin>", cudaName), nil // which clang calls a text that has no file
}

// CompileError returns what is wrong with a kernel's CUDA C where an error says that, "" for any other error.
func CompileError(err error) string {
	if failed := new(toolchain.CompileError); errors.As(err, &failed) {
		return ofKernel(failed.Error())
	}
	return ""
}

// ofKernel leaves of clang's messages what a reader of the page can use: the kernel has its name, and notes about lines of the toolkit's
// headers go, with the lines that they show.
func ofKernel(messages string) string {
	var kept strings.Builder
	note := false
	for line := range strings.Lines(strings.ReplaceAll(messages, "<stdin>", cudaName)) {
		if m := placed().FindStringSubmatch(line); m != nil {
			note = m[1] != cudaName && strings.Contains(line, " note: ")
		} else if note && !strings.Contains(line, " | ") {
			note = false
		}
		if !note {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
