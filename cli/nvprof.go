package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/runtime"
	"github.com/keplersim/keplersim/sim/stats"
)

// profileOptions are nvprof's flags, with the runs' own.
type profileOptions struct {
	run                                      runOptions
	gpuTrace, apiTrace, gpuSummary, apiTable bool
	csv, quiet, queryMetrics, queryEvents    bool
	metrics, events                          []string
	logFile                                  string
	fromStart                                string
	kernels                                  []string
}

// elsewhereProfile are flags of nvprof that have no meaning here, with what to do instead.
var elsewhereProfile = []struct{ name, why string }{
	{"export-profile", "there is no file for the Visual Profiler; keplersim run --format json -o FILE ./program keeps all counters"},
	{"import-profile", "there is no file of the Visual Profiler to read; keplersim compare reads reports of keplersim run --format json"},
	{"analysis-metrics", "all metrics are counted at once: --metrics all"},
}

// newNVProfCommand runs a program and reports as nvprof does.
func newNVProfCommand() *cobra.Command {
	o := &profileOptions{}
	command := &cobra.Command{
		Use:   "nvprof [FLAGS] ./PROGRAM [ARGUMENTS...]",
		Short: "Run a CUDA program and report as nvprof does",
		Long: `Run a CUDA program and report as nvprof does: the summary of kernels, copies and calls, the trace of the
GPU, or metrics and events of each kernel. PROGRAM is what keplersim nvcc has made, or a .cu file with a
main(). The flags are nvprof's; --config, --set, --devices, --time and --detail are those of keplersim run.
The report goes to standard error, or to --log-file.`,
		Example: `  keplersim nvprof ./program 1000
  keplersim nvprof --print-gpu-trace --csv --log-file trace.csv ./program
  keplersim nvprof --metrics achieved_occupancy,gld_efficiency --kernels blur ./program
  keplersim nvprof --profile-from-start off ./program
  keplersim nvprof --query-metrics`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.profile(cmd, args) },
	}
	f := command.Flags()
	f.SetInterspersed(false) // what stands behind the program is the program's
	f.SortFlags = false
	f.BoolVar(&o.gpuTrace, "print-gpu-trace", false, "list each kernel and copy by its beginning")
	f.BoolVar(&o.apiTrace, "print-api-trace", false, "print the calls of the API; they are summed here")
	f.BoolVarP(&o.gpuSummary, "print-summary", "s", false, "print the summary beside a trace")
	f.BoolVar(&o.gpuSummary, "print-gpu-summary", false, "print the summary of kernels and copies alone")
	f.BoolVar(&o.apiTable, "print-api-summary", false, "print the summary of calls alone")
	f.StringSliceVarP(&o.metrics, "metrics", "m", nil, "metrics of each kernel: names with commas between them, * for anything, all")
	f.StringSliceVarP(&o.events, "events", "e", nil, "events of each kernel, likewise")
	f.StringSliceVar(&o.kernels, "kernels", nil, "kernels that --metrics and --events tell of")
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
	for _, e := range elsewhereProfile {
		f.String(e.name, "", e.why)
	}
	own := &cobra.Command{}
	o.run.flags(own)
	takeFlags(f, own.Flags(), "config", "set", "time", "detail", "host-time", "functional", "threads", "rdc")
	return command
}

// profile runs the program, and writes what was asked for.
func (o *profileOptions) profile(cmd *cobra.Command, args []string) error {
	for _, e := range elsewhereProfile {
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
		return fmt.Errorf("--profile-from-start %s: on or off", o.fromStart)
	case !isProgram(args[0]) && !hasMain(args[0]):
		return fmt.Errorf("%s is neither a program that keplersim nvcc has made nor a source file with a main()", args[0])
	}
	wanted, err := o.definitions()
	if err != nil {
		return err
	}
	r := &o.run
	r.program.files, r.program.arguments, r.format = args[:1], args[1:], "text"
	r.program.closed, r.program.timeline = o.fromStart == "off", o.gpuTrace
	out, err := o.open(cmd)
	if err != nil {
		return err
	}
	defer out.Close()
	r.program.ended = func(s *runtime.Session) error {
		if !o.quiet {
			fmt.Fprintf(out, "==%d== Profiling application: %s\n==%d== Profiling result:\n",
				os.Getpid(), strings.Join(args, " "), os.Getpid())
		}
		if err := o.write(out, s, wanted); err != nil {
			return err
		}
		return out.Commit()
	}
	return r.runProgram(cmd)
}

// definitions are the metrics and events that were asked for.
func (o *profileOptions) definitions() ([]stats.Definition, error) {
	names := slices.Concat(o.metrics, o.events)
	if len(names) == 0 {
		return nil, nil
	}
	return selectMetrics(names)
}

// open is where the report goes.
func (o *profileOptions) open(cmd *cobra.Command) (*reportFile, error) {
	if o.logFile == "" {
		return &reportFile{out: cmd.ErrOrStderr()}, nil
	}
	name := strings.ReplaceAll(o.logFile, "%p", strconv.Itoa(os.Getpid()))
	if err := checkFiles(cmd, o.run.programFiles(), written{"log-file", name}); err != nil {
		return nil, err
	}
	return openReport(cmd, "log-file", name)
}

func (o *profileOptions) write(out io.Writer, s *runtime.Session, wanted []stats.Definition) error {
	summary := s.Summary()
	if wanted != nil {
		return o.writeMetrics(out, summary, wanted)
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

// writeMetrics prints metrics by kernel, least, greatest and average of its launches.
func (o *profileOptions) writeMetrics(out io.Writer, s *runtime.Summary, wanted []stats.Definition) error {
	r := &report.Run{Workload: o.run.program.name(), Launches: s.Launches}
	for _, d := range wanted {
		r.Metrics = append(r.Metrics, d.Name)
	}
	if len(o.kernels) > 0 {
		detail := runtime.Detail{Kernels: o.kernels}
		r.Launches = slices.DeleteFunc(slices.Clone(r.Launches), func(l *stats.Launch) bool { return !detail.Names(l.Kernel) })
	}
	format := "text"
	if o.csv {
		format = "csv"
	}
	return report.Write(out, format, r)
}

// columns of the GPU's trace, as nvprof has them.
var traceColumns = []string{"Start", "Duration", "Grid Size", "Block Size", "Regs*", "SSMem*", "DSMem*", "Size", "Throughput", "SrcMemType",
	"DstMemType", "Device", "Stream", "Name"}

// writeTrace prints what the GPU did, by its beginning.
func (o *profileOptions) writeTrace(out io.Writer, trace []runtime.Activity) error {
	lines := [][]string{traceColumns}
	for _, a := range trace {
		lines = append(lines, traceLine(a))
	}
	if o.csv {
		return csv.NewWriter(out).WriteAll(lines)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range lines {
		fmt.Fprintln(t, strings.Join(line[:len(line)-1], "\t")+"\t  "+line[len(line)-1])
	}
	return t.Flush()
}

func traceLine(a runtime.Activity) []string {
	line := []string{
		runtime.Span(a.Start), runtime.Span(a.End - a.Start), "-", "-", "-", "-", "-", "-", "-", "-", "-",
		strconv.Itoa(a.Device), a.Stream, a.Name,
	}
	if l := a.Launch; l != nil {
		line[2], line[3] = dimensions(l.Grid), dimensions(l.Block)
		line[4], line[5], line[6] = strconv.Itoa(l.Registers), byteText(uint64(l.StaticShared)), byteText(uint64(l.DynamicShared))
	}
	if a.Kernel {
		return line
	}
	line[7] = byteText(a.Bytes)
	if a.End > a.Start {
		line[8] = fmt.Sprintf("%.4gGB/s", float64(a.Bytes)/(a.End-a.Start)*1e6/(1<<30)) // nvprof's GB are 2^30 bytes
	}
	host := "Pageable"
	if a.Pinned {
		host = "Pinned"
	}
	switch {
	case strings.Contains(a.Name, "HtoD"):
		line[9], line[10] = host, "Device"
	case strings.Contains(a.Name, "DtoH"):
		line[9], line[10] = "Device", host
	case strings.Contains(a.Name, "memset"):
		line[9] = "Device"
	default:
		line[9], line[10] = "Device", "Device"
	}
	return line
}

func dimensions(d [3]int) string { return fmt.Sprintf("(%d %d %d)", d[0], d[1], d[2]) }

// byteText is a size as nvprof writes it.
func byteText(n uint64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%dB", n)
	case n < 1<<20:
		return fmt.Sprintf("%.5gKB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.5gMB", float64(n)/(1<<20))
}
