package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/internal/pattern"
)

// Difference is a cell in which two tables of one study differ.
type Difference struct {
	// Row counts from 1. Point describes the row's inputs; Column is the cell's.
	Row              int
	Point            string
	Column, Old, New string
	// Part is the relative difference of two numbers, infinite if the old one is 0; it is 0 for texts.
	Part float64
}

// pathIn matches a path's folders in a message.
var pathIn = pattern.Lazy(`[^\s"'():,;]*[/\\]`)

// Differences returns the cells in which a table differs from an older one of the same study. It compares reasons without the folders of
// files, and ignores the columns that say what made the rows. Tables with other points or metrics give an error.
func Differences(old, table *Table) (list []Difference, err error) {
	if !slices.Equal(old.Columns[:old.Inputs+2+len(old.Metrics())], table.Columns[:table.Inputs+2+len(table.Metrics())]) {
		return nil, fmt.Errorf("the tables have different columns: %s; %s", strings.Join(old.Columns, ", "), strings.Join(table.Columns,
			", "))
	}
	if len(old.Rows) != len(table.Rows) {
		return nil, fmt.Errorf("the tables have %d and %d rows", len(old.Rows), len(table.Rows))
	}
	for i, row := range table.Rows {
		if !slices.Equal(row[:table.Inputs], old.Rows[i][:table.Inputs]) {
			return nil, fmt.Errorf("row %d of the tables is another point: %s; %s", i+1, old.describe(i), table.describe(i))
		}
		for c := table.Inputs; c < table.Inputs+2+len(table.Metrics()); c++ {
			a, b := old.Rows[i][c], row[c]
			if c == table.Inputs+1 {
				a, b = pathIn().ReplaceAllString(a, ""), pathIn().ReplaceAllString(b, "")
			}
			if a == b {
				continue
			}
			d := Difference{Row: i + 1, Point: table.describe(i), Column: table.Columns[c], Old: a, New: b}
			x, failed := strconv.ParseFloat(a, 64)
			if y, alike := strconv.ParseFloat(b, 64); failed == nil && alike == nil && table.number(c) {
				d.Part = math.Inf(1)
				if x != 0 {
					d.Part = (y - x) / math.Abs(x)
				}
			}
			list = append(list, d)
		}
	}
	return list, nil
}

// describe returns a row's inputs for messages.
func (t *Table) describe(row int) string {
	cells := t.Rows[row]
	text := cells[0] + " on " + cells[1]
	for i := 2; i < t.Inputs; i++ {
		text += " " + t.Columns[i] + "=" + cells[i]
	}
	return text
}

// String names the cell with both values.
func (d Difference) String() string {
	text := fmt.Sprintf("row %d, %s: %s was %q and is %q", d.Row, d.Point, d.Column, d.Old, d.New)
	if d.Part != 0 && !math.IsInf(d.Part, 0) {
		text += fmt.Sprintf(" (%+.2g %%)", 100*d.Part)
	}
	return text
}
