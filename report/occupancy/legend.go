package occupancy

import (
	"image/color"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/keplersim/keplersim/report/plots"
	smx "github.com/keplersim/keplersim/sim/smx/occupancy"
)

// legendEntry is one name with its mark: a dot, a filled square, or a line.
type legendEntry struct {
	name   string
	color  color.Color
	dot    bool
	square bool
	dashes []vg.Length
}

// legendRow is the height of a row of legend entries, in points; legendSize that of its letters.
const (
	legendRow  vg.Length = 16
	legendSize vg.Length = 10
)

// legendStyle is the legend's text.
func legendStyle() text.Style {
	style := text.Style{Color: color.Black, Font: plot.DefaultFont, XAlign: text.XLeft, YAlign: text.YCenter, Handler: plot.DefaultTextHandler}
	style.Font.Size, style.Font.Variant = legendSize, plots.FontVariant
	return style
}

// chipEntries are the lines of the study's chips.
func (s *Study) chipEntries(suffix string) []legendEntry {
	var entries []legendEntry
	for i, chip := range s.Chips {
		entries = append(entries, legendEntry{name: chip.Name + " (cc " + chip.Capability + ")" + suffix, color: chipColors[i%len(chipColors)], dashes: chipDashes[i%len(chipDashes)]})
	}
	return entries
}

// legendPanel draws entries in rows.
func legendPanel(entries []legendEntry) panel {
	rows := layLegend(entries, plotWidth-30)
	return panel{height: legendRow*vg.Length(len(rows)) + 14, draw: func(c draw.Canvas) { drawLegend(c, rows) }}
}

// markWidth is the room for an entry's mark, entryGap between entries, in points.
const (
	markWidth vg.Length = 26
	entryGap  vg.Length = 20
)

// layLegend breaks entries into rows that are not wider than the figure.
func layLegend(entries []legendEntry, width vg.Length) [][]legendEntry {
	style, rows, used := legendStyle(), [][]legendEntry{nil}, vg.Length(0)
	for _, e := range entries {
		need := markWidth + style.Width(e.name) + entryGap
		if used+need > width && used > 0 {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		used += need
	}
	return rows
}

// drawLegend draws rows of entries from the top of a canvas.
func drawLegend(c draw.Canvas, rows [][]legendEntry) {
	style := legendStyle()
	y := c.Max.Y - legendRow/2
	for _, row := range rows {
		x := c.Min.X + 8
		for _, e := range row {
			left, right := vg.Point{X: x, Y: y}, vg.Point{X: x + markWidth - 6, Y: y}
			switch {
			case e.square:
				c.SetColor(e.color)
				c.Fill(vg.Rectangle{Min: vg.Point{X: right.X - 11, Y: y - 5.5}, Max: vg.Point{X: right.X, Y: y + 5.5}}.Path())
			case e.dot:
				c.DrawGlyph(draw.GlyphStyle{Color: e.color, Radius: vg.Points(3.5), Shape: draw.CircleGlyph{}}, vg.Point{X: (left.X + right.X) / 2, Y: y})
			default:
				c.StrokeLines(draw.LineStyle{Color: e.color, Width: vg.Points(1.6), Dashes: e.dashes}, []vg.Point{left, right})
			}
			x += markWidth
			c.FillText(style, vg.Point{X: x, Y: y}, e.name)
			x += style.Width(e.name) + entryGap
		}
		y -= legendRow
	}
}

// limiterLegend names the colours of a heat map.
func limiterLegend() panel {
	rows := layLegend([]legendEntry{
		{name: "warp slots", color: limiterColors[smx.Warps], square: true}, {name: "registers", color: limiterColors[smx.Registers], square: true},
		{name: "shared memory", color: limiterColors[smx.SharedMemory], square: true}, {name: "block slots", color: limiterColors[smx.Blocks], square: true},
		{name: "several", color: severalColor, square: true}, {name: "does not fit", color: unfitColor, square: true},
	}, plotWidth-30)
	rows = append(rows, []legendEntry{{name: "numbers: resident warps; the stronger a colour, the more of the SMX's warp slots are taken", color: color.White, square: true}})
	return panel{height: legendRow*vg.Length(len(rows)) + 14, draw: func(c draw.Canvas) { drawLegend(c, rows) }}
}

// regionLabels writes the resident warps into each region of a heat map that has room for them. A region is neighbouring
// cells of equal warps and limiters.
type regionLabels struct {
	rows, columns []int
	at            func(row, column int) (warps int, limiters smx.Limiters)
}

// Plot implements plot.Plotter.
func (l regionLabels) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	left, bottom := cellEdges(l.columns), cellEdges(l.rows)
	style := legendStyle()
	style.XAlign = text.XCenter
	seen := make([]bool, len(l.rows)*len(l.columns))
	for i := range l.rows {
		for j := range l.columns {
			if seen[i*len(l.columns)+j] {
				continue
			}
			cells := l.region(i, j, seen)
			row, column := middle(cells)
			warps, limiters := l.at(row, column)
			// The room is the run of the region's cells through its middle, across and up.
			low, high := l.run(row, column, 0, 1)
			down, up := l.run(row, column, 1, 0)
			label := strconv.Itoa(warps)
			if x(left[high+1])-x(left[low]) < style.Width(label)+6 || y(bottom[up+1])-y(bottom[down]) < legendSize+4 {
				continue
			}
			style.Color = color.Black
			if dark := float64(warps) > 40 || warps == 0 || limiters&(limiters-1) != 0 && warps > 32; dark {
				style.Color = color.White
			}
			c.FillText(style, vg.Point{X: (x(left[low]) + x(left[high+1])) / 2, Y: (y(bottom[down]) + y(bottom[up+1])) / 2}, label)
		}
	}
}

// same says whether two cells belong together.
func (l regionLabels) same(i, j, row, column int) bool {
	if row < 0 || column < 0 || row >= len(l.rows) || column >= len(l.columns) {
		return false
	}
	warps, limiters := l.at(i, j)
	otherWarps, otherLimiters := l.at(row, column)
	return warps == otherWarps && limiters == otherLimiters
}

// region gathers the cells of the region around one, and marks them as seen.
func (l regionLabels) region(row, column int, seen []bool) [][2]int {
	cells := [][2]int{{row, column}}
	seen[row*len(l.columns)+column] = true
	for next := 0; next < len(cells); next++ {
		i, j := cells[next][0], cells[next][1]
		for _, near := range [][2]int{{i + 1, j}, {i - 1, j}, {i, j + 1}, {i, j - 1}} {
			if l.same(i, j, near[0], near[1]) && !seen[near[0]*len(l.columns)+near[1]] {
				seen[near[0]*len(l.columns)+near[1]] = true
				cells = append(cells, near)
			}
		}
	}
	return cells
}

// run is the first and the last cell of the region in a line through a cell: by columns or by rows.
func (l regionLabels) run(row, column, rowStep, columnStep int) (first, last int) {
	at := column
	if rowStep != 0 {
		at = row
	}
	first, last = at, at
	for n := 1; l.same(row, column, row-n*rowStep, column-n*columnStep); n++ {
		first--
	}
	for n := 1; l.same(row, column, row+n*rowStep, column+n*columnStep); n++ {
		last++
	}
	return first, last
}

// middle is the cell of a region nearest to the mean of its cells.
func middle(cells [][2]int) (row, column int) {
	sumRow, sumColumn := 0, 0
	for _, c := range cells {
		sumRow, sumColumn = sumRow+c[0], sumColumn+c[1]
	}
	best := -1
	for _, c := range cells {
		dr, dc := c[0]*len(cells)-sumRow, c[1]*len(cells)-sumColumn
		if d := dr*dr + dc*dc; best < 0 || d < best {
			best, row, column = d, c[0], c[1]
		}
	}
	return row, column
}
