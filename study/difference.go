package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/keplersim/keplersim/internal/pattern"
)

// Difference is a cell that two tables of one study have differently.
type Difference struct {
	// Row counts from 1, Point is the row's inputs, Column the name of the cell's.
	Row              int
	Point            string
	Column, Old, New string
	// Part is the difference of two numbers as a part of the old one, infinite where that is 0; it is 0 for texts.
	Part float64
}

// pathIn is a path in a message, up to its last part.
var pathIn = pattern.Lazy(`[^\s"'():,;]*[/\\]`)

// Differences returns the cells in which a table differs from an older one of the same study. Reasons are compared without the folders of
// files, and what made the rows is not compared. Tables of other points or metrics are an error.
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

// describe names a row's point.
func (t *Table) describe(row int) string {
	cells := t.Rows[row]
	text := cells[0] + " on " + cells[1]
	for i := 2; i < t.Inputs; i++ {
		text += " " + t.Columns[i] + "=" + cells[i]
	}
	return text
}

// String names the cell and both its values.
func (d Difference) String() string {
	text := fmt.Sprintf("row %d, %s: %s was %q and is %q", d.Row, d.Point, d.Column, d.Old, d.New)
	if d.Part != 0 && !math.IsInf(d.Part, 0) {
		text += fmt.Sprintf(" (%+.2g %%)", 100*d.Part)
	}
	return text
}
