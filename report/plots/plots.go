// Package plots gives the diagrams of all reports one look, and writes them as SVG, PNG or PDF. It does not know what they show.
package plots

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	_ "gonum.org/v1/plot/vg/vgimg" // PNG
	_ "gonum.org/v1/plot/vg/vgpdf" // PDF
	_ "gonum.org/v1/plot/vg/vgsvg" // SVG

	"github.com/keplersim/keplersim/internal/files"
)

// FontVariant is the font family of all texts.
const FontVariant = "Sans"

// Colors distinguish the curves of a diagram.
var Colors = []color.Color{
	color.RGBA{R: 0x1f, G: 0x77, B: 0xb4, A: 0xff}, color.RGBA{R: 0xd6, G: 0x27, B: 0x28, A: 0xff},
	color.RGBA{R: 0x2c, G: 0xa0, B: 0x2c, A: 0xff}, color.RGBA{R: 0x94, G: 0x67, B: 0xbd, A: 0xff},
	color.RGBA{R: 0xff, G: 0x7f, B: 0x0e, A: 0xff}, color.RGBA{R: 0x17, G: 0xbe, B: 0xcf, A: 0xff},
}

// Color returns a colour for the nth of any number of series. All are different: each round through Colors is darker.
func Color(n int) color.Color {
	c := Colors[n%len(Colors)].(color.RGBA)
	darker := func(v uint8) uint8 { return uint8(float64(v) / (1 + 0.5*float64(n/len(Colors)))) }
	return color.RGBA{R: darker(c.R), G: darker(c.G), B: darker(c.B), A: c.A}
}

// CurveWidth is the width of a curve, in points.
const CurveWidth vg.Length = 1.6

// Dashes distinguish curves if colours repeat.
var Dashes = [][]vg.Length{
	nil, {vg.Points(6), vg.Points(3)}, {vg.Points(2), vg.Points(2)}, {vg.Points(8), vg.Points(3), vg.Points(2), vg.Points(3)},
}

// nested returns how much wider the nth of several curves is than the last one, in points.
func nested(n, curves int) vg.Length {
	const step, most = 2.6, 9.0
	curves = min(curves, len(Colors))
	if curves < 2 {
		return 0
	}
	return min(step, most/vg.Length(curves-1)) * vg.Length(curves-1-n%len(Colors))
}

// NestedWidth returns the width of the nth of several curves that may coincide. Each is drawn on top of those before it and is narrower, so
// that all show.
func NestedWidth(n, curves int) vg.Length { return CurveWidth + nested(n, curves) }

// NestedRadius returns the radius of the nth curve's marks, by the same rule.
func NestedRadius(n, curves int) vg.Length { return 2.5 + nested(n, curves)/2 }

// ValueTicks puts ticks only at given values: at all of them, or if they are many at every second, fifth, and so on.
type ValueTicks struct {
	Values []float64
	Label  func(float64) string
}

// mostValueTicks is the most labelled ticks of an axis of values.
const mostValueTicks = 16

// Ticks implements plot.Ticker.
func (t ValueTicks) Ticks(least, most float64) []plot.Tick {
	every := 1
	for _, n := range []int{1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100} {
		if every = n; (len(t.Values)+n-1)/n <= mostValueTicks {
			break
		}
	}
	for (len(t.Values)+every-1)/every > mostValueTicks {
		every *= 2
	}
	var ticks []plot.Tick
	for i := 0; i < len(t.Values); i += every {
		if v := t.Values[i]; v >= least && v <= most {
			ticks = append(ticks, plot.Tick{Value: v, Label: t.Label(v)})
		}
	}
	return ticks
}

// Amounts puts ticks at round numbers and separates thousands, without trailing zeros: 25,000.
var Amounts = plot.TickerFunc(func(least, most float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(least, most)
	for i := range ticks {
		if ticks[i].Label != "" {
			if whole, part, _ := strings.Cut(strings.TrimSuffix(ticks[i].Label, ".00"), "."); part == "" {
				if n, err := strconv.Atoi(whole); err == nil {
					ticks[i].Label = Grouped(n)
				}
			}
		}
	}
	return ticks
})

// Grouped formats a number with commas between thousands.
func Grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Decades returns a ticker for logarithmic axes: labelled ticks at powers of ten, short ones at their multiples.
func Decades(label func(float64) string) plot.Ticker {
	return plot.TickerFunc(func(least, most float64) []plot.Tick {
		var ticks []plot.Tick
		for decade := math.Pow(10, math.Floor(math.Log10(least))); decade <= most; decade *= 10 {
			for n := 1; n < 10; n++ {
				v := decade * float64(n)
				if v < least || v > most {
					continue
				}
				text := ""
				if n == 1 {
					text = label(v)
				}
				ticks = append(ticks, plot.Tick{Value: v, Label: text})
			}
		}
		return ticks
	})
}

// New returns an empty diagram with a grid.
func New(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font.Size = 12
	p.Title.Padding = vg.Points(5)
	p.Legend.Padding = vg.Points(2)
	p.Legend.TextStyle.Font.Size = 10
	for _, style := range []*draw.TextStyle{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		style.Font.Variant = FontVariant
	}
	p.Add(plotter.NewGrid())
	return p
}

// CheckFile returns an error if a file's name has no supported format.
func CheckFile(path string) error {
	if f := format(path); f != "svg" && f != "png" && f != "pdf" {
		return fmt.Errorf("plot %s: the file's name must end in one of .svg, .png, .pdf", path)
	}
	return nil
}

func format(path string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
}

// Save writes a drawing to a file, .svg, .png or .pdf, on a white background. The size is in points.
func Save(path string, width, height vg.Length, picture func(draw.Canvas)) error {
	if err := CheckFile(path); err != nil {
		return err
	}
	canvas, err := draw.NewFormattedCanvas(width, height, format(path))
	if err != nil {
		return fmt.Errorf("plot %s: %w", path, err)
	}
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	picture(c)
	err = files.Write(path, func(w io.Writer) error { _, err := canvas.WriteTo(w); return err })
	if err != nil {
		return fmt.Errorf("cannot write the plot: %w", err)
	}
	return nil
}

// SavePlot writes one diagram with a margin around it.
func SavePlot(path string, width, height vg.Length, p *plot.Plot) error {
	return Save(path, width, height, func(c draw.Canvas) { p.Draw(draw.Crop(c, 8, -14, 6, -8)) })
}

// WholeTicks returns at most 13 whole numbers.
func WholeTicks(least, most float64) []plot.Tick {
	step := math.Max(1, math.Pow(10, math.Floor(math.Log10(math.Max(most-least, 1)))))
	for _, finer := range []float64{2, 2.5, 2} {
		if (most-least)/step < 5 && step/finer >= 1 && step/finer == math.Floor(step/finer) {
			step /= finer
		}
	}
	var ticks []plot.Tick
	for v := math.Ceil(least/step) * step; v <= most; v += step {
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.0f", v)})
	}
	return ticks
}
