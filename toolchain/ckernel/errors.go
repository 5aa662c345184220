package ckernel

import (
	"fmt"
	"strings"
)

// Error is a fault of a file: where, what, and what to do about it.
type Error struct {
	File         string
	Line, Column int    // from 1
	What         string // the message
	Hint         string // what to do; "" if the message says it
	NeedsClang   bool   // valid C++, which only clang compiles
	source       string // the source line
}

// Error formats the message as clang does: file:line:column, the line, and a caret below it.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: error: %s", e.File, e.Line, e.Column, e.What)
	if e.source != "" {
		marker := strings.Map(func(r rune) rune {
			if r == '\t' {
				return r
			}
			return ' '
		}, e.source[:min(max(e.Column-1, 0), len(e.source))])
		fmt.Fprintf(&b, "\n%s\n%s^", strings.TrimRight(e.source, "\r"), marker)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\nhint: %s", e.Hint)
	}
	return b.String()
}

// errorAt is an error at a position.
func errorAt(at position, format string, arguments ...any) *Error {
	e := &Error{Line: at.line, Column: at.column, What: fmt.Sprintf(format, arguments...)}
	if at.file != nil {
		e.File = at.file.name
		if at.line >= 1 && at.line <= len(at.file.lines) {
			e.source = at.file.lines[at.line-1]
		}
	}
	return e
}

// needsClang is the error for C++ that only clang compiles.
func needsClang(at position, what string) *Error {
	e := errorAt(at, "%s needs clang: the built-in compiler takes C", what)
	e.NeedsClang = true
	e.Hint = "write it in C. C++ needs keplersim on a machine with clang: apt-get install clang-19"
	return e
}

// hinted adds a hint.
func (e *Error) hinted(format string, arguments ...any) *Error {
	e.Hint = fmt.Sprintf(format, arguments...)
	return e
}
