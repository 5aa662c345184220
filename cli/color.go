package cli

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
)

// colorWhen are the values of --color.
var colorWhen = []string{"auto", "always", "never"}

// takeColor gives a command and its subcommands the flag --color, and checks it before anything runs.
func takeColor(root *cobra.Command) {
	root.PersistentFlags().String("color", "auto",
		"colour the report of run, and errors: auto (on a terminal, unless NO_COLOR is set), always or never")
	root.PersistentPreRunE = func(command *cobra.Command, _ []string) error {
		if when := command.Flag("color").Value.String(); !slices.Contains(colorWhen, when) {
			return fmt.Errorf("--color %q: choose one of auto, always, never", when)
		}
		return nil
	}
}

// colored reports whether output to w is coloured: as --color says, and by default on a terminal with colours, unless NO_COLOR is set to
// anything (no-color.org).
func colored(command *cobra.Command, w io.Writer) bool {
	when := "auto"
	if flag := command.Flag("color"); flag != nil {
		when = flag.Value.String()
	}
	if when != "auto" {
		return when == "always"
	}
	_, terminal := terminalOf(w)
	return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
