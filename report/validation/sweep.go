package validation

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/report/plots"
	"github.com/keplersim/keplersim/validation"
)

// sweepTable is a table of a sweep as JSON has it.
type sweepTable struct {
	Title   string     `json:"title"`
	X       string     `json:"x"`
	Y       string     `json:"y"`
	Columns []string   `json:"columns"`
	Rows    []sweepRow `json:"rows"`
}

type sweepRow struct {
	Label  string     `json:"label"`
	Values []*float64 `json:"values"` // null where nothing was measured
}

// Board names the simulated board of a sweep, with the overrides of its configuration's keys, each KEY=VALUE.
type Board struct {
	Name      string
	Overrides []string
}

// String returns the board's name with its overrides.
func (b Board) String() string { return configs.TitleOf(b.Name, b.Overrides) }

// WriteSweep writes the tables of a sweep on a board as text, json or csv.
func WriteSweep(out io.Writer, format string, board Board, tables []validation.SweepTable) error {
	switch format {
	case "json":
		return writeSweepJSON(out, board, tables)
	case "csv":
		return writeSweepCSV(out, board, tables)
	}
	for i := range tables {
		t := &tables[i]
		fmt.Fprintf(out, "%s, on %s (%s)\n", t.Title, board, t.Y)
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "%s\t%s\t\n", t.X, strings.Join(t.Columns, "\t"))
		for _, row := range t.Rows {
			fmt.Fprint(table, row.Label)
			for _, v := range row.Values {
				text := ""
				if !math.IsNaN(v) {
					text = numberText(v)
				}
				fmt.Fprintf(table, "\t%s", text)
			}
			fmt.Fprintln(table, "\t")
		}
		if err := table.Flush(); err != nil {
			return fmt.Errorf("write the sweep: %w", err)
		}
		fmt.Fprintln(out)
	}
	return nil
}

func writeSweepJSON(out io.Writer, board Board, tables []validation.SweepTable) error {
	document := struct {
		Board     string       `json:"board"`
		Overrides []string     `json:"overrides,omitempty"`
		Tables    []sweepTable `json:"tables"`
	}{Board: board.Name, Overrides: board.Overrides}
	for _, t := range tables {
		table := sweepTable{Title: t.Title, X: t.X, Y: t.Y, Columns: t.Columns}
		for _, row := range t.Rows {
			r := sweepRow{Label: row.Label}
			for _, v := range row.Values {
				r.Values = append(r.Values, finite(v))
			}
			table.Rows = append(table.Rows, r)
		}
		document.Tables = append(document.Tables, table)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

// writeSweepCSV writes a line a value.
func writeSweepCSV(out io.Writer, board Board, tables []validation.SweepTable) error {
	lines := [][]string{{"board", "overrides", "table", "x", "at", "curve", "unit", "value"}}
	for _, t := range tables {
		for _, row := range t.Rows {
			for i, v := range row.Values {
				if !math.IsNaN(v) {
					lines = append(lines, []string{board.Name, strings.Join(board.Overrides, " "), t.Title, t.X, row.Label, t.Columns[i],
						t.Y, strconv.FormatFloat(v, 'g', 8, 64)})
				}
			}
		}
	}
	if err := csv.NewWriter(out).WriteAll(lines); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// WriteSweepPlot draws a sweep: a file for each of its tables, which have the name given and, from the second on, -2 and so on before its
// ending, .svg, .png or .pdf. It returns the files' names.
func WriteSweepPlot(path string, board Board, tables []validation.SweepTable) ([]string, error) {
	var files []string
	for i := range tables {
		file := path
		if i > 0 {
			ending := filepath.Ext(path)
			file = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, ending), i+1, ending)
		}
		if err := drawSweep(file, board, &tables[i]); err != nil {
			return files, err
		}
		files = append(files, file)
	}
	return files, nil
}

// drawSweep draws one table: a curve a column, over X, or over the rows' labels where X means nothing.
func drawSweep(path string, board Board, t *validation.SweepTable) error {
	p, err := newPlot(path, fmt.Sprintf("%s, %s", t.Title, board), t.X, t.Y)
	if err != nil {
		return err
	}
	if len(t.Rows) == 0 {
		return errors.New("nothing to plot: the sweep has no points")
	}
	labels := t.Rows[0].X == t.Rows[len(t.Rows)-1].X
	top := 0.0
	for column, name := range t.Columns {
		var points plotter.XYs
		for i, row := range t.Rows {
			x, y := row.X, row.Values[column]
			if labels {
				x = float64(i)
			}
			if !math.IsNaN(y) {
				points = append(points, plotter.XY{X: x, Y: y})
				top = max(top, y)
			}
		}
		if len(points) == 0 {
			continue
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return fmt.Errorf("plot %s: %w", path, err)
		}
		line.Color, marks.Color = groupColors[column%len(groupColors)], groupColors[column%len(groupColors)]
		line.Width = plots.NestedWidth(column, len(t.Columns)) / 2
		marks.Shape, marks.Radius = groupShapes[column%len(groupShapes)], plots.NestedRadius(column, len(t.Columns))
		if column >= len(groupColors) {
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		}
		p.Add(line, marks)
		p.Legend.Add(name, line, marks)
	}
	if labels {
		nominal(p, t.Rows)
	} else if t.Logarithmic {
		var ticks []plot.Tick
		for _, row := range t.Rows {
			label := row.Label
			if _, fraction := math.Frexp(row.X); row.X != math.Ldexp(0.5, fraction) {
				label = "" // between two powers of two
			}
			ticks = append(ticks, plot.Tick{Value: row.X, Label: label})
		}
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.ConstantTicks(ticks)
	}
	p.Y.Min, p.Y.Max = 0, 1.25*top // the legend has room above the curves
	p.Y.Tick.Marker = plot.TickerFunc(plainTicks)
	p.Legend.Top, p.Legend.Left = true, true
	return save(p, path)
}

// nominal writes the rows' labels below the axis, slanted.
func nominal(p *plot.Plot, rows []validation.SweepRow) {
	var names []string
	for _, row := range rows {
		names = append(names, row.Label)
	}
	p.NominalX(names...)
	p.X.Tick.Label.Rotation = math.Pi / 12
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = -1, -1.2
	p.X.Label.Text = ""
}

// plainTicks are round numbers, at most ten, without the decimals that the library adds.
func plainTicks(least, most float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10(most-least)))
	for _, finer := range []float64{2, 2.5, 2} {
		if (most-least)/step < 5 {
			step /= finer
		}
	}
	var ticks []plot.Tick
	for v := math.Ceil(least/step) * step; v <= most; v += step {
		ticks = append(ticks, plot.Tick{Value: v, Label: numberText(v)})
	}
	return ticks
}
