package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is one rectangle of a figure: a diagram, or a drawing by Draw. Lengths are points.
type Panel struct {
	Plot   *plot.Plot
	Draw   func(draw.Canvas)
	Height vg.Length
	// XLabel and YLabel replace the diagram's own labels. Logarithmic axes need them, because the library reserves room for their own
	// labels as if they were at the middle of the values.
	XLabel, YLabel string
}

// Figure is a column of panels of the same width. The axes of all diagrams begin and end at the same x.
type Figure struct {
	Width  vg.Length
	Panels []Panel
}

// Save writes the figure to a file, .svg, .png or .pdf.
func (f *Figure) Save(path string) error {
	var height vg.Length
	for _, p := range f.Panels {
		height += p.Height
	}
	return Save(path, f.Width, height, f.drawTo)
}

// drawTo draws the panels from the top down.
func (f *Figure) drawTo(c draw.Canvas) {
	canvases := make([]draw.Canvas, len(f.Panels))
	top := c.Max.Y
	for i, p := range f.Panels {
		rectangle := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: top - p.Height}, Max: vg.Point{X: c.Max.X, Y: top}}
		canvases[i] = draw.Crop(draw.Canvas{Canvas: c.Canvas, Rectangle: rectangle}, 6, -10, 4, -6)
		top -= p.Height
		if p.XLabel != "" {
			canvases[i] = draw.Crop(canvases[i], 0, 0, labelRoom, 0)
		}
		if p.YLabel != "" {
			canvases[i] = draw.Crop(canvases[i], labelRoom, 0, 0, 0)
		}
	}
	f.align(canvases)
	for i, p := range f.Panels {
		if p.Plot != nil {
			p.Plot.Draw(canvases[i])
			p.drawLabels(canvases[i])
		}
		if p.Draw != nil {
			p.Draw(canvases[i])
		}
	}
}

// labelRoom is a label's room in a panel, in points.
const labelRoom vg.Length = 22

// drawLabels writes the labels next to the panel's diagram.
func (p *Panel) drawLabels(c draw.Canvas) {
	data := p.Plot.DataCanvas(c)
	style := p.Plot.X.Label.TextStyle
	style.XAlign, style.YAlign = text.XCenter, text.YCenter
	c.FillText(style, vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: c.Min.Y - labelRoom/2}, p.XLabel)
	style.Rotation = math.Pi / 2
	c.FillText(style, vg.Point{X: c.Min.X - labelRoom/2, Y: (data.Min.Y + data.Max.Y) / 2}, p.YLabel)
}

// alignments is how often canvases are cropped. One time is not enough: the room for an axis's last label depends a little on where the
// axis ends.
const alignments = 3

// align crops the canvases of diagrams so that their data are between the same two x.
func (f *Figure) align(canvases []draw.Canvas) {
	for range alignments {
		left, right := vg.Length(0), vg.Length(0) // the most room that any diagram needs next to its data
		for i, p := range f.Panels {
			if p.Plot != nil {
				data := p.Plot.DataCanvas(canvases[i])
				left = max(left, data.Min.X)
				right = max(right, f.Width-data.Max.X)
			}
		}
		for i, p := range f.Panels {
			if p.Plot != nil {
				data := p.Plot.DataCanvas(canvases[i])
				canvases[i] = draw.Crop(canvases[i], left-data.Min.X, f.Width-right-data.Max.X, 0, 0)
			}
		}
	}
}
