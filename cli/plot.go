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
	kinds := ""
	var names []string
	for _, k := range draw.Kinds {
		kinds += fmt.Sprintf("\n  %-10s %s", k.Name, k.Meaning)
		names = append(names, k.Name)
	}
	command := &cobra.Command{
		Use:   "plot " + strings.Join(names, "|") + " REPORT.json...",
		Short: "Draw JSON reports as SVG, PNG or PDF for papers and slides",
		Long: `Draw reports that 'keplersim run --format json -o REPORT.json' has written: a group of bars or a point for each kernel of
each report. The drawings are` + kinds + `

--output names the file; its ending says the format: .svg, .png or .pdf.`,
		Example: `  keplersim run --format json -o before.json kernel.cu
  keplersim plot stalls before.json after.json -o stalls.pdf
  keplersim plot roofline k20.json k40.json -o roofline.svg
  keplersim plot timeline streams.json -o timeline.png`,
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
