package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keplersim/keplersim/report"
	"github.com/keplersim/keplersim/report/draw"
	"github.com/keplersim/keplersim/report/plots"
)

// newPlotCommand draws saved reports.
func newPlotCommand() *cobra.Command {
	var output string
	var names []string
	for _, k := range draw.Kinds {
		names = append(names, k.Name)
	}
	command := &cobra.Command{
		Use:  "plot " + strings.Join(names, "|") + " REPORT.json...",
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			at := slices.Index(names, args[0])
			if at < 0 {
				return fmt.Errorf("%q: choose one of %s", args[0], strings.Join(names, ", "))
			}
			if output == "" {
				return errors.New("name the file to draw to with --output, as in -o " + args[0] + ".svg")
			}
			if err := plots.CheckFile(output); err != nil {
				return err
			}
			if err := checkFiles(cmd, args[1:], written{"output", output}); err != nil {
				return err
			}
			reports, err := report.ReadSaved(args[1:])
			if err != nil {
				return err
			}
			return draw.Kinds[at].Draw(output, reports)
		},
	}
	command.Flags().StringVarP(&output, "output", "o", "", "the file to draw to, .svg, .png or .pdf")
	return command
}
