package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/debug"
	"github.com/keplersim/keplersim/host"
)

// newDebugCommand debugs a kernel.
func newDebugCommand() *cobra.Command {
	o := &runOptions{}
	var script, listen string
	var dap, timed bool
	command := &cobra.Command{
		Use:   "debug FILE",
		Short: "Debug a kernel: stop at lines, blocks, warps, cycles, accesses or hazards; step on, and back",
		Long: `Debug a kernel or a workload: stop it where it is told to, see what warps, lanes and memory have, and step on, or back.

FILE is what 'keplersim run' takes, whole programs apart. It runs without timing; with --timed, with cycles, scoreboards and
requests in flight. Going back is running again from the start, which gives the same each time.

Commands come from the terminal or, with --script, from a file; the first that fails ends a script with exit code 1.
They are

` + debug.Usage() + `
With --dap the debugger speaks the Debug Adapter Protocol on standard input and output, or with --listen on a TCP address,
for VS Code and other editors (docs/debugger.md).

Exit codes: 0 it was debugged; 1 a script's command failed; 2 bad input.`,
		Example: `  keplersim debug workloads/scan/scan.yaml
  keplersim debug --timed --script find.dbg kernel.cu
  keplersim debug --dap --listen 127.0.0.1:4711`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dap {
				return debug.Serve(cmd.Context(), listen, cmd.InOrStdin(), cmd.OutOrStdout(), func(a debug.Launch) (debug.Options, error) {
					return debug.Options{File: a.Program, Host: host.Options{Config: a.Config, Kernel: a.Kernel}.WithTiming(a.Timed)}, nil
				})
			}
			if len(args) == 0 {
				return errors.New("which file? keplersim debug FILE")
			}
			session := debug.New(debug.Options{File: args[0], Host: host.Options{Config: o.config, Overrides: o.overrides,
				Kernel: o.kernel}.WithTiming(timed)})
			defer session.Close()
			console := debug.NewConsole(session, cmd.OutOrStdout())
			if script == "" {
				return console.Run(cmd.Context(), cmd.InOrStdin(), "(keplersim) ", false, false)
			}
			file, err := os.Open(script)
			if err != nil {
				return fmt.Errorf("--script: %w", err)
			}
			defer file.Close()
			if err := console.Run(cmd.Context(), file, "", true, true); err != nil {
				return runFailure{err}
			}
			return nil
		},
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringVar(&o.config, "config", "", "the chip or board (default: the workload file's, else "+host.DefaultConfig+")")
	f.StringArrayVar(&o.overrides, "set", nil, "override a key of the configuration, as in smx.count=13 (may be repeated)")
	f.StringVar(&o.kernel, "kernel", "", "the kernel to launch, where the file has several")
	f.BoolVar(&timed, "timed", false, "run with timing")
	f.StringVar(&script, "script", "", "take commands from this file")
	f.BoolVar(&dap, "dap", false, "speak the Debug Adapter Protocol")
	f.StringVar(&listen, "listen", "", "with --dap, wait for one client at this address, as in 127.0.0.1:4711")
	return command
}
