// Package columns reads the tables that the program embeds: texts with one row a line, whose columns stand two blanks or more apart, so
// that a cell may have single blanks. A cell of - is empty. Lines that begin with # are comments.
package columns

import (
	"iter"
	"strings"
)

// Lines returns the rows of a table as they are written.
func Lines(table string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(table) {
			line = strings.TrimSpace(line)
			if line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

// Split returns the cells of a row.
func Split(line string) (cells []string) {
	for _, cell := range strings.Split(line, "  ") {
		switch cell = strings.TrimSpace(cell); cell {
		case "":
		case "-":
			cells = append(cells, "")
		default:
			cells = append(cells, cell)
		}
	}
	return cells
}
