package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/spelling"
)

// Error is one mistake in a workload file.
type Error struct {
	Path string
	Position
	Message string
}

// Error gives "file:line:column: message".
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Message)
}

// Errors are the mistakes in a workload file, in the order of the file, at most 20.
type Errors []*Error

const mostErrors = 20

// Error lists the mistakes, one a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// suggest returns the end of a message: the allowed words, and the one probably meant.
func suggest(word string, candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	if best := spelling.Nearest(word, candidates); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	sorted := slices.Sorted(slices.Values(candidates))
	if len(sorted) > 20 {
		return ""
	}
	return "; known are " + strings.Join(sorted, ", ")
}
