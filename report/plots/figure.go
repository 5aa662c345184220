package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is one rectangle of a figure: a diagram, or what Draw draws. Lengths are points.
type Panel struct {
	Plot   *plot.Plot
	Draw   func(draw.Canvas)
	Height vg.Length
	// XLabel and YLabel stand below and beside the diagram in place of its own labels. Those of a logarithmic axis need it: the library
	// reserves room for them as if they stood at the middle of the values.
	XLabel, YLabel string
}

// Figure is panels one under the other, as wide as Width. The axes of its diagrams begin and end at the same x.
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

// labelRoom is what a label takes of a panel, in points.
const labelRoom vg.Length = 22

// drawLabels writes the labels beside the canvas of the panel's diagram.
func (p *Panel) drawLabels(c draw.Canvas) {
	data := p.Plot.DataCanvas(c)
	style := p.Plot.X.Label.TextStyle
	style.XAlign, style.YAlign = text.XCenter, text.YCenter
	c.FillText(style, vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: c.Min.Y - labelRoom/2}, p.XLabel)
	style.Rotation = math.Pi / 2
	c.FillText(style, vg.Point{X: c.Min.X - labelRoom/2, Y: (data.Min.Y + data.Max.Y) / 2}, p.YLabel)
}

// alignments is how often canvases are cropped: what an axis's last label takes depends a little on where the axis ends.
const alignments = 3

// align crops the canvases of diagrams so that their data lie between the same two x.
func (f *Figure) align(canvases []draw.Canvas) {
	for range alignments {
		left, right := vg.Length(0), vg.Length(0) // what lies beside the data, at most
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
