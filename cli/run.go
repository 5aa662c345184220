package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/draw"
	"github.com/keplersim/keplersim/report/gather"
	"github.com/keplersim/keplersim/sim"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/sim/memorymode"
	"github.com/keplersim/keplersim/sim/smx"
	"github.com/keplersim/keplersim/workload"
)

// runOptions are the flags of keplersim run.
type runOptions struct {
	config       string
	overrides    []string
	clocks       string
	power        powerFlags
	kernel       string
	link         []string
	grid, block  string
	shared       int
	arguments    []string
	symbols      []string
	dumps        []string
	save         string
	functional   bool
	sample       bool
	threads      int
	maxCycles    int64
	maxRegisters int
	registersOf  string
	cacheConfig  string
	bankMode     int
	dlcm         string
	reuse        bool
	strict       bool
	check        string
	checks       finding.Set // that check names
	schedules    int         // other orders that checks run in
	suppressions string      // a file
	suppressed   finding.Suppressions
	timed        bool              // checks run with time
	changed      func(string) bool // tells whether a flag was given
	printf       string
	modes        modeFlags
	metrics      []string
	format       string
	output       string
	roofline     string // a file
	timeline     string // a file
	views        viewOptions
	live         serveOptions
	connections  int
	mps          bool
	verbose      bool
	program      wholeOptions
	profiles     hostProfiles
	code         *sources.Reader
}

// newRunCommand runs a kernel or a workload and reports on it.
func newRunCommand() *cobra.Command {
	o := &runOptions{}
	command := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a kernel or a workload: what it computes, how many cycles it takes, and why",
		Long: `Run a kernel or a workload on a simulated chip, check its results, and report how long it took and why.

FILE is one of
  kernel.ptx      PTX, with the workload file that stands beside it (kernel.yaml, kernel.yml or kernel.json)
  kernel.cu       CUDA C, compiled by clang first (14 or newer on PATH; no CUDA toolkit), with the same workload file
  program.cu      a whole program: CUDA C with a main() and without a workload file. It runs unmodified, and what stands behind -- are
                  its arguments; further .cu, .cpp and .c files may follow (docs/programs.md)
  workload.yaml   a workload file: buffers, launches, expected results (docs/workload-file.md)
  -               any of these, piped to the command

Without a workload file, --grid, --block, --shared, --arg and --symbol say the launch. What is left out is made up and noted in the
report: 4,096 threads in as many dimensions as the kernel reads (16 blocks of 256, or 4 x 4 of 16 x 16), and sizes that suit it, found in
trials without timing: integers are the number of threads or a side of the grid, and buffers are as large as what the kernel
touches. With any of these flags, a workload file beside FILE is left aside.

--kernel chooses a kernel: of a file of code the one to launch, of a workload file the one to report on, while the others run
for the data that they make.

--config with several boards, as in k20,k40, runs on each. The text then has the reports one after another and the boards
beside each other in the end; JSON is a list of reports; CSV has a line for each launch on each board.

The workload file is the one beside FILE, or else beside one of the files of --link.
` + linkHelp + `

--arg is ` + workload.ArgHelp + `

--symbol is NAME=TYPE[COUNT] with contents as above: what cudaMemcpyToSymbol would write to a __constant__ or __device__
variable. Without contents it is zero. Values with parentheses need quotes: --symbol 'taps=f32[3]:values(1,2,1)'.

Exit codes: 0 it ran and every expectation held; 1 the run or an expectation failed; 2 bad input. Ctrl-C prints the
report of what ran until then, and exits with 1. The exit code of a whole program is its own.`,
		Example: `  keplersim run workloads/vectoradd/vectoradd.ptx
  keplersim run --config k40 --set smx.count=13 kernel.ptx
  keplersim run --config k40 --clocks 3004,875 kernel.ptx
  keplersim run --set smx.warps=128 --set smx.threads=4096 --registers-of gk110 kernel.ptx
  keplersim run --config k20,k40,k80 --format csv -o boards.csv kernel.cu
  keplersim run workloads/spmv/spmv.yaml --kernel spmv_vector
  keplersim run workloads/saxpy/saxpy.ptx --grid 64 --block 256 --arg 16384 --arg 2.0 --arg f32[16384]:random --arg y=f32[16384] --dump y=y.bin
  keplersim run convolve.cu --symbol 'weights=f32[3]:values(1,2,1)' --save-workload saved.yaml
  keplersim run --metrics 'gld_*,achieved_occupancy,stall_sync' workloads/bitonic/bitonic.ptx
  keplersim run --plot-roofline roofline.svg workloads/nbody/nbody.ptx
  keplersim run --config gk104 --plot-timeline timeline.svg workloads/hyperq/hyperq.yaml
  keplersim run --record run.kst --record-window 1000..3000 --record-smx 0 workloads/spmv/spmv.yaml
  keplersim run --report report.html workloads/transpose/transpose.yaml
  keplersim run --serve :9090 --serve-for 1h workloads/kmeans/kmeans.yaml
  keplersim run --trace trace.json.gz workloads/overlap/overlap.yaml
  keplersim run --functional --format json kernel.cu
  keplersim run --sample workloads/nbody/nbody.yaml
  keplersim run jacobi.cu -- 512 0.01
  keplersim run main.cpp kernels.cu -I include -O2 -lm --devices 2
  keplersim run main.ptx --link library.ptx more.ptx`,
		Args: o.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.program.files != nil {
				return o.runProgram(cmd)
			}
			o.link = linked(o.link, args)
			return o.run(cmd, args[0])
		},
	}
	o.flags(command)
	return command
}

// args checks the files: those of a whole program, which are followed by the program's own arguments, or a kernel's.
func (o *runOptions) args(cmd *cobra.Command, args []string) error {
	files, own := args, []string(nil)
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		files, own = args[:dash], args[dash:]
	}
	if len(files) > 0 && wantsProgram(cmd, files) {
		o.program.files, o.program.arguments = files, own
		return nil
	}
	return linkedArgs(&o.link)(cmd, args)
}

func (o *runOptions) flags(command *cobra.Command) {
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&o.config, "config", "", "the chip or board, or several with commas between them: names that 'keplersim configs' lists, or YAML files (default: the workload file's, else "+host.DefaultConfig+")")
	f.StringArrayVar(&o.overrides, "set", nil, "override a key of the configuration, as in smx.count=13 (may be repeated)")
	f.StringVar(&o.clocks, "clocks", "", "clocks of memory and core in MHz, as in 3004,875; max; or base (keplersim clocks lists what the board can be set to)")
	o.power.add(f)
	f.StringVar(&o.kernel, "kernel", "", "the kernel to launch, where the file has several")
	o.code = codeFlags(command, &o.link)
	f.StringVar(&o.grid, "grid", "", "the grid in blocks, as in 64 or 16,16")
	f.StringVar(&o.block, "block", "", "the block in threads, as in 256 or 16,16")
	f.IntVar(&o.shared, "shared", 0, "dynamic shared memory in bytes a block")
	f.StringArrayVar(&o.arguments, "arg", nil, "an argument, in the order of the kernel's parameters (may be repeated)")
	f.StringArrayVar(&o.symbols, "symbol", nil, "set a constant or global variable of the module, as in taps=f32[3]:values(1,2,1) (may be repeated)")
	f.StringArrayVar(&o.dumps, "dump", nil, "write a buffer's bytes to a file in the end, as in y=y.bin (may be repeated)")
	f.StringVar(&o.save, "save-workload", "", "write the launch that was made up or given by flags to a workload file, to be changed and run")
	f.BoolVar(&o.functional, "functional", false, "compute results alone, without timing")
	f.BoolVar(&o.sample, "sample", false, "time a part of long launches, and of launches that are like earlier ones; run the rest without timing and estimate the cycles, with the interval that has them in 95 of 100 cases (docs/performance.md). Launches run one at a time")
	f.IntVar(&o.maxRegisters, "maxrregcount", 0, "registers that a thread may have; 0 leaves it to the compiler")
	f.StringVar(&o.registersOf, "registers-of", "",
		"compile as for this chip or board, so that register counts stay its own whatever the configuration changes")
	f.StringVar(&o.cacheConfig, "cache-config", "none", "how shared memory and L1 are split: none (the chip's default), shared, l1, equal, or shared memory's size, as in 32K")
	f.IntVar(&o.bankMode, "bank-mode", 0, "width of shared memory's banks in bytes, 4 or 8 (default: the chip's)")
	f.StringVar(&o.dlcm, "dlcm", "cg", "where global loads without a cache operator go, as nvcc's -Xptxas -dlcm: ca (through L1, on chips that can) or cg (to L2)")
	f.BoolVar(&o.reuse, "reuse-distance", false, "record how far apart the uses of a line at L2 lie, and print the histogram; slower")
	checkFlags(f, o)
	f.BoolVar(&o.strict, "strict-target", false, "refuse instructions that no Kepler has, also where their meaning could be carried out")
	f.StringVar(&o.printf, "printf", "", "write what kernels print (vprintf) to a file, not to standard output")
	o.modes.flags(f)
	f.Int64Var(&o.maxCycles, "max-cycles", sim.DefaultMaxCycles, "end a launch that runs longer than so many cycles (with --functional: warp instructions)")
	f.IntVar(&o.threads, "threads", 0, "host threads to simulate with (default: all processors); results do not depend on it")
	f.StringSliceVar(&o.metrics, "metrics", nil, "report these metrics alone, as nvprof does: names with commas between them, * for anything, all for all (keplersim metrics lists them)")
	f.StringVar(&o.format, "format", "text", "the report: "+strings.Join(report.Formats(), ", "))
	f.StringVarP(&o.program.level, "optimize", "O", "", "whole programs: how far host code is optimised, 0 to 3 (default 2)")
	f.StringArrayVarP(&o.program.libraries, "library", "l", nil, "whole programs: link a library, as in -lm (may be repeated)")
	f.StringArrayVarP(&o.program.folders, "library-folder", "L", nil, "whole programs: look for libraries in a folder (may be repeated)")
	f.StringVar(&o.program.time, "time", "", "whole programs: `LAUNCHES` that are timed, the others being computed alone: first:N and every:N of each kernel, "+
		"kernel=NAME, all, none, with commas between them")
	f.StringVar(&o.program.detail, "detail", "auto", "whole programs: auto times until a budget of warp instructions is spent, then the first launch of each kernel; full; none")
	f.StringVar(&o.program.save, "save-launch", "", "whole programs: write a `LAUNCH` with its memory as the workload file of --save-workload: a kernel's name, "+
		"or NAME:3 for its third launch")
	f.StringVar(&o.program.hostTime, "host-time", "zero", "whole programs: how the time of host code counts: zero, real as measured, or a factor of it")
	f.BoolVar(&o.program.linked, "rdc", false, "whole programs: link the device code of several .cu files, as nvcc -rdc=true")
	f.IntVar(&o.program.devices, "devices", 1, "whole programs: how many devices of the configuration there are, 1 to 8")
	outputFlag(f, &o.output)
	f.StringVar(&o.timeline, "plot-timeline", "", "draw what happened when to this file, .svg, .png or .pdf: a row for the host's calls and for each stream")
	o.views.flags(f)
	o.live.flags(f)
	f.IntVar(&o.connections, "max-connections", 0, "hardware queues that streams map to, 1 to 32 (default: CUDA_DEVICE_MAX_CONNECTIONS, else the chip's 8; no more than the chip has)")
	f.BoolVar(&o.mps, "mps", false, "have the processes of a workload share the device, as under the Multi-Process Service")
	f.StringVar(&o.roofline, "plot-roofline", "", "draw the roofline to this file, .svg, .png or .pdf: the chip's ceilings, and a point for each kernel and level of memory")
	o.profiles.flags(f)
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log to standard error what is done: files, the compiler's command, buffers, launches")
}

// run carries the command out: once for each configuration.
func (o *runOptions) run(cmd *cobra.Command, path string) (err error) {
	options, dumps, err := o.parse()
	if err != nil {
		return err
	}
	stop, err := o.profiles.start()
	if err != nil {
		return err
	}
	defer func() {
		if failure := stop(); failure != nil {
			err = errors.Join(err, runFailure{fmt.Errorf("write the profile: %w", failure)})
		}
	}()
	chips, err := o.chips(dumps)
	if err != nil {
		return err
	}
	if err := o.checkOutput(path); err != nil {
		return err
	}
	read := append([]string{path}, o.link...)
	if beside, ok := workload.Beside(path); ok {
		read = append(read, beside)
	}
	if err := o.checkWritten(cmd, read, dumps); err != nil {
		return err
	}
	options.Simulator.Modes = o.modes.override(cmd.Flags())
	options.Log, options.Code = newLogger(cmd.ErrOrStderr(), o.verbose), *o.code
	bar := newProgress(cmd.ErrOrStderr())
	print := &kernelOutput{bar: bar}
	defer print.close()
	options.Simulator.Printf = print
	o.views.listen(&options.Simulator)
	if err := o.live.start(cmd); err != nil {
		return err
	}
	defer o.live.finish(cmd)
	o.live.listen(&options.Simulator)
	options.Simulator.Progress = bar.show()

	var reports []*report.Run
	var failures []error
	var out *reportFile
	for i, chip := range chips {
		start := time.Now()
		options.Chip = chip
		job, err := o.open(cmd, path, options, dumps)
		if err != nil && i > 0 {
			failures = append(failures, err)
			break
		}
		if err != nil {
			return err
		}
		// The report's file and that of --printf are opened before the first run: it is too long to lose.
		if i == 0 {
			if out, err = o.create(cmd, job, print); err != nil {
				return err
			}
			defer out.Close()
		}
		ran := reportsFromNow(cmd.Context())
		o.live.began(job.Workload.Name, job.Config.Name)
		result, err := job.Run(cmd.Context())
		o.live.over(err)
		ran()
		if err == nil && o.schedules > 0 {
			if err := o.otherOrders(cmd, path, options, job, result); err != nil {
				return runFailure{err}
			}
		}
		bar.close()
		o.tellNotes(cmd, job)
		r := o.report(job, result, err, time.Since(start))
		r.Color = colored(cmd, out)
		failures = append(failures, o.outcome(cmd.Context(), job, result, err, dumps))
		if err == nil && o.format == "json" {
			if r.Results, err = gather.Results(job); err != nil {
				return runFailure{err}
			}
		}
		// What was refused before anything ran has nothing to report.
		if len(result.Launches) > 0 || err == nil {
			reports = append(reports, r)
			if err := o.views.write(&viewed{run: r, config: job.Config, line: job.Line}); err != nil {
				return runFailure{errors.Join(append(failures, err)...)}
			}
		}
		if err != nil {
			break
		}
	}
	if err := print.finish(); err != nil {
		return err
	}
	failure := errors.Join(failures...)
	if err := o.write(out, reports); err != nil {
		return runFailure{errors.Join(failure, err)}
	}
	return failure
}

// write writes the reports of the runs, and draws what they show.
func (o *runOptions) write(out *reportFile, reports []*report.Run) error {
	if len(reports) == 0 {
		return nil
	}
	if err := report.WriteAll(out, o.format, reports); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	if o.timeline != "" {
		if err := draw.Timeline(o.timeline, reports[0]); err != nil {
			return err
		}
	}
	if o.power.plot != "" {
		if err := o.plotPower(reports[0]); err != nil {
			return err
		}
	}
	if o.roofline == "" {
		return nil
	}
	if picture, ok := report.Rooflines(reports); ok {
		return draw.Roofline(o.roofline, picture)
	}
	return nil
}

// chips are the configurations to run on, one after another; one that is nil is what the workload file says, or the default.
func (o *runOptions) chips(dumps [][2]string) ([]*configs.Config, error) {
	if o.config == "" || !strings.Contains(o.config, ",") {
		return []*configs.Config{nil}, nil
	}
	if len(dumps) > 0 {
		return nil, fmt.Errorf("--dump %s=%s: --config %s has several boards, each of which would write this file; name one", dumps[0][0], dumps[0][1], o.config)
	}
	listed, err := loadChips(o.config, o.overrides)
	if err != nil {
		return nil, err
	}
	var chips []*configs.Config
	names := strings.Split(o.config, ",")
	for i, c := range listed {
		if c.config == nil {
			return nil, fmt.Errorf("--config %s: nothing runs on %s, which is known only by its limits", o.config, c.limits.Name)
		}
		config, err := configs.LoadAt(names[i], o.overrides, o.clocks)
		if err != nil {
			return nil, err
		}
		chips = append(chips, config)
	}
	return chips, nil
}

// open loads what is to run, and makes sure that what is written in the end can be.
func (o *runOptions) open(cmd *cobra.Command, path string, options host.Options, dumps [][2]string) (*host.Job, error) {
	job, err := host.Open(cmd.Context(), path, options)
	if cmd.Context().Err() != nil {
		return nil, runFailure{errors.New("interrupted before anything ran")}
	}
	if err != nil {
		return nil, err
	}
	if err := o.checkWritten(cmd, job.Inputs(), dumps); err != nil {
		return nil, err
	}
	for _, d := range dumps {
		err := job.CheckBuffer(d[0])
		if err == nil {
			err = checkWritable(d[1])
		}
		if err != nil {
			return nil, fmt.Errorf("--dump %s=%s: %w", d[0], d[1], err)
		}
	}
	return job, nil
}

// create makes the files that a run writes beside its dumps.
func (o *runOptions) create(cmd *cobra.Command, job *host.Job, print *kernelOutput) (*reportFile, error) {
	if err := o.saveWorkload(job); err != nil {
		return nil, err
	}
	if err := print.open(cmd, o); err != nil {
		return nil, err
	}
	return openOutput(cmd, o.output)
}

// tellNotes prints a job's notes where the report has no place for them.
func (o *runOptions) tellNotes(cmd *cobra.Command, job *host.Job) {
	if o.format == "csv" || o.format == "source" {
		for _, n := range job.Notes {
			fmt.Fprintln(cmd.ErrOrStderr(), "note:", n)
		}
	}
}

// outcome is what is wrong with a run; nil where all went well. It writes the dumps of one that came to its end.
func (o *runOptions) outcome(ctx context.Context, job *host.Job, result *host.Result, err error, dumps [][2]string) error {
	if refused := new(host.Refused); errors.As(err, &refused) {
		return err
	}
	if err != nil {
		return runFailure{describeRunError(ctx, err, job.Notes)}
	}
	for _, d := range dumps {
		if err := job.Dump(d[0], d[1]); err != nil {
			return runFailure{fmt.Errorf("--dump: %w", err)}
		}
		job.Log().Info("dump", slog.String("buffer", d[0]), slog.String("file", d[1]))
	}
	return errors.Join(o.mistakes(result.Mistakes), o.verdict(result))
}

// mistakes is the error of a run in which checks found something that is no warning. Where the report does not show it, it does.
func (o *runOptions) mistakes(list []*finding.Finding) error {
	n := finding.Errors(list)
	switch {
	case n == 0:
		return nil
	case report.ShowsMistakes(o.format) && o.output == "":
		return runFailure{fmt.Errorf("the checks found %s, told above", countedMistakes(n))}
	}
	var all []string
	for _, f := range list {
		all = append(all, f.String())
	}
	return runFailure{errors.New(strings.Join(all, "\n"))}
}

func countedMistakes(n int) string {
	if n == 1 {
		return "1 mistake"
	}
	return fmt.Sprintf("%d mistakes", n)
}

// checkWritten refuses to write over what is read, and two things to one file.
func (o *runOptions) checkWritten(cmd *cobra.Command, read []string, dumps [][2]string) error {
	list := append(o.views.written(), written{"output", o.output}, written{"printf", o.printf}, written{"save-workload", o.save}, written{"plot-roofline", o.roofline}, written{"plot-timeline", o.timeline},
		written{"plot-power", o.power.plot}, written{"cpuprofile", o.profiles.cpu}, written{"memprofile", o.profiles.memory})
	for _, d := range dumps {
		list = append(list, written{"dump", d[1]})
	}
	return checkFiles(cmd, read, list...)
}

// checkOutput refuses a report where the next run would look for the workload file of the kernel.
func (o *runOptions) checkOutput(kernel string) error {
	base := strings.TrimSuffix(filepath.Clean(kernel), filepath.Ext(kernel))
	for _, extension := range workload.Extensions {
		if o.output != "" && filepath.Clean(o.output) == base+extension {
			return fmt.Errorf("--output %s: a run of %s takes this file for its workload file; choose another name", o.output, kernel)
		}
	}
	return nil
}

// aside is where a kernel's own output goes: standard output, unless a report for programs is written there.
func (o *runOptions) aside(cmd *cobra.Command) io.Writer {
	if o.format != "text" && o.output == "" {
		return cmd.ErrOrStderr()
	}
	return cmd.OutOrStdout()
}

// describeRunError says of a run that the user stopped that it was so, and of an access that failed that the arguments were made up.
func describeRunError(ctx context.Context, err error, notes []string) error {
	madeUp := slices.ContainsFunc(notes, func(note string) bool { return strings.HasPrefix(note, host.MadeUp) })
	if fault := new(smx.Fault); madeUp && errors.As(err, &fault) && (fault.Kind == smx.FaultAddress || fault.Kind == smx.FaultAlignment) {
		return fmt.Errorf("%w\n  the launch was made up in part, as the notes say, and may not suit the kernel: give --grid, --block and --arg, or a workload file", err)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted; the report tells what ran until then: %w", err)
	}
	return err
}

// verdict is the error of results that are not as expected. Where the report does not show them, it does.
func (o *runOptions) verdict(result *host.Result) error {
	if len(result.Mismatches) == 0 {
		return nil
	}
	if o.format == "text" && o.output == "" {
		return runFailure{fmt.Errorf("%d of %d checked buffers differ from the expected result", len(result.Mismatches), len(result.Checked))}
	}
	var all []error
	for _, m := range result.Mismatches {
		all = append(all, errors.New(m.String()))
	}
	return runFailure{errors.Join(all...)}
}

// report gathers what the report tells.
func (o *runOptions) report(job *host.Job, result *host.Result, runErr error, took time.Duration) *report.Run {
	r := gather.Run(job, result, runErr)
	r.Metrics, r.Checked = o.metrics, o.checks
	r.Host = report.Host{Threads: o.threads, Wall: took, PeakMemory: peakMemory()}
	return r
}

// connectionOverride adds the number of hardware queues that the flag or CUDA's environment variable says to the overrides.
func (o *runOptions) connectionOverride() ([]string, error) {
	said, number := "--max-connections", o.connections
	if number == 0 {
		said = "CUDA_DEVICE_MAX_CONNECTIONS"
		value := os.Getenv(said)
		if value == "" {
			return o.overrides, nil
		}
		var err error
		if number, err = strconv.Atoi(value); err != nil {
			return nil, fmt.Errorf("%s is %q: it takes a number from 1 to 32", said, value)
		}
	}
	if number < 1 || number > 32 {
		return nil, fmt.Errorf("%s is %d: it takes a number from 1 to 32", said, number)
	}
	return append([]string{fmt.Sprintf("hyperq.connections=%d", number)}, o.overrides...), nil
}

// checkSample refuses what does not go with estimates.
func (o *runOptions) checkSample() error {
	switch {
	case !o.sample:
	case o.functional || o.checks != finding.None:
		return errors.New("--sample estimates time, which --functional and --check leave out: give one of them")
	case o.reuse:
		return errors.New("--reuse-distance needs every access timed: leave --sample away")
	case o.format == "csv":
		return errors.New("--format csv has no place for how sure an estimate is: take --format json with --sample")
	}
	return nil
}

// parse checks the flags and turns them into what a job takes, and the dumps as pairs of buffer and file.
func (o *runOptions) parse() (options host.Options, dumps [][2]string, err error) {
	if err := report.CheckFormat(o.format); err != nil {
		return options, nil, err
	}
	if err := o.parseChecks(); err != nil {
		return options, nil, err
	}
	if o.metrics, err = chooseMetrics(o.metrics, o.format); err != nil {
		return options, nil, err
	}
	if o.threads < 0 || o.maxCycles < 1 || o.shared < 0 {
		return options, nil, errors.New("--threads and --shared are 0 at least, and --max-cycles is 1 at least")
	}
	if err := checkCap(o.maxRegisters); err != nil {
		return options, nil, err
	}
	if o.timeline != "" && (o.functional || o.checks != finding.None) {
		return options, nil, errors.New("--plot-timeline needs a timed run: leave --functional and --check away")
	}
	if err := o.checkSample(); err != nil {
		return options, nil, err
	}
	if err := checkPlots("plot-timeline", o.timeline); err != nil {
		return options, nil, err
	}
	if o.roofline != "" && (o.functional || o.checks != finding.None) {
		return options, nil, errors.New("--plot-roofline needs a timed run: leave --functional and --check away")
	}
	if err := checkPlots("plot-roofline", o.roofline); err != nil {
		return options, nil, err
	}
	untimed := o.functional || o.checks != finding.None && !o.timed
	if err := o.views.parse(untimed, strings.Contains(o.config, ",")); err != nil {
		return options, nil, err
	}
	power, err := o.power.options()
	if err != nil {
		return options, nil, err
	}
	if power != nil && untimed {
		return options, nil, errors.New("power and boost need a timed run: leave --functional and --check away")
	}
	overrides, err := o.connectionOverride()
	if err != nil {
		return options, nil, err
	}
	loads, err := memorymode.ParseGlobalLoads(o.dlcm)
	if err != nil {
		return options, nil, fmt.Errorf("--dlcm %w", err)
	}
	banks := memorymode.BankDefault
	if o.bankMode != 0 {
		if banks, err = memorymode.ParseBankMode(o.bankMode); err != nil {
			return options, nil, fmt.Errorf("--bank-mode %d: %w", o.bankMode, err)
		}
	}
	if o.threads == 0 {
		o.threads = runtime.GOMAXPROCS(0)
	}
	var registersOf *configs.Config
	if o.registersOf != "" {
		if registersOf, err = configs.Load(o.registersOf, nil); err != nil {
			return options, nil, fmt.Errorf("--registers-of: %w", err)
		}
	}
	options = host.Options{
		Config: o.config, Overrides: overrides, Clocks: o.clocks, Kernel: o.kernel, Link: o.link, Shared: o.shared,
		Simulator: sim.Options{Threads: o.threads, MaxCycles: o.maxCycles, Functional: untimed,
			Check: o.checks, Keep: o.suppressed.Keep, Estimate: o.sample,
			MaxRegisters: o.maxRegisters, RegistersOf: registersOf, StrictTarget: o.strict,
			CacheConfig: o.cacheConfig, BankMode: banks, GlobalLoads: loads, ReuseDistance: o.reuse, MPS: o.mps, Power: power},
	}
	if options.Grid, err = parseExtent("grid", o.grid); err != nil {
		return options, nil, err
	}
	if options.Block, err = parseExtent("block", o.block); err != nil {
		return options, nil, err
	}
	for _, text := range o.arguments {
		a, err := workload.ParseArg(text)
		if err != nil {
			return options, nil, err
		}
		options.Arguments = append(options.Arguments, a)
	}
	for _, text := range o.symbols {
		s, err := workload.ParseSymbol(text)
		if err != nil {
			return options, nil, err
		}
		options.Symbols = append(options.Symbols, s)
	}
	for _, text := range o.dumps {
		name, file, ok := strings.Cut(text, "=")
		if !ok || name == "" || file == "" {
			return options, nil, fmt.Errorf("--dump %s: write BUFFER=FILE, as in --dump y=y.bin", text)
		}
		dumps = append(dumps, [2]string{name, file})
	}
	return options, dumps, nil
}

// parseExtent reads 64, 16,16 or 8x8x4; "" is {0, 0, 0}.
func parseExtent(flag, text string) (extent [3]int, err error) {
	if text == "" {
		return extent, nil
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == 'x' || r == ' ' })
	if len(parts) > 3 || len(parts) == 0 {
		return extent, fmt.Errorf("--%s %s: give 1 to 3 numbers, as in --%s 16,16", flag, text, flag)
	}
	extent = [3]int{1, 1, 1}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 {
			return extent, fmt.Errorf("--%s %s: %q is no number from 1 on", flag, text, p)
		}
		extent[i] = n
	}
	return extent, nil
}
