package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/lab"
	"github.com/keplersim/keplersim/lab/lessons"
)

// newLabCommand serves the lab.
func newLabCommand() *cobra.Command {
	var address, folder, site, engine, loader string
	var quiet bool
	cmd := &cobra.Command{
		Use:   "lab",
		Short: "Learn GPU architecture in a browser: lessons, an editor, and the simulator behind them",
		Long: `Serve the lab on this machine and open it in a browser: lessons with kernels to change and exercises that check themselves, and a bench
for kernels of one's own. Only this machine can reach it. CUDA C compiles where clang is installed.

--site writes the same pages as files for any web host; the simulator then runs in the reader's browser. make site builds the engine
and calls it. docs/teaching.md says how to use the lab in a course and how to write lessons.`,
		Example: "  keplersim lab\n  keplersim lab --lessons mylessons --address 127.0.0.1:8000 --no-browser\n  make site",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := lab.Lessons()
			if folder != "" {
				if all, err = lessons.ReadAll(os.DirFS(folder)); err != nil {
					return fmt.Errorf("--lessons %s: %w", folder, err)
				}
			}
			if err != nil {
				return err
			}
			if site != "" {
				if engine == "" || loader == "" {
					return errors.New("--site needs --engine and --loader, the WebAssembly program and Go's wasm_exec.js; " +
						"make site gives both")
				}
				return lab.WriteSite(site, all, ownVersion(), engine, loader)
			}
			listener, err := listen(address)
			if err != nil {
				return err
			}
			handler, err := lab.Handler(all, ownVersion())
			if err != nil {
				return err
			}
			url := "http://" + listener.Addr().String() + "/"
			fmt.Fprintf(cmd.OutOrStdout(), "The lab is at %s; Ctrl-C ends it.\n", url)
			if !quiet {
				browse(url)
			}
			return lab.Serve(cmd.Context(), listener, handler)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&address, "address", "127.0.0.1:0", "serve at this address of this machine; port 0 is any that is free")
	flags.StringVar(&folder, "lessons", "", "show the lessons of this `FOLDER`, NUMBER-NAME.md each, instead of the lab's own")
	flags.BoolVar(&quiet, "no-browser", false, "print the address, and open no browser")
	flags.StringVar(&site, "site", "", "write the lab to this `FOLDER` as files for a web host, and serve nothing")
	flags.StringVar(&engine, "engine", "", "with --site, the WebAssembly program (`FILE`)")
	flags.StringVar(&loader, "loader", "", "with --site, the wasm_exec.js of the Go release that built it (`FILE`)")
	return cmd
}

// listen opens an address of loopback.
func listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--address %s: it is a host and a port, as in 127.0.0.1:8000", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--address %s: the lab runs whatever code it is sent, so that it serves this machine alone: "+
			"127.0.0.1, ::1 or localhost", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--address %s: %w", address, err)
	}
	return listener, nil
}

// browse opens a browser where the system has a way to; the address is printed in any case.
func browse(url string) {
	opener := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if opener == nil {
		opener = []string{"xdg-open"}
	}
	if path, err := exec.LookPath(opener[0]); err == nil {
		c := command.Tool(context.Background(), path, append(opener[1:], url)...)
		if c.Start() == nil {
			go func() { _ = c.Wait() }() // what the browser says is its own business
		}
	}
}
