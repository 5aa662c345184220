package floors

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// ownImports returns those imports that are our own packages.
func ownImports(specs []*ast.ImportSpec) []string {
	var list []string
	for _, s := range specs {
		if name, err := strconv.Unquote(s.Path.Value); err == nil {
			if folder, ok := strings.CutPrefix(name, module); ok {
				list = append(list, folder)
			}
		}
	}
	return list
}

// Geometry of the picture, in pixels.
const (
	pictureWidth = 1180
	boxHeight    = 26
	floorHeight  = 62
	firstBox     = 190
	boxGap       = 10
	letterWidth  = 7.3
)

// shownPath is a path through the packages, in order.
type shownPath struct {
	name, colour string
	packages     []string
}

// shownPaths are the paths that the picture shows.
var shownPaths = []shownPath{
	{"an instruction, from text to lanes", "#b3261e", []string{"isa/ptx", "isa/decode", "isa/lower", "sim/smx", "isa/exec"}},
	{"a load, from an SMX to DRAM and back", "#0b57d0", []string{"sim/smx", "sim/memory", "sim/dram", "sim/memory", "sim/smx"}},
}

type box struct{ x, y, width float64 }

func (b box) centre() float64 { return b.x + b.width/2 }

// picture draws the floors as SVG: a row for each floor, a box for each entry, an arrow for each import that no chain of other imports
// implies, and the paths of shownPaths.
func picture(all map[string][]string) string {
	boxes := layout()
	height := len(floors)*floorHeight + 40
	var b strings.Builder
	fmt.Fprintf(
		&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="Helvetica, Arial, sans-serif" font-size="13">`+"\n",
		pictureWidth, height,
	)
	b.WriteString(`<title>keplersim: floors and imports</title>` + "\n")
	b.WriteString(`<defs>` + marker("a", "#8a8f98"))
	for i, w := range shownPaths {
		b.WriteString(marker(fmt.Sprint("w", i), w.colour))
	}
	b.WriteString("</defs>\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", pictureWidth, height)
	for i, f := range floors {
		y := top(i)
		if i%2 == 0 {
			fmt.Fprintf(&b, `<rect x="0" y="%g" width="%d" height="%d" fill="#f5f6f8"/>`+"\n", y-18, pictureWidth, floorHeight)
		}
		fmt.Fprintf(&b, `<text x="12" y="%g" fill="#55595f">%s</text>`+"\n", y+17, f.name)
	}
	drawImports(&b, boxes, all)
	for i, w := range shownPaths {
		drawPath(&b, boxes, i, w)
	}
	for _, f := range floors {
		for _, e := range f.packages {
			r := boxes[e]
			fmt.Fprintf(&b, `<rect x="%g" y="%g" width="%g" height="%d" rx="4" fill="#ffffff" stroke="#3c4043"/>`+"\n", r.x, r.y, r.width,
				boxHeight)
			fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle" fill="#202124">%s</text>`+"\n", r.centre(), r.y+17, e)
		}
	}
	for i, w := range shownPaths {
		y := height - 14
		x := 190 + i*330
		fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="3" marker-end="url(#w%d)"/>`+"\n", x, y-4, x+34,
			y-4, w.colour, i)
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#202124">%s</text>`+"\n", x+44, y, w.name)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func marker(name, colour string) string {
	return fmt.Sprintf(
		`<marker id="%s" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" `+
			`orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="%s"/></marker>`, name, colour,
	)
}

// top returns the upper edge of a floor's boxes. The ground floor is at the bottom.
func top(number int) float64 { return float64((len(floors)-1-number)*floorHeight + 22) }

// layout gives each entry its box, and spreads a floor's boxes over the width.
func layout() map[string]box {
	boxes := map[string]box{}
	for i, f := range floors {
		total := 0.0
		for _, e := range f.packages {
			total += float64(len(e))*letterWidth + 18
		}
		gap := max(boxGap, (pictureWidth-firstBox-20-total)/float64(len(f.packages)+1))
		x := firstBox + gap
		for _, e := range f.packages {
			width := float64(len(e))*letterWidth + 18
			boxes[e] = box{x, top(i), width}
			x += width + gap
		}
	}
	return boxes
}

// drawImports draws the imports between entries that no chain of other imports implies.
func drawImports(b *strings.Builder, boxes map[string]box, all map[string][]string) {
	direct := map[string]map[string]bool{}
	for pkg, list := range all {
		_, from, _ := floorOf(pkg)
		for _, other := range list {
			if _, to, ok := floorOf(other); ok && to != from {
				if direct[from] == nil {
					direct[from] = map[string]bool{}
				}
				direct[from][to] = true
			}
		}
	}
	var reaches func(from, to string, first bool) bool
	reaches = func(from, to string, first bool) bool {
		for next := range direct[from] {
			if next == to && !first || next != to && reaches(next, to, false) {
				return true
			}
		}
		return false
	}
	var lines []string
	for from, list := range direct {
		for to := range list {
			if !reaches(from, to, true) {
				f, t := boxes[from], boxes[to]
				lines = append(lines, fmt.Sprintf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#b0b4ba" marker-end="url(#a)"/>`,
					f.centre(), f.y+boxHeight, t.centre(), t.y-1))
			}
		}
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, "\n") + "\n")
}

// drawPath draws a path as curves from box to box.
func drawPath(b *strings.Builder, boxes map[string]box, number int, w shownPath) {
	for i := range len(w.packages) - 1 {
		f, t := boxes[w.packages[i]], boxes[w.packages[i+1]]
		x1, y1, x2, y2 := f.centre()+8, f.y, t.centre()+8, t.y+boxHeight
		if f.y < t.y {
			x1, y1, x2, y2 = f.centre()-8, f.y+boxHeight, t.centre()-8, t.y
		}
		middle := (y1 + y2) / 2
		fmt.Fprintf(
			b, `<path d="M%.1f,%.1f C%.1f,%.1f %.1f,%.1f %.1f,%.1f" fill="none" stroke="%s" stroke-width="3" marker-end="url(#w%d)"/>`+"\n",
			x1, y1, x1, middle, x2, middle, x2, y2, w.colour, number,
		)
	}
}
