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

// cudaName is the name of a page's CUDA C in messages.
const cudaName = "kernel.cu"

// Architecture is the target of the lab's kernels. Every chip except GK104 runs it; the lessons use GK110.
const Architecture = "sm_35"

// Compile returns the PTX of CUDA C, which may include the toolkit's headers but no other file. It uses clang, or the built-in compiler
// where there is none, as in a browser. The error is the compiler's.
func Compile(ctx context.Context, text string) (string, error) {
	r := sources.Reader{Piped: sources.Piped{Name: cudaName, Text: []byte(text)}, Compile: toolchain.Options{Confined: true}}
	p, err := r.PTX(ctx, cudaName, Architecture)
	if err != nil {
		return "", err
	}
	return strings.ReplaceAll(string(p.Source.Text), "<stdin>", cudaName), nil // clang calls a piped source <stdin>
}

// CompileError returns the compiler's messages if an error has any, else "".
func CompileError(err error) string {
	if failed := new(toolchain.CompileError); errors.As(err, &failed) {
		return ofKernel(failed.Error())
	}
	return ""
}

// ofKernel reduces clang's messages to those that help a reader of the page. It gives the kernel its name, and drops notes about the
// toolkit's headers with the lines that they show.
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
