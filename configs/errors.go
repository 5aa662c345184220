package configs

import (
	"fmt"
	"strings"

	"github.com/keplersim/keplersim/internal/spelling"
)

// Error is one mistake in a configuration, with its position.
type Error struct {
	// File is the file's name as the user gave it, the embedded file's name, or the override as typed.
	File string
	// Line and Column count from 1; they are 0 for an override.
	Line, Column int
	// Key is the full key, as in l2.bytes; empty if the text itself does not parse.
	Key string
	// Message says what is wrong and what would be right.
	Message string
}

// Error returns file:line:column: key: message.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": ")
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	b.WriteString(e.Message)
	return b.String()
}

// Errors are all mistakes in a configuration, in the order of the schema.
type Errors []*Error

// maxErrors is the most errors that are printed.
const maxErrors = 20

// Error returns one line for each error, at most maxErrors of them.
func (e Errors) Error() string {
	lines := make([]string, 0, min(len(e), maxErrors)+1)
	for i, one := range e {
		if i == maxErrors {
			lines = append(lines, fmt.Sprintf("and %d more", len(e)-maxErrors))
			break
		}
		lines = append(lines, one.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As each error.
func (e Errors) Unwrap() []error {
	list := make([]error, len(e))
	for i, one := range e {
		list[i] = one
	}
	return list
}

// nearest returns the candidate that name was probably meant to be, if one is near enough.
func nearest(name string, candidates []string) (string, bool) {
	best := spelling.Nearest(name, candidates)
	return best, best != ""
}
