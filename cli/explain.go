package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/files"
	"github.com/keplersim/keplersim/recording"
	"github.com/keplersim/keplersim/report/explain"
	"github.com/keplersim/keplersim/sim/record"
)

// explainOptions are the flags of keplersim explain.
type explainOptions struct {
	run    *kernelRun
	smx    int
	cycles string
	launch int
	warp   int
	svg    string
	output string
}

// defaultCycles is how many cycles are shown by default: a screen or two.
const defaultCycles = 60

// newExplainCommand shows the warps of an SMX cycle by cycle.
func newExplainCommand() *cobra.Command {
	o := &explainOptions{}
	command := &cobra.Command{
		Use:  "explain FILE",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.explain(cmd, args[0]) },
	}
	o.run = newKernelRun(command)
	f := command.Flags()
	f.IntVar(&o.smx, "smx", 0, "the multiprocessor")
	f.StringVar(&o.cycles, "cycles", "", "the cycles, from the launch's start, as in 100..160 (default: 60 from the first issue on)")
	f.IntVar(&o.launch, "launch", 1, "which of the launches, from 1")
	f.IntVar(&o.warp, "warp", -1, "draw this warp alone, by its number in the multiprocessor (%warpid)")
	f.StringVar(&o.svg, "svg", "", "draw it to this file, .svg, instead of printing it")
	outputFlag(f, &o.output)
	return command
}

// explain runs the command.
func (o *explainOptions) explain(cmd *cobra.Command, path string) error {
	window, err := parseWindow(o.cycles)
	if err != nil {
		return fmt.Errorf("--cycles %s: %w", o.cycles, err)
	}
	switch {
	case o.smx < 0 || o.launch < 1:
		return errors.New("--smx must be 0 or more, and --launch must be 1 or more")
	case o.svg != "" && !strings.EqualFold(filepath.Ext(o.svg), ".svg"):
		return fmt.Errorf("--svg %s: name a file that ends in .svg", o.svg)
	}
	o.run.targets = []written{{"svg", o.svg}, {"output", o.output}}
	if err := checkFiles(cmd, host.FilesOf(path, o.run.link, o.run.config), o.run.targets...); err != nil {
		return err
	}
	r, err := o.recording(cmd, path, window)
	if err != nil {
		return err
	}
	if o.launch > len(r.Grids) {
		return fmt.Errorf("--launch %d: %s has %d", o.launch, path, len(r.Grids))
	}
	choice := explain.Choice{Launch: o.launch - 1, SMX: o.smx, Window: window}
	if o.cycles == "" {
		choice.Window = o.firstCycles(r)
	}
	view, err := explain.New(r, choice)
	if err != nil {
		return err
	}
	return o.show(cmd, view)
}

// recording reads the recording, or makes one.
func (o *explainOptions) recording(cmd *cobra.Command, path string, window recording.Window) (*recording.Recording, error) {
	if strings.EqualFold(filepath.Ext(path), ".kst") {
		return recording.ReadFile(path)
	}
	// Record from the launch's start: the producer of a register that a warp waits for issued before the window.
	options := record.Options{Window: recording.Window{To: window.To}, SMXs: []int{o.smx}}
	if o.cycles == "" {
		options.Window.To = firstRecorded
	}
	recorder := record.New(options)
	job, err := o.run.open(cmd, path, func(h *host.Options) { h.Simulator.Observer = recorder })
	if err != nil {
		return nil, err
	}
	if last := job.Config.SMX.Count - 1; o.smx > last {
		return nil, fmt.Errorf("--smx %d: %s has the multiprocessors 0 to %d", o.smx, job.Config.Name, last)
	}
	result, err := job.Run(cmd.Context())
	if err != nil && len(result.Launches) == 0 {
		return nil, runFailure{err}
	}
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "note: the run ended early, and what is shown is what came before:", err)
	}
	return recorder.Recording(&record.About{Workload: job.Workload.Name, Config: job.Config, Launches: result.Launches})
}

// firstRecorded is how many cycles are recorded to find the first warp; blocks start early.
const firstRecorded = 20_000

// firstCycles returns the cycles from the launch's first issue on the SMX.
func (o *explainOptions) firstCycles(r *recording.Recording) recording.Window {
	g := &r.Grids[o.launch-1]
	if t := r.Track(g.Device, o.smx); t != nil {
		for _, e := range t.Issues {
			if t.Blocks[t.Warps[e.Warp].Block].Grid == o.launch-1 {
				from := e.Cycle - g.Start
				return recording.Window{From: from, To: from + defaultCycles}
			}
		}
	}
	return recording.Window{To: defaultCycles}
}

// show prints or draws the view.
func (o *explainOptions) show(cmd *cobra.Command, view *explain.View) error {
	if o.svg != "" {
		err := files.Write(o.svg, func(w io.Writer) error {
			if o.warp >= 0 {
				return view.WarpSVG(w, o.warp)
			}
			return view.SVG(w)
		})
		if err != nil {
			return fmt.Errorf("--svg: %w", err)
		}
		return nil
	}
	return writeReport(cmd, o.output, func(out *reportFile) error {
		if o.warp >= 0 {
			return view.WarpText(out, o.warp)
		}
		return view.Text(out)
	})
}
