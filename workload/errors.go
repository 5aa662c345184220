package workload

import (
	"fmt"
	"slices"
	"strings"
)

// Error is one thing wrong with a workload file.
type Error struct {
	Path string
	Position
	Message string
}

// Error gives "file:line:column: message".
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Message)
}

// Errors is everything found wrong with a workload file, in the order of the file, at most 20 of them.
type Errors []*Error

const mostErrors = 20

// Error gives one line an error.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// nearest returns the candidate closest to word by edit distance, or "" where none is close.
func nearest(word string, candidates []string) string {
	best, bestDistance := "", len(word)/2+1
	for _, candidate := range candidates {
		if d := editDistance(strings.ToLower(word), candidate); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// suggest is nearest as the end of a message: what is allowed, and which of it was probably meant.
func suggest(word string, candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	if best := nearest(word, candidates); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	sorted := slices.Sorted(slices.Values(candidates))
	if len(sorted) > 20 {
		return ""
	}
	return "; known are " + strings.Join(sorted, ", ")
}

// editDistance counts the insertions, deletions and replacements that turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
