package inspect

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// Measures of a drawing in pixels.
const (
	fontSize   = 12.0
	charWidth  = 7.25 // of the monospaced font at that size, generously
	lineHeight = 16.0
	padding    = 8.0
	margin     = 24.0
	headHeight = 34.0
)

// Limits of what a box shows.
const (
	longestLine = 64 // characters
	mostLines   = 14 // PTX lines of a block
)

// style is how boxes and arrows of a kind look.
type style struct{ fill, stroke, dash string }

var (
	boxStyles = map[string]style{
		"kernel": {"#e8f0fe", "#1a56c4", ""}, "function": {"#ffffff", "#555555", ""}, howSystem: {"#f3f3f3", "#999999", "4 3"},
		howIndirect: {"#fff6e0", "#b07800", "4 3"},
		"block":     {"#ffffff", "#555555", ""}, "entry": {"#e8f0fe", "#1a56c4", ""}, "exit": {"#f0f0f0", "#555555", ""},
		"parting": {"#fff6e0", "#b07800", ""},
	}
	arrowStyles = map[string]style{
		"next": {"", "#555555", ""}, "taken": {"", "#1a7f37", ""}, "loop": {"", "#c4241a", ""},
		howInlined: {"", "#555555", "5 4"}, howCall: {"", "#1a56c4", ""}, howIndirect: {"", "#b07800", "2 3"},
		howSystem: {"", "#999999", ""},
	}
)

// drawing is one graph with its texts.
type drawing struct {
	title  string
	legend []string // kinds of arrows that it has
	boxes  []box
	kinds  []string   // of the boxes
	texts  [][]string // the first line of each box is its name
	arrows []arrow
	looks  []string // of the arrows
}

func (d *drawing) box(kind string, lines ...string) int {
	b := box{height: float64(len(lines))*lineHeight + 2*padding}
	for i, line := range lines {
		if r := []rune(line); len(r) > longestLine {
			lines[i] = string(r[:longestLine-1]) + "…"
		}
		b.width = max(b.width, float64(len([]rune(lines[i])))*charWidth+2*padding)
	}
	d.boxes, d.kinds, d.texts = append(d.boxes, b), append(d.kinds, kind), append(d.texts, lines)
	return len(d.boxes) - 1
}

func (d *drawing) arrow(look string, from, to int) {
	d.arrows, d.looks = append(d.arrows, arrow{from: from, to: to}), append(d.looks, look)
	if !slices.Contains(d.legend, look) {
		d.legend = append(d.legend, look)
	}
}

// SVG draws the call graph, where there is a call, and every function's control-flow graph. Loops are red, branches green where they
// are taken; a yellow block may part the lanes of a warp and names the block where they meet again.
func (p *Program) SVG(w io.Writer) error {
	var drawings []*drawing
	if calls := p.callGraph(); len(calls.arrows) > 0 {
		drawings = append(drawings, calls)
	}
	for i := range p.Functions {
		drawings = append(drawings, p.Functions[i].flowGraph())
	}
	var body strings.Builder
	width, y := 0.0, margin
	for _, d := range drawings {
		across, down := layout(d.boxes, d.arrows)
		title := float64(len([]rune(d.title)))*charWidth*1.25 + 4*margin
		for _, look := range d.legend {
			title += float64(len(look))*charWidth + 40
		}
		width = max(width, across+2*margin, title)
		d.draw(&body, margin, y)
		y += headHeight + down + 2*margin
	}
	if len(drawings) == 0 {
		width, y = 20*charWidth, 2*margin
		fmt.Fprintf(&body, "<text x=\"%g\" y=\"%g\">an empty module</text>\n", margin, margin+fontSize/2)
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" `+
		`font-family="monospace" font-size="%g">
<rect width="100%%" height="100%%" fill="#ffffff"/>
%s</svg>
`, width, y, width, y, fontSize, body.String())
	return err
}

// callGraph returns a drawing of the functions with an arrow for each call.
func (p *Program) callGraph() *drawing {
	d := &drawing{title: "calls"}
	at := map[string]int{}
	for i := range p.Functions {
		f := &p.Functions[i]
		kind := "function"
		if f.Kernel {
			kind = "kernel"
		}
		at[f.Name] = d.box(kind, f.Demangled)
	}
	for i := range p.Functions {
		f := &p.Functions[i]
		for _, c := range f.Callees {
			to, ok := at[c.Name]
			if !ok || c.Name == "" {
				kind := howSystem
				if c.How == howIndirect {
					kind = howIndirect
				}
				to = d.box(kind, c.Demangled)
				if c.Name != "" {
					at[c.Name] = to
				}
			}
			d.arrow(c.How, at[f.Name], to)
		}
	}
	return d
}

// flowGraph returns a drawing of a function's blocks with an arrow for each way between them.
func (f *Function) flowGraph() *drawing {
	kind := "function"
	if f.Kernel {
		kind = "kernel"
	}
	d := &drawing{title: kind + " " + f.Demangled}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		look := "block"
		switch {
		case len(b.Successors) > 1:
			look = "parting"
		case len(b.Successors) == 0:
			look = "exit"
		case i == 0:
			look = "entry"
		}
		lines := []string{strings.TrimSpace(fmt.Sprintf("B%d %s", b.ID, b.Label))}
		if b.Executed != nil {
			lines[0] += fmt.Sprintf("  executed by %d warps", *b.Executed)
		}
		if len(b.Successors) > 1 && b.Reconverge >= 0 {
			lines[0] += fmt.Sprintf("  (lanes meet at B%d)", b.Reconverge)
		}
		if place := blockPlace(b); place != "" && f.hasSource() {
			lines = append(lines, place)
		}
		shown := b.code
		if len(shown) > mostLines {
			shown = append(slices.Clone(shown[:mostLines-1]), fmt.Sprintf("      … %d lines more", len(b.code)-mostLines+1))
		}
		d.box(look, append(lines, shown...)...)
	}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		for k, s := range b.Successors {
			look := "next"
			if len(b.Successors) > 1 && k < len(b.Successors)-1 {
				look = "taken"
			}
			d.arrow(look, i, s)
		}
	}
	return d
}

// blockPlace returns the source lines of a block: the first and the last of each file.
func blockPlace(b *Block) string {
	var parts []string
	seen := map[string]bool{}
	for _, s := range b.Source {
		if seen[s.File] {
			continue
		}
		seen[s.File] = true
		first, last := s.Line, s.Line
		for _, o := range b.Source {
			if o.File == s.File {
				first, last = min(first, o.Line), max(last, o.Line)
			}
		}
		part := fmt.Sprintf("%s:%d", s.File, first)
		if last > first {
			part += fmt.Sprintf("-%d", last)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// draw writes a laid-out drawing with its upper left corner at x, y.
func (d *drawing) draw(b *strings.Builder, x, y float64) {
	fmt.Fprintf(b, "<g transform=\"translate(%.1f %.1f)\">\n<text x=\"0\" y=\"12\" font-size=\"15\" font-weight=\"bold\">%s</text>\n", x, y,
		html.EscapeString(d.title))
	at := float64(len([]rune(d.title)))*charWidth*1.25 + margin
	for i := range d.arrows {
		if d.arrows[i].back && d.looks[i] != howCall && d.looks[i] != howIndirect {
			d.looks[i] = "loop"
		}
	}
	slices.Sort(d.legend)
	for _, look := range append(slices.Clone(d.legend), "loop") {
		if !slices.Contains(d.looks, look) || look == "next" {
			continue
		}
		s := arrowStyles[look]
		fmt.Fprintf(b, "<path d=\"M %.1f 8 h 22\" stroke=\"%s\" stroke-dasharray=\"%s\" fill=\"none\"/><text x=\"%.1f\" y=\"12\" "+
			"fill=\"%s\">%s</text>\n", at, s.stroke, s.dash, at+28, s.stroke, look)
		at += float64(len(look))*charWidth + 44
	}
	fmt.Fprintf(b, "<g transform=\"translate(0 %.1f)\">\n", headHeight)
	for i := range d.arrows {
		d.arrows[i].draw(b, arrowStyles[d.looks[i]])
	}
	for i := range d.boxes {
		n, s := &d.boxes[i], boxStyles[d.kinds[i]]
		left := n.x - n.width/2
		fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" fill=\"%s\" stroke=\"%s\" "+
			"stroke-dasharray=\"%s\"/>\n", left, n.y, n.width, n.height, s.fill, s.stroke, s.dash)
		for k, line := range d.texts[i] {
			weight := "normal"
			if k == 0 {
				weight = "bold"
			}
			fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" font-weight=\"%s\" xml:space=\"preserve\">%s</text>\n", left+padding,
				n.y+padding+float64(k)*lineHeight+fontSize, weight, html.EscapeString(line))
		}
	}
	b.WriteString("</g>\n</g>\n")
}

// headLength is how long the head of an arrow is.
const headLength = 7.0

// draw writes an arrow as curves between its points; where it passes a layer it is straight. An arrow leaves downward and arrives
// downward, one that closes a loop upward.
func (a *arrow) draw(b *strings.Builder, s style) {
	p := a.path
	fmt.Fprintf(b, "<path d=\"M %.1f %.1f", p[0].x, p[0].y)
	last := p[len(p)-1]
	if a.from == a.to {
		fmt.Fprintf(b, " C %.1f %.1f %.1f %.1f %.1f %.1f", p[1].x, p[0].y, p[1].x, last.y, last.x+headLength, last.y)
	} else {
		toward := -headLength
		if a.back {
			toward = headLength
		}
		for k := 1; k < len(p); k++ {
			end := p[k]
			if k == len(p)-1 {
				end.y += toward
			}
			middle := (p[k-1].y + end.y) / 2
			fmt.Fprintf(b, " C %.1f %.1f %.1f %.1f %.1f %.1f", p[k-1].x, middle, end.x, middle, end.x, end.y)
		}
	}
	fmt.Fprintf(b, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" stroke-dasharray=\"%s\"/>\n", s.stroke, s.dash)
	const half = headLength / 2
	switch {
	case a.from == a.to:
		fmt.Fprintf(b, "<path d=\"M %.1f %.1f l %g %g v %g z\" fill=\"%s\"/>\n", last.x, last.y, headLength, -half, 2*half, s.stroke)
	case a.back:
		fmt.Fprintf(b, "<path d=\"M %.1f %.1f l %g %g h %g z\" fill=\"%s\"/>\n", last.x, last.y, -half, headLength, 2*half, s.stroke)
	default:
		fmt.Fprintf(b, "<path d=\"M %.1f %.1f l %g %g h %g z\" fill=\"%s\"/>\n", last.x, last.y, -half, -headLength, 2*half, s.stroke)
	}
}
