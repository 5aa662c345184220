package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Choose returns the rows that a text selects: a row's number below the header, from 1, as in 17; or values, as in board=k40,block=16,16.
// Two selected rows of one workload would be different points of the study, so they are an error that says how they differ.
func (t *Table) Choose(text string) ([]int, error) {
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 || n > len(t.Rows) {
			return nil, fmt.Errorf("row %d: the table has rows 1 to %d", n, len(t.Rows))
		}
		return []int{n - 1}, nil
	}
	wanted, err := t.wanted(text)
	if err != nil {
		return nil, err
	}
	var chosen []int
	for i, row := range t.Rows {
		fits := true
		for column, value := range wanted {
			fits = fits && row[column] == value
		}
		if fits {
			chosen = append(chosen, i)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no row has %s together", text)
	}
	return chosen, t.checkDistinct(text, chosen)
}

// wanted reads values by column. A comma without a column behind it belongs to the value before.
func (t *Table) wanted(text string) (map[int]string, error) {
	wanted := map[int]string{}
	last := -1
	for _, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		column := slices.Index(t.Columns[:t.Inputs], strings.TrimSpace(name))
		switch {
		case ok && column >= 0:
			wanted[column], last = value, column
		case last >= 0 && !ok:
			wanted[last] += "," + part
		default:
			return nil, fmt.Errorf("%q chooses no row: write a number, or values of the columns %s, as in %s=%s", part,
				strings.Join(t.Columns[:t.Inputs], ", "), t.Columns[1], t.exampleValue(1))
		}
	}
	for column, value := range wanted {
		if all := t.values(column, nil); !slices.Contains(all, value) {
			return nil, fmt.Errorf("no row has %s=%s; there are %s", t.Columns[column], value, strings.Join(all, ", "))
		}
	}
	return wanted, nil
}

// exampleValue returns an example of a column's values, for messages.
func (t *Table) exampleValue(column int) string {
	if len(t.Rows) == 0 {
		return "VALUE"
	}
	return t.Rows[0][column]
}

// values returns the distinct values of a column in some rows; nil means all rows.
func (t *Table) values(column int, rows []int) (all []string) {
	for i, row := range t.Rows {
		if (rows == nil || slices.Contains(rows, i)) && !slices.Contains(all, row[column]) {
			all = append(all, row[column])
		}
	}
	return all
}

// checkDistinct returns an error if two chosen rows have the same workload.
func (t *Table) checkDistinct(text string, chosen []int) error {
	of := map[string][]int{}
	for _, i := range chosen {
		workload := t.Rows[i][0]
		of[workload] = append(of[workload], i)
	}
	for _, i := range chosen {
		workload := t.Rows[i][0]
		rows := of[workload]
		if len(rows) < 2 {
			continue
		}
		var more []string
		for column := 1; column < t.Inputs; column++ {
			if values := t.values(column, rows); len(values) > 1 {
				more = append(more, fmt.Sprintf("%s (%s)", t.Columns[column], strings.Join(values, ", ")))
			}
		}
		if more == nil {
			return fmt.Errorf("%s fits %d rows of %s that are alike: choose one by its number, as in %d", text, len(rows), workload,
				rows[0]+1)
		}
		return fmt.Errorf("%s fits %d rows of %s: say also %s", text, len(rows), workload, strings.Join(more, " and "))
	}
	return nil
}

// Point returns a row's axes, as in l2.bytes=512K, without its workload and board; and its metrics by name.
func (t *Table) Point(row int) (axes []string, metrics map[string]float64) {
	metrics = map[string]float64{}
	for column, cell := range t.Rows[row] {
		switch {
		case column >= 2 && column < t.Inputs:
			axes = append(axes, t.Columns[column]+"="+cell)
		case t.number(column):
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				metrics[t.Columns[column]] = v
			}
		}
	}
	return axes, metrics
}

// Ended returns how a row's point ended, and, if it is not OK, why.
func (t *Table) Ended(row int) (Status, string) {
	return Status(t.Rows[row][t.Inputs]), t.Rows[row][t.Inputs+1]
}
