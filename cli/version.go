package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/internal/version"
	"github.com/keplersim/keplersim/report"
)

func thisBuild() version.Build {
	info, _ := debug.ReadBuildInfo() // nil if Go recorded nothing
	return version.Of(info, report.SchemaVersion)
}

// ownVersion returns one line that names the program and its build.
func ownVersion() string { return "keplersim " + thisBuild().String() }

func newVersionCommand() *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:  "version",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch format {
			case "text":
				_, err := fmt.Fprintln(cmd.OutOrStdout(), ownVersion())
				return err
			case "json":
				return writeJSON(cmd.OutOrStdout(), thisBuild())
			}
			return fmt.Errorf("--format %s: choose one of text, json", format)
		},
	}
	command.Flags().StringVar(&format, "format", "text", "text or json")
	return command
}
