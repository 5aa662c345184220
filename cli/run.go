package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/code/sources"
	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/gather"
	"github.com/keplersim/keplersim/sim/check/finding"
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
	sample       string
	budget       time.Duration
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
	checks       finding.Set // parsed from check
	schedules    int         // other orders for the checks
	suppressions string      // a file
	baseline     string      // a file
	known        report.Baseline
	// checkExitCode is the exit code of a run whose checks find mistakes.
	checkExitCode int
	suppressed    finding.Suppressions
	timed         bool              // checks run with timing
	changed       func(string) bool // reports whether a flag was given
	printf        string
	memory        string
	modes         modeFlags
	metrics       []string
	format        string
	output        string
	views         viewOptions
	live          serveOptions
	connections   int
	mps           bool
	verbose       bool
	program       wholeOptions
	profiles      hostProfiles
	checkpoint    checkpointFlags
	code          *sources.Reader
}

// newRunCommand runs a kernel or a workload and reports on it.
func newRunCommand() *cobra.Command {
	o := &runOptions{}
	command := &cobra.Command{
		Use:  "run FILE",
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

// args checks the arguments: the files of a whole program with the program's own arguments, or the files of a kernel.
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

// jobRun is a run of kernels: the request, and the results for each configuration.
type jobRun struct {
	*runOptions
	cmd     *cobra.Command
	path    string
	options host.Options
	dumps   [][2]string // buffers, and the files to write them to

	bar      *progress
	print    *kernelOutput
	out      *reportFile
	reports  []*report.Run
	failures []error
}

// stopped ends the simulator's own profiles. It writes them after a run, but not if the input was refused.
func stopped(stop func(write bool) error, err *error) {
	var failed runFailure
	var found checkFailure
	var status programStatus
	ran := *err == nil || errors.As(*err, &failed) || errors.As(*err, &found) || errors.As(*err, &status)
	if failure := stop(ran); failure != nil {
		*err = errors.Join(*err, runFailure{fmt.Errorf("write the profile: %w", failure)})
	}
}

// run runs the command once for each configuration.
func (o *runOptions) run(cmd *cobra.Command, path string) (err error) {
	options, dumps, err := o.parse()
	if err != nil {
		return err
	}
	o.asCard(cmd, &options.Simulator)
	if err := o.checkPaths(cmd, path, dumps); err != nil {
		return err
	}
	stop, err := o.profiles.start()
	if err != nil {
		return err
	}
	defer stopped(stop, &err)
	chips, err := o.chips(dumps)
	if err != nil {
		return err
	}
	r := &jobRun{runOptions: o, cmd: cmd, path: path, options: options, dumps: dumps, bar: newProgress(cmd.ErrOrStderr())}
	defer r.close()
	if err := r.prepare(); err != nil {
		return err
	}
	defer o.live.finish(cmd)
	for i, chip := range chips {
		goesOn, err := r.on(chip, i == 0)
		if err != nil {
			return err
		}
		if !goesOn {
			break
		}
	}
	if err := r.print.finish(); err != nil {
		return err
	}
	failure := errors.Join(r.failures...)
	if err := o.write(cmd, r.out, r.reports); err != nil {
		return runFailure{errors.Join(failure, err)}
	}
	return failure
}

// prepare makes what all configurations share: the log, the simulation's listeners, and the server of --serve.
func (r *jobRun) prepare() error {
	r.options.Simulator.Modes = r.modes.override(r.cmd.Flags())
	r.options.Log, r.options.Code = newLogger(r.cmd.ErrOrStderr(), r.verbose), *r.code
	r.print = &kernelOutput{bar: r.bar}
	r.options.Simulator.Printf = r.print
	r.options.Spill = !r.views.any()
	r.views.listen(&r.options.Simulator)
	if err := r.live.start(r.cmd); err != nil {
		return err
	}
	r.live.listen(&r.options.Simulator)
	r.options.Simulator.Progress = r.bar.show()
	return nil
}

// close closes the open files. An uncommitted report is dropped, and the earlier file stays.
func (r *jobRun) close() {
	if r.print != nil {
		r.print.close()
	}
	if r.out != nil {
		r.out.Close()
	}
	for _, run := range r.reports {
		_ = run.Close() // its files are only temporary
	}
}

// on runs on one configuration and keeps its report. goesOn says whether to run the next one. The error is set if the run leaves no report
// of any configuration.
func (r *jobRun) on(chip *configs.Config, first bool) (goesOn bool, err error) {
	start := time.Now()
	r.options.Chip = chip
	job, err := r.open(r.cmd, r.path, r.options, r.dumps)
	if err != nil && !first {
		r.failures = append(r.failures, err)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// Open the files for the report and --printf before the first run, so that a long run is not lost.
	if first {
		if r.out, err = r.create(r.cmd, job, r.print); err != nil {
			return false, err
		}
	}
	result, runErr, err := r.simulate(job)
	if err != nil {
		return false, err
	}
	return runErr == nil, r.keep(job, result, runErr, time.Since(start))
}

// simulate runs a job, and again in other orders if checks ask for it. runErr is why the job ended early.
func (r *jobRun) simulate(job *host.Job) (result *host.Result, runErr, err error) {
	ran := expectReport(r.cmd.Context())
	r.live.begin(job.Workload.Name, job.Config.Name)
	result, runErr = job.Run(r.cmd.Context())
	r.live.end(runErr)
	ran()
	if runErr == nil && r.schedules > 0 {
		if err := r.otherOrders(r.cmd, r.path, r.options, job, result); err != nil {
			return nil, nil, runFailure{err}
		}
	}
	r.known.Mark(result.Mistakes)
	r.bar.close()
	if err := r.checkpoint.print(r.cmd, result, runErr); err != nil {
		r.failures = append(r.failures, err)
	}
	return result, runErr, nil
}

// keep adds a run's report to those of other configurations, writes the outputs of each run, and records failures.
func (r *jobRun) keep(job *host.Job, result *host.Result, runErr error, took time.Duration) (err error) {
	r.printNotes(r.cmd, job)
	run := r.report(job, result, runErr, took)
	run.Color, run.File, run.Baselined = colored(r.cmd, r.out), r.path, r.known != nil
	r.failures = append(r.failures, r.outcome(r.cmd.Context(), job, result, runErr, r.dumps))
	if runErr == nil && r.format == "json" && !result.Incomplete {
		if run.Results, err = gather.Results(job); err != nil {
			return runFailure{err}
		}
	}
	if len(result.Launches) == 0 && runErr != nil { // refused before anything ran: there is nothing to report
		return nil
	}
	r.reports = append(r.reports, run)
	if r.cmd.Context().Err() != nil && r.views.any() { // the views can take long, and the report must still be written
		r.failures = append(r.failures, errors.New("an interrupted run writes only the report: no recording, trace, "+
			"profile or page"))
		return nil
	}
	if err := r.views.write(&viewed{run: run, config: job.Config, line: job.Line}); err != nil {
		r.failures = append(r.failures, runFailure{err}) // the report must still be written
	}
	return nil
}

// write writes the reports of the runs, and draws them.
func (o *runOptions) write(cmd *cobra.Command, out *reportFile, reports []*report.Run) error {
	if len(reports) == 0 {
		return nil
	}
	err := report.WriteAll(out, o.format, reports)
	if err == nil {
		err = out.Commit()
	}
	if err != nil && o.output != "" { // standard output instead, so that a long run is not lost
		instead := report.WriteAll(cmd.OutOrStdout(), o.format, reports)
		if instead == nil {
			return fmt.Errorf("%w; it is on standard output instead", err)
		}
		return errors.Join(err, instead)
	}
	if err != nil {
		return err
	}
	if o.power.plot != "" {
		return o.plotPower(reports[0])
	}
	return nil
}

// chips returns the configurations to run on, in order. nil means the workload file's, or the default.
func (o *runOptions) chips(dumps [][2]string) ([]*configs.Config, error) {
	if o.config == "" || !strings.Contains(o.config, ",") {
		return []*configs.Config{nil}, nil
	}
	if len(dumps) > 0 {
		return nil, fmt.Errorf("--dump %s=%s: --config %s has several boards, and each would write this file; name one", dumps[0][0],
			dumps[0][1], o.config)
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
		config, err := configs.LoadAt(names[i], o.overrides, o.boardClocks())
		if err != nil {
			return nil, err
		}
		chips = append(chips, config)
	}
	return chips, nil
}

// open loads the input, and checks that the outputs can be written.
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
		if err := job.CheckBuffer(d[0]); err != nil {
			return nil, fmt.Errorf("--dump %s=%s: %w", d[0], d[1], err)
		}
	}
	return job, nil
}

// create opens the files that a run writes, except its dumps.
func (o *runOptions) create(cmd *cobra.Command, job *host.Job, print *kernelOutput) (*reportFile, error) {
	if err := o.saveWorkload(job); err != nil {
		return nil, err
	}
	if err := print.open(cmd, o); err != nil {
		return nil, err
	}
	return openOutput(cmd, o.output)
}

// report collects the contents of the report.
func (o *runOptions) report(job *host.Job, result *host.Result, runErr error, took time.Duration) *report.Run {
	r := gather.Run(job, result, runErr)
	r.Metrics, r.Checked = o.metrics, o.checks
	r.Host = report.Host{Threads: o.threads, Wall: took, PeakMemory: peakMemory()}
	return r
}
