package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	_ "embed"
)

// Point is a launch whose time, or cycles, were published, with its distinguishing parts.
type Point struct {
	Name, Program string
	Work          string   // what it computes; only points of the same program and work are compared
	Parts         []string // by the columns of PointParts
	Theirs, Ours  float64  // in the same unit
}

//go:embed points.csv
var pointsText string

// points are the points of the last validation, read once.
var points = sync.OnceValue(func() []Point {
	list, err := ReadPoints(strings.NewReader(pointsText))
	if err != nil {
		panic(err) // the file is embedded, and a test reads it
	}
	return list
})

// PointParts returns the columns of a point's parts, in their order.
func PointParts() (columns []string) {
	for _, p := range parts {
		columns = append(columns, p.column)
	}
	return columns
}

// pointColumns returns the columns of a file of points.
func pointColumns() []string {
	return slices.Concat([]string{"row", "program", "work"}, PointParts(), []string{"measured", "simulated"})
}

// keyWithout returns a key that is equal for points that differ only in a change. A change of the board may also change ECC.
func (p *Point) keyWithout(change Change) string {
	common := []string{p.Program, p.Work}
	for i, part := range parts {
		varies := part.change == change || change == VariantChange && part.variant || change == BoardChange && part.change == ECCChange
		if !varies {
			common = append(common, p.Parts[i])
		}
	}
	return strings.Join(common, "\x00")
}

// ReadPoints reads points that WritePoints wrote.
func ReadPoints(r io.Reader) ([]Point, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the points of validation: %w", err)
	}
	columns := pointColumns()
	if len(lines) == 0 || !slices.Equal(lines[0], columns) {
		return nil, fmt.Errorf("points of validation: the first line is not %s", strings.Join(columns, ","))
	}
	var list []Point
	for i, line := range lines[1:] {
		n := len(columns)
		theirs, failed := strconv.ParseFloat(line[n-2], 64)
		ours, err := strconv.ParseFloat(line[n-1], 64)
		if failed != nil || err != nil || theirs <= 0 || ours <= 0 {
			return nil, fmt.Errorf("points of validation, line %d: %q is not a row", i+2, strings.Join(line, ","))
		}
		list = append(list, Point{line[0], line[1], line[2], line[3 : n-2], theirs, ours})
	}
	return list, nil
}

// WritePoints writes points as CSV, sorted by name.
func WritePoints(w io.Writer, list []Point) error {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Point) int { return cmp.Compare(a.Name, b.Name) })
	lines := [][]string{pointColumns()}
	for _, p := range list {
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
		lines = append(lines, slices.Concat([]string{p.Name, p.Program, p.Work}, p.Parts, []string{number(p.Theirs), number(p.Ours)}))
	}
	if err := csv.NewWriter(w).WriteAll(lines); err != nil {
		return fmt.Errorf("write the points of validation: %w", err)
	}
	return nil
}
