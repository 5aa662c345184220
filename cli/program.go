package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/pattern"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/runtime"
	"github.com/keplersim/keplersim/runtime/nvcc"
	"github.com/keplersim/keplersim/sim/check/finding"
	"github.com/keplersim/keplersim/workload"
)

// wholeOptions are the flags of keplersim run that apply only to whole programs.
type wholeOptions struct {
	arguments []string // after --
	files     []string // before it
	level     string
	libraries []string
	folders   []string
	devices   int
	linked    bool
	time      string // which launches are timed
	detail    string
	save      string // a launch to write as a workload
	hostTime  string
	closed    bool // nothing is counted before cudaProfilerStart
	timeline  bool // the timeline is kept
	ended     func(*runtime.Session) error
	written   []written // by the caller
	notes     []string  // about what the program runs on, if that is not obvious
}

// programFlags is the environment variable with flags of keplersim run for programs that users start themselves.
const programFlags = "KEPLERSIM_FLAGS"

// newServeCommand is the command that such a program starts. Files 3 and 4 are its socket and the memory to share.
func newServeCommand() *cobra.Command {
	o := &runOptions{}
	command := &cobra.Command{
		Use: "serve", Hidden: true,
		Short: "Serve a CUDA program that was started by itself; flags come from the variable " + programFlags,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.serve(cmd) },
	}
	o.flags(command)
	return command
}

// serve is runProgram for a program that is already running.
func (o *runOptions) serve(cmd *cobra.Command) error {
	if err := cmd.Flags().Parse(nvcc.Words(os.Getenv(programFlags))); err != nil {
		return fmt.Errorf("%s: %w", programFlags, explainFlag(cmd, err))
	}
	board, err := o.programBoard()
	if err != nil {
		return fmt.Errorf("%s: %w", programFlags, err)
	}
	const socketFile, arenaFile = 3, 4
	if o.output == "/dev/stderr" {
		o.output = "" // the program's report goes to this file instead
	}
	if err := o.checkWritten(cmd, nil, nil); err != nil {
		return fmt.Errorf("%s: %w", programFlags, err)
	}
	socket, arena := os.NewFile(socketFile, "program"), os.NewFile(arenaFile, "memory")
	if info, err := arena.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.New("serve is started by programs that keplersim nvcc has made, not by hand")
	}
	session, err := o.session(cmd, board, arena)
	if err != nil {
		return err
	}
	defer session.Close()
	defer socket.Close()
	start := time.Now()
	if err := session.Serve(cmd.Context(), socket); err != nil {
		return runFailure{err}
	}
	mistakes := o.known.Mark(session.Mistakes())
	if cmd.Flags().Changed("output") {
		summary := session.Summary()
		if err := o.reportProgram(cmd, summary, o.programRun(summary, mistakes, board, time.Since(start))); err != nil {
			return err
		}
	}
	return o.foundInProgram(cmd, mistakes, cmd.Flags().Changed("output"))
}

// programStatus is a program's exit code, which becomes ours.
type programStatus int

func (s programStatus) Error() string { return fmt.Sprintf("the program ended with %d", int(s)) }

var (
	// comments matches what a compiler ignores, and texts that may look like code
	comments = pattern.Lazy(`(?s)/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"`)
	mainHead = pattern.Lazy(`(?m)(^|[\s;}])main\s*\(`)
)

// hasMain reports whether a source file has a main function, as far as its text shows.
func hasMain(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && mainHead().Match(comments().ReplaceAll(text, []byte(" ")))
}

// oneKernel are the flags that ask for a single kernel and not for the whole program.
var oneKernel = []string{"kernel", "grid", "block", "shared", "arg", "symbol", "dump", "link", "save-workload"}

// wantsProgram reports whether the files are a whole program: one has a main, and no flag asks for a single kernel.
func wantsProgram(cmd *cobra.Command, paths []string) bool {
	for _, flag := range oneKernel {
		if cmd.Flags().Changed(flag) && !(flag == "save-workload" && cmd.Flags().Changed("save-launch")) {
			return false
		}
	}
	if isProgram(paths[0]) {
		return true
	}
	switch strings.ToLower(filepath.Ext(paths[0])) {
	case ".cu", ".cpp", ".cc", ".cxx", ".c":
	default:
		return false
	}
	if _, beside := workload.Beside(paths[0]); beside && len(paths) == 1 {
		return false
	}
	for _, path := range paths {
		if hasMain(path) {
			return true
		}
	}
	return false
}

// isProgram recognises a compiled program by its first bytes.
func isProgram(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	begin := make([]byte, 4)
	_, err = io.ReadFull(file, begin)
	return err == nil && string(begin) == "\x7fELF"
}

// programBoard returns the configuration that a whole program runs on.
func (o *runOptions) programBoard() (*configs.Config, error) {
	if c := &o.checkpoint; c.at != "" || c.to != "" || c.resume != "" {
		return nil, errProgramState
	}
	config := o.config
	if config == "" {
		config = host.DefaultConfig
	}
	overrides, err := o.connectionOverride()
	if err != nil {
		return nil, err
	}
	board, err := configs.LoadAt(config, overrides, o.boardClocks())
	if err != nil {
		return nil, err
	}
	if k := &board.Clocks; o.boardClocks() == configs.AutomaticClocks && board.Boosts(overrides) {
		o.program.notes = append(o.program.notes, fmt.Sprintf("%s boosts by itself, so it runs at %d MHz (--autoboost off for %d)",
			board.Name, k.Core, k.Base))
	}
	if o.program.devices == 0 {
		if o.program.devices = board.Host.Devices; o.program.devices > 1 {
			o.program.notes = append(o.program.notes, fmt.Sprintf("%s is a board of %d GPUs, and the program sees each as a device "+
				"(--devices 1 for one)", board.Name, o.program.devices))
		}
	}
	if o.program.devices < 1 || o.program.devices > 8 {
		return nil, fmt.Errorf("--devices %d: a program has 1 to 8", o.program.devices)
	}
	return board, nil
}

// session makes the devices of a whole program.
func (o *runOptions) session(cmd *cobra.Command, board *configs.Config, arena *os.File) (*runtime.Session, error) {
	options, _, err := o.parse()
	if err != nil {
		return nil, err
	}
	ro := runtime.Options{Simulator: options.Simulator, Messages: cmd.ErrOrStderr(), Log: newLogger(cmd.ErrOrStderr(), o.verbose),
		Arena: arena}
	ro.Simulator.MaxCycles = o.programLimit(cmd)
	o.asCard(cmd, &ro.Simulator)
	o.views.listen(&ro.Simulator)
	o.live.listen(&ro.Simulator)
	times := strings.FieldsFunc(o.program.time, func(r rune) bool { return r == ',' })
	detail := o.program.detail
	switch {
	case o.sample != "":
		detail = "auto"
	case o.budget > 0 && detail == "auto": // the budget decides
		detail = "all"
	}
	if ro.Detail, err = runtime.ParseDetail(times, detail); err != nil {
		return nil, err
	}
	if ro.HostTime, err = parseHostTime(o.program.hostTime); err != nil {
		return nil, err
	}
	if o.program.save != "" {
		if o.save == "" {
			return nil, fmt.Errorf("--save-launch %s: name the file with --save-workload, as in --save-workload launch.yaml",
				o.program.save)
		}
		if ro.Save, err = runtime.ParseSave(o.program.save, o.save); err != nil {
			return nil, err
		}
	}
	ro.Closed = o.program.closed
	ro.Connections = o.connections != 0 || slices.ContainsFunc(o.overrides, func(set string) bool {
		return strings.HasPrefix(set, "hyperq.connections=")
	})
	ro.Simulator.Timeline = ro.Simulator.Timeline || o.program.timeline || o.views.timeline()
	ro.Simulator.Modes = o.modes.override(cmd.Flags())
	for range o.program.devices {
		ro.Devices = append(ro.Devices, board)
	}
	return runtime.NewSession(ro)
}

// programLimit returns the limit for a program's launches in cycles: none, unless the user gives one. A board without a display does not
// end kernels either. And a second or two of a Kepler are minutes of simulation, even if functional, for which the kernel is not to blame.
func (o *runOptions) programLimit(cmd *cobra.Command) int64 {
	if cmd.Flags().Changed("max-cycles") {
		return o.maxCycles
	}
	return math.MaxInt64
}

// parseHostTime reads zero, real, or a factor.
func parseHostTime(text string) (float64, error) {
	switch text {
	case "", "zero":
		return 0, nil
	case "real":
		return 1, nil
	}
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || !(factor >= 0) || factor > 1e6 {
		return 0, fmt.Errorf("--host-time %s: zero, real, or a factor, as in 0.5 for a host that is twice as fast as this one", text)
	}
	return factor, nil
}

// runProgram builds a whole program if needed, runs it, and reports on it.
func (o *runOptions) runProgram(cmd *cobra.Command) (err error) {
	board, err := o.programBoard()
	if err != nil {
		return err
	}
	if err := o.checkWritten(cmd, o.programFiles(), nil); err != nil {
		return err
	}
	stop, err := o.profiles.start()
	if err != nil {
		return err
	}
	defer stopped(stop, &err)
	first := o.program.files[0]
	path, name := first, first
	if !isProgram(first) {
		user := o.code.Compile
		user.Arch = "sm_" + fmt.Sprint(int(board.ComputeCapability))
		user.Linked = o.program.linked
		build := runtime.Build{Sources: o.program.files, Options: user, Level: o.program.level, Libraries: o.program.libraries,
			Folders: o.program.folders}
		built, err := build.Program(cmd.Context())
		if err != nil {
			return err
		}
		defer built.Close()
		if err := o.checkWritten(cmd, built.Read, nil); err != nil {
			return err
		}
		if path = built.Path; built.Note != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), built.Note)
		}
		name = "./" + strings.TrimSuffix(filepath.Base(first), filepath.Ext(first))
	} else if len(o.program.files) > 1 {
		return fmt.Errorf("%s is a program; write its arguments after --: keplersim run %s -- %s", first, first,
			strings.Join(o.program.files[1:], " "))
	}
	if err := o.live.start(cmd); err != nil {
		return err
	}
	defer o.live.finish(cmd)
	session, err := o.session(cmd, board, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	start := time.Now()
	o.live.begin(o.program.name(), board.Name)
	code, err := session.Run(cmd.Context(), runtime.Process{
		Path: path, Name: name, Arguments: o.program.arguments, Stdin: cmd.InOrStdin(), Stdout: programOutput(cmd),
		Stderr: cmd.ErrOrStderr(),
	})
	o.live.end(err)
	if err != nil {
		return runFailure{err}
	}
	summary, mistakes := session.Summary(), o.known.Mark(session.Mistakes())
	ran := o.programRun(summary, mistakes, board, time.Since(start))
	shown := *ran
	if list := session.Timeline(); len(list) > 0 {
		shown.Timeline = &report.Timeline{Intervals: list, HostUS: summary.Elapsed, DeviceUS: lastEnd(list)}
	}
	if err := o.views.write(&viewed{run: &shown, config: board}); err != nil {
		return runFailure{err}
	}
	if s := session.Saved(); s != nil && !s.Done {
		return runFailure{fmt.Errorf("--save-launch %s: the program made no such launch", o.program.save)}
	}
	if o.program.ended != nil {
		err = o.program.ended(session)
	} else {
		err = o.reportProgram(cmd, summary, ran)
	}
	if err != nil {
		return err
	}
	if found := o.foundInProgram(cmd, mistakes, o.program.ended == nil); found != nil && code == 0 {
		return found
	} else if found != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "keplersim:", found)
	}
	if code != 0 {
		return programStatus(code)
	}
	return nil
}

// foundInProgram returns the error for a whole program in which checks found mistakes. It writes the findings to standard error unless a
// report has shown them there.
func (o *runOptions) foundInProgram(cmd *cobra.Command, mistakes []*finding.Finding, reported bool) error {
	shown := reported && o.output == "" && report.ShowsMistakes(o.format)
	if !shown && len(mistakes) > 0 {
		if err := report.WriteMistakes(cmd.ErrOrStderr(), o.checks, mistakes); err != nil {
			return err
		}
	}
	if n := finding.Errors(mistakes); n > 0 {
		return checkFailure{fmt.Errorf("the checks found %s", countedMistakes(n)), o.checkExitCode}
	}
	return nil
}

// programFiles returns the files that a whole program is made of, without headers, which are known only after compiling.
func (o *runOptions) programFiles() []string {
	return append(slices.Clone(o.program.files), configFiles(o.config)...)
}

// programOutput returns a program's standard output: the file itself, so that the program sees a terminal if there is one.
func programOutput(cmd *cobra.Command) io.Writer {
	if o, ok := cmd.OutOrStdout().(*output); ok {
		return o.out
	}
	return cmd.OutOrStdout()
}

// reportProgram writes the summary to the report's file, or else to standard error, because standard output is the program's.
func (o *runOptions) reportProgram(cmd *cobra.Command, s *runtime.Summary, r *report.Run) error {
	out := &reportFile{out: cmd.ErrOrStderr()}
	if o.output != "" {
		var err error
		if out, err = openOutput(cmd, o.output); err != nil {
			return err
		}
		defer out.Close()
	}
	var err error
	if o.format == "text" {
		fmt.Fprintf(out, "==keplersim== whole program on %s (--kernel, --grid and the like run one kernel)\n", r.Config)
		for _, note := range slices.Concat(o.program.notes, s.Notes) {
			fmt.Fprintf(out, "==keplersim== note: %s\n", note)
		}
		if s.Unread > 0 {
			fmt.Fprintf(out, "==keplersim== note: %d bytes that kernels printed after the last synchronising call are lost, as on "+
				"hardware\n", s.Unread)
		}
		err = errors.Join(s.Write(out), report.WritePower(out, r.Power), report.WriteMistakes(out, r.Checked, r.Mistakes))
	} else {
		err = report.Write(out, o.format, r)
	}
	if err != nil {
		return err
	}
	if err := out.Commit(); err != nil || o.power.plot == "" {
		return err
	}
	return o.plotPower(r)
}

// name returns the program's name in reports.
func (o *wholeOptions) name() string {
	if len(o.files) == 0 {
		return "program"
	}
	return filepath.Base(o.files[0])
}

// file returns the program's first file, "" for a program that the user started.
func (o *wholeOptions) file() string {
	if len(o.files) == 0 {
		return ""
	}
	return o.files[0]
}

// programRun collects the report of a whole program.
func (o *runOptions) programRun(
	s *runtime.Summary, mistakes []*finding.Finding, board *configs.Config, took time.Duration,
) *report.Run {
	return &report.Run{
		Workload: o.program.name(), Config: board.Name, ConfigHash: board.Hash(), Program: thisBuild().Short(),
		Launches: s.Launches, Power: s.Power, Metrics: o.metrics, Failure: s.Failure,
		Checked: o.checks, Mistakes: mistakes, File: o.program.file(), Baselined: o.known != nil,
		Host: report.Host{Threads: o.threads, Wall: took, PeakMemory: peakMemory()},
	}
}
