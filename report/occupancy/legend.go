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

// chipEntries returns the lines of the study's chips.
func (s *Study) chipEntries() []plots.Entry {
	var entries []plots.Entry
	for i, chip := range s.Chips {
		entries = append(entries, plots.Entry{Name: chip.Name + " (cc " + chip.Capability + ")", Color: chipColor(i), Dashes: chipDashes(i),
			Width: min(plots.NestedWidth(i, len(s.Chips)), mostLegendWidth)})
	}
	return entries
}

// mostLegendWidth is how wide a line of the legend is at most, in points.
const mostLegendWidth vg.Length = 8

// limiterLegend names the colours of a map of limiters.
func limiterLegend() plots.Panel {
	return plots.LegendPanel(plotWidth, []plots.Entry{
		{Name: "warp slots", Color: limiterColors[smx.Warps], Square: true},
		{Name: "registers", Color: limiterColors[smx.Registers], Square: true},
		{Name: "shared memory", Color: limiterColors[smx.SharedMemory], Square: true},
		{Name: "block slots", Color: limiterColors[smx.Blocks], Square: true}, {Name: "several", Color: severalColor, Square: true},
		{Name: "does not fit", Color: unfitColor, Square: true},
	})
}

// warpsBar says what the strength of a colour means.
func warpsBar(warps int) plots.Panel {
	var ticks []plot.Tick
	for _, quarter := range []int{0, 1, 2, 3, 4} {
		ticks = append(ticks, plot.Tick{Value: float64(quarter) / 4, Label: strconv.Itoa(warps * quarter / 4)})
	}
	return plots.ColorBarPanel("resident warps of an SMX (each colour: pale to strong)", ticks, func(v float64) color.Color {
		return paler(severalColor, v)
	})
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
	style := plots.LegendStyle()
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
			if x(left[high+1])-x(left[low]) < style.Width(label)+6 || y(bottom[up+1])-y(bottom[down]) < plots.LegendSize+4 {
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

// run returns the first and the last cell of the region in a line through a cell: by columns or by rows.
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

// middle returns the cell of a region nearest to the mean of its cells.
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
