package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Entry is a name in a legend with its mark: a glyph, a filled square, or else a line.
type Entry struct {
	Name   string
	Color  color.Color
	Glyph  draw.GlyphDrawer
	Square bool
	Dashes []vg.Length
	Width  vg.Length // of a line; 0 means CurveWidth
}

// legendRow is the height of a legend's row, LegendSize that of its letters, in points.
const (
	legendRow  vg.Length = 16
	LegendSize vg.Length = 10
)

// LegendStyle returns the style of the text of legends and of labels in diagrams.
func LegendStyle() text.Style {
	style := text.Style{
		Color: color.Black, Font: plot.DefaultFont, XAlign: text.XLeft, YAlign: text.YCenter, Handler: plot.DefaultTextHandler,
	}
	style.Font.Size, style.Font.Variant = LegendSize, FontVariant
	return style
}

// markWidth is the room for an entry's mark, entryGap is between entries, legendMargin at the sides of the rows; in points.
const (
	markWidth    vg.Length = 26
	entryGap     vg.Length = 18
	legendMargin vg.Length = 30
)

// LegendPanel returns a panel for a figure of a given width, with groups of entries. Each group begins a row.
func LegendPanel(width vg.Length, groups ...[]Entry) Panel {
	var rows [][]Entry
	for _, group := range groups {
		rows = append(rows, layLegend(group, width-legendMargin)...)
	}
	return Panel{Height: legendRow*vg.Length(len(rows)) + 14, Draw: func(c draw.Canvas) { drawLegend(c, rows) }}
}

// nameWidth returns the room for a name. It is larger than the text, because viewers without the font use a wider one.
func nameWidth(style text.Style, name string) vg.Length { return 1.08 * style.Width(name) }

// layLegend breaks entries into rows of at most a given width.
func layLegend(entries []Entry, width vg.Length) [][]Entry {
	style, rows, used := LegendStyle(), [][]Entry{nil}, vg.Length(0)
	for _, e := range entries {
		need := markWidth + nameWidth(style, e.Name) + entryGap
		if used+need > width && used > 0 {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		used += need
	}
	return rows
}

// drawLegend draws rows of entries from the top of a canvas.
func drawLegend(c draw.Canvas, rows [][]Entry) {
	style := LegendStyle()
	y := c.Max.Y - legendRow/2
	for _, row := range rows {
		x := c.Min.X + 8
		for _, e := range row {
			left, right := vg.Point{X: x, Y: y}, vg.Point{X: x + markWidth - 6, Y: y}
			switch {
			case e.Square:
				c.SetColor(e.Color)
				c.Fill(vg.Rectangle{Min: vg.Point{X: right.X - 11, Y: y - 5.5}, Max: vg.Point{X: right.X, Y: y + 5.5}}.Path())
			case e.Glyph != nil:
				c.DrawGlyph(
					draw.GlyphStyle{Color: e.Color, Radius: vg.Points(3.5), Shape: e.Glyph}, vg.Point{X: (left.X + right.X) / 2, Y: y},
				)
			default:
				width := e.Width
				if width == 0 {
					width = CurveWidth
				}
				c.StrokeLines(draw.LineStyle{Color: e.Color, Width: width, Dashes: e.Dashes}, []vg.Point{left, right})
			}
			x += markWidth
			c.FillText(style, vg.Point{X: x, Y: y}, e.Name)
			x += nameWidth(style, e.Name) + entryGap
		}
		y -= legendRow
	}
}
