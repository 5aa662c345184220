package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Panel is one rectangle of a figure: a diagram, or what Draw draws. Lengths are points.
type Panel struct {
	Plot   *plot.Plot
	Draw   func(draw.Canvas)
	Height vg.Length
}

// Figure is panels one under the other, as wide as Width. The axes of its diagrams begin and end at the same x.
type Figure struct {
	Width  vg.Length
	Panels []Panel
}

// Save writes the figure to a file, .svg or .png.
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
	}
	f.align(canvases)
	for i, p := range f.Panels {
		if p.Plot != nil {
			p.Plot.Draw(canvases[i])
		}
		if p.Draw != nil {
			p.Draw(canvases[i])
		}
	}
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
