package cli

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/debug"
	"github.com/keplersim/keplersim/host"
	"github.com/keplersim/keplersim/internal/access"
	"github.com/keplersim/keplersim/internal/files"
)

// debugOptions are the flags of keplersim debug.
type debugOptions struct {
	runOptions
	timed, deviceDebug bool
}

// session returns the options for a debug session.
func (o *debugOptions) session(path string) (debug.Options, error) {
	h := host.Options{Config: o.config, Overrides: o.overrides, Kernel: o.kernel, Link: o.link, Shared: o.shared, Code: *o.code}
	err := o.parseLaunch(&h)
	return debug.Options{File: path, Host: h.WithTiming(o.timed), DeviceDebug: o.deviceDebug}, err
}

// launched is session for an editor's launch request, whose settings override the flags.
func (o *debugOptions) launched(a debug.Launch) (debug.Options, error) {
	own := *o
	for _, f := range []struct {
		into *string
		said string
	}{{&own.config, a.Config}, {&own.kernel, a.Kernel}, {&own.grid, a.Grid}, {&own.block, a.Block}} {
		if f.said != "" {
			*f.into = f.said
		}
	}
	if len(a.Args) > 0 {
		own.arguments = a.Args
	}
	own.timed, own.deviceDebug = own.timed || a.Timed, own.deviceDebug || a.DeviceDebug
	return own.session(a.Program)
}

// serve answers an editor over standard input, or over a port.
func (o *debugOptions) serve(cmd *cobra.Command, address string) error {
	if address == "" {
		return debug.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), o.launched)
	}
	port, err := access.Listen(address, cmd.ErrOrStderr())
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	defer port.Close()
	fmt.Fprintf(cmd.OutOrStdout(), "listening on %s\ntoken %s\n", port.Addr(), port.Token)
	return debug.ServeAt(cmd.Context(), port, o.launched)
}

// newDebugCommand debugs a kernel.
func newDebugCommand() *cobra.Command {
	o := &debugOptions{}
	var script, listen string
	var dap bool
	command := &cobra.Command{
		Use:  "debug FILE",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dap {
				return o.serve(cmd, listen)
			}
			if listen != "" {
				return errors.New("--listen is where --dap listens: give both")
			}
			if len(args) == 0 {
				return errors.New("which file? keplersim debug FILE")
			}
			if o.code.Piped.Present() && script == "" {
				return errors.New("standard input cannot be both the file and the commands: give the commands with --script")
			}
			if err := o.code.Check(args[0]); err != nil {
				return err
			}
			options, err := o.session(args[0])
			if err != nil {
				return err
			}
			session := debug.New(options)
			defer session.Close()
			console := debug.NewConsole(session, cmd.OutOrStdout())
			if script == "" {
				return console.Run(cmd.Context(), cmd.InOrStdin(), "(keplersim) ", false, false)
			}
			commands, err := files.ReadNamed(script, "--script", 1<<20)
			if err != nil {
				return err
			}
			if err := console.Run(cmd.Context(), bytes.NewReader(commands), "", true, true); err != nil {
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
	f.BoolVarP(&o.deviceDebug, "device-debug", "G", false, "compile without optimisation, as nvcc -G: all variables are there at each line")
	o.code = codeFlags(command, &o.link)
	f.StringVar(&o.grid, "grid", "", "the grid in blocks, as in 64 or 16,16")
	f.StringVar(&o.block, "block", "", "the block in threads, as in 256 or 16,16")
	f.IntVar(&o.shared, "shared", 0, "dynamic shared memory in bytes a block")
	f.StringArrayVar(&o.arguments, "arg", nil, "an argument, in the order of the kernel's parameters (may be repeated)")
	f.StringArrayVar(&o.symbols, "symbol", nil, "set a constant or global variable of the module, as in taps=f32[3]:values(1,2,1)")
	f.BoolVar(&o.timed, "timed", false, "run with timing")
	f.StringVar(&script, "script", "", "take commands from this file")
	f.BoolVar(&dap, "dap", false, "speak the Debug Adapter Protocol")
	f.StringVar(&listen, "listen", "", "with --dap, wait for one client at this address, as in 127.0.0.1:4711")
	return command
}
