package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/runtime"
	"github.com/keplersim/keplersim/sim/stats"
)

// profileOptions are nvprof's flags, with those of the run.
type profileOptions struct {
	run                                      runOptions
	gpuTrace, apiTrace, gpuSummary, apiTable bool
	csv, quiet, queryMetrics, queryEvents    bool
	metrics, events                          []string
	logFile                                  string
	fromStart                                string
	kernels                                  []string
	board                                    string // the name of the devices' board
}

// unsupportedFlags are flags of nvprof without a meaning here, with what to do instead.
var unsupportedFlags = []struct{ name, why string }{
	{"export-profile", "there is no file for the Visual Profiler; keplersim run --format json -o FILE ./program keeps all counters"},
	{"import-profile", "there is no file of the Visual Profiler to read; keplersim compare reads reports of keplersim run --format json"},
	{"analysis-metrics", "all metrics are counted at once: --metrics all"},
}

// newNVProfCommand runs a program and reports as nvprof does.
func newNVProfCommand() *cobra.Command {
	o := &profileOptions{}
	command := &cobra.Command{
		Use:  "nvprof [FLAGS] ./PROGRAM [ARGUMENTS...]",
		RunE: func(cmd *cobra.Command, args []string) error { return o.profile(cmd, args) },
	}
	f := command.Flags()
	f.SetInterspersed(false) // flags after the program belong to the program
	f.SortFlags = false
	f.BoolVar(&o.gpuTrace, "print-gpu-trace", false, "list each kernel and copy by its beginning")
	f.BoolVar(&o.apiTrace, "print-api-trace", false, "print the calls of the API; they are summed here")
	f.BoolVarP(&o.gpuSummary, "print-summary", "s", false, "print the summary beside a trace")
	f.BoolVar(&o.gpuSummary, "print-gpu-summary", false, "print the summary of kernels and copies alone")
	f.BoolVar(&o.apiTable, "print-api-summary", false, "print the summary of calls alone")
	f.StringSliceVarP(&o.metrics, "metrics", "m", nil, "metrics of each kernel: names with commas between them, * for anything, all")
	f.StringSliceVarP(&o.events, "events", "e", nil, "events of each kernel, likewise")
	f.StringSliceVar(&o.kernels, "kernels", nil, "the kernels to collect --metrics and --events for")
	f.BoolVar(&o.csv, "csv", false, "print tables as comma-separated values")
	f.StringVar(&o.logFile, "log-file", "", "write the report to a file; %p is the number of this process")
	f.StringVar(&o.fromStart, "profile-from-start", "on", "off counts from the program's first cudaProfilerStart() on")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print no lines about the profiler itself")
	f.BoolVar(&o.queryMetrics, "query-metrics", false, "list the metrics there are")
	f.BoolVar(&o.queryEvents, "query-events", false, "list the events there are")
	for _, name := range []string{"profile-child-processes", "profile-all-processes", "track-memory-allocations", "force-overwrite"} {
		f.Bool(name, false, "is always so, or makes no difference here")
	}
	for _, name := range []string{"concurrent-kernels", "unified-memory-profiling", "openacc-profiling", "profile-api-trace", "devices",
		"aggregate-mode", "normalized-time-unit", "timeout", "replay-mode"} {
		f.String(name, "", "makes no difference here")
	}
	for _, e := range unsupportedFlags {
		f.String(e.name, "", e.why)
	}
	own := &cobra.Command{}
	o.run.flags(own)
	takeFlags(f, own.Flags(), "config", "set", "time", "detail", "host-time", "functional", "threads", "rdc")
	return command
}

// profile runs the program, and writes the requested tables.
func (o *profileOptions) profile(cmd *cobra.Command, args []string) error {
	for _, e := range unsupportedFlags {
		if cmd.Flags().Changed(e.name) {
			return fmt.Errorf("--%s: %s", e.name, e.why)
		}
	}
	switch {
	case o.queryMetrics, o.queryEvents:
		return writeGlossary(cmd.OutOrStdout(), slices.DeleteFunc(stats.Metrics(), func(d stats.Definition) bool {
			return (d.Kind == stats.Event) != o.queryEvents
		}))
	case len(args) == 0:
		return errors.New("nvprof: name the program; keplersim nvprof --help shows examples")
	case o.fromStart != "on" && o.fromStart != "off":
		return fmt.Errorf("--profile-from-start %s: choose on or off", o.fromStart)
	case !isProgram(args[0]) && !hasMain(args[0]):
		return fmt.Errorf("%s is neither a program that keplersim nvcc has made nor a source file with a main()", args[0])
	}
	metrics, err := definitions(o.metrics, stats.Metric)
	if err != nil {
		return err
	}
	events, err := definitions(o.events, stats.Event)
	if err != nil {
		return err
	}
	r := &o.run
	r.program.files, r.program.arguments, r.format = args[:1], args[1:], "text"
	r.program.closed, r.program.timeline = o.fromStart == "off", o.gpuTrace
	board, err := r.programBoard()
	if err != nil {
		return err
	}
	o.board = runtime.BoardName(board)
	out, err := o.open(cmd)
	if err != nil {
		return err
	}
	defer out.Close()
	o.line(out, "NVPROF is profiling process %d, command: %s", os.Getpid(), strings.Join(args, " "))
	r.program.ended = func(s *runtime.Session) error {
		o.line(out, "Profiling application: %s", strings.Join(args, " "))
		o.line(out, "Profiling result:")
		if err := o.write(out, s, events, metrics); err != nil {
			return err
		}
		return out.Commit()
	}
	return r.runProgram(cmd)
}

// definitions returns the requested metrics or events. Names with *, and all, select only that kind. A full name is taken as it is, because
// nvprof has some, such as inst_executed, as both.
func definitions(names []string, kind stats.Kind) ([]stats.Definition, error) {
	if len(names) == 0 {
		return nil, nil
	}
	list, err := selectMetrics(names)
	return slices.DeleteFunc(list, func(d stats.Definition) bool {
		return (d.Kind == stats.Event) != (kind == stats.Event) && !slices.Contains(names, d.Name)
	}), err
}

// open opens the report's destination.
func (o *profileOptions) open(cmd *cobra.Command) (*reportFile, error) {
	if o.logFile == "" {
		return &reportFile{out: cmd.ErrOrStderr()}, nil
	}
	name := strings.ReplaceAll(o.logFile, "%p", strconv.Itoa(os.Getpid()))
	o.run.program.written = []written{{"log-file", name}}
	if err := o.run.checkWritten(cmd, o.run.programFiles(), nil); err != nil {
		return nil, err
	}
	return openReport(cmd, "log-file", name)
}

func (o *profileOptions) write(out io.Writer, s *runtime.Session, events, metrics []stats.Definition) error {
	summary := s.Summary()
	switch asked := len(o.events)+len(o.metrics) > 0; {
	case asked && o.gpuTrace:
		return o.writeLaunchMetrics(out, summary, slices.Concat(events, metrics))
	case asked:
		return o.writeMetrics(out, summary, events, metrics)
	}
	if o.gpuTrace {
		if err := o.writeTrace(out, s.Trace()); err != nil || !o.gpuSummary && !o.apiTable {
			return err
		}
	}
	parts := runtime.Parts{GPU: o.gpuSummary || !o.apiTable, API: o.apiTable || o.apiTrace || !o.gpuSummary}
	if o.csv {
		return summary.WriteCSV(out, parts)
	}
	return summary.WriteParts(out, parts)
}
