package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/runtime"
	"github.com/keplersim/keplersim/workload"
)

// wholeOptions are the flags of keplersim run that are for whole programs alone.
type wholeOptions struct {
	arguments []string // behind --
	files     []string // before it
	level     string
	libraries []string
	folders   []string
	devices   int
}

// programStatus is the exit code of a program that ran, which becomes ours.
type programStatus int

func (s programStatus) Error() string { return fmt.Sprintf("the program ended with %d", int(s)) }

var (
	// comments are what a compiler leaves out, and texts what may look like code.
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"`)
	mainHead = regexp.MustCompile(`(?m)(^|[\s;}])main\s*\(`)
)

// hasMain tells whether a source file is that of a whole program, as far as its text shows.
func hasMain(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && mainHead.Match(comments.ReplaceAll(text, []byte(" ")))
}

// oneKernel are the flags that ask for a kernel, not for the program around it.
var oneKernel = []string{"kernel", "grid", "block", "shared", "arg", "symbol", "dump", "link", "save-workload"}

// wantsProgram tells whether the files are a whole program: one has a main, and nothing asks for a kernel alone.
func wantsProgram(cmd *cobra.Command, paths []string) bool {
	for _, flag := range oneKernel {
		if cmd.Flags().Changed(flag) {
			return false
		}
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

// runProgram builds a whole program, runs it, and reports on it.
func (o *runOptions) runProgram(cmd *cobra.Command) error {
	options, _, err := o.parse()
	if err != nil {
		return err
	}
	config := o.config
	if config == "" {
		config = host.DefaultConfig
	}
	board, err := configs.LoadAt(config, o.overrides, o.clocks)
	if err != nil {
		return err
	}
	if o.program.devices < 1 || o.program.devices > 8 {
		return fmt.Errorf("--devices %d: a program has 1 to 8", o.program.devices)
	}
	user := o.code.Compile
	user.Arch = "sm_" + fmt.Sprint(int(board.ComputeCapability))
	build := runtime.Build{Sources: o.program.files, Options: user, Level: o.program.level, Libraries: o.program.libraries, Folders: o.program.folders}
	path, err := build.Program(cmd.Context())
	if err != nil {
		return err
	}
	ro := runtime.Options{Simulator: options.Simulator, Messages: cmd.ErrOrStderr(), Log: newLogger(cmd.ErrOrStderr(), o.verbose)}
	ro.Simulator.Modes = o.modes.override(cmd.Flags())
	for range o.program.devices {
		ro.Devices = append(ro.Devices, board)
	}
	session, err := runtime.NewSession(ro)
	if err != nil {
		return err
	}
	defer session.Close()
	start := time.Now()
	name := strings.TrimSuffix(filepath.Base(o.program.files[0]), filepath.Ext(o.program.files[0]))
	code, err := session.Run(cmd.Context(), runtime.Process{
		Path: path, Name: "./" + name, Arguments: o.program.arguments, Stdin: cmd.InOrStdin(), Stdout: programOutput(cmd), Stderr: cmd.ErrOrStderr(),
	})
	if err != nil {
		return runFailure{err}
	}
	if err := o.reportProgram(cmd, session.Summary(), board, time.Since(start)); err != nil {
		return err
	}
	if code != 0 {
		return programStatus(code)
	}
	return nil
}

// programOutput is what a program gets for its standard output: the file itself, so that it sees a terminal where there is one.
func programOutput(cmd *cobra.Command) io.Writer {
	if o, ok := cmd.OutOrStdout().(*output); ok {
		return o.out
	}
	return cmd.OutOrStdout()
}

// reportProgram writes the summary to standard error, as the program's own output is the program's, or to the report's file.
func (o *runOptions) reportProgram(cmd *cobra.Command, s *runtime.Summary, board *configs.Config, took time.Duration) error {
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
		fmt.Fprintf(out, "==keplersim== whole program on %s (--kernel, --grid and the like run one kernel)\n", board.Name)
		if s.Unread > 0 {
			fmt.Fprintf(out, "==keplersim== note: %d bytes that kernels printed after the last synchronising call are lost, as on hardware\n", s.Unread)
		}
		err = s.Write(out)
	} else {
		err = report.Write(out, o.format, &report.Run{
			Workload: filepath.Base(o.program.files[0]), Config: board.Name, Launches: s.Launches, Metrics: o.metrics, Checked: o.check,
			Host: report.Host{Threads: o.threads, Wall: took, PeakMemory: peakMemory()},
		})
	}
	if err != nil {
		return err
	}
	return out.Commit()
}
