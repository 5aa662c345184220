package effects

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/keplersim/keplersim/internal/files"
)

// Sizes of drawings, in pixels.
const (
	pageWidth  = 820.0
	barHeight  = 20.0
	labelWidth = 240.0
	cellWidth  = 92.0
	cellHeight = 34.0
	plotHeight = 320.0
	// mostLines bounds the points of a drawing, so that a browser can show it.
	mostLines = 3000
)

// Figure is one drawing of the page.
type Figure struct {
	Title string
	SVG   string // with escaped texts
}

// WritePage writes the analysis with its drawings as one self-contained HTML page without scripts.
func (a *Analysis) WritePage(path string) error {
	page, err := a.Page()
	if err != nil {
		return err
	}
	return files.Write(path, func(w io.Writer) error { _, err := io.WriteString(w, page); return err })
}

// Page returns the page that WritePage writes.
func (a *Analysis) Page() (string, error) {
	var text, page strings.Builder
	if err := a.Text(&text); err != nil {
		return "", err
	}
	title := html.EscapeString("Study: " + a.Metric)
	fmt.Fprintf(&page, `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>%s</title>
<style>body{font:15px sans-serif;max-width:900px;margin:2em auto;padding:0 1em}pre{overflow:auto;background:#f4f4f4;padding:1em}
svg{max-width:100%%;height:auto}text{font:12px sans-serif}</style></head><body>
<h1>%s</h1><pre>%s</pre>
`, title, title, html.EscapeString(text.String()))
	for _, f := range a.Figures() {
		fmt.Fprintf(&page, "<h2>%s</h2>\n%s\n", html.EscapeString(f.Title), f.SVG)
	}
	page.WriteString("</body></html>\n")
	return page.String(), nil
}

// Figures returns the drawings: main effects, a heat map of the two most important axes, parallel coordinates, the Pareto front.
func (a *Analysis) Figures() []Figure {
	list := []Figure{{"Main effects", a.effectBars()}}
	if len(a.Axes) > 1 {
		list = append(list, Figure{fmt.Sprintf("%s by %s and %s, geometric means", a.Metric, a.Axes[0].Name, a.Axes[1].Name), a.heatMap()})
		list = append(list, Figure{"All points, coloured by " + a.Metric, a.parallel()})
	}
	if a.Against != "" {
		list = append(list, Figure{a.Metric + " and " + a.Against + ", with the Pareto front of each workload", a.scatter()})
	}
	return list
}

// drawing collects an SVG.
type drawing struct{ strings.Builder }

func (d *drawing) text(x, y float64, anchor, words string) {
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(words))
}

func (d *drawing) close(width, height float64) string {
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">`, width, height, width,
		height)
	return head + d.String() + "</svg>"
}

// effectBars draws a bar for each value's factor, to the left or right of 1.
func (a *Analysis) effectBars() string {
	var d drawing
	most := 0.01
	for _, x := range a.Axes {
		for _, e := range x.Values {
			if x.Name == "workload" {
				continue
			}
			most = max(most, math.Abs(math.Log(e.Factor)))
		}
	}
	y, middle, half := 0.0, labelWidth+(pageWidth-labelWidth)/2, (pageWidth-labelWidth)/2-70
	for _, x := range a.Axes {
		if x.Name == "workload" {
			continue
		}
		y += barHeight + 6
		d.text(0, y, "start", fmt.Sprintf("%s (%s)", x.Name, percent(x.Share)))
		for _, e := range x.Values {
			y += barHeight
			length := math.Log(e.Factor) / most * half
			d.text(labelWidth-8, y, "end", e.Value)
			fmt.Fprintf(&d, `<rect x="%.1f" y="%.1f" width="%.1f" height="13" fill="%s"/>`, min(middle, middle+length), y-11,
				math.Abs(length),
				map[bool]string{true: "#c0504d", false: "#1f77b4"}[(length > 0) != a.Most])
			at, anchor := middle+length+5, "start"
			if length < 0 {
				at, anchor = middle+length-5, "end"
			}
			d.text(at, y, anchor, fmt.Sprintf("× %.3f", e.Factor))
		}
	}
	fmt.Fprintf(&d, `<path d="M%.1f 0V%.1f" stroke="#666"/>`, middle, y+8)
	return d.close(pageWidth, y+12)
}

// shade returns a colour from light (0) to dark (1).
func shade(part float64) string {
	mix := func(from, to float64) int { return int(from + (to-from)*part) }
	return fmt.Sprintf("rgb(%d,%d,%d)", mix(235, 20), mix(243, 80), mix(250, 150))
}

// heatMap draws the geometric mean of the metric, with its number, for each pair of values of the first two axes.
func (a *Analysis) heatMap() string {
	xAxis, yAxis := a.Axes[0], a.Axes[1]
	if len(xAxis.Values) > len(yAxis.Values) {
		xAxis, yAxis = yAxis, xAxis
	}
	sums, counts := map[[2]string]float64{}, map[[2]string]float64{}
	for _, p := range a.Points {
		k := [2]string{p.Inputs[xAxis.column], p.Inputs[yAxis.column]}
		sums[k] += math.Log(p.Value)
		counts[k]++
	}
	least, most := math.Inf(1), math.Inf(-1)
	for k := range sums {
		sums[k] /= counts[k]
		least, most = min(least, sums[k]), max(most, sums[k])
	}
	var d drawing
	d.text(labelWidth, 14, "start", xAxis.Name)
	d.text(labelWidth-8, 32, "end", yAxis.Name)
	for i, x := range xAxis.Values {
		d.text(labelWidth+(float64(i)+0.5)*cellWidth, 32, "middle", x.Value)
	}
	for j, y := range yAxis.Values {
		top := 40 + float64(j)*cellHeight
		d.text(labelWidth-8, top+cellHeight/2+4, "end", y.Value)
		for i, x := range xAxis.Values {
			k := [2]string{x.Value, y.Value}
			if counts[k] == 0 {
				continue
			}
			part := 0.5
			if most > least {
				part = (sums[k] - least) / (most - least)
			}
			left := labelWidth + float64(i)*cellWidth
			ink := "#000"
			if part > 0.55 {
				ink = "#fff"
			}
			fmt.Fprintf(&d,
				`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+
					`<text x="%.1f" y="%.1f" text-anchor="middle" fill="%s">%s</text>`,
				left, top, cellWidth-2, cellHeight-2, shade(part), left+cellWidth/2-1, top+cellHeight/2+4, ink, number(math.Exp(sums[k])))
		}
	}
	return d.close(max(pageWidth, labelWidth+float64(len(xAxis.Values))*cellWidth), 44+float64(len(yAxis.Values))*cellHeight)
}

// parallel draws a line for each point through its values, with the metric on the last axis.
func (a *Analysis) parallel() string {
	axes := a.byColumn()
	least, most := a.span(func(p Point) float64 { return p.Value })
	place := func(n int) float64 { return 60 + float64(n)*(pageWidth-160)/float64(len(axes)) }
	height := func(part float64) float64 { return 40 + (1-part)*(plotHeight-60) }
	var d drawing
	every := (len(a.Points) + mostLines - 1) / mostLines
	for i := 0; i < len(a.Points); i += every {
		p := a.Points[i]
		part := along(p.Value, least, most)
		var path strings.Builder
		for n, x := range axes {
			at := slices.IndexFunc(x.Values, func(e Effect) bool { return e.Value == p.Inputs[x.column] })
			fmt.Fprintf(&path, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[n == 0], place(n),
				height(float64(max(at, 0))/float64(max(len(x.Values)-1, 1))))
		}
		fmt.Fprintf(&path, "L%.1f %.1f", place(len(axes)), height(part))
		fmt.Fprintf(&d, `<path d="%s" fill="none" stroke="%s" stroke-opacity="0.5"/>`, path.String(), shade(0.15+0.85*part))
	}
	for n, x := range axes {
		fmt.Fprintf(&d, `<path d="M%.1f 40V%.1f" stroke="#444"/>`, place(n), plotHeight-20)
		d.text(place(n), 14+16*float64(n%2), "middle", x.Name)
		for i, e := range x.Values {
			if len(x.Values) <= 16 || i%(len(x.Values)/12+1) == 0 {
				d.text(place(n)+4, height(float64(i)/float64(max(len(x.Values)-1, 1)))+4, "start", e.Value)
			}
		}
	}
	d.text(place(len(axes)), 14, "middle", a.Metric)
	d.text(place(len(axes))+4, height(0)+4, "start", number(least))
	d.text(place(len(axes))+4, height(1)+4, "start", number(most))
	return d.close(pageWidth, plotHeight)
}

// span returns the least and the greatest of a value over the points.
func (a *Analysis) span(of func(Point) float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, p := range a.Points {
		least, most = min(least, of(p)), max(most, of(p))
	}
	return least, most
}

// along returns the position of a value between two others on a logarithmic axis, 0 to 1; 0.5 if they are equal.
func along(v, least, most float64) float64 {
	if most <= least {
		return 0.5
	}
	if least <= 0 {
		return (v - least) / (most - least)
	}
	return math.Log(v/least) / math.Log(most/least)
}

// scatter draws the points in two metrics, and each workload's front as a line.
func (a *Analysis) scatter() string {
	var d drawing
	leastX, mostX := a.span(func(p Point) float64 { return p.Value })
	leastY, mostY := a.span(func(p Point) float64 { return p.Against })
	at := func(p Point) (x, y float64) {
		return 70 + along(p.Value, leastX, mostX)*(pageWidth-130), plotHeight - 40 - along(p.Against, leastY, mostY)*(plotHeight-70)
	}
	every := (len(a.Points) + mostLines - 1) / mostLines
	for i := 0; i < len(a.Points); i += every {
		x, y := at(a.Points[i])
		fmt.Fprintf(&d, `<circle cx="%.1f" cy="%.1f" r="3" fill="#1f77b4" fill-opacity="0.5"/>`, x, y)
	}
	var path strings.Builder
	for _, front := range a.Fronts() {
		for n, p := range front {
			x, y := at(p)
			fmt.Fprintf(&path, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[n == 0], x, y)
			fmt.Fprintf(&d, `<circle cx="%.1f" cy="%.1f" r="4" fill="#c0504d"><title>%s</title></circle>`, x, y,
				html.EscapeString(a.describe(p)))
		}
	}
	fmt.Fprintf(&d, `<path d="%s" fill="none" stroke="#c0504d"/>`, path.String())
	d.text(70, plotHeight-8, "start", number(leastX))
	d.text(pageWidth-60, plotHeight-8, "middle", number(mostX))
	d.text(pageWidth/2, plotHeight-8, "middle", a.Metric)
	d.text(62, plotHeight-40, "end", number(leastY))
	d.text(62, 34, "end", number(mostY))
	d.text(10, 16, "start", a.Against)
	return d.close(pageWidth, plotHeight)
}
