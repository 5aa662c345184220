package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/sim/stats"
)

//go:embed page.html page.css page.js
var files embed.FS

// Input is the content of a page.
type Input struct {
	Run *report.Run
	// Recording has the kernels' machine operations and, in its window, the warps' activity; nil if there is none.
	Recording *recording.Recording
	// Line returns the text of a line of PTX, "" if it is not available. A nil Line gives no texts.
	Line func(stats.Place) string
	// Baselines are earlier reports to compare with.
	Baselines []Baseline
}

// Baseline is an earlier report.
type Baseline struct {
	Name string
	JSON []byte
}

// MostBytes bounds a page to what mail systems accept. Data that the page shows elsewhere too is left out first.
const MostBytes = 2 << 20

// extra is the page's data beyond the JSON report.
type extra struct {
	Launches  []launch          `json:"launches"`
	Kernels   []kernel          `json:"kernels"`
	Warps     []warp            `json:"warps"`
	Window    *window           `json:"window,omitempty"`
	Texts     map[string]string `json:"texts"`   // of source lines, by file:line
	Meaning   map[string]string `json:"meaning"` // of stall reasons
	Baselines []json.RawMessage `json:"baselines"`
	Names     []string          `json:"baseline_names"`
	LeftOut   []string          `json:"left_out"`
}

// launch is a launch's data beyond the JSON report.
type launch struct {
	Limits  []limit        `json:"limits"`
	Edges   []edge         `json:"edges"`
	Samples []stats.Sample `json:"samples"`
	FirstUS float64        `json:"first_us"`
	LastUS  float64        `json:"last_us"`
	Kernel  int            `json:"kernel"` // index among the page's kernels, -1 for none
	// Issues is the most warp instructions that the chip can issue per second: the ceiling of the instruction roofline.
	Issues float64 `json:"issues_per_second"`
}

type limit struct {
	Resource string `json:"resource"`
	Blocks   int    `json:"blocks"`
	WhatIf   int    `json:"what_if"` // blocks without this limit
}

// edge is an arrow of the memory chart.
type edge struct {
	From  string   `json:"from"`
	To    string   `json:"to"`
	Bytes uint64   `json:"bytes"`
	Hits  *float64 `json:"hits,omitempty"` // hit rate in percent at its end
}

type kernel struct {
	Name string      `json:"name"`
	Ops  []operation `json:"operations"`
}

type operation struct {
	Text string `json:"text"`
	Unit string `json:"unit"`
	PTX  int    `json:"ptx,omitempty"`
	Code string `json:"code,omitempty"` // of that line
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Pair bool   `json:"pair,omitempty"`
}

// warp is a warp's activity in the recorded window: spans of cycles from the window's start, with the index of a stall reason, or -1 for an
// issue.
type warp struct {
	SMX   int        `json:"smx"`
	Name  string     `json:"name"`
	Spans [][3]int64 `json:"spans"`
}

type window struct {
	Launch int   `json:"launch"`
	From   int64 `json:"from"`
	To     int64 `json:"to"`
}

// Write writes the page.
func Write(w io.Writer, in *Input) error {
	text, err := data(in)
	if err != nil {
		return err
	}
	source, err := files.ReadFile("page.html")
	if err != nil {
		return err
	}
	css, err := files.ReadFile("page.css")
	if err != nil {
		return err
	}
	script, err := files.ReadFile("page.js")
	if err != nil {
		return err
	}
	page := strings.NewReplacer("{{.Title}}", html.EscapeString(in.Run.Workload+" on "+in.Run.Config),
		"{{.Style}}", string(css), "{{.Script}}", string(script),
		"{{.Data}}", string(text)) // Go's JSON has no < that could end the script
	_, err = page.WriteString(w, string(source))
	return err
}

// data returns the JSON inside the page, reduced until it fits.
func data(in *Input) ([]byte, error) {
	var out bytes.Buffer
	if err := report.JSON(&out, in.Run); err != nil {
		return nil, err
	}
	var object map[string]any
	if err := json.Unmarshal(out.Bytes(), &object); err != nil {
		return nil, err
	}
	e := gather(in)
	for _, smaller := range reductions {
		text, err := json.Marshal(map[string]any{"report": object, "extra": e})
		if err != nil || len(text) < MostBytes-200<<10 {
			return text, err
		}
		smaller.leaveOut(object, e)
		e.LeftOut = append(e.LeftOut, smaller.what)
	}
	return json.Marshal(map[string]any{"report": object, "extra": e})
}

// reductions are what a page leaves out, in this order, if a run is too large.
var reductions = []struct {
	what     string
	leaveOut func(object map[string]any, e *extra)
}{
	{"what warps did", func(_ map[string]any, e *extra) { e.Warps, e.Window = []warp{}, nil }},
	{"counters of each multiprocessor", func(o map[string]any, _ *extra) {
		eachKernel(o,
			func(k map[string]any) { k["smx"] = []any{} })
	}},
	{"samples over time", func(_ map[string]any, e *extra) {
		for i := range e.Launches {
			e.Launches[i].Samples = nil
		}
	}},
	{"source lines of all but the first 8 launches", func(o map[string]any, _ *extra) {
		n := 0
		eachKernel(o, func(k map[string]any) {
			if n++; n > 8 {
				k["source"], k["functions"] = []any{}, []any{}
			}
		})
	}},
	{"blocks in the timeline", func(o map[string]any, _ *extra) { withoutIntervals(o, "block") }},
	{"calls of the host", func(o map[string]any, _ *extra) { withoutIntervals(o, "host") }},
	{"machine operations", func(_ map[string]any, e *extra) { e.Kernels = []kernel{} }},
	{"launches behind the first 100", func(o map[string]any, e *extra) {
		if list, ok := o["kernels"].([]any); ok && len(list) > 100 {
			o["kernels"], e.Launches = list[:100], e.Launches[:100]
		}
	}},
	{"the timeline", func(o map[string]any, _ *extra) { o["timeline"] = []any{} }},
}

func eachKernel(object map[string]any, do func(map[string]any)) {
	list, _ := object["kernels"].([]any)
	for _, k := range list {
		if k, ok := k.(map[string]any); ok {
			do(k)
		}
	}
}

func withoutIntervals(object map[string]any, kind string) {
	list, _ := object["timeline"].([]any)
	kept := []any{}
	for _, i := range list {
		if i, ok := i.(map[string]any); ok && i["kind"] != kind {
			kept = append(kept, i)
		}
	}
	object["timeline"] = kept
}

// gather collects the data beyond the report.
func gather(in *Input) *extra {
	e := &extra{
		Launches: []launch{}, Kernels: []kernel{}, Warps: []warp{}, Texts: map[string]string{}, Meaning: map[string]string{},
		Baselines: []json.RawMessage{}, Names: []string{}, LeftOut: []string{},
	}
	for s := range stats.StallCount {
		e.Meaning[s.String()] = s.Meaning()
	}
	for _, b := range in.Baselines {
		e.Baselines, e.Names = append(e.Baselines, b.JSON), append(e.Names, b.Name)
	}
	if in.Recording != nil {
		e.kernels(in.Recording, in.Line)
	}
	for _, l := range in.Run.Launches {
		e.launch(in, l)
	}
	if in.Recording != nil {
		e.warps(in)
	}
	return e
}

// launch adds a launch's data beyond the report.
func (e *extra) launch(in *Input, l *stats.Launch) {
	x := launch{Samples: l.Samples, FirstUS: l.FirstUS, LastUS: l.LastUS, Kernel: -1, Edges: edges(l), Limits: []limit{},
		Issues: float64(l.Chip.SMXs*l.Chip.IssuesPerCycle()*l.Chip.CoreMHz) * 1e6}
	for i, r := range l.Occupancy.Limits {
		without := -1
		for k, other := range l.Occupancy.Limits {
			if k != i && other.Blocks >= 0 && (without < 0 || other.Blocks < without) {
				without = other.Blocks
			}
		}
		x.Limits = append(x.Limits, limit{r.Resource, r.Blocks, without})
	}
	if in.Recording != nil {
		for k := range in.Recording.Kernels {
			if in.Recording.Kernels[k].Symbol == l.Kernel {
				x.Kernel = k
			}
		}
	}
	for i := range l.Source {
		if s := &l.Source[i]; s.Text != "" {
			e.Texts[fmt.Sprintf("%s:%d", s.File, s.Line)] = s.Text
		}
	}
	e.Launches = append(e.Launches, x)
}

// edges returns the arrows of the memory chart with the bytes moved on each.
func edges(l *stats.Launch) []edge {
	s, m := &l.Total, &l.Memory
	rate := func(c stats.CacheCount) *float64 {
		if c.Accesses == 0 {
			return nil
		}
		percent := 100 * float64(c.Hits) / float64(c.Accesses)
		return &percent
	}
	l1 := stats.CacheCount{Accesses: s.L1Global.Accesses + s.L1Local.Accesses, Hits: s.L1Global.Hits + s.L1Local.Hits}
	textures := stats.CacheCount{Accesses: s.ReadOnly.Accesses + s.TextureCache.Accesses, Hits: s.ReadOnly.Hits + s.TextureCache.Hits}
	list := []edge{
		{"kernel", "shared memory", s.SharedLoad.Bytes + s.SharedStore.Bytes + s.SharedAtomics.Bytes, nil},
		{"kernel", "L1", s.LocalLoad.Bytes + s.LocalStore.Bytes, rate(l1)},
		{"kernel", "read-only cache", s.ReadOnlyLoad.Bytes + s.Texture.Bytes, rate(textures)},
		{"kernel", "constant cache", 0, rate(s.Constant)},
		{"kernel", "global memory", s.GlobalLoad.Bytes + s.GlobalStore.Bytes + s.Atomics.Bytes + s.Reductions.Bytes, nil},
		{"SMXs", "L2 (reads)", stats.SectorBytes * m.L2ReadSectors, rate(stats.CacheCount{Accesses: m.L2ReadSectors,
			Hits: m.L2ReadSectorHits})},
		{"SMXs", "L2 (writes)", stats.SectorBytes * m.L2WriteSectors, nil},
		{"SMXs", "L2 (atomics)", stats.SectorBytes * m.L2AtomicSectors, rate(stats.CacheCount{Accesses: m.L2AtomicSectors,
			Hits: m.L2AtomicSectorHits})},
		{"L2", "DRAM (reads)", stats.SectorBytes * m.DRAMReadSectors,
			rate(stats.CacheCount{Accesses: m.RowHits + m.RowMisses + m.RowConflicts, Hits: m.RowHits})},
		{"L2", "DRAM (writes)", stats.SectorBytes * m.DRAMWriteSectors, nil},
	}
	kept := list[:0]
	for _, arrow := range list {
		if arrow.Bytes > 0 || arrow.Hits != nil {
			kept = append(kept, arrow)
		}
	}
	return kept
}

// kernels adds machine operations, with the text of their PTX if it is available.
func (e *extra) kernels(r *recording.Recording, line func(stats.Place) string) {
	if line == nil {
		line = func(stats.Place) string { return "" }
	}
	for i := range r.Kernels {
		k := kernel{Name: r.Kernels[i].Name, Ops: []operation{}}
		for n := range r.Kernels[i].Ops {
			o := &r.Kernels[i].Ops[n]
			code := line(stats.Place{File: o.PTXFile, Line: o.PTXLine})
			k.Ops = append(k.Ops, operation{o.Text, o.Unit, o.PTXLine, code, o.File, o.Line, o.Pair})
		}
		e.Kernels = append(e.Kernels, k)
	}
}

// mostSpans bounds the spans of warps.
const mostSpans = 20_000

// warps adds the warps' activity in the window of the first recorded launch.
func (e *extra) warps(in *Input) {
	r := in.Recording
	if r.Window.To == 0 || len(r.Grids) == 0 {
		return // a recording of the whole run is too large for a page
	}
	g := &r.Grids[0]
	first, end := g.Start+r.Window.From, min(g.Start+r.Window.To, g.End)
	spans := 0
	for _, t := range r.Tracks {
		of := make([]*warp, len(t.Warps))
		add := func(index int32, from, to, what int64) {
			if from < int64(first) || from >= int64(end) || spans >= mostSpans {
				return
			}
			if of[index] == nil {
				p := &t.Warps[index]
				of[index] = &warp{SMX: t.SMX, Name: fmt.Sprintf("scheduler %d, warp %d", p.Scheduler,
					p.Slot*r.Chip.Schedulers+p.Scheduler)}
			}
			of[index].Spans = append(of[index].Spans, [3]int64{from - int64(first), to - int64(first), what})
			spans++
		}
		for i := range t.Stalls {
			s := &t.Stalls[i]
			add(s.Warp, int64(s.From), int64(s.To), int64(s.Reason))
		}
		for i := range t.Issues {
			if s := &t.Issues[i]; !s.Second {
				add(s.Warp, int64(s.Cycle), int64(s.Cycle)+1, -1)
			}
		}
		for _, w := range of {
			if w != nil {
				e.Warps = append(e.Warps, *w)
			}
		}
	}
	if spans > 0 {
		e.Window = &window{From: int64(r.Window.From), To: int64(end - g.Start)}
	}
}
