package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/page"
	"github.com/keplersim/keplersim/report/profile"
	"github.com/keplersim/keplersim/report/trace"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/engine"
	"github.com/keplersim/keplersim/sim/observe"
	"github.com/keplersim/keplersim/sim/record"
	"github.com/keplersim/keplersim/sim/stats"
)

// viewOptions are the flags of keplersim run for files that show the run over time.
type viewOptions struct {
	record       string // a file
	trace        string // a file
	pprof        string // a file
	page         string // a file
	baselines    []string
	compared     []page.Baseline // the baselines' contents
	window, smxs string
	options      record.Options
	recorder     *record.Recorder // nil if nothing is recorded
}

// viewed is a run to show.
type viewed struct {
	run    *report.Run
	config *configs.Config
	line   func(stats.Place) string // the text of a line of code; nil if there is none
}

func (o *viewOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.record, "record", "",
		"record what each warp did in each cycle, and the way of each request, to this file (docs/recording.md)")
	f.StringVar(&o.trace, "trace", "",
		"write what happened when to this file, .json or .json.gz, for ui.perfetto.dev; "+
			"with --record-window or --record-smx also what warps did (docs/trace.md)")
	f.StringVar(&o.pprof, "pprof", "",
		"write warp cycles, waiting by reason, sectors and instructions by source line to this file, as in out.pb.gz, for go tool pprof")
	f.StringVar(&o.page, "report", "",
		"write the report as one HTML page to this file: roofline, source, memory, occupancy, timeline; no network (docs/page.md)")
	f.StringArrayVar(&o.baselines, "baseline", nil, "compare with this JSON report on the page of --report (may be repeated)")
	f.StringVar(&o.window, "record-window", "",
		"record these cycles of each launch alone, from its start, as in 1000..3000, ..3000 or 1000..")
	f.StringVar(&o.smxs, "record-smx", "", "record these multiprocessors alone, as in 0 or 0,3 or 0..3")
}

// written returns the files to write.
func (o *viewOptions) written() []written {
	return []written{{"record", o.record}, {"trace", o.trace}, {"pprof", o.pprof}, {"report", o.page}}
}

// parse checks the flags. several says that several configurations run.
func (o *viewOptions) parse(untimed, several bool) (err error) {
	for _, w := range o.written() {
		switch {
		case w.file == "":
			continue
		case untimed:
			return fmt.Errorf("--%s needs a timed run: leave out --functional and --check", w.flag)
		case several:
			return fmt.Errorf("--%s takes one run: name one configuration with --config", w.flag)
		}
	}
	if err := o.readBaselines(); err != nil {
		return err
	}
	if o.options.Window, err = parseWindow(o.window); err != nil {
		return fmt.Errorf("--record-window %s: %w", o.window, err)
	}
	if o.options.SMXs, err = parseNumbers(o.smxs); err != nil {
		return fmt.Errorf("--record-smx %s: %w", o.smxs, err)
	}
	if (o.window != "" || o.smxs != "") && !o.records() {
		return errors.New("--record-window and --record-smx say what is recorded: name a file with --record, --trace or --report")
	}
	return nil
}

// any reports whether any of the files is written. Writing one needs all launches at once.
func (o *viewOptions) any() bool {
	return slices.ContainsFunc(o.written(), func(w written) bool { return w.file != "" })
}

// records reports whether anything is recorded.
func (o *viewOptions) records() bool {
	return o.record != "" || o.page != "" || o.trace != "" && (o.window != "" || o.smxs != "")
}

// timeline reports whether a file needs the timeline.
func (o *viewOptions) timeline() bool { return o.trace != "" || o.page != "" || o.record != "" }

// lastEnd returns when the last of some intervals ended.
func lastEnd(list []stats.Interval) (us float64) {
	for i := range list {
		us = max(us, list[i].End)
	}
	return us
}

// listen makes a simulation record.
func (o *viewOptions) listen(s *sim.Options) {
	if o.records() {
		options := o.options
		options.LivesAlone = o.record == "" && o.window == "" && o.smxs == "" // the page then has the programs, but no warps
		o.recorder = record.New(options)
		s.Observer = observe.Join(s.Observer, o.recorder)
	}
}

// write writes the files.
func (o *viewOptions) write(v *viewed) error {
	about := &record.About{Workload: v.run.Workload, Config: v.config, Launches: v.run.Launches}
	if v.run.Timeline != nil {
		about.Timeline = v.run.Timeline.Intervals
	}
	if o.record != "" {
		if err := files.Write(o.record, func(w io.Writer) error { return o.recorder.Write(w, about) }); err != nil {
			return fmt.Errorf("--record: %w", err)
		}
	}
	if o.pprof != "" {
		if err := files.Write(o.pprof, func(w io.Writer) error { return profile.Write(w, v.run.Launches) }); err != nil {
			return fmt.Errorf("--pprof: %w", err)
		}
	}
	if o.page != "" {
		if err := o.writePage(v, about); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
	}
	if o.trace == "" {
		return nil
	}
	traced := &trace.Run{Workload: v.run.Workload, Chip: stats.NewChip(v.config), Launches: v.run.Launches,
		Timeline: about.Timeline, Power: v.run.Power}
	if o.recorder != nil {
		var err error
		if traced.Recording, err = o.recorder.Recording(about); err != nil {
			return fmt.Errorf("--trace: %w", err)
		}
	}
	if err := files.Write(o.trace, func(w io.Writer) error { return trace.Write(w, traced, trace.Compressed(o.trace)) }); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	return nil
}

// writePage writes the run as a page.
func (o *viewOptions) writePage(v *viewed, about *record.About) error {
	r, err := o.recorder.Recording(about)
	if err != nil {
		return err
	}
	in := &page.Input{Run: v.run, Recording: r, Line: v.line, Baselines: o.compared}
	return files.Write(o.page, func(w io.Writer) error { return page.Write(w, in) })
}

// readBaselines reads the reports to compare with. It runs before the simulation, so that a wrong file fails early.
func (o *viewOptions) readBaselines() error {
	if len(o.baselines) > 0 && o.page == "" {
		return errors.New("--baseline is compared with on a page: name one with --report")
	}
	o.compared = nil
	for _, file := range o.baselines {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("--baseline: %w", err)
		}
		var object struct{ Kernels []map[string]any }
		if err := json.Unmarshal(text, &object); err != nil || object.Kernels == nil {
			return fmt.Errorf("--baseline %s: this is not a JSON report: make one with --format json -o FILE", file)
		}
		o.compared = append(o.compared, page.Baseline{Name: filepath.Base(file), JSON: text})
	}
	return nil
}

// parseWindow reads a span of cycles: 100..160 is from 100 to 159.
func parseWindow(text string) (w recording.Window, err error) {
	if text == "" {
		return w, nil
	}
	from, to, ok := strings.Cut(text, "..")
	if !ok {
		return w, errors.New("give the first cycle and the one after the last, as in 1000..3000")
	}
	for _, end := range []struct {
		text string
		into *engine.Cycle
	}{{from, &w.From}, {to, &w.To}} {
		if end.text == "" {
			continue
		}
		n, err := strconv.ParseInt(end.text, 10, 64)
		if err != nil || n < 0 {
			return w, fmt.Errorf("%q is not a cycle: give the first and the one after the last, as in 1000..3000", end.text)
		}
		*end.into = engine.Cycle(n)
	}
	if to != "" && w.To <= w.From {
		return w, errors.New("it has no cycle: the second number is the cycle after the last, as in 1000..3000")
	}
	return w, nil
}

// mostNumbered is greater than any number in a list of SMXs or warps.
const mostNumbered = 1 << 10

// parseNumbers reads a list such as 0,3 or 0..3, ends included; "" is empty.
func parseNumbers(text string) (list []int, err error) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		first, last, ranged := strings.Cut(part, "..")
		if !ranged {
			last = first
		}
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		if errA != nil || errB != nil || a < 0 || b < a || b >= mostNumbered {
			return nil, fmt.Errorf("%q is not a number or range of numbers, as in 0 or 0..3", part)
		}
		for n := a; n <= b; n++ {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}
