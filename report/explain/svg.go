package explain

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/stats"
)

// Sizes of drawings, in pixels.
const (
	cell      = 12 // for one cycle
	rowHeight = 18
	letter    = 6.7 // width of a letter in labels
	topMargin = 46
)

// colours are the colours of stall reasons. Related reasons have similar hues; the letters distinguish them as well.
var colours = [stats.StallCount]string{
	stats.StallInstructionFetch: "#b8a9c9", stats.StallExecutionDependency: "#f2c14e", stats.StallMemoryDependency: "#e46a79",
	stats.StallSync:     "#6c8ead",
	stats.StallPipeBusy: "#e08e45", stats.StallMemoryThrottle: "#e59aa5", stats.StallNotSelected: "#a8c686",
	stats.StallConstant: "#d98cb3",
	stats.StallTexture:  "#c26d9a", stats.StallOther: "#d5d5d5", stats.StallShared: "#e6a57e", stats.StallBranch: "#bdbdbd",
	stats.StallFence: "#88a0b8",
	stats.StallExit:  "#c7b299", stats.StallSleep: "#e2e2e2", stats.StallSystem: "#9c9c9c",
}

// Colours of a warp's issues.
const (
	issueColour = "#1b6ca8"
	pairColour  = "#0b3c5d"
	pipeColour  = "#a9d0ee"
)

// drawing collects the parts of an SVG.
type drawing struct {
	body          strings.Builder
	width, height int
}

func (d *drawing) rect(x, y, w, h float64, fill, title string) {
	fmt.Fprintf(&d.body, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%s</title></rect>`+"\n", x, y, w,
		h, fill, html.EscapeString(title))
}

func (d *drawing) text(x, y float64, anchor, class, text string) {
	fmt.Fprintf(&d.body, `<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`+"\n", x, y, anchor, class,
		html.EscapeString(text))
}

func (d *drawing) write(w io.Writer, title string) error {
	_, err := fmt.Fprintf(w,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-family="monospace" font-size="11">
<title>%s</title>
<style>text{fill:#222}.m{fill:#fff;font-weight:bold}.k{fill:#222}.h{font-size:13px;font-weight:bold}</style>
<rect width="100%%" height="100%%" fill="#fff"/>
%s</svg>
`, d.width, d.height, d.width, d.height, html.EscapeString(title), d.body.String())
	return err
}

// sheet returns a drawing of the window with a line for each label.
func (v *View) sheet(title string, labels []string) (d *drawing, left float64) {
	longest := 0
	for _, l := range labels {
		longest = max(longest, len(l))
	}
	left = float64(longest)*letter + 16
	d = &drawing{}
	d.width = int(left) + int(v.window.To-v.window.From)*cell + 16
	d.width = max(d.width, int(float64(len(title))*8)+16)
	d.height = topMargin + len(labels)*rowHeight + 12
	d.text(8, 16, "start", "h", title)
	for at := (v.window.From + 9) / 10 * 10; at < v.window.To; at += 10 {
		x := left + float64(at-v.window.From)*cell
		d.text(x, topMargin-8, "start", "k", fmt.Sprint(at))
		fmt.Fprintf(&d.body, `<path d="M%.1f %dV%d" stroke="#ddd"/>`+"\n", x, topMargin-4, topMargin+len(labels)*rowHeight)
	}
	for i, l := range labels {
		d.text(left-8, topMargin+float64(i)*rowHeight+13, "end", "k", l)
	}
	return d, left
}

// span draws a span of cycles in a line, with one letter.
func (v *View) span(d *drawing, left float64, line int, from, to engine.Cycle, fill, mark, class, title string) {
	from, to = max(from-v.grid.Start, v.window.From), min(to-v.grid.Start, v.window.To)
	if from >= to {
		return
	}
	x, y := left+float64(from-v.window.From)*cell, topMargin+float64(line)*rowHeight
	d.rect(x, y+2, float64(to-from)*cell-0.5, rowHeight-4, fill, title)
	if mark != "" {
		d.text(x+float64(to-from)*cell/2, y+13, "middle", class, mark)
	}
}

// legend adds a legend of the letters used.
func (d *drawing) legend(used map[stats.Stall]bool, others ...[3]string) {
	x, y := 8.0, float64(d.height)+6
	entry := func(colour, mark, class, name string) {
		wide := float64(len(name))*letter + 34
		if x+wide > float64(d.width) && x > 8 {
			x, y = 8, y+rowHeight
		}
		d.rect(x, y-11, 14, 14, colour, name)
		d.text(x+7, y, "middle", class, mark)
		d.text(x+19, y, "start", "k", name)
		x += wide
	}
	for _, o := range others {
		entry(o[0], o[1], "m", o[2])
	}
	for _, r := range legend(used) {
		entry(colours[r], string(letters[r]), "k", r.String())
	}
	d.height = int(y) + 12
}

// SVG draws the window with a line for each warp, by scheduler: its issues, and why it waited.
func (v *View) SVG(w io.Writer) error {
	k := &v.recording.Kernels[v.grid.Kernel]
	title := fmt.Sprintf("%s, launch %d on %s: multiprocessor %d", k.Name, v.launch+1, v.recording.Config, v.track.SMX)
	var order []*warpHistory
	var labels []string
	for s := range v.recording.Chip.Schedulers {
		for i := range v.warps {
			if l := &v.warps[i]; v.warpOf(l).Scheduler == s {
				order = append(order, l)
				labels = append(labels, fmt.Sprintf("scheduler %d, warp %d", s, l.number))
			}
		}
	}
	d, left := v.sheet(title, labels)
	used := map[stats.Stall]bool{}
	for line, l := range order {
		for i := range l.stalls {
			s := &l.stalls[i]
			if s.To > v.grid.Start+v.window.From {
				used[s.Reason] = true
				title := fmt.Sprintf("cycles %d to %d: %s, %s", s.From-v.grid.Start, s.To-v.grid.Start-1, s.Reason,
					v.waitText(l, s))
				v.span(d, left, line, s.From, s.To, colours[s.Reason], string(letters[s.Reason]), "k", title)
			}
		}
		for i := range l.issues {
			e := &l.issues[i]
			if e.Second {
				continue
			}
			pair := l.issuedIn(e.Cycle)
			fill, mark := issueColour, "I"
			if len(pair) > 1 {
				fill, mark = pairColour, "2"
			}
			v.span(d, left, line, e.Cycle, e.Cycle+1, fill, mark, "m", fmt.Sprintf("cycle %d: %s", e.Cycle-v.grid.Start,
				v.issues(l, pair)))
		}
	}
	d.legend(used, [3]string{issueColour, "I", "issues"}, [3]string{pairColour, "2", "issues a pair"})
	return d.write(w, title)
}

// WarpSVG draws one warp as a pipeline diagram.
func (v *View) WarpSVG(w io.Writer, number int) error {
	l, err := v.find(number)
	if err != nil {
		return err
	}
	rows := v.rows(l)
	labels := make([]string, len(rows))
	for i := range rows {
		labels[i] = v.label(&rows[i])
	}
	k := &v.recording.Kernels[v.grid.Kernel]
	title := fmt.Sprintf("%s, launch %d on %s: warp %d of multiprocessor %d", k.Name, v.launch+1, v.recording.Config, number,
		v.track.SMX)
	d, left := v.sheet(title, labels)
	used := map[stats.Stall]bool{}
	for line := range rows {
		v.drawRow(d, left, line, l, &rows[line], used)
	}
	d.legend(used, [3]string{issueColour, "I", "issues"}, [3]string{pairColour, "+", "as second of a pair"},
		[3]string{pipeColour, "", "until its result can be used"})
	return d.write(w, title)
}

func (v *View) drawRow(d *drawing, left float64, line int, l *warpHistory, r *row, used map[stats.Stall]bool) {
	for i := range r.stalls {
		s := &r.stalls[i]
		used[s.Reason] = true
		title := fmt.Sprintf("cycles %d to %d: %s, %s", s.From-v.grid.Start, s.To-v.grid.Start-1, s.Reason, v.waitText(l, s))
		v.span(d, left, line, s.From, s.To, colours[s.Reason], string(letters[s.Reason]), "k", title)
	}
	if r.done > 0 {
		title := fmt.Sprintf("its result can be used from cycle %d on", r.done-v.grid.Start)
		v.span(d, left, line, r.issue.Cycle+1, r.done, pipeColour, "", "k", title)
	}
	if r.issue.Cycle < v.grid.Start+v.window.To {
		fill, mark := issueColour, "I"
		if r.issue.Second {
			fill, mark = pairColour, "+"
		}
		pair := []recording.Issue{r.issue}
		v.span(d, left, line, r.issue.Cycle, r.issue.Cycle+1, fill, mark, "m", fmt.Sprintf("cycle %d: %s",
			r.issue.Cycle-v.grid.Start, v.issues(l, pair)))
	}
}
