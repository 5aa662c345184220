package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a colour bar in points: its height, its steps, the room left and right of it, and what its text takes.
const (
	barHeight vg.Length = 12
	barSteps            = 128
	barSide   vg.Length = 60
	barText   vg.Length = 17
)

// ColorBarPanel returns a panel that says what the colours of a map mean: the colours from 0 to 1 with ticks below and a title beside.
func ColorBarPanel(title string, ticks []plot.Tick, of func(float64) color.Color) Panel {
	return Panel{Height: barHeight + 2*barText + 10, Draw: func(c draw.Canvas) {
		style := LegendStyle()
		style.XAlign = text.XCenter
		left, right := c.Min.X+barSide, c.Max.X-barSide
		top := c.Max.Y - barText
		c.FillText(style, vg.Point{X: (left + right) / 2, Y: top + barText/2}, title)
		step := (right - left) / barSteps
		for i := range barSteps {
			c.SetColor(of((float64(i) + 0.5) / barSteps))
			x := left + step*vg.Length(i)
			c.Fill(vg.Rectangle{Min: vg.Point{X: x, Y: top - barHeight}, Max: vg.Point{X: x + step + 0.3, Y: top}}.Path())
		}
		line := draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}
		for _, t := range ticks {
			x := left + (right-left)*vg.Length(t.Value)
			c.StrokeLines(line, []vg.Point{{X: x, Y: top - barHeight}, {X: x, Y: top - barHeight - 3}})
			c.FillText(style, vg.Point{X: x, Y: top - barHeight - barText/2 - 1}, t.Label)
		}
	}}
}
