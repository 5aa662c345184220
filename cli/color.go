package cli

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
)

// colorWhen are the words that --color takes.
var colorWhen = []string{"auto", "always", "never"}

// takeColor gives a command and those below it --color, which it checks before anything runs.
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

// colored reports whether what is written to w takes colours: as --color says, and by itself on a terminal that knows them, unless NO_COLOR
// is set to anything (no-color.org).
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
