// Package columns reads the tables that are embedded in the program. A table has one row a line; at least two blanks separate columns, so a
// cell may contain single blanks. A cell of - is empty. Lines that begin with # are comments.
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
