package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/internal/access"
	"github.com/keplersim/keplersim/internal/command"
	"github.com/keplersim/keplersim/lab"
	"github.com/keplersim/keplersim/lab/lessons"
)

// newLabCommand serves the lab.
func newLabCommand() *cobra.Command {
	var address, folder, site, engine, loader string
	var quiet bool
	cmd := &cobra.Command{
		Use:  "lab",
		Args: cobra.NoArgs,
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
			port, err := access.Listen(address, cmd.ErrOrStderr())
			if err != nil {
				return fmt.Errorf("--address: %w", err)
			}
			defer port.Close()
			handler, err := lab.Handler(all, ownVersion())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "The lab is at %s ; Ctrl-C ends it.\n", port.URL())
			if !quiet {
				browse(port.URL())
			}
			return port.Serve(cmd.Context(), handler)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&address, "address", "127.0.0.1:0", "serve here; port 0 is any that is free, 0.0.0.0:8000 lets other machines in")
	flags.StringVar(&folder, "lessons", "", "show the lessons of this `FOLDER`, NUMBER-NAME.md each, instead of the lab's own")
	flags.BoolVar(&quiet, "no-browser", false, "print the address, and open no browser")
	flags.StringVar(&site, "site", "", "write the lab to this `FOLDER` as files for a web host, and serve nothing")
	flags.StringVar(&engine, "engine", "", "with --site, the WebAssembly program (`FILE`)")
	flags.StringVar(&loader, "loader", "", "with --site, the wasm_exec.js of the Go release that built it (`FILE`)")
	return cmd
}

// browse opens a browser if the system can; the address is printed anyway.
func browse(url string) {
	opener := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if opener == nil {
		opener = []string{"xdg-open"}
	}
	if path, err := exec.LookPath(opener[0]); err == nil {
		c := command.Tool(context.Background(), path, append(opener[1:], url)...)
		if c.Start() == nil {
			go func() { _ = c.Wait() }() // the browser's result does not matter
		}
	}
}
